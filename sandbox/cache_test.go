//go:build linux

package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// codeOf returns the file with the module's compiled code.
func codeOf(t *testing.T, e *env, dig string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(e.cache.entry(dig), codeDir, "*", "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("compiled code: %q, %v", files, err)
	}
	return files[0]
}

func TestCodeCache(t *testing.T) { // W19
	wasm := newAsm(`{"title":"x"}`).bytes(manifest("t.asm", "asm"))
	e := newEnv(t, func(c *Config) { c.CacheDir = t.TempDir() }, map[string][]byte{"asm": wasm})
	e.must("asm", "")
	code := codeOf(t, e, digest(wasm))
	entry := e.cache.entry(digest(wasm))
	for _, path := range []string{entry, filepath.Join(entry, codeDir), code} {
		st, err := os.Stat(path)
		if err != nil || st.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: mode %v, %v; want it private", path, st.Mode(), err)
		}
	}
	good, err := os.ReadFile(code)
	if err != nil {
		t.Fatal(err)
	}
	stat := func() time.Time {
		st, err := os.Stat(codeOf(t, e, digest(wasm)))
		if err != nil {
			t.Fatal(err)
		}
		return st.ModTime()
	}
	restart := func() {
		t.Helper()
		e.set.Load().adapters[0].mu.Lock()
		p := e.set.Load().adapters[0].p
		e.set.Load().adapters[0].mu.Unlock()
		p.end(errClosed)
		if got := e.must("asm", "").Title; got != "x" {
			t.Errorf("title = %q", got)
		}
	}
	before := stat()
	restart()
	if !stat().Equal(before) {
		t.Error("a good entry was built again")
	}
	for name, spoil := range map[string]func() error{
		"truncated":          func() error { return os.Truncate(code, int64(len(good)/2)) },
		"empty":              func() error { return os.Truncate(code, 0) },
		"changed":            func() error { return os.WriteFile(code, append(good[:len(good)-1:len(good)-1], 0xff), 0o600) },
		"open to others":     func() error { return os.Chmod(entry, 0o777) },
		"code open":          func() error { return os.Chmod(code, 0o666) },
		"somebody else's":    func() error { return os.Chown(code, 12345, 12345) },
		"without a seal":     func() error { return os.Remove(filepath.Join(entry, sealFile)) },
		"a nonsense seal":    func() error { return os.WriteFile(filepath.Join(entry, sealFile), []byte(`{"file":"../../x"}`), 0o600) },
		"a link":             func() error { return os.Rename(entry, entry+"x") },
		"gone":               func() error { return os.RemoveAll(entry) },
		"without its module": func() error { return os.Remove(filepath.Join(entry, moduleFile)) },
		"another module":     func() error { return os.WriteFile(filepath.Join(entry, moduleFile), []byte("x"), 0o600) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		if name == "a link" {
			if err := os.Symlink(entry+"x", entry); err != nil {
				t.Fatal(err)
			}
		}
		restart()
		if !e.cache.valid(digest(wasm)) {
			t.Errorf("%s: the entry was not built again", name)
		}
		os.RemoveAll(entry + "x")
	}
	if left, err := filepath.Glob(filepath.Join(e.cfg.CacheDir, buildingPrefix+"*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

func TestAChangedFileIsNotCompiledUnseen(t *testing.T) {
	e := newEnv(t, func(c *Config) { c.CacheDir = t.TempDir() }, map[string][]byte{"asm": newAsm(`{"title":"one"}`).bytes(manifest("t.asm", "asm"))})
	e.put("asm", newAsm(`{"title":"two"}`).bytes(manifest("t.asm", "asm")))
	if _, err := e.look("asm", "", nil); err == nil || !strings.Contains(err.Error(), "reloaded") {
		t.Errorf("error = %v", err)
	}
}

func TestCacheIsBounded(t *testing.T) { // W19
	c, err := openCache(t.TempDir(), 2500)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	var digests []string
	for i := range 4 {
		d := digest([]byte{byte(i)})
		digests = append(digests, d)
		if err := os.MkdirAll(filepath.Join(c.entry(d), codeDir), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(c.entry(d), codeDir, "x"), make([]byte, 1000), 0o600); err != nil {
			t.Fatal(err)
		}
		when := now.Add(time.Duration(i-10) * time.Hour)
		if err := os.Chtimes(c.entry(d), when, when); err != nil {
			t.Fatal(err)
		}
	}
	for name, when := range map[string]time.Time{buildingPrefix + "old": now.Add(-2 * staleBuild), buildingPrefix + "new": now, "foreign": now} {
		path := filepath.Join(c.dir, name)
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.trim(func(d string) bool { return d == digests[0] }); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		c.entry(digests[0]):                        true, // in use, although the oldest
		c.entry(digests[1]):                        false,
		c.entry(digests[2]):                        false,
		c.entry(digests[3]):                        true,
		filepath.Join(c.dir, buildingPrefix+"old"): false,
		filepath.Join(c.dir, buildingPrefix+"new"): true,
		filepath.Join(c.dir, "foreign"):            true,
	} {
		if _, err := os.Stat(name); (err == nil) != want {
			t.Errorf("%s: there %v, want %v", filepath.Base(name), err == nil, want)
		}
	}
}
