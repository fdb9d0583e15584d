package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/cpu"
)

// codeCache keeps the compiled code of adapters. Whoever can write there runs
// code in every runner, so an entry is built by a one-shot process in a private
// directory of its own, sealed by the host and moved into place; after that
// nothing writes to it, and runners may only read it.
//
//	<digest>-<engine>/module.wasm   the module, so that its file may change meanwhile
//	<digest>-<engine>/code/…        the engine's own files
//	<digest>-<engine>/seal          the digest of the code
//	building-…/                     an entry that is being built
type codeCache struct {
	dir    string
	engine string // names the engine's version and the processor's features
	limit  int64  // bytes of all entries
}

const (
	sealFile       = "seal"
	buildingPrefix = "building-"
	// staleBuild is how old a building directory must be to have been left by a
	// host that died.
	staleBuild = time.Hour
)

// seal is what the host notes about an entry's code.
type seal struct {
	Files map[string]string `json:"files"` // path below codeDir → hex SHA-256
}

// maxCode is how many files the engine writes for one adapter: its module, and
// Extism's own.
const maxCode = 2

// openCache makes the directory if it is not there and refuses one that others
// can write to.
func openCache(dir string, limit int64) (*codeCache, error) {
	if dir == "" {
		return nil, errors.New("opening the code cache: no directory is configured; set one")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("opening the code cache: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the code cache: %w", err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, fmt.Errorf("opening the code cache: %w", err)
	}
	if err := onlyOurs(dir); err != nil {
		return nil, fmt.Errorf("opening the code cache: %w; whoever writes there runs code as you: make it yours (chown, chmod 700) or configure another directory", err)
	}
	return &codeCache{dir: dir, engine: engineKey(), limit: limit}, nil
}

// engineKey names what compiled code depends on beside the module.
func engineKey() string {
	version := "dev"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, d := range info.Deps {
			if d.Path == "github.com/tetratelabs/wazero" {
				version = d.Version
			}
		}
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s %s %+v %+v", version, runtime.GOOS, runtime.GOARCH, cpu.X86, cpu.ARM64))
	return hex.EncodeToString(sum[:6])
}

// entry is the directory of a module's entry.
func (c *codeCache) entry(digest string) string {
	return filepath.Join(c.dir, digest+"-"+c.engine)
}

// valid reports whether the module's entry is complete, unchanged and ours.
func (c *codeCache) valid(digest string) bool {
	dir := c.entry(digest)
	b, err := os.ReadFile(filepath.Join(dir, sealFile))
	if err != nil || onlyOurs(dir) != nil {
		return false
	}
	var s seal
	if json.Unmarshal(b, &s) != nil || len(s.Files) == 0 {
		return false
	}
	for name, want := range s.Files {
		if !filepath.IsLocal(name) {
			return false
		}
		if sum, err := digestOf(filepath.Join(dir, codeDir, name)); err != nil || sum != want {
			return false
		}
	}
	return true
}

// sealed reports whether the module has an entry, without reading the code.
func (c *codeCache) sealed(digest string) bool {
	_, err := os.Stat(filepath.Join(c.entry(digest), sealFile))
	return err == nil
}

// touch notes that the entry was used.
func (c *codeCache) touch(digest string) {
	now := time.Now()
	os.Chtimes(c.entry(digest), now, now) // only the order of eviction
}

// begin makes a private directory with the module in it for a compiler to write
// to.
func (c *codeCache) begin(digest string, wasm []byte) (dir string, err error) {
	dir, err = os.MkdirTemp(c.dir, buildingPrefix+digest[:min(len(digest), 12)]+"-")
	if err != nil {
		return "", fmt.Errorf("making an entry of the code cache: %w", err)
	}
	if err := os.Mkdir(filepath.Join(dir, codeDir), 0o700); err != nil {
		return dir, fmt.Errorf("making an entry of the code cache: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, moduleFile), wasm, 0o600); err != nil {
		return dir, fmt.Errorf("copying the module to the code cache: %w", err)
	}
	return dir, nil
}

// publish seals what was built in dir and moves it into place, instead of what
// was there. Another host that did the same meanwhile is welcome.
func (c *codeCache) publish(digest, dir string) error {
	s, err := sealOf(dir)
	if err != nil {
		return err
	}
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, sealFile), b, 0o600); err != nil {
		return fmt.Errorf("sealing compiled code: %w", err)
	}
	if c.valid(digest) {
		return os.RemoveAll(dir)
	}
	c.discard(digest)
	if err := os.Rename(dir, c.entry(digest)); err != nil && !c.valid(digest) {
		return fmt.Errorf("publishing compiled code: %w", err)
	}
	return os.RemoveAll(dir)
}

// sealOf reads what the engine wrote.
func sealOf(dir string) (seal, error) {
	s := seal{Files: map[string]string{}}
	root := filepath.Join(dir, codeDir)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir():
			return err
		case !d.Type().IsRegular() || len(s.Files) == maxCode:
			return fmt.Errorf("unexpected %s", d.Name())
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		s.Files[name], err = digestOf(path)
		return err
	})
	if err == nil && len(s.Files) == 0 {
		err = errors.New("the compiler wrote nothing")
	}
	if err != nil {
		return s, fmt.Errorf("sealing compiled code: %w", err)
	}
	return s, nil
}

// discard drops an entry that is of no use. It first moves it away, so that
// nobody sees half of it.
func (c *codeCache) discard(digest string) {
	aside, err := os.MkdirTemp(c.dir, buildingPrefix)
	if err != nil {
		return
	}
	os.Rename(c.entry(digest), filepath.Join(aside, "old")) // there may be none
	os.RemoveAll(aside)                                     // trimmed later
}

// trim removes what dead hosts left and, while all entries together are over the
// limit, those that were not used for longest. Entries in keep stay.
func (c *codeCache) trim(keep func(digest string) bool) error {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return fmt.Errorf("trimming the code cache: %w", err)
	}
	type old struct {
		path string
		used time.Time
		size int64
	}
	var all []old
	var total int64
	for _, e := range entries {
		info, err := e.Info()
		path := filepath.Join(c.dir, e.Name())
		digest, _, isEntry := strings.Cut(e.Name(), "-")
		switch {
		case err != nil || !e.IsDir():
		case strings.HasPrefix(e.Name(), buildingPrefix):
			if time.Since(info.ModTime()) > staleBuild {
				os.RemoveAll(path) // next time
			}
		case isEntry && len(digest) == 2*sha256.Size:
			size := sizeOf(path)
			total += size
			if !keep(digest) {
				all = append(all, old{path, info.ModTime(), size})
			}
		}
	}
	slices.SortFunc(all, func(a, b old) int { return a.used.Compare(b.used) })
	for _, e := range all {
		if total <= c.limit {
			break
		}
		if os.RemoveAll(e.path) == nil {
			total -= e.size
		}
	}
	return nil
}

// sizeOf adds up the files below dir.
func sizeOf(dir string) (n int64) {
	filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error { // what cannot be read counts 0
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				n += info.Size()
			}
		}
		return nil
	})
	return n
}

// digest returns the SHA-256 of b in hex.
func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// digestOf returns the SHA-256 of a regular file that only we can write.
func digestOf(path string) (string, error) {
	if err := onlyOurs(path); err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
