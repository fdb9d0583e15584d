package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
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
		if err := tx.QueryRowContext(ctx, usedQuery, adapter, key).Scan(&others); err != nil {
			return err
		}
		if total := others + int64(len(key)+len(value)); total > KVLimit {
			return fmt.Errorf("%w: %d bytes with this value, %d are allowed; delete something first", ErrQuota, total, KVLimit)
		}
		_, err := tx.ExecContext(ctx, "INSERT INTO kv VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value", adapter, key, value)
		return err
	})
}

const usedQuery = "SELECT coalesce(sum(octet_length(key) + octet_length(value)), 0) FROM kv WHERE adapter = ? AND key <> ?"

// Used returns how many bytes an adapter keeps under all keys but one, keys
// included.
func (s *Store) Used(ctx context.Context, adapter, but string) (n int64, err error) {
	err = s.db.QueryRowContext(ctx, usedQuery, adapter, but).Scan(&n)
	return n, s.explain("counting an adapter's values in", err)
}

// Delete removes an adapter's value; one that is not there is no error.
func (s *Store) Delete(ctx context.Context, adapter, key string) error {
	_, err := s.db.ExecContext(ctx, "DELETE FROM kv WHERE adapter = ? AND key = ?", adapter, key)
	return s.explain("deleting an adapter's value in", err)
}

// ReserveIDs returns the first of n consecutive ids that are nobody else's, now
// or ever. Ids that a process dies with are lost, never given twice.
func (s *Store) ReserveIDs(ctx context.Context, n int) (first int64, err error) {
	if n < 1 {
		return 0, fmt.Errorf("reserving %d ids: at least one is needed", n)
	}
	var last int64
	err = s.db.QueryRowContext(ctx, "UPDATE counters SET value = value + ? WHERE name = 'id' RETURNING value", n).Scan(&last)
	return last - int64(n) + 1, s.explain("counting in", err)
}
