package host

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// TokenPath is where the per-user token of HTTP clients lies.
func TokenPath(stateDir string) string { return filepath.Join(stateDir, "token") }

// Token returns the per-user token, and makes one if there is none yet. A file
// that others can read is refused: they may have read it already.
func Token(stateDir string) (string, error) {
	path := TokenPath(stateDir)
	st, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return newToken(path)
	}
	if err != nil {
		return "", fmt.Errorf("reading the token: %w", err)
	}
	if st.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("reading the token: others can read %s; remove it, and the next start makes a new token", path)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("reading the token: %w", err)
	}
	token := strings.TrimSpace(string(b))
	if len(token) < 20 || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", fmt.Errorf("reading the token: %s holds none; remove it, and the next start makes a new token", path)
	}
	return token, nil
}

// newToken writes a new token. Of two hosts that start at once, one writes and
// both use what it wrote.
func newToken(path string) (string, error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("making the token: %w", err)
	}
	f, err := os.CreateTemp(dir, ".token-") // 0600
	if err != nil {
		return "", fmt.Errorf("making the token: %w", err)
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(rand.Text() + "\n")
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return "", fmt.Errorf("making the token: %w", err)
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("making the token: %w", err)
	}
	return Token(filepath.Dir(path))
}
