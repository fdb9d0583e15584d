// Package guard is the one door through which anything is done to the desktop.
//
// [Guard.Do] is the serial section: one act at a time, for every client, task
// and adapter alike. Inside it, [Hands] are the only way to act. Each act,
// refused or carried out, is in the audit log before Do returns.
package guard

import (
	"context"
	"errors"
	"fmt"
	"time"

	"oriel.dev/oriel/audit"
	"oriel.dev/oriel/desktop"
)

// Recorder is the audit log.
type Recorder interface {
	// Append keeps the record durably before it returns.
	Append(ctx context.Context, r audit.Record) error
}

// Guard serialises what is done to one desktop.
type Guard struct {
	desk *desktop.Desktop
	log  Recorder
	keys dangerous
	turn chan struct{} // holds one token; who has it is in the serial section
}

// New returns the guard of a desktop. Refused are chords, such as
// "ctrl+alt+delete", refused in addition to the built-in ones.
func New(desk *desktop.Desktop, log Recorder, refused []string) (*Guard, error) {
	keys, err := newDangerous(refused)
	if err != nil {
		return nil, err
	}
	g := &Guard{desk: desk, log: log, keys: keys, turn: make(chan struct{}, 1)}
	g.turn <- struct{}{}
	return g, nil
}

// recordTimeout bounds the write of an audit record after an act. It does not
// follow the caller's context: what was done is recorded even if nobody waits.
const recordTimeout = 5 * time.Second

// Do waits for its turn and runs f in the serial section. A caller that gives
// up while it waits is never run. The record is completed by Do with time,
// duration and outcome, and by f with what it learns on the way; it is durable
// before Do returns. The Hands are dead afterwards.
func (g *Guard) Do(ctx context.Context, rec *audit.Record, f func(context.Context, *Hands) error) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-g.turn:
	}
	defer func() { g.turn <- struct{}{} }()
	if err := ctx.Err(); err != nil {
		return err
	}
	rec.Time = time.Now()
	hands := &Hands{guard: g, rec: rec}
	err := g.run(ctx, hands, f)
	rec.Duration = time.Since(rec.Time)
	rec.Outcome = outcome(err)
	if err != nil && rec.Message == "" {
		rec.Message = err.Error()
	}
	if lost := g.record(ctx, *rec); lost != nil {
		return errors.Join(err, lost)
	}
	return err
}

// ErrUnrecorded marks an act that could not be written to the audit log. If it
// comes from Hands, nothing was done; if it comes from Do alone, the outcome is
// missing in the log, but that the act was begun is there.
var ErrUnrecorded = errors.New("the audit log cannot be written; make room on its disk or look at its permissions")

// record writes a record, even if the caller has given up meanwhile.
func (g *Guard) record(ctx context.Context, rec audit.Record) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	if err := g.log.Append(ctx, rec); err != nil {
		return fmt.Errorf("recording the act: %w: %w", ErrUnrecorded, err)
	}
	return nil
}

// run makes sure that the hands die with f, whatever way f ends.
func (g *Guard) run(ctx context.Context, h *Hands, f func(context.Context, *Hands) error) error {
	defer h.dead.Store(true)
	return f(ctx, h)
}

// outcome is what the audit log keeps of an error: its own word if it has one.
func outcome(err error) string {
	var own interface{ AuditOutcome() string }
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &own):
		return own.AuditOutcome()
	case errors.Is(err, context.Canceled):
		return "cancelled"
	}
	return "error"
}
