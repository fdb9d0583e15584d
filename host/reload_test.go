package host

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAdapterFilesTellChanges(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.wasm")
	seen := map[string]bool{adapterFiles([]string{dir, "/nonexistent"}): true}
	for _, step := range []func() error{
		func() error { return os.WriteFile(file, []byte("one"), 0o600) },
		func() error { return os.WriteFile(file, []byte("longer"), 0o600) },
		func() error { return os.Rename(file, filepath.Join(dir, "b.wasm")) },
		func() error { return os.WriteFile(file, []byte("one"), 0o600) },
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
		now := adapterFiles([]string{dir, "/nonexistent"})
		if seen[now] {
			t.Errorf("a change went unseen: %q", now)
		}
		seen[now] = true
	}
}
