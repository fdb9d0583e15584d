//go:build !unix

package sandbox

import "os"

// onlyOurs knows no owners here; the user's own profile directory is private.
func onlyOurs(path string) error {
	_, err := os.Lstat(path)
	return err
}
