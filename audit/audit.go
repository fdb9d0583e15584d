// Package audit records who did what to the desktop: every act and every
// refusal, in order.
//
// A record is on the disk before [Log.Append] returns, so an answer that waits
// for it never speaks of a deed that the log does not hold. Secrets are masked
// before they get here ([Mask], [MaskJSON]); the log never sees them.
package audit

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"sync"
	"time"
	"unicode/utf8"

	"oriel.dev/oriel/internal/store"
)

// RingSize is how many records are kept in memory.
const RingSize = 1000

// maxText is how many bytes of arguments or message one record keeps. Whole
// documents pass through text arguments; the log is not the place for them.
const maxText = 16 << 10

// Record is one act or refusal.
type Record struct {
	Seq      int64           // the place in the durable log; set by Append
	Time     time.Time       // when it was asked for; zero means now
	Client   string          // who asked
	Tool     string          // the tool or action
	Window   string          // window id, "" if it concerns none
	App      string          // handle of the application
	Adapter  string          // id of the adapter that carried it out
	Args     json.RawMessage // masked by the caller
	Outcome  string          // "ok" or the code of the refusal
	Message  string          // masked by the caller
	Duration time.Duration
}

// Log is the audit log. It is safe for concurrent use.
type Log struct {
	store *store.Store

	// mu guards ring and next, and puts records into the ring in the order in
	// which they went to the disk.
	mu   sync.Mutex
	ring []Record // up to RingSize; once full, next is the oldest
	next int
}

// Open returns a log over the database. The ring starts with what the database
// remembers.
func Open(ctx context.Context, s *store.Store) (*Log, error) {
	rows, err := s.AuditTail(ctx, RingSize)
	if err != nil {
		return nil, err
	}
	l := &Log{store: s, ring: make([]Record, 0, RingSize)}
	for _, r := range rows {
		l.ring = append(l.ring, Record{
			Seq: r.Seq, Time: r.Time, Client: r.Client, Tool: r.Tool, Window: r.Window, App: r.App, Adapter: r.Adapter,
			Args: json.RawMessage(r.Args), Outcome: r.Outcome, Message: r.Message, Duration: r.Duration,
		})
	}
	return l, nil
}

// Append writes a record. When it returns nil the record is on the disk. It
// writes even if ctx is cancelled meanwhile: a deed that was done is recorded,
// whoever has stopped waiting for it.
func (l *Log) Append(ctx context.Context, r Record) error {
	if r.Time.IsZero() {
		r.Time = time.Now()
	}
	r.Time = r.Time.UTC().Truncate(time.Microsecond)
	r.Duration = r.Duration.Truncate(time.Microsecond)
	r.Args, r.Message = cutArgs(r.Args), cut(r.Message)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), appendTimeout)
	defer cancel()
	l.mu.Lock()
	defer l.mu.Unlock()
	seq, err := l.store.AppendAudit(ctx, store.AuditRow{
		Time: r.Time, Client: r.Client, Tool: r.Tool, Window: r.Window, App: r.App, Adapter: r.Adapter,
		Args: string(r.Args), Outcome: r.Outcome, Message: r.Message, Duration: r.Duration,
	})
	if err != nil {
		return err
	}
	r.Seq = seq
	if len(l.ring) < RingSize {
		l.ring = append(l.ring, r)
		return nil
	}
	l.ring[l.next] = r
	l.next = (l.next + 1) % RingSize
	return nil
}

// appendTimeout bounds the wait for a disk or for another process that writes.
const appendTimeout = 10 * time.Second

// Limits says how much the log keeps. Zero means without end.
type Limits struct {
	Age  time.Duration
	Rows int
}

// Trim deletes the oldest records until the log is within limits, and returns how
// many. It goes in small batches, between which records are written; it deletes
// nothing from the middle.
func (l *Log) Trim(ctx context.Context, limits Limits) (deleted int, err error) {
	var before time.Time
	if limits.Age > 0 {
		before = time.Now().Add(-limits.Age)
	}
	keep := cmp.Or(limits.Rows, math.MaxInt)
	for {
		n, more, err := l.store.TrimAudit(ctx, before, keep)
		deleted += n
		if err != nil || !more {
			return deleted, err
		}
	}
}

// Recent returns the newest n records, oldest first.
func (l *Log) Recent(n int) []Record {
	l.mu.Lock()
	defer l.mu.Unlock()
	n = max(0, min(n, len(l.ring)))
	out := make([]Record, 0, n)
	for i := range n {
		out = append(out, l.ring[(l.next+len(l.ring)-n+i)%len(l.ring)])
	}
	return out
}

// cutArgs bounds arguments and keeps them JSON.
func cutArgs(args json.RawMessage) json.RawMessage {
	if len(args) <= maxText && (len(args) == 0 || json.Valid(args)) {
		return args
	}
	b, err := json.Marshal(map[string]string{"cut": cut(string(args))})
	if err != nil { // a map of strings always encodes
		return nil
	}
	return b
}

func cut(s string) string {
	if len(s) <= maxText {
		return s
	}
	n := maxText
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return fmt.Sprintf("%s… (%d bytes in all)", s[:n], len(s))
}
