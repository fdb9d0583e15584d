package sandbox

import (
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Confinement returns what this kernel will hold a runner with.
func Confinement() Confined {
	c := confinedBy(landlockVersion())
	c.Syscalls = len(denied) > 0
	return c
}

// self is the program as it runs, even if its file was replaced meanwhile.
const self = "/proc/self/exe"

// confineAndExec restricts the calling thread and executes the program again, so
// that every thread of the new image is born restricted. It returns only when
// that fails. What the kernel does not have is left out and reported.
func confineAndExec(stage, dir string) error {
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("giving up new privileges: %w", err)
	}
	limits := map[int]uint64{unix.RLIMIT_CORE: 0, unix.RLIMIT_NOFILE: 64}
	for what, n := range limits {
		if err := unix.Setrlimit(what, &unix.Rlimit{Cur: n, Max: n}); err != nil {
			return fmt.Errorf("setting resource limit %d: %w", what, err)
		}
	}
	c := confinedBy(landlockVersion())
	if c.Landlock > 0 {
		if err := landlock(c, stage, dir); err != nil {
			return err
		}
	}
	var err error
	if c.Syscalls, err = denySyscalls(); err != nil {
		return err
	}
	// Descriptors that the host itself inherited without knowing of them.
	if err := unix.CloseRange(3, ^uint(0)>>1, unix.CLOSE_RANGE_CLOEXEC); err != nil && !errors.Is(err, unix.ENOSYS) {
		return fmt.Errorf("closing descriptors: %w", err)
	}
	b, err := json.Marshal(c)
	if err != nil {
		return err
	}
	argv := append(append([]string{}, os.Args...), confinedPrefix+string(b))
	return fmt.Errorf("executing itself: %w", unix.Exec(self, argv, nil))
}

func landlockVersion() (int, error) {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, errno
	}
	return int(v), nil
}

// confinedBy says what Landlock of a version can hold.
func confinedBy(version int, err error) Confined {
	switch {
	case errors.Is(err, unix.ENOSYS):
		return Confined{Missing: "this kernel has no Landlock (Linux 5.13 and later have it)"}
	case errors.Is(err, unix.EOPNOTSUPP):
		return Confined{Missing: "Landlock is switched off in this kernel (add landlock to the lsm= boot parameter)"}
	case err != nil:
		return Confined{Missing: fmt.Sprintf("Landlock cannot be used: %v", err)}
	}
	c := Confined{Landlock: version, Files: true, Network: version >= 4, Signals: version >= 6}
	if !c.Network {
		c.Missing = "Landlock of this kernel does not hold the network (Linux 6.7 and later do)"
	}
	return c
}

// The file rights that each version of Landlock added. Those that are handled
// and not granted by a rule are denied.
const (
	readRights  = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	execRights  = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_EXECUTE
	writeRights = readRights | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_REG |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE
	firstRights = unix.LANDLOCK_ACCESS_FS_REFER - 1 // version 1: all bits below REFER
)

func handledRights(version int) uint64 {
	rights := uint64(firstRights)
	for v, r := range map[int]uint64{2: unix.LANDLOCK_ACCESS_FS_REFER, 3: unix.LANDLOCK_ACCESS_FS_TRUNCATE, 5: unix.LANDLOCK_ACCESS_FS_IOCTL_DEV} {
		if version >= v {
			rights |= r
		}
	}
	return rights
}

// landlock denies the calling thread everything but what the stage needs.
func landlock(c Confined, stage, dir string) error {
	attr := unix.LandlockRulesetAttr{Handled_access_fs: handledRights(c.Landlock)}
	size := unsafe.Sizeof(attr.Handled_access_fs)
	if c.Network {
		attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
		size += unsafe.Sizeof(attr.Handled_access_net)
	}
	if c.Signals {
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
		size += unsafe.Sizeof(attr.Scoped)
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return fmt.Errorf("making the Landlock rules: %w", errno)
	}
	defer unix.Close(int(fd))
	rules := map[string]uint64{dir: readRights, self: execRights}
	if stage == stageCompile {
		rules[filepath.Join(dir, codeDir)] = writeRights
	}
	for _, lib := range libraries(self) {
		rules[lib] |= execRights | unix.LANDLOCK_ACCESS_FS_READ_DIR
	}
	for path, rights := range rules {
		if err := allow(int(fd), path, rights&attr.Handled_access_fs); err != nil {
			return fmt.Errorf("allowing %s: %w", path, err)
		}
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return fmt.Errorf("taking on the Landlock rules: %w", errno)
	}
	return nil
}

// allow adds a rule for what lies beneath path; a path that is not there needs
// none.
func allow(ruleset int, path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &^= unix.LANDLOCK_ACCESS_FS_READ_DIR // only directories have this right
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// libraries returns where the loader of a dynamically linked program looks; a
// static program needs none of it.
func libraries(exe string) []string {
	f, err := elf.Open(exe)
	if err != nil {
		return nil
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			return []string{"/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache", "/etc/ld.so.preload"}
		}
	}
	return nil
}

// denySyscalls has the kernel answer EPERM to what a runner never does. It is
// left out, and reported so, on processors that it does not know.
func denySyscalls() (bool, error) {
	prog := syscallFilter()
	if len(prog) == 0 {
		return false, nil
	}
	fprog := unix.SockFprog{Len: uint16(len(prog)), Filter: &prog[0]}
	err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&fprog)), 0, 0)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		return false, nil // the kernel was built without
	} else if err != nil {
		return false, fmt.Errorf("denying system calls: %w", err)
	}
	return true, nil
}

// syscallFilter returns the filter program: another processor's calls and those
// in denied get EPERM, all others pass.
func syscallFilter() []unix.SockFilter {
	if len(denied) == 0 {
		return nil
	}
	const (
		offsetNumber, offsetArch = 0, 4
		load                     = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal                    = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		atLeast                  = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
		ret                      = unix.BPF_RET | unix.BPF_K
	)
	refuse := unix.SockFilter{Code: ret, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)}
	prog := []unix.SockFilter{
		{Code: load, K: offsetArch},
		{Code: equal, K: auditArch, Jt: 1},
		refuse,
		{Code: load, K: offsetNumber},
		{Code: atLeast, K: foreignCalls, Jf: 1},
		refuse,
	}
	for _, nr := range denied {
		prog = append(prog, unix.SockFilter{Code: equal, K: nr, Jf: 1}, refuse)
	}
	return append(prog, unix.SockFilter{Code: ret, K: unix.SECCOMP_RET_ALLOW})
}
