package store

import (
	"context"
	"database/sql"
	"time"
)

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

// trimBatch is how many rows are looked at in one transaction: a few milliseconds,
// which is all that a writer ever waits for.
const trimBatch = 200

// TrimAudit deletes rows from the beginning of the audit log, up to the first that
// is neither older than before nor more than keep rows from the end. It does a small
// batch at most; more tells whether there may be others.
func (s *Store) TrimAudit(ctx context.Context, before time.Time, keep int) (deleted int, more bool, err error) {
	err = s.inTx(ctx, "trimming the audit log in", func(tx *sql.Tx) error {
		last, err := lastToTrim(ctx, tx, before, keep)
		if err != nil || last == 0 {
			return err
		}
		// Only rows up to this counter can be deleted at all, and it never falls: how
		// much has gone stays known.
		if _, err := tx.ExecContext(ctx, "UPDATE counters SET value = ? WHERE name = 'audit_trimmed'", last); err != nil {
			return err
		}
		gone, err := tx.ExecContext(ctx, "DELETE FROM audit WHERE seq <= ?", last)
		if err != nil {
			return err
		}
		n, err := gone.RowsAffected()
		deleted = int(n)
		return err
	})
	return deleted, deleted == trimBatch, err
}

// lastToTrim is the number of the last row that goes with the next batch, 0 if none
// does.
func lastToTrim(ctx context.Context, tx *sql.Tx, before time.Time, keep int) (last int64, err error) {
	rows, err := tx.QueryContext(ctx, `SELECT seq, time, (SELECT coalesce(max(seq), 0) FROM audit) FROM audit ORDER BY seq LIMIT ?`, trimBatch)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var seq, at, newest int64
		if err := rows.Scan(&seq, &at, &newest); err != nil {
			return 0, err
		}
		if at >= before.UnixMicro() && seq > newest-int64(keep) {
			break
		}
		last = seq
	}
	return last, rows.Err()
}
