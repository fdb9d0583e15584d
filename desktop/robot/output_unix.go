//go:build cgo && (linux || darwin)

package robot

import (
	"os"

	"golang.org/x/sys/unix"
)

// ownOutput moves the pipe to the parent away from standard output, to which C
// libraries print.
func ownOutput() (*os.File, error) {
	fd, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, err
	}
	if err := unix.Dup2(2, 1); err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "parent"), nil
}
