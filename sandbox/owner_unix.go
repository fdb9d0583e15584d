//go:build unix

package sandbox

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// onlyOurs returns an error if path is a link, is somebody else's, or can be
// written by others.
func onlyOurs(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	switch st, ok := info.Sys().(*syscall.Stat_t); {
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%s is a symbolic link", path)
	case ok && int(st.Uid) != os.Geteuid():
		return fmt.Errorf("%s belongs to user %d", path, st.Uid)
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("%s can be written by others", path)
	}
	return nil
}
