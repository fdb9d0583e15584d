package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func mustOpen(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func dbPath(t *testing.T) string { return filepath.Join(t.TempDir(), "state dir?#%41", "oriel.db") }

func TestFilesArePrivate(t *testing.T) {
	path := dbPath(t)
	s := mustOpen(t, path)
	if err := s.SetSetting(t.Context(), "a", "b"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path string
		want fs.FileMode
	}{{filepath.Dir(path), 0o700}, {path, 0o600}, {path + "-wal", 0o600}, {path + "-shm", 0o600}} {
		if st, err := os.Stat(c.path); err != nil || st.Mode().Perm() != c.want {
			t.Errorf("%s: mode %v, %v; want %v", c.path, st.Mode().Perm(), err, c.want)
		}
	}
	if err := errors.Join(s.Close(), os.Chmod(path, 0o644)); err != nil {
		t.Fatal(err)
	}
	mustOpen(t, path)
	if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("a file that others could read stays %v", st.Mode().Perm())
	}
}

func TestSettings(t *testing.T) {
	path := dbPath(t)
	s := mustOpen(t, path)
	ctx := t.Context()
	if err := errors.Join(s.SetSetting(ctx, "log.level", "debug"), s.SetSetting(ctx, "log.level", "warn"),
		s.SetSetting(ctx, "x", "1"), s.DeleteSetting(ctx, "x"), s.Close()); err != nil {
		t.Fatal(err)
	}
	got, err := mustOpen(t, path).Settings(ctx)
	if err != nil || len(got) != 1 || got["log.level"] != "warn" {
		t.Errorf("settings after a restart: %v, %v", got, err)
	}
}

// W07: an adapter has 1 MB of its own, and no more.
func TestW07KVQuota(t *testing.T) {
	s := mustOpen(t, dbPath(t))
	ctx := t.Context()
	big := bytes.Repeat([]byte{7}, KVLimit-1)
	if err := s.Set(ctx, "a", "k", big); err != nil {
		t.Fatalf("one byte of key and %d of value: %v", len(big), err)
	}
	if err := s.Set(ctx, "a", "k", append(big, 7)); !errors.Is(err, ErrQuota) {
		t.Errorf("one byte more: %v, want ErrQuota", err)
	}
	if err := s.Set(ctx, "a", "l", nil); !errors.Is(err, ErrQuota) {
		t.Errorf("a second key: %v, want ErrQuota", err)
	}
	if err := s.Set(ctx, "b", "k", []byte("own")); err != nil {
		t.Errorf("another adapter: %v", err)
	}
	if err := errors.Join(s.Delete(ctx, "a", "k"), s.Delete(ctx, "a", "k"), s.Set(ctx, "a", "l", nil)); err != nil {
		t.Errorf("after making room: %v", err)
	}
	if n, err := s.Used(ctx, "b", "x"); err != nil || n != 4 {
		t.Errorf("used beside another key: %d, %v", n, err)
	}
	if n, err := s.Used(ctx, "b", "k"); err != nil || n != 0 {
		t.Errorf("used beside its only key: %d, %v", n, err)
	}
	for _, c := range []struct {
		adapter, key string
		want         []byte
		has          bool
	}{{"a", "k", nil, false}, {"a", "l", []byte{}, true}, {"b", "k", []byte("own"), true}} {
		if got, has, err := s.Get(ctx, c.adapter, c.key); err != nil || has != c.has || !bytes.Equal(got, c.want) {
			t.Errorf("%s/%s: %q, %v, %v", c.adapter, c.key, got, has, err)
		}
	}
}

// B12: ids are never given twice, by whatever process, and survive
// restarts.
func TestB12IDsNeverRepeat(t *testing.T) {
	path := dbPath(t)
	var mu sync.Mutex // guards seen
	seen := map[int64]bool{}
	for range 2 { // restarts
		var wg sync.WaitGroup
		for range 3 { // processes
			s := mustOpen(t, path)
			wg.Go(func() {
				defer s.Close()
				for i := range 20 {
					first, err := s.ReserveIDs(t.Context(), i+1)
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					for id := first; id <= first+int64(i); id++ {
						if seen[id] || id < 1 {
							t.Errorf("id %d was given twice or is not positive", id)
						}
						seen[id] = true
					}
					mu.Unlock()
				}
			})
		}
		wg.Wait()
	}
	if want := 2 * 3 * 210; len(seen) != want {
		t.Errorf("%d ids, want %d", len(seen), want)
	}
	if _, err := mustOpen(t, path).ReserveIDs(t.Context(), 0); err == nil {
		t.Error("reserving no ids succeeds")
	}
}

