package host

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"oriel.dev/oriel/audit"
	"oriel.dev/oriel/desktop/guard"
	"oriel.dev/oriel/internal/store"
)

// G20: what was done and refused reads well, and a record that an act began is
// shown only if its end is missing.
func TestG20WriteDeedsGolden(t *testing.T) {
	zone := time.Local
	t.Cleanup(func() { time.Local = zone })
	time.Local = time.UTC // that of the golden file
	dir := t.TempDir()
	var out bytes.Buffer
	none, err := RecentDeeds(t.Context(), dir, 10)
	if err != nil || none == nil || len(none) > 0 {
		t.Fatalf("without a database: %v, %v", none, err)
	}
	if err := WriteDeeds(&out, none); err != nil {
		t.Fatal(err)
	}
	out.WriteString("==\n")

	s, err := store.Open(t.Context(), databasePath(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	log, err := audit.Open(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	set := audit.Record{
		Time: at, Client: "claude-code 2.1", Tool: "set_text", Window: "w3", App: "mousepad", Adapter: "dev.oriel.mousepad",
		Args: json.RawMessage(`{"text":"Dear reader,\nthis is long ` + string(bytes.Repeat([]byte("x"), 100)) + `"}`),
	}
	begun := set
	begun.Outcome = guard.Begun
	set.Outcome, set.Duration = "ok", 153*time.Millisecond
	died := audit.Record{Time: at.Add(2 * time.Second), Client: "cursor", Tool: "close", Window: "w3", App: "mousepad", Args: json.RawMessage(`{}`), Outcome: guard.Begun}
	for _, r := range []audit.Record{
		{Time: at.Add(-time.Hour), Tool: "left out"},
		begun, set,
		{Time: at.Add(time.Second), Client: "stdio pid 7", Tool: "press", Window: "w4", App: "zenity", Outcome: "stale_state", Message: "The window has changed.\x1b[31m Read it again.", Duration: 2 * time.Millisecond},
		{Time: at.Add(time.Second), Client: "adapter", Adapter: "org.example.x", Tool: "oriel:input keys", Outcome: "denied", Message: "the capability is not granted"},
		died,
	} {
		if err := log.Append(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	deeds, err := RecentDeeds(t.Context(), dir, 5)
	if err != nil || len(deeds) != 5 || deeds[0].Outcome != guard.Begun {
		t.Fatalf("%+v, %v", deeds, err)
	}
	if err := WriteDeeds(&out, deeds); err != nil {
		t.Fatal(err)
	}
	asJSON, err := json.MarshalIndent(deeds[4], "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	out.WriteString("==\n" + string(asJSON) + "\n")
	golden(t, filepath.Join("testdata", "audit.golden"), out.String())
}

// G20: a host that serves keeps the log within its limits.
func TestG20HostTrimsTheLog(t *testing.T) {
	s, err := store.Open(t.Context(), databasePath(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for range 5 {
		if _, err := s.AppendAudit(t.Context(), store.AuditRow{Time: time.Now().Add(-time.Hour), Tool: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	log, err := audit.Open(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	h := &Host{cfg: Config{Audit: audit.Limits{Rows: 2}}, audit: log, log: slog.New(slog.DiscardHandler)}
	ctx, cancel := context.WithCancel(t.Context())
	var serving sync.WaitGroup
	serving.Go(func() { h.trimAudit(ctx) })
	defer serving.Wait()
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(10 * time.Second); ; <-tick.C {
		rows, err := s.AuditTail(t.Context(), 10)
		if err != nil {
			t.Fatal(err)
		}
		if len(rows) == 2 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d records are left, want 2", len(rows))
		}
	}
}
