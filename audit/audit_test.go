package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"oriel.dev/oriel/internal/store"
)

func openStore(t *testing.T, path string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func openLog(t *testing.T, s *store.Store) *Log {
	t.Helper()
	l, err := Open(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// G20: time, client, tool, window, arguments, outcome and duration survive a
// restart, in the ring and in the database.
func TestG20RecordSurvivesRestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "oriel.db")
	s := openStore(t, path)
	want := Record{
		Seq: 1, Time: time.Date(2026, 11, 30, 12, 0, 0, 123000, time.UTC), Client: "claude", Tool: "w1__set_text", Window: "w1", App: "mousepad",
		Adapter: "dev.oriel.mousepad", Args: json.RawMessage(`{"text":"••••••"}`), Outcome: "stale_state", Message: "read again",
		Duration: 1500 * time.Microsecond,
	}
	if err := openLog(t, s).Append(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	got := openLog(t, openStore(t, path)).Recent(10)
	if len(got) != 1 || fmt.Sprintf("%+v", got[0]) != fmt.Sprintf("%+v", want) {
		t.Errorf("after a restart\n got %+v\nwant %+v", got, want)
	}
}

// G20: writers from everywhere at once lose nothing, and the ring holds the
// newest thousand in the order of the disk.
func TestG20Hammer(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "oriel.db"))
	l := openLog(t, s)
	const writers, each = 10, 120 // more than the ring holds
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				if err := l.Append(t.Context(), Record{Client: fmt.Sprint(w), Tool: fmt.Sprint(i)}); err != nil {
					t.Error(err)
					return
				}
				l.Recent(3)
			}
		})
	}
	wg.Wait()
	got := l.Recent(writers * each)
	if len(got) != RingSize {
		t.Fatalf("the ring holds %d records, want %d", len(got), RingSize)
	}
	for i, r := range got {
		if want := int64(writers*each - RingSize + 1 + i); r.Seq != want {
			t.Fatalf("record %d of the ring has number %d, want %d", i, r.Seq, want)
		}
	}
	rows, err := s.AuditTail(t.Context(), 2*writers*each)
	if err != nil {
		t.Fatal(err)
	}
	next := map[string]int{}
	for _, r := range rows {
		if want := fmt.Sprint(next[r.Client]); r.Tool != want {
			t.Fatalf("writer %s: row %s came where %s was due", r.Client, r.Tool, want)
		}
		next[r.Client]++
	}
	if len(rows) != writers*each {
		t.Errorf("%d rows on the disk, want %d", len(rows), writers*each)
	}
}

// A deed that was done is recorded although its caller has gone.
func TestAppendOutlivesItsCaller(t *testing.T) {
	l := openLog(t, openStore(t, filepath.Join(t.TempDir(), "oriel.db")))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.Append(ctx, Record{Tool: "x"}); err != nil || len(l.Recent(9)) != 1 {
		t.Errorf("appending with a cancelled context: %v, ring %v", err, l.Recent(9))
	}
}

// A record that did not reach the disk is not in the ring either.
func TestAppendFails(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "oriel.db"))
	l := openLog(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := l.Append(t.Context(), Record{Tool: "x"}); err == nil || len(l.Recent(9)) != 0 {
		t.Errorf("appending to a closed database: %v, ring %v", err, l.Recent(9))
	}
}

func TestHugeArgumentsAreCutAndStayJSON(t *testing.T) {
	l := openLog(t, openStore(t, filepath.Join(t.TempDir(), "oriel.db")))
	for _, args := range []string{`{"text":"` + strings.Repeat("ä", maxText) + `"}`, "not json", ""} {
		if err := l.Append(t.Context(), Record{Args: json.RawMessage(args), Message: strings.Repeat("ü", maxText)}); err != nil {
			t.Fatal(err)
		}
		r := l.Recent(1)[0]
		if len(r.Args) > 2*maxText || len(r.Message) > maxText+100 || len(args) > 0 && !json.Valid(r.Args) {
			t.Errorf("%d bytes of arguments became %d, valid JSON: %v; message %d", len(args), len(r.Args), json.Valid(r.Args), len(r.Message))
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	s, err := store.Open(b.Context(), filepath.Join(b.TempDir(), "oriel.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	l, err := Open(b.Context(), s)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := l.Append(b.Context(), Record{Client: "claude", Tool: "w1__set_text", Args: json.RawMessage(`{"text":"hello"}`)}); err != nil {
			b.Fatal(err)
		}
	}
}

// G20: the log is kept within its limits while acts are recorded: none of them
// fails, and none of the new records goes.
func TestG20TrimWhileActsAreRecorded(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "oriel.db"))
	l := openLog(t, s)
	old := time.Now().Add(-48 * time.Hour)
	const before, during, rows = 700, 60, 500
	for range before {
		if _, err := s.AppendAudit(t.Context(), store.AuditRow{Time: old, Tool: "old"}); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := l.Trim(t.Context(), Limits{}); n != 0 || err != nil {
		t.Errorf("without limits: %d records trimmed, %v", n, err)
	}
	if n, err := l.Trim(t.Context(), Limits{Rows: rows}); n != before-rows || err != nil {
		t.Errorf("too many: %d records trimmed, %v; want %d", n, err, before-rows)
	}
	var acts sync.WaitGroup
	for range 3 {
		acts.Go(func() {
			for range during / 3 {
				if err := l.Append(t.Context(), Record{Tool: "new"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	n, err := l.Trim(t.Context(), Limits{Age: 24 * time.Hour, Rows: rows})
	acts.Wait()
	if n != rows || err != nil {
		t.Errorf("too old: %d records trimmed, %v; want %d", n, err, rows)
	}
	left := openLog(t, s).Recent(before)
	if len(left) != during || left[0].Seq != before+1 || left[0].Tool != "new" {
		t.Errorf("%d records are left, the first is %+v; want the %d new ones", len(left), left[:min(1, len(left))], during)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Trim(ctx, Limits{Rows: 1}); err == nil {
		t.Error("trimming goes on although nobody waits for it")
	}
}

func BenchmarkTrim(b *testing.B) {
	s, err := store.Open(b.Context(), filepath.Join(b.TempDir(), "oriel.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	const batch = 200
	for b.Loop() {
		b.StopTimer()
		for range batch {
			if _, err := s.AppendAudit(b.Context(), store.AuditRow{Client: "claude", Tool: "set_text", Args: `{"text":"hello"}`}); err != nil {
				b.Fatal(err)
			}
		}
		b.StartTimer()
		if n, _, err := s.TrimAudit(b.Context(), time.Now(), batch); n != batch || err != nil {
			b.Fatal(n, err)
		}
	}
}