func TestDamagedFileIsMovedAside(t *testing.T) {
	for name, damage := range map[string]func([]byte) []byte{
		"no database": func([]byte) []byte {
			return []byte("certainly not a database, and longer than a header of one hundred bytes, which is what SQLite reads first")
		},
		"holes": func(b []byte) []byte {
			for i := 4096; i < len(b); i += 2 {
				b[i] = 0xee
			}
			return b
		},
		"cut": func(b []byte) []byte { return b[:len(b)/2+100] },
	} {
		t.Run(name, func(t *testing.T) {
			path := dbPath(t)
			s := mustOpen(t, path)
			for range 50 {
				if _, err := s.AppendAudit(t.Context(), AuditRow{Message: strings.Repeat("x", 500)}); err != nil {
					t.Fatal(err)
				}
			}
			last, err := s.ReserveIDs(t.Context(), 1000)
			if err := errors.Join(err, s.Close()); err != nil {
				t.Fatal(err)
			}
			b, err := os.ReadFile(path)
			if err := errors.Join(err, os.WriteFile(path, damage(b), 0o600)); err != nil {
				t.Fatal(err)
			}
			s = mustOpen(t, path)
			if !strings.Contains(s.Notice(), path+".damaged-") {
				t.Errorf("notice %q does not say where the old file is", s.Notice())
			}
			aside, err := filepath.Glob(filepath.Join(filepath.Dir(path), "oriel.db.damaged-*"))
			if err != nil || len(aside) == 0 {
				t.Errorf("the damaged file is gone: %v, %v", aside, err)
			}
			// B12 holds even now.
			if first, err := s.ReserveIDs(t.Context(), 1); err != nil || first <= last+1000 {
				t.Errorf("ids restart at %d, %v; the lost file had given up to %d", first, err, last+1000)
			}
		})
	}
}

func TestRefusedFiles(t *testing.T) {
	for _, c := range []struct{ name, sql, want string }{
		{"newer", "PRAGMA application_id = 1869769061; PRAGMA user_version = 99", "newer version of oriel (schema 99, this one knows 2); update oriel"},
		{"foreign", "PRAGMA application_id = 7", "belongs to another program"},
		{"foreign without a name", "PRAGMA user_version = 3", "belongs to another program"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "oriel.db")
			db, err := sql.Open("sqlite", path)
			if err != nil {
				t.Fatal(err)
			}
			_, err = db.Exec(c.sql)
			if err := errors.Join(err, db.Close()); err != nil {
				t.Fatal(err)
			}
			if _, err := Open(t.Context(), path); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
				t.Errorf("%v\nwant %q and the path", err, c.want)
			}
			if _, err := os.Stat(path); err != nil {
				t.Errorf("a refused file was moved: %v", err)
			}
		})
	}
}

// Each fault ends in one error that names the file and what to do.
func TestFaultsAreExplained(t *testing.T) {
	t.Run("folder cannot be made", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Open(t.Context(), filepath.Join(file, "oriel.db"))
		wantError(t, err, "dirs.state", file)
	})
	t.Run("path is a folder", func(t *testing.T) {
		dir := t.TempDir()
		_, err := Open(t.Context(), dir)
		wantError(t, err, "dirs.state", dir)
	})
	t.Run("disk full", func(t *testing.T) {
		s := mustOpen(t, dbPath(t))
		var pages int
		if err := s.db.QueryRow("PRAGMA page_count").Scan(&pages); err != nil {
			t.Fatal(err)
		}
		if _, err := s.db.Exec(fmt.Sprintf("PRAGMA max_page_count = %d", pages)); err != nil {
			t.Fatal(err)
		}
		err := s.Set(t.Context(), "a", "k", make([]byte, 100_000))
		wantError(t, err, "the disk is full", s.Path())
		if _, has, err := s.Get(t.Context(), "a", "k"); has || err != nil {
			t.Errorf("half a write is there: %v, %v", has, err)
		}
	})
	t.Run("read-only", func(t *testing.T) {
		s := mustOpen(t, dbPath(t))
		if _, err := s.db.Exec("PRAGMA query_only = 1"); err != nil {
			t.Fatal(err)
		}
		_, err := s.AppendAudit(t.Context(), AuditRow{})
		wantError(t, err, "read-only", s.Path())
	})
	t.Run("locked by another process", func(t *testing.T) {
		path := dbPath(t)
		a, b := mustOpen(t, path), mustOpen(t, path)
		if _, err := b.db.Exec("PRAGMA busy_timeout = 20"); err != nil {
			t.Fatal(err)
		}
		tx, err := a.db.Begin()
		if err != nil {
			t.Fatal(err)
		}
		defer tx.Rollback()
		wantError(t, b.SetSetting(t.Context(), "a", "b"), "another program holds it locked", path)
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		path := dbPath(t)
		if _, err := Open(ctx, path); !errors.Is(err, context.Canceled) {
			t.Errorf("%v, want context.Canceled", err)
		}
		if s := mustOpen(t, path); s.Notice() != "" {
			t.Errorf("a cancelled start passes for damage: %s", s.Notice())
		}
	})
}

func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if err == nil || !strings.Contains(err.Error(), p) {
			t.Errorf("%v\nwant an error with %q", err, p)
		}
	}
}
