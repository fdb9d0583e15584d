//go:build linux

package sandbox

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"oriel.dev/oriel/hostabi"
)

// attempts is what a confined process could do, by name.
type attempts struct {
	Confined Confined
	Could    map[string]bool
	Env      []string
	Files    []string
}

// attempt is what runs instead of a runner in these tests: it confines itself as
// one and then tries what a runner must not be able to do, from many threads.
func attempt(args []string) int {
	if len(args) == 2 {
		return RunnerMain(args)
	}
	a := attempts{Could: map[string]bool{}, Env: os.Environ()}
	if err := json.Unmarshal([]byte(strings.TrimPrefix(args[2], confinedPrefix)), &a.Confined); err != nil {
		return 1
	}
	for fd := range 20 {
		if name, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd)); err == nil {
			a.Files = append(a.Files, fmt.Sprintf("%d %s", fd, name))
		}
	}
	var mu sync.Mutex // guards a.Could
	var all sync.WaitGroup
	start := make(chan struct{})
	for range 8 {
		all.Go(func() {
			runtime.LockOSThread()
			<-start
			for name, err := range deeds(args[1]) {
				mu.Lock()
				a.Could[name] = a.Could[name] || err == nil
				mu.Unlock()
			}
		})
	}
	close(start)
	all.Wait()
	b, err := json.Marshal(a)
	if err != nil {
		return 1
	}
	os.Stdout.Write(b)
	return 0
}

// deeds tries everything and returns the errors.
func deeds(dir string) map[string]error {
	open := func(path string, flags int) error {
		f, err := os.OpenFile(path, flags, 0o600)
		if err == nil {
			f.Close()
		}
		return err
	}
	_, list := os.ReadDir("/")
	tcp := func() error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
		if err == nil {
			unix.Close(fd)
		}
		return err
	}()
	unixSocket := func() error {
		c, err := net.DialTimeout("unix", filepath.Join(filepath.Dir(dir), "socket"), time.Second)
		if err == nil {
			c.Close()
		}
		return err
	}()
	return map[string]error{
		"read /etc/passwd":   open("/etc/passwd", os.O_RDONLY),
		"list /":             list,
		"read the host's":    open(filepath.Join(filepath.Dir(dir), "secret"), os.O_RDONLY),
		"read its directory": open(filepath.Join(dir, moduleFile), os.O_RDONLY),
		"write its module":   open(filepath.Join(dir, moduleFile), os.O_WRONLY),
		"write code":         open(filepath.Join(dir, codeDir, "x"), os.O_CREATE|os.O_WRONLY),
		"write beside it":    open(filepath.Join(filepath.Dir(dir), "new"), os.O_CREATE|os.O_WRONLY),
		"a TCP socket":       tcp,
		"a socket of a file": unixSocket,
		"signal the host":    syscall.Kill(os.Getppid(), 0),
		"trace the host":     unix.PtraceAttach(os.Getppid()),
		"gain privileges":    unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0),
		"execute a program":  exec.Command("/bin/true").Run(),
		"make an io_uring":   errnoOf(unix.SYS_IO_URING_SETUP, 1),
		"unshare namespaces": unix.Unshare(unix.CLONE_NEWUSER),
		"shared memory":      errnoOf(unix.SYS_SHMGET, 0, 4096, 0o1600),
		"leave by chroot":    unix.Chroot("/"),
		"signal itself":      syscall.Kill(os.Getpid(), 0),
	}
}

func errnoOf(nr uintptr, args ...uintptr) error {
	a := [3]uintptr{}
	copy(a[:], args)
	if _, _, errno := unix.Syscall(nr, a[0], a[1], a[2]); errno != 0 {
		return errno
	}
	return nil
}

