package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/hostabi"
)

// apart is the time between two looks that must agree for a view to be settled.
const apart = 100 * time.Millisecond

// conclude waits until the effect of an act can be seen, and says what it was.
// Something may have been done by now, so whatever goes wrong from here on is a
// result that is honest about the effect, not a refusal.
func (b *Bridge) conclude(ctx context.Context, a *act, action *Action, out *hostabi.Outcome, failed error) *Result {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), b.cfg.Settle+actTime)
	defer cancel()
	var effect hostabi.Effect
	if failed == nil {
		effect = out.Effect
	}
	after := b.settle(ctx, a, effect, time.Duration(action.Patience)*time.Millisecond)
	res := &Result{OpenedWindowIDs: after.opened, Version: a.before.Version, Changed: []string{}}
	if after.window != nil {
		res.Version, res.Changed = after.window.Version, nonNil(changedBlocks(a.before, after.window))
	}
	seen := after.closed || len(after.opened) > 0 || after.window != nil && after.window != a.before
	switch {
	case failed != nil:
		res.Effect = hostabi.Unconfirmed
		res.Message = fmt.Sprintf("A part of the action may have been done before it failed: %s. Read app://windows again.", plain(failed.Error()))
		return res
	case effect != "":
		res.Effect = effect
	case seen:
		res.Effect = hostabi.Confirmed
	default:
		res.Effect = hostabi.Unconfirmed
	}
	res.Message = plain(out.Message)
	if res.Effect == hostabi.Unconfirmed {
		res.Message = joinSentences(res.Message, "No effect was seen; it is not confirmed. Read app://windows again before you decide.")
	}
	for _, id := range after.opened {
		if w := b.Snapshot().Window(id); w != nil {
			res.Message = joinSentences(res.Message, fmt.Sprintf("Window %s (%q) opened.", id, w.Title))
		}
	}
	if out.Result != "" {
		res.Value = json.RawMessage(out.Result)
	}
	return res
}

func joinSentences(a, b string) string {
	if a == "" {
		return b
	}
	return a + " " + b
}

// aftermath is what was seen after an act.
type aftermath struct {
	// window is nil if it closed or could not be looked at. It is the very window
	// of before if nothing that a client can see of it has changed: content,
	// title, topology or tools.
	window *Window
	opened []string
	closed bool
}

// settle looks until the window differs from before and two looks agree, until
// a window opened or this one closed, or until patience ends. An effect that the
// adapter has read back needs one look, which puts it into the published state.
func (b *Bridge) settle(ctx context.Context, a *act, known hostabi.Effect, patience time.Duration) aftermath {
	if patience == 0 {
		patience = b.cfg.Patience
	}
	begin := time.Now()
	limit := begin.Add(max(b.cfg.Settle, patience))
	var last *Window
	var lastAt time.Time
	for {
		now := b.glance(ctx, a)
		if now.closed || len(now.opened) > 0 || known != "" || ctx.Err() != nil {
			return now
		}
		differs := now.window != nil && now.window != a.before
		same := last != nil && now.window == last
		switch {
		case differs && same && time.Since(lastAt) >= apart:
			return now
		case !differs && time.Since(begin) >= patience, !time.Now().Before(limit):
			return now
		}
		if !same {
			last, lastAt = now.window, time.Now()
		}
		b.pause(ctx, time.Until(soonest(lastAt.Add(apart), limit)))
	}
}

func soonest(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// pause waits for the next look or publication, or for d.
func (b *Bridge) pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(max(d, 10*time.Millisecond))
	defer timer.Stop()
	b.mu.Lock()
	wait := b.waitLocked()
	b.mu.Unlock()
	select {
	case <-ctx.Done():
	case <-wait:
	case <-timer.C:
	}
}

// glance takes a fresh look at the windows and at the act's own window. Windows
// that opened are looked at too, so that they can be read when the act returns.
func (b *Bridge) glance(ctx context.Context, a *act) aftermath {
	var out aftermath
	if err := b.relist(ctx); err != nil {
		return aftermath{closed: true}
	}
	out.opened = b.readOpened(ctx, b.openedBy(a))
	var err error
	if len(out.opened) == 0 {
		err = b.fresh(ctx, a.id)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.publishLocked()
	e := b.entries[a.id]
	if e == nil {
		out.closed = true
		return out
	}
	if err == nil || !errors.Is(err, desktop.ErrGone) {
		out.window = b.windowLocked(e, b.judgeLocked()[a.id])
	}
	return out
}

// readOpened looks at windows that opened and returns the ids of those that are
// still there.
func (b *Bridge) readOpened(ctx context.Context, windows []desktop.WindowID) (ids []string) {
	for _, id := range windows {
		_ = b.fresh(ctx, id) // what cannot be read says so itself
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, id := range windows {
		if e := b.entries[id]; e != nil {
			ids = append(ids, e.id)
		}
	}
	return ids
}

// openedBy returns the windows that opened since the act began and belong to its
// application, or hang under one of its windows.
func (b *Bridge) openedBy(a *act) []desktop.WindowID {
	b.mu.Lock()
	defer b.mu.Unlock()
	var ids []desktop.WindowID
	for _, id := range b.order {
		e := b.entries[id]
		if a.windows[id] {
			continue
		}
		if owner := b.entries[e.win.Owner]; e.app == a.app || owner != nil && owner.app == a.app {
			ids = append(ids, id)
		}
	}
	return ids
}
