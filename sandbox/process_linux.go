package sandbox

import (
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// diesWithUs has the kernel end the process when the host is gone.
func diesWithUs() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// pipeSize holds a large observation, so that writing one does not wait for the
// runner to be scheduled.
const pipeSize = 1 << 20

// widen makes a pipe hold more; one that cannot works too.
func widen(f *os.File) {
	if c, err := f.SyscallConn(); err == nil {
		c.Control(func(fd uintptr) { unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeSize) }) // see above
	}
}

// anonymousMemory returns how much memory of a process is its own, in bytes; 0
// if it is gone.
func anonymousMemory(pid int) int64 {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		return 0
	}
	f := strings.Fields(string(b)) // size, resident, shared, … in pages
	if len(f) < 3 {
		return 0
	}
	resident, _ := strconv.ParseInt(f[1], 10, 64)
	shared, _ := strconv.ParseInt(f[2], 10, 64)
	return (resident - shared) * int64(os.Getpagesize())
}

// killed reports whether a process was ended by a signal that asks for no more than
// its end. A guest cannot send one.
func killed(s *os.ProcessState) bool {
	w, ok := s.Sys().(syscall.WaitStatus)
	return ok && w.Signaled() && (w.Signal() == syscall.SIGKILL || w.Signal() == syscall.SIGTERM)
}