// confine runs attempt as a stage and returns what it could do.
func confine(t *testing.T, stage string, prefix ...string) attempts {
	t.Helper()
	root := t.TempDir()
	dir := filepath.Join(root, "entry")
	if err := os.MkdirAll(filepath.Join(dir, codeDir), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{filepath.Join(dir, moduleFile), filepath.Join(root, "secret")} {
		if err := os.WriteFile(f, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l, err := net.Listen("unix", filepath.Join(root, "socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	argv := append(prefix, os.Args[0], "attempt", stage, dir)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = []string{"SECRET=1"}
	extra, err := os.Open(filepath.Join(root, "secret")) // a descriptor that the host has by accident
	if err != nil {
		t.Fatal(err)
	}
	defer extra.Close()
	cmd.ExtraFiles = []*os.File{extra}
	out, err := cmd.Output()
	var a attempts
	if err != nil || json.Unmarshal(out, &a) != nil {
		ee, _ := err.(*exec.ExitError)
		t.Fatalf("%v: %s %+v", err, out, ee)
	}
	return a
}

func TestARunnerIsConfined(t *testing.T) { // W15
	want := Confinement()
	if want.Landlock == 0 {
		t.Fatalf("this kernel has no Landlock, so its part cannot be tested: %s", want.Missing)
	}
	for _, stage := range []string{stageServe, stageCompile} {
		a := confine(t, stage)
		if a.Confined != want {
			t.Errorf("%s: reported %+v, want %+v", stage, a.Confined, want)
		}
		allowed := []string{"read its directory", "signal itself"}
		if stage == stageCompile {
			allowed = append(allowed, "write code")
		}
		if !want.Signals {
			allowed = append(allowed, "signal the host")
		}
		for deed, could := range a.Could {
			if could != slices.Contains(allowed, deed) {
				t.Errorf("%s: could %s: %v", stage, deed, could)
			}
		}
		if len(a.Env) > 0 {
			t.Errorf("%s: environment %q", stage, a.Env)
		}
		for _, f := range a.Files {
			if strings.Contains(f, "secret") {
				t.Errorf("%s: inherited descriptor %s", stage, f)
			}
		}
	}
}

func TestWithoutLandlockItSaysSo(t *testing.T) { // W15: "where the kernel has them"
	a := confine(t, stageServe, os.Args[0], "without-landlock")
	if a.Confined.Landlock != 0 || a.Confined.Files || a.Confined.Network || !strings.Contains(a.Confined.Missing, "Landlock") {
		t.Errorf("reported %+v", a.Confined)
	}
	if !a.Could["read /etc/passwd"] {
		t.Error("it was confined all the same: the test proves nothing")
	}
	for _, deed := range []string{"a TCP socket", "trace the host", "gain privileges"} {
		if a.Could[deed] != !a.Confined.Syscalls && deed != "gain privileges" {
			t.Errorf("could %s: %v, reported %v", deed, a.Could[deed], a.Confined.Syscalls)
		}
	}
	e := newEnv(t, func(c *Config) {
		grantAll(probeID)(c)
		c.Runner = append([]string{os.Args[0], "without-landlock"}, c.Runner...)
	}, map[string][]byte{"probe": probe(t, probeManifest())})
	if got := e.must("probe", "x").Title; got != "x" {
		t.Errorf("title = %q", got)
	}
	if c := e.info(probeID).Confined; c == nil || c.Files || c.Missing == "" || !strings.Contains(c.String(), c.Missing) {
		t.Errorf("reported %+v", c)
	}
}

func TestARunnerFromOutside(t *testing.T) { // W15
	t.Setenv("SECRET", "1")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if _, err := unix.FcntlInt(w.Fd(), unix.F_SETFD, 0); err != nil { // as one that the host inherited itself
		t.Fatal(err)
	}
	e := newEnv(t, nil, map[string][]byte{"probe": probe(t, probeManifest())})
	e.must("probe", "x")
	proc := fmt.Sprintf("/proc/%d/", e.runnerPID(probeID))
	if b, err := os.ReadFile(proc + "environ"); err != nil || len(b) > 0 {
		t.Errorf("environment: %q, %v", b, err)
	}
	if d, err := os.Readlink(proc + "cwd"); err != nil || d != "/" {
		t.Errorf("working directory: %s, %v", d, err)
	}
	fds, err := os.ReadDir(proc + "fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range fds {
		to, err := os.Readlink(proc + "fd/" + fd.Name())
		standard := slices.Contains([]string{"0", "1", "2"}, fd.Name()) && strings.HasPrefix(to, "pipe:")
		if err != nil || !standard && !strings.HasPrefix(to, "anon_inode:[event") {
			t.Errorf("descriptor %s is %s, %v", fd.Name(), to, err)
		}
	}
	status, err := os.ReadFile(proc + "status")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"NoNewPrivs:\t1", "Seccomp:\t2"} {
		if !strings.Contains(string(status), want) {
			t.Errorf("status lacks %q", want)
		}
	}
	if limits, err := os.ReadFile(proc + "limits"); err != nil || !strings.Contains(strings.Join(strings.Fields(string(limits)), " "), "Max core file size 0 0") {
		t.Errorf("limits: %s, %v", limits, err)
	}
}

func TestConfinedByVersion(t *testing.T) {
	for _, c := range []struct {
		version int
		err     error
		want    Confined
	}{
		{0, unix.ENOSYS, Confined{Missing: "no Landlock"}},
		{0, unix.EOPNOTSUPP, Confined{Missing: "switched off"}},
		{0, unix.EPERM, Confined{Missing: "cannot be used"}},
		{1, nil, Confined{Landlock: 1, Files: true, Missing: "does not hold the network"}},
		{4, nil, Confined{Landlock: 4, Files: true, Network: true}},
		{6, nil, Confined{Landlock: 6, Files: true, Network: true, Signals: true}},
	} {
		got := confinedBy(c.version, c.err)
		if !strings.Contains(got.Missing, c.want.Missing) {
			t.Errorf("version %d, %v: missing %q", c.version, c.err, got.Missing)
		}
		got.Missing, c.want.Missing = "", ""
		if got != c.want {
			t.Errorf("version %d, %v: %+v, want %+v", c.version, c.err, got, c.want)
		}
	}
	if a, b := handledRights(1), handledRights(7); a != 1<<13-1 || b != 1<<16-1 {
		t.Errorf("rights of versions 1 and 7: %x, %x", a, b)
	}
}

// TestStaticAndCgoRunners has both kinds of binary serve: one that the loader
// puts together, and one without it.
func TestStaticAndCgoRunners(t *testing.T) {
	for name, c := range map[string]struct{ cgo, pkg string }{
		"static":  {"0", "./testdata/runner"},
		"dynamic": {"1", "./testdata/cgorunner"},
	} {
		exe := filepath.Join(t.TempDir(), name)
		cmd := exec.Command("go", "build", "-o", exe, c.pkg)
		cmd.Env = append(os.Environ(), "CGO_ENABLED="+c.cgo)
		if b, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, b)
		}
		if got := len(libraries(exe)) > 0; got != (name == "dynamic") {
			t.Errorf("%s: dynamically linked: %v", name, got)
		}
		e := newEnv(t, func(cfg *Config) {
			cfg.Runner = []string{exe, "runner"}
			cfg.CacheDir = t.TempDir()
		}, map[string][]byte{"asm": newAsm(`{"title":"x"}`).bytes(manifest("t.asm", "asm", hostabi.CapLog))})
		if got := e.must("asm", "").Title; got != "x" {
			t.Errorf("%s: title = %q", name, got)
		}
		if c := e.info("t.asm").Confined; c == nil || *c != Confinement() {
			t.Errorf("%s: confined %+v", name, c)
		}
	}
}
