// Package store is the host's embedded database: settings, the adapters' own
// key-values, the counters behind ids that are never reused, and the audit rows.
//
// It is one SQLite file in WAL mode, readable by its user alone. Several
// processes may hold it open; every method is safe for concurrent use. A write
// has reached the disk when its method returns nil.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // registers the driver
)

// busyTimeout is how long a statement waits for another process that writes.
const busyTimeout = 5 * time.Second

// Store is an open database.
type Store struct {
	db     *sql.DB
	path   string
	notice string
}

// Open opens the database at path and creates it, and its folder, if need be.
//
// A file that is damaged is moved aside and replaced by an empty one; [Store.Notice]
// then says so. A file of a newer version of the program is refused.
func Open(ctx context.Context, path string) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("opening the database: %w", err)
	}
	if err := prepare(path); err != nil {
		return nil, err
	}
	s, err := open(ctx, path)
	if !isDamaged(err) {
		return s, err
	}
	aside, moveErr := moveAside(path)
	if moveErr != nil {
		return nil, fmt.Errorf("opening %s: it is damaged (%w) and cannot be moved aside: %w; move it away by hand", path, err, moveErr)
	}
	if s, err = open(ctx, path); err != nil {
		return nil, err
	}
	s.notice = fmt.Sprintf("the database %s was damaged and has been moved to %s; settings, adapter data and the audit log start empty; "+
		"to rescue what is left, run: sqlite3 %q .recover", path, aside, aside)
	if err := s.skipIDs(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Notice is what a person should be told about the opening, or "".
func (s *Store) Notice() string { return s.notice }

// Path is where the database lies.
func (s *Store) Path() string { return s.path }

// Close ends the connection. Closing twice is allowed.
func (s *Store) Close() error {
	if err := s.db.Close(); err != nil {
		return fmt.Errorf("closing %s: %w", s.path, err)
	}
	return nil
}

// prepare makes the folder and an empty file that only the user can read.
// SQLite gives its -wal and -shm files the mode of the database.
func prepare(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("making the folder of the database: %w; choose another with dirs.state", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("opening the database: %w; choose another folder with dirs.state", err)
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || st.Mode().Perm()&0o077 == 0 {
		return err
	}
	if err := f.Chmod(0o600); err != nil {
		return fmt.Errorf("making %s private: %w", path, err)
	}
	return nil
}

// open connects, checks and migrates.
func open(ctx context.Context, path string) (*Store, error) {
	q := url.Values{"_txlock": {"immediate"}, "_pragma": {
		fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds()),
		"journal_mode(WAL)",
		"synchronous(FULL)", // an audit row survives a power cut
		"foreign_keys(1)",
	}}
	dsn := url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}
	db, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	// One connection: writers queue here instead of meeting SQLITE_BUSY.
	db.SetMaxOpenConns(1)
	s := &Store{db: db, path: path}
	if err := s.check(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if err := s.migrate(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return s, nil
}

// check finds damage before anything is served from the file.
func (s *Store) check(ctx context.Context) error {
	var verdict string
	if err := s.db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict); err != nil {
		return s.explain("checking", err)
	}
	if verdict != "ok" {
		return fmt.Errorf("checking %s: %w: %s", s.path, errDamaged, verdict)
	}
	return nil
}

// moveAside renames a damaged database and its companions and returns the new
// name of the first.
func moveAside(path string) (string, error) {
	aside := fmt.Sprintf("%s.damaged-%s", path, time.Now().UTC().Format("20060102T150405.000"))
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Rename(path+suffix, aside+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return aside, prepare(path)
}

// inTx runs f in one write transaction.
func (s *Store) inTx(ctx context.Context, doing string, f func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return s.explain(doing, err)
	}
	if err := f(tx); err != nil {
		return s.explain(doing, errors.Join(err, tx.Rollback()))
	}
	return s.explain(doing, tx.Commit())
}
