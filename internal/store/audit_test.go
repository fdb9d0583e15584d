package store

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// G20: the database itself refuses to change the past.
func TestG20AuditIsAppendOnly(t *testing.T) {
	s := mustOpen(t, dbPath(t))
	for range 3 {
		if _, err := s.AppendAudit(t.Context(), AuditRow{Time: time.Now(), Tool: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	for _, q := range []string{"UPDATE audit SET tool = 'y'", "DELETE FROM audit", "UPDATE counters SET value = value - 1"} {
		if _, err := s.db.ExecContext(t.Context(), q); err == nil || !strings.Contains(err.Error(), "append-only") && !strings.Contains(err.Error(), "never falls") {
			t.Errorf("%s: %v, want a refusal", q, err)
		}
	}
	rows, err := s.AuditTail(t.Context(), 2)
	if err != nil || len(rows) != 2 || rows[0].Seq != 2 || rows[1].Seq != 3 {
		t.Errorf("tail %+v, %v", rows, err)
	}
}

// appendAudit adds rows that were written a number of hours ago.
func appendAudit(t *testing.T, s *Store, hoursAgo ...int) {
	t.Helper()
	for _, h := range hoursAgo {
		if _, err := s.AppendAudit(t.Context(), AuditRow{Time: time.Now().Add(-time.Duration(h) * time.Hour), Tool: "x"}); err != nil {
			t.Fatal(err)
		}
	}
}

// auditSeqs are the numbers of all rows.
func auditSeqs(t *testing.T, s *Store) []int64 {
	t.Helper()
	rows, err := s.AuditTail(t.Context(), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	out := []int64{}
	for _, r := range rows {
		out = append(out, r.Seq)
	}
	return out
}

// G20: rows go from the beginning alone, once they are old or too many; the numbers
// of the others stay, and what has not been trimmed cannot be deleted afterwards
// either.
func TestG20AuditIsTrimmedFromItsBeginning(t *testing.T) {
	for _, tt := range []struct {
		name  string
		hours []int // the age of each row
		keep  int
		want  string
	}{
		{"nothing is old", []int{3, 2, 1}, 10, "[1 2 3]"},
		{"the old ones", []int{30, 29, 2, 1}, 10, "[3 4]"},
		{"too many", []int{4, 3, 2, 1}, 3, "[2 3 4]"},
		{"old behind young", []int{1, 30, 1}, 10, "[1 2 3]"},
		{"all", []int{30, 30}, 10, "[]"},
		{"none", nil, 10, "[]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := mustOpen(t, dbPath(t))
			appendAudit(t, s, tt.hours...)
			n, more, err := s.TrimAudit(t.Context(), time.Now().Add(-24*time.Hour), tt.keep)
			if got := fmt.Sprint(auditSeqs(t, s)); err != nil || more || got != tt.want || n != len(tt.hours)-len(auditSeqs(t, s)) {
				t.Errorf("%d rows trimmed, more %v, %v; left are %s, want %s", n, more, err, got, tt.want)
			}
			appendAudit(t, s, 0)
			if seqs := auditSeqs(t, s); seqs[len(seqs)-1] != int64(len(tt.hours)+1) {
				t.Errorf("the next row has number %d, want %d", seqs[len(seqs)-1], len(tt.hours)+1)
			}
			if _, err := s.db.ExecContext(t.Context(), "DELETE FROM audit"); err == nil || !strings.Contains(err.Error(), "append-only") {
				t.Errorf("what was not trimmed can be deleted: %v", err)
			}
		})
	}
}

// One call is one small transaction, and says whether there is more to do.
func TestAuditIsTrimmedInBatches(t *testing.T) {
	s := mustOpen(t, dbPath(t))
	_, err := s.db.ExecContext(t.Context(), `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
		INSERT INTO audit SELECT i, 0, '', '', '', '', '', '', '', '', 0 FROM n`, 2*trimBatch+1)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{trimBatch, trimBatch, 1, 0} {
		if n, more, err := s.TrimAudit(t.Context(), time.Now(), 10); n != want || more != (want == trimBatch) || err != nil {
			t.Errorf("batch %d: %d rows, more %v, %v; want %d", i+1, n, more, err, want)
		}
	}
}

// A database of the first version goes on with its rows and ids, and can be trimmed.
func TestAuditOfTheFirstSchema(t *testing.T) {
	path := dbPath(t)
	now := migrations
	migrations = now[:1]
	s := mustOpen(t, path)
	migrations = now
	appendAudit(t, s, 30, 1)
	id, err := s.ReserveIDs(t.Context(), 1)
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	s = mustOpen(t, path)
	if next, err := s.ReserveIDs(t.Context(), 1); err != nil || next != id+1 {
		t.Errorf("the next id is %d, %v; want %d", next, err, id+1)
	}
	if _, _, err := s.TrimAudit(t.Context(), time.Now().Add(-24*time.Hour), 10); err != nil || fmt.Sprint(auditSeqs(t, s)) != "[2]" {
		t.Errorf("after trimming: %v, %v", auditSeqs(t, s), err)
	}
}

// A new database in the place of a damaged one lets nobody delete its rows.
func TestAuditOfANewDatabaseIsAppendOnly(t *testing.T) {
	s := mustOpen(t, dbPath(t))
	if err := s.skipIDs(t.Context()); err != nil {
		t.Fatal(err)
	}
	appendAudit(t, s, 30)
	if _, err := s.db.ExecContext(t.Context(), "DELETE FROM audit"); err == nil {
		t.Error("its rows can be deleted")
	}
}
