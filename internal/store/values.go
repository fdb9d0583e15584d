package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// KVLimit is how many bytes of keys and values one adapter may keep.
const KVLimit = 1 << 20

// Settings returns all stored settings.
func (s *Store) Settings(ctx context.Context) (map[string]string, error) {
	rows, err := s.db.QueryContext(ctx, "SELECT key, value FROM settings")
	if err != nil {
		return nil, s.explain("reading the settings in", err)
	}
	defer rows.Close()
	out := map[string]string{}
	for rows.Next() {
		var k, v string
		if err := rows.Scan(&k, &v); err != nil {
			return nil, s.explain("reading the settings in", err)
		}
		out[k] = v
	}
	return out, s.explain("reading the settings in", rows.Err())
}

// SetSetting stores one setting.
func (s *Store) SetSetting(ctx context.Context, key, value string) error {
	_, err := s.db.ExecContext(ctx, "INSERT INTO settings VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value", key, value)
	return s.explain("storing a setting in", err)
}

// DeleteSetting removes one setting, so that what lies beneath it holds again.
func (s *Store) DeleteSetting(ctx context.Context, key string) error {
	_, err := s.db.ExecContext(ctx, "DELETE FROM settings WHERE key = ?", key)
	return s.explain("deleting a setting in", err)
}

// Get returns an adapter's value, and whether there is one.
func (s *Store) Get(ctx context.Context, adapter, key string) ([]byte, bool, error) {
	var v []byte
	err := s.db.QueryRowContext(ctx, "SELECT value FROM kv WHERE adapter = ? AND key = ?", adapter, key).Scan(&v)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	return v, err == nil, s.explain("reading an adapter's value in", err)
}

// Set stores an adapter's value. It returns [ErrQuota] if the adapter would then
// hold more than [KVLimit].
func (s *Store) Set(ctx context.Context, adapter, key string, value []byte) error {
	if value == nil {
		value = []byte{}
	}
	return s.inTx(ctx, "storing an adapter's value in", func(tx *sql.Tx) error {
		var others int64
		const q = "SELECT coalesce(sum(octet_length(key) + octet_length(value)), 0) FROM kv WHERE adapter = ? AND key <> ?"
		if err := tx.QueryRowContext(ctx, q, adapter, key).Scan(&others); err != nil {
			return err
		}
		if total := others + int64(len(key)+len(value)); total > KVLimit {
			return fmt.Errorf("%w: %d bytes with this value, %d are allowed; delete something first", ErrQuota, total, KVLimit)
		}
		_, err := tx.ExecContext(ctx, "INSERT INTO kv VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value", adapter, key, value)
		return err
	})
}

// Delete removes an adapter's value; one that is not there is no error.
func (s *Store) Delete(ctx context.Context, adapter, key string) error {
	_, err := s.db.ExecContext(ctx, "DELETE FROM kv WHERE adapter = ? AND key = ?", adapter, key)
	return s.explain("deleting an adapter's value in", err)
}

// NextEpoch returns a number greater than any that it returned before, in any
// process: one for each start of a host.
func (s *Store) NextEpoch(ctx context.Context) (int64, error) { return s.add(ctx, "epoch", 1) }

// ReserveIDs returns the first of n consecutive ids that are nobody else's, now
// or ever. Ids that a process dies with are lost, never given twice.
func (s *Store) ReserveIDs(ctx context.Context, n int) (first int64, err error) {
	if n < 1 {
		return 0, fmt.Errorf("reserving %d ids: at least one is needed", n)
	}
	last, err := s.add(ctx, "id", n)
	return last - int64(n) + 1, err
}

func (s *Store) add(ctx context.Context, counter string, n int) (v int64, err error) {
	err = s.db.QueryRowContext(ctx, "UPDATE counters SET value = value + ? WHERE name = ? RETURNING value", n, counter).Scan(&v)
	return v, s.explain("counting in", err)
}

// AuditRow is one row of the audit log; package audit says what it means.
type AuditRow struct {
	Seq                                int64 // rises by one with each row; set by the store
	Time                               time.Time
	Client, Tool, Window, App, Adapter string
	Args, Outcome, Message             string
	Duration                           time.Duration
}

// AppendAudit adds a row and returns its number once it is on the disk.
func (s *Store) AppendAudit(ctx context.Context, r AuditRow) (seq int64, err error) {
	err = s.db.QueryRowContext(ctx, `INSERT INTO audit (time, client, tool, window, app, adapter, args, outcome, message, duration_us)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq`,
		r.Time.UnixMicro(), r.Client, r.Tool, r.Window, r.App, r.Adapter, r.Args, r.Outcome, r.Message, r.Duration.Microseconds()).Scan(&seq)
	return seq, s.explain("writing the audit log in", err)
}

// AuditTail returns the newest n rows, oldest first.
func (s *Store) AuditTail(ctx context.Context, n int) ([]AuditRow, error) {
	const doing = "reading the audit log in"
	rows, err := s.db.QueryContext(ctx, `SELECT * FROM (SELECT seq, time, client, tool, window, app, adapter, args, outcome, message, duration_us
		FROM audit ORDER BY seq DESC LIMIT ?) ORDER BY seq`, n)
	if err != nil {
		return nil, s.explain(doing, err)
	}
	defer rows.Close()
	var out []AuditRow
	for rows.Next() {
		var r AuditRow
		var at, took int64
		if err := rows.Scan(&r.Seq, &at, &r.Client, &r.Tool, &r.Window, &r.App, &r.Adapter, &r.Args, &r.Outcome, &r.Message, &took); err != nil {
			return nil, s.explain(doing, err)
		}
		r.Time, r.Duration = time.UnixMicro(at).UTC(), time.Duration(took)*time.Microsecond
		out = append(out, r)
	}
	return out, s.explain(doing, rows.Err())
}
