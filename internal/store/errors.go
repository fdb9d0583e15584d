package store

import (
	"context"
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// ErrQuota is returned when an adapter's key-values would outgrow [KVLimit].
var ErrQuota = errors.New("the adapter's storage is full")

// errDamaged marks a file that the quick check found faulty.
var errDamaged = errors.New("the file is damaged")

// advice says what to do about SQLite's primary result codes that a person can
// do something about.
var advice = map[int]string{
	sqlite3.SQLITE_FULL:     "the disk is full; free some space",
	sqlite3.SQLITE_READONLY: "the file or its folder is read-only; make it writable or choose another folder with dirs.state",
	sqlite3.SQLITE_CANTOPEN: "the file cannot be opened; make its folder writable or choose another with dirs.state",
	sqlite3.SQLITE_PERM:     "access was refused; make the file writable or choose another folder with dirs.state",
	sqlite3.SQLITE_IOERR:    "the disk does not read or write; check it, or choose another folder with dirs.state",
	sqlite3.SQLITE_BUSY:     "another program holds it locked; close that program and try again",
	sqlite3.SQLITE_CORRUPT:  "the file is damaged; restart the host, which moves it aside",
	sqlite3.SQLITE_NOTADB:   "the file is no database; restart the host, which moves it aside",
}

// explain names the deed, the file and, where there is one, the way out.
func (s *Store) explain(doing string, err error) error {
	if err == nil {
		return nil
	}
	if hint := advice[resultCode(err)]; hint != "" {
		return fmt.Errorf("%s %s: %w; %s", doing, s.path, err, hint)
	}
	return fmt.Errorf("%s %s: %w", doing, s.path, err)
}

// resultCode returns SQLite's primary result code in err, or 0.
func resultCode(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code() & 0xff
	}
	return 0
}

// isDamaged tells damage, which an empty file cures, from everything else.
func isDamaged(err error) bool {
	if err == nil || errors.Is(err, context.Canceled) {
		return false
	}
	code := resultCode(err)
	return errors.Is(err, errDamaged) || code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB
}
