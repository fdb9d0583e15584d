package host

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"oriel.dev/oriel/audit"
	"oriel.dev/oriel/desktop/guard"
	"oriel.dev/oriel/internal/store"
)

// trimEvery is the time between two looks whether records of the audit log are to
// go. What keeps it bounded is the sum, not the moment.
const trimEvery = time.Hour

// trimAudit keeps the audit log within its limits until ctx ends.
func (h *Host) trimAudit(ctx context.Context) {
	tick := time.NewTicker(trimEvery)
	defer tick.Stop()
	for {
		switch n, err := h.audit.Trim(ctx, h.cfg.Audit); {
		case ctx.Err() != nil:
			return
		case err != nil:
			h.log.Warn("the audit log could not be trimmed", "err", err)
		case n > 0:
			h.log.Info("the audit log was trimmed", "records", n)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Deed is a record of the audit log as `oriel audit --json` shows it.
type Deed struct {
	Seq        int64           `json:"seq"`
	Time       time.Time       `json:"time"`
	Client     string          `json:"client"`
	Tool       string          `json:"tool"`
	Window     string          `json:"window,omitempty"`
	App        string          `json:"app,omitempty"`
	Adapter    string          `json:"adapter,omitempty"`
	Args       json.RawMessage `json:"args,omitempty"`
	Outcome    string          `json:"outcome"`
	Message    string          `json:"message,omitempty"`
	DurationMS float64         `json:"durationMs"`
}

// RecentDeeds returns the newest n records of the audit log in a folder, oldest
// first. Without a database there are none.
func RecentDeeds(ctx context.Context, stateDir string, n int) (deeds []Deed, err error) {
	deeds = []Deed{}
	path := databasePath(stateDir)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return deeds, nil
	}
	s, err := store.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	log, err := audit.Open(ctx, s)
	if err != nil {
		return nil, err
	}
	for _, r := range log.Recent(n) {
		deeds = append(deeds, Deed{
			Seq: r.Seq, Time: r.Time, Client: r.Client, Tool: r.Tool, Window: r.Window, App: r.App, Adapter: r.Adapter, Args: r.Args,
			Outcome: r.Outcome, Message: r.Message, DurationMS: float64(r.Duration.Microseconds()) / 1000,
		})
	}
	return deeds, nil
}

// WriteDeeds writes records for a person. That an act began is shown only if it is
// not said how it ended.
func WriteDeeds(w io.Writer, deeds []Deed) error {
	if len(deeds) == 0 {
		_, err := fmt.Fprintln(w, "Nothing has been done or refused yet.")
		return err
	}
	type act struct {
		at                   time.Time
		client, tool, window string
	}
	of := func(d Deed) act { return act{d.Time, d.Client, d.Tool, d.Window} }
	ended := map[act]bool{}
	for _, d := range deeds {
		ended[of(d)] = ended[of(d)] || d.Outcome != guard.Begun
	}
	var b strings.Builder
	for _, d := range deeds {
		if d.Outcome == guard.Begun && ended[of(d)] {
			continue
		}
		writeDeed(&b, d)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeDeed(b *strings.Builder, d Deed) {
	who := cmp.Or(d.Client, "nobody named")
	if d.Client == "adapter" {
		who += " " + d.Adapter
	}
	where := strings.TrimSpace(d.Window + " " + bracketed(d.App))
	took := "–"
	switch {
	case d.Outcome == guard.Begun:
		d.Message = "How it ended is not recorded: it is under way, or the host ended first. " + d.Message
	default:
		took = fmt.Sprintf("%.0f ms", d.DurationMS)
	}
	fmt.Fprintf(b, "%s  %-13s %8s  %s  %s  by %s\n", d.Time.Local().Format(time.DateTime), oneLine(d.Outcome), took,
		oneLine(cmp.Or(where, "–")), oneLine(d.Tool), oneLine(who))
	for _, more := range []string{string(d.Args), d.Message} {
		if more = oneLine(more); more != "" && more != "{}" {
			fmt.Fprintf(b, "    %s\n", clip(more, pageWidth-4))
		}
	}
}

func bracketed(s string) string {
	if s == "" {
		return ""
	}
	return "[" + s + "]"
}
