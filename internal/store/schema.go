package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// applicationID marks the file as ours in its header ("orie").
const applicationID = 0x6f726965

// migrations bring a database from the version of their index to the next one.
// A released one is never changed; new ones are added at the end.
var migrations = []string{`
CREATE TABLE settings (
	key   TEXT PRIMARY KEY,
	value TEXT NOT NULL
) STRICT;
CREATE TABLE kv (
	adapter TEXT NOT NULL,
	key     TEXT NOT NULL,
	value   BLOB NOT NULL,
	PRIMARY KEY (adapter, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE counters (
	name  TEXT PRIMARY KEY,
	value INTEGER NOT NULL
) STRICT;
INSERT INTO counters VALUES ('epoch', 0), ('id', 0);
CREATE TRIGGER counters_only_rise BEFORE UPDATE ON counters WHEN new.value < old.value
BEGIN SELECT RAISE(ABORT, 'a counter never falls'); END;
CREATE TABLE audit (
	seq         INTEGER PRIMARY KEY AUTOINCREMENT,
	time        INTEGER NOT NULL, -- microseconds since 1970, UTC
	client      TEXT NOT NULL,
	tool        TEXT NOT NULL,
	window      TEXT NOT NULL,
	app         TEXT NOT NULL,
	adapter     TEXT NOT NULL,
	args        TEXT NOT NULL,    -- JSON with secrets masked, or ''
	outcome     TEXT NOT NULL,
	message     TEXT NOT NULL,
	duration_us INTEGER NOT NULL
) STRICT;
CREATE TRIGGER audit_no_update BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
`, `
DELETE FROM counters WHERE name = 'epoch';
INSERT INTO counters VALUES ('audit_trimmed', 0);
DROP TRIGGER audit_no_delete;
CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit
WHEN old.seq > (SELECT value FROM counters WHERE name = 'audit_trimmed')
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only: only its oldest rows go, when it is trimmed'); END;
`}

// migrate brings the file to the newest schema, or refuses it if it is not ours.
func (s *Store) migrate(ctx context.Context) error {
	return s.inTx(ctx, "preparing", func(tx *sql.Tx) error {
		app, err := pragma(ctx, tx, "application_id")
		if err != nil {
			return err
		}
		have, err := pragma(ctx, tx, "user_version")
		if err != nil {
			return err
		}
		switch {
		case have == len(migrations) && app == applicationID:
			return nil
		case app != applicationID && (app != 0 || have != 0):
			return fmt.Errorf("it belongs to another program; choose another folder with dirs.state")
		case have > len(migrations):
			return fmt.Errorf("it was written by a newer version of oriel (schema %d, this one knows %d); update oriel, or move the file away to start empty",
				have, len(migrations))
		}
		for _, m := range migrations[have:] {
			if _, err := tx.ExecContext(ctx, m); err != nil {
				return err
			}
		}
		_, err = tx.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, len(migrations)))
		return err
	})
}

// pragma reads a numeric pragma. The names are constants of this package.
func pragma(ctx context.Context, tx *sql.Tx, name string) (n int, err error) {
	err = tx.QueryRowContext(ctx, "PRAGMA "+name).Scan(&n)
	return n, err
}

// idEpoch is the second from which [Store.skipIDs] counts.
var idEpoch = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// skipIDs lifts the ids of a database that replaces a lost one above every
// number the lost one can have given out: fewer than one a second.
func (s *Store) skipIDs(ctx context.Context) error {
	return s.inTx(ctx, "raising the ids of", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE counters SET value = max(value, ?) WHERE name = 'id'", int64(time.Since(idEpoch)/time.Second))
		return err
	})
}
