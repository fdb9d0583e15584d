package bridge

import (
	"context"
	"errors"
	"fmt"
	"time"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/hostabi"
)

// Backoff of looks that nothing but redrawn pixels or old trouble calls for.
const (
	damageBackoff = 250 * time.Millisecond // doubled by every look that found nothing new, up to a second
	damageLimit   = time.Second
	hungBackoff   = time.Second // an application that does not answer is asked again this often
	partialLimit  = 30 * time.Second
)

// app is one running application and its observer, the only reader of it.
type app struct {
	id      desktop.AppID
	handle  string
	windows map[desktop.WindowID]bool // guarded by Bridge.mu
	acts    int                       // acts begun on its windows; guarded by Bridge.mu
	signal  chan struct{}             // holds at most one token: look at what is due
	ctx     context.Context           // ends with the application or the bridge
	stop    context.CancelFunc
}

func newApp(ctx context.Context, id desktop.AppID, handle string) *app {
	a := &app{id: id, handle: handle, windows: map[desktop.WindowID]bool{}, signal: make(chan struct{}, 1)}
	a.ctx, a.stop = context.WithCancel(ctx)
	return a
}

func (a *app) wake() {
	select {
	case a.signal <- struct{}{}:
	default:
	}
}

// touch makes a window due for a look after quiet, counted anew from each
// touch, but not later than Busy after the first; see Bridge.dueLocked.
func (e *entry) touch(quiet time.Duration) {
	now := time.Now()
	if !e.dirty {
		e.dirty, e.since = true, now
	}
	e.damaged = false
	e.due = now.Add(quiet)
	e.app.wake()
}

// observe looks at the windows of one application, one after another, whenever
// they are due.
func (b *Bridge) observe(a *app) {
	for {
		id, wait, any := b.nextDue(a)
		if any && wait <= 0 {
			b.look(a, id)
			continue
		}
		var timer <-chan time.Time
		if any {
			timer = time.After(wait)
		}
		select {
		case <-a.ctx.Done():
			return
		case <-a.signal:
		case <-timer:
		}
	}
}

// nextDue returns the window that is due first and how long until then.
func (b *Bridge) nextDue(a *app) (id desktop.WindowID, wait time.Duration, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if a.ctx.Err() != nil {
		return 0, 0, false
	}
	for w := range a.windows {
		e := b.entries[w]
		if e == nil || !e.dirty {
			continue
		}
		due := e.due
		if limit := e.since.Add(b.cfg.Busy); !e.damaged && limit.Before(due) {
			due = limit
		}
		if left := time.Until(due); !ok || left < wait {
			id, wait, ok = w, left, true
		}
	}
	return id, wait, ok
}

// look takes one look at a window, has it translated, and takes the view in.
func (b *Bridge) look(a *app, id desktop.WindowID) {
	b.mu.Lock()
	e := b.entries[id]
	if e == nil {
		b.mu.Unlock()
		return
	}
	e.dirty = false
	before := e.seen
	b.mu.Unlock()

	ctx, cancel := context.WithTimeout(a.ctx, b.cfg.Look)
	defer cancel()
	obs, err := b.cfg.Desktop.Tree.Observe(ctx, id)
	var v view
	if err == nil {
		v, err = b.views.view(ctx, obs, before)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.entries[id] != e || a.ctx.Err() != nil {
		return // gone meanwhile
	}
	e.looks++
	e.lookedAt = time.Now()
	switch {
	case errors.Is(err, desktop.ErrGone):
		// The list says so too, in a moment.
	case err != nil:
		b.troubledLocked(e, err)
	default:
		b.takeViewLocked(e, obs, v)
	}
	b.publishLocked()
}

// takeViewLocked takes a new view in. A partial one does not replace a complete
// one; an old one does not replace a newer.
func (b *Bridge) takeViewLocked(e *entry, obs desktop.Observation, v view) {
	if obs.Generation < e.seenGen {
		return
	}
	dropped := v.partial && e.seen.key != "" && !e.seen.partial
	if !dropped {
		e.seenGen = obs.Generation // what is shown is as fresh as this look
	}
	switch {
	case !v.partial:
		if v.key == e.seen.key {
			e.backoff = min(max(2*e.backoff, damageBackoff), damageLimit)
		} else {
			e.backoff = 0
		}
		e.seen, e.trouble = v, trouble{}
	case !dropped:
		e.seen = v
		fallthrough
	default:
		b.partialLocked(e, v)
	}
	b.makeContentLocked(e)
}

// makeContentLocked gives the view's blocks their ids. A view that cannot be
// shown is the adapter's fault and is said instead.
func (b *Bridge) makeContentLocked(e *entry) {
	c, err := newContent(e.id, markSensitive(e.seen.view, b.cfg.SensitiveLabels), &e.blockIDs, e.seen.media)
	if err != nil {
		b.troubledLocked(e, fmt.Errorf("adapter %q: %w", e.seen.adapter.ID, err))
		return
	}
	e.seen.content = c
}

// partialLocked notes that the application answered only in part, and looks again
// later, ever more rarely.
func (b *Bridge) partialLocked(e *entry, v view) {
	e.trouble.note(nil, "This window could only be read in part ("+v.why+").", !e.seen.partial)
	e.backoff = min(max(2*e.backoff, hungBackoff), partialLimit)
	e.touchLater()
}

// troubledLocked notes why there is no new view.
func (b *Bridge) troubledLocked(e *entry, err error) {
	text := "This window could not be read: " + plain(err.Error()) + "."
	var adapter *adapterError
	var fault *hostabi.Fault
	switch {
	case errors.As(err, &adapter) && errors.As(err, &fault) && fault.Code == hostabi.CodeTimeout:
		text = "Its content cannot be shown yet: " + plain(fault.Message) + "." // the adapter is not ready
	case errors.Is(err, desktop.ErrNotAnswering), errors.Is(err, context.DeadlineExceeded) && !errors.As(err, &adapter):
		text = "The application is not answering."
		err = desktop.ErrNotAnswering
	case errors.As(err, &adapter):
		text = "The adapter could not translate this window: " + plain(err.Error()) + "."
	}
	e.trouble.note(err, text, e.seen.key != "")
	e.backoff = hungBackoff
	e.touchLater()
}

// touchLater calls for another look after the backoff.
func (e *entry) touchLater() {
	if !e.dirty {
		e.touch(e.backoff)
		e.damaged = true // not bounded by Busy
	}
}

// note begins or continues a trouble. Old says that an older view is shown.
func (t *trouble) note(err error, text string, old bool) {
	if t.text == "" {
		t.since = time.Now()
	}
	t.err = err
	t.text = text
	if old {
		t.text += " What is shown is from before " + t.since.Format(time.TimeOnly) + "."
	}
}
