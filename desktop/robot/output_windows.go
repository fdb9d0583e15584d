//go:build cgo && windows

package robot

import "os"

// ownOutput keeps the pipe to the parent and points Go's standard output away
// from it.
func ownOutput() (*os.File, error) {
	out := os.Stdout
	os.Stdout = os.Stderr
	return out, nil
}
