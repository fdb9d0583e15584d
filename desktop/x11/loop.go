package x11

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/composite"
	"github.com/jezek/xgb/damage"
	"github.com/jezek/xgb/xproto"

	"oriel.dev/oriel/desktop"
)

// queue carries events from the pump to the loop without a bound: xgb stops
// reading replies when its own queue is full.
type queue struct {
	// mu guards items and closed.
	mu     sync.Mutex
	items  []xgb.Event
	closed bool
	wake   chan struct{} // holds a token while there is something to take; never closed
}

func newQueue() *queue { return &queue{wake: make(chan struct{}, 1)} }

func (q *queue) put(ev xgb.Event) {
	q.mu.Lock()
	q.items = append(q.items, ev)
	q.mu.Unlock()
	q.ring()
}

func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.ring()
}

func (q *queue) ring() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// take returns what has come, and false once nothing more will.
func (q *queue) take() ([]xgb.Event, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	items := q.items
	q.items = nil
	return items, !q.closed
}

// marks are the messages that we send to ourselves through the server.
type marks struct {
	serial atomic.Uint32

	// mu guards waiting.
	mu      sync.Mutex
	waiting map[uint32]*mark
}

// mark is one caller of Sync.
type mark struct {
	arrived chan struct{} // closed by the pump
	handled chan struct{} // closed by the loop
}

// The second number of a message to ourselves.
const (
	markSync = iota + 1
	markDamage
)

// sendMark sends a message to our own window. It comes back after every event
// that the server had produced before.
func (d *Display) sendMark(serial uint32, what int, w xproto.Window) {
	msg := xproto.ClientMessageEvent{
		Format: 32, Window: d.own, Type: d.atoms.sync,
		Data: xproto.ClientMessageDataUnionData32New([]uint32{serial, uint32(what), uint32(w), 0, 0}),
	}
	xproto.SendEvent(d.events.x, false, d.own, 0, string(msg.Bytes()))
}

// Sync returns once every event that the server produced before the call has
// been delivered.
func (d *Display) Sync(ctx context.Context) error {
	m := &mark{make(chan struct{}), make(chan struct{})}
	serial := d.marks.serial.Add(1)
	d.marks.mu.Lock()
	if d.marks.waiting == nil {
		d.marks.waiting = make(map[uint32]*mark)
	}
	d.marks.waiting[serial] = m
	d.marks.mu.Unlock()
	defer func() {
		d.marks.mu.Lock()
		delete(d.marks.waiting, serial)
		d.marks.mu.Unlock()
	}()
	_, err := ask(ctx, d.events, func(*xgb.Conn) (any, error) {
		d.sendMark(serial, markSync, 0)
		select {
		case <-m.arrived:
		case <-d.events.lost:
		}
		return nil, nil
	})
	if err != nil {
		return err
	}
	select {
	case <-m.handled:
		return nil
	case <-d.loopDone:
		return desktop.ErrDisconnected
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (d *Display) mark(serial uint32) *mark {
	d.marks.mu.Lock()
	defer d.marks.mu.Unlock()
	return d.marks.waiting[serial]
}

// pump moves events out of xgb's bounded queue. It sends nothing and waits for
// nothing else, so replies always get through.
func (d *Display) pump() {
	defer d.queue.close()
	defer d.selection.requests.close()
	for {
		ev, xerr := d.events.x.WaitForEvent()
		if ev == nil && xerr == nil {
			d.events.end(errClosedByServer)
			return
		}
		if ev == nil {
			continue // a window went before we asked for its events
		}
		if m, ok := ev.(xproto.ClientMessageEvent); ok && m.Window == d.own && m.Type == d.atoms.sync {
			if w := d.mark(m.Data.Data32[0]); w != nil && m.Data.Data32[1] == markSync {
				close(w.arrived)
			}
		}
		d.selection.notice(ev)
		d.queue.put(ev)
	}
}

// damageInterval is the least time between two Damaged events of a window.
const damageInterval = 20 * time.Millisecond

// looper is the state of the event loop, for its goroutine alone.
type looper struct {
	*Display
	timer *time.Timer
	// emitted is when each window's damage was last told; due holds the
	// windows whose next telling has to wait.
	emitted map[*record]time.Time
	due     map[*record]bool
}

// loop delivers events until the connection ends.
func (d *Display) loop() {
	defer close(d.loopDone)
	l := &looper{d, time.NewTimer(time.Hour), make(map[*record]time.Time), make(map[*record]bool)}
	defer l.timer.Stop()
	for {
		events, open := d.queue.take()
		for _, ev := range events {
			l.handle(ev)
		}
		if len(events) > 0 {
			d.model.wake()
		}
		if !open {
			break
		}
		select {
		case <-d.queue.wake:
		case <-l.timer.C:
			l.takeDue()
		}
	}
	d.mu.Lock()
	closing := d.closing
	d.mu.Unlock()
	if !closing {
		d.emit(Event{Kind: Lost})
	}
}

func (l *looper) handle(ev xgb.Event) {
	switch e := ev.(type) {
	case adopted:
		l.adopt(e)
	case xproto.CreateNotifyEvent:
		if e.Parent == l.events.root {
			l.created(e.Window, e.OverrideRedirect)
		}
	case xproto.DestroyNotifyEvent:
		l.destroyed(e.Window)
	case xproto.ReparentNotifyEvent:
		l.reparented(e)
	case xproto.MapNotifyEvent:
		l.mapped(e)
	case xproto.UnmapNotifyEvent:
		l.unmapped(e)
	case sentUnmap:
		l.withdrawn(e.Window)
	case xproto.ConfigureNotifyEvent:
		l.configured(e)
	case xproto.PropertyNotifyEvent:
		l.property(e)
	case xproto.FocusInEvent:
		l.focus(e.Event, e.Detail, e.Mode, true)
	case xproto.FocusOutEvent:
		l.focus(e.Event, e.Detail, e.Mode, false)
	case xproto.ClientMessageEvent:
		l.message(e)
	case rawEvent:
		if l.Display.damage && e.number() == l.damageEvent {
			l.damaged(xproto.Window(xgb.Get32(e[4:])))
		}
	}
}

// windowEvents is what is wanted of a top-level window.
const windowEvents = xproto.EventMaskStructureNotify | xproto.EventMaskPropertyChange | xproto.EventMaskFocusChange

// track asks for a window's events, without waiting.
func (d *Display) track(w xproto.Window) {
	xproto.ChangeWindowAttributes(d.events.x, w, xproto.CwEventMask, []uint32{windowEvents})
}

// watchPixels asks for a window's damage, and keeps its pixels while others
// cover it.
func (d *Display) watchPixels(r *record) {
	if r.pixels.damage != 0 {
		return
	}
	x := d.events.x
	if d.composite && !r.popup {
		composite.RedirectWindow(x, r.xid, composite.RedirectAutomatic)
	}
	if !d.damage {
		return
	}
	id, err := damage.NewDamageId(x)
	if err != nil {
		return
	}
	r.pixels.damage = id
	damage.Create(x, id, xproto.Drawable(r.xid), damage.ReportLevelNonEmpty)
}

// adopted makes a window that was found by looking an event, so that the loop
// alone decides about episodes.
type adopted foundWindow

// Bytes implements [xgb.Event].
func (adopted) Bytes() []byte { return nil }

// String implements [xgb.Event].
func (adopted) String() string { return "adopted" }
