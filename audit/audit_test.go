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
