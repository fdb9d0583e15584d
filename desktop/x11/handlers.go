package x11

import (
	"errors"
	"time"

	"github.com/jezek/xgb/damage"
	"github.com/jezek/xgb/xproto"

	"oriel.dev/oriel/desktop"
)

var errClosedByServer = errors.New("the X server closed the connection")

// tell emits an event for a window that has an episode.
func (l *looper) tell(k Kind, id desktop.WindowID) {
	if id != 0 {
		l.emit(Event{k, id})
	}
}

// tellClient emits an event for every window of the client that made w.
func (l *looper) tellClient(k Kind, w xproto.Window) {
	for _, id := range l.model.clientWindows(l.client(w), l.client) {
		l.emit(Event{k, id})
	}
}

// adopt takes in a window that was found by looking. The window manager's own
// windows are of no interest.
func (l *looper) adopt(w adopted) {
	if l.ours(w.xid) || l.managers(w.xid) {
		return
	}
	r, isNew := l.model.add(w.xid, w.popup, w.parent)
	if isNew {
		l.track(w.xid)
	}
	l.model.mu.Lock()
	if w.iconic {
		r.doubt = false
	}
	l.model.mu.Unlock()
	switch {
	case isNew && w.mapped:
		l.shown(r)
	case w.managed:
		l.model.beginEpisode(r)
	}
}

func (l *looper) managers(w xproto.Window) bool {
	l.model.mu.Lock()
	defer l.model.mu.Unlock()
	return l.model.manager != 0 && l.model.manager == l.client(w)
}

func (l *looper) created(w xproto.Window, popup bool) {
	l.adopt(adopted{xid: w, popup: popup, parent: l.events.root})
}

// shown begins an episode, or goes on with one that was iconified.
func (l *looper) shown(r *record) {
	l.watchPixels(r)
	l.model.mu.Lock()
	r.mapped = true
	if r.doubt {
		l.model.end(r) // it was withdrawn as far as anybody can tell
	}
	if r.popup {
		l.model.episodes++
	}
	l.model.begin(r)
	l.model.mu.Unlock()
	if r.popup {
		l.tellClient(PopupsChanged, r.xid)
		return
	}
	l.emit(Event{Kind: ListChanged})
}

func (l *looper) mapped(e xproto.MapNotifyEvent) {
	r := l.model.get(e.Window)
	if r == nil {
		return
	}
	l.model.mu.Lock()
	known, popup := r.mapped, r.popup
	r.popup = e.OverrideRedirect // it may be set between creating and mapping
	l.model.mu.Unlock()
	if known && popup == e.OverrideRedirect {
		return // the same, told to the parent and to the window itself
	}
	l.shown(r)
}

// unmapped ends a popup. That a managed window is unmapped may mean that it was
// iconified or went to another workspace.
func (l *looper) unmapped(e xproto.UnmapNotifyEvent) {
	r := l.model.get(e.Window)
	if r == nil {
		return
	}
	l.model.mu.Lock()
	was := r.mapped
	r.mapped = false
	switch {
	case r.popup:
		l.model.episodes++
	case r.parent == l.events.root:
		r.doubt = r.id != 0
	}
	l.model.mu.Unlock()
	switch {
	case r.popup && was:
		l.tellClient(PopupsChanged, r.xid)
	case was:
		l.emit(Event{Kind: ListChanged})
	}
}

// withdrawn ends an episode by the word of the window's own program.
func (l *looper) withdrawn(w xproto.Window) {
	if r := l.model.get(w); r != nil && l.model.endEpisode(r) != 0 {
		l.emit(Event{Kind: ListChanged})
	}
}

func (l *looper) destroyed(w xproto.Window) {
	r := l.model.get(w)
	if r == nil {
		return
	}
	delete(l.emitted, r)
	delete(l.due, r)
	id := l.model.forget(r)
	switch {
	case r.popup && r.mapped:
		l.tellClient(PopupsChanged, w)
	case id != 0:
		l.emit(Event{Kind: ListChanged})
	}
}

func (l *looper) reparented(e xproto.ReparentNotifyEvent) {
	r := l.model.get(e.Window)
	if r == nil {
		return
	}
	l.model.mu.Lock()
	r.parent = e.Parent
	// The window manager gives an unmapped window back to the root when it is
	// withdrawn. Otherwise a mapped one was unmapped, moved and is mapped again:
	// nothing ends.
	ended := desktop.WindowID(0)
	if e.Parent == l.events.root && !r.mapped {
		ended = l.model.end(r)
	}
	r.doubt = false
	l.model.mu.Unlock()
	if ended != 0 {
		l.emit(Event{Kind: ListChanged})
	}
}

func (l *looper) configured(e xproto.ConfigureNotifyEvent) {
	if e.Window == l.events.root {
		l.emit(Event{Kind: Configured})
		return
	}
	r := l.model.get(e.Window)
	switch {
	case r == nil:
		l.tell(Configured, l.model.inFrame(e.Window))
	case r.popup && r.mapped:
		l.model.mu.Lock()
		l.model.episodes++
		l.model.mu.Unlock()
		l.tellClient(PopupsChanged, e.Window)
	default:
		l.tell(Configured, r.id)
	}
}

// property sorts a change by what it may change of a window.
func (l *looper) property(e xproto.PropertyNotifyEvent) {
	a := &l.atoms
	if e.Window == l.events.root {
		switch e.Atom {
		case a.netClientList, a.netClientListStacking, a.netCurrentDesktop, a.netSupportingWMCheck:
			l.emit(Event{Kind: ListChanged})
		case a.netActiveWindow:
			l.emit(Event{Kind: Focus})
		}
		return
	}
	r := l.model.get(e.Window)
	if r == nil || r.popup {
		return
	}
	switch e.Atom {
	case a.wmState:
		if e.State == xproto.PropertyDelete {
			l.model.endEpisode(r)
			l.emit(Event{Kind: ListChanged})
			return
		}
		l.tell(ListChanged, r.id)
	case xproto.AtomWmName, a.netWMName, xproto.AtomWmTransientFor, a.netWMState, a.netWMWindowType,
		xproto.AtomWmHints, xproto.AtomWmClass, a.netWMDesktop, a.netWMPID:
		l.tell(ListChanged, r.id)
	case a.gtkFrameExtents, a.netFrameExtents:
		l.tell(Configured, r.id)
	case a.netWMUserTime: // changes with every key
	default:
		l.tell(PropertyChanged, r.id)
	}
}

// focus hears of the focus entering or leaving a window or what lies in it.
// Grabs and the pointer's passing give the same events and mean nothing.
func (l *looper) focus(w xproto.Window, detail, mode byte, in bool) {
	if mode == xproto.NotifyModeGrab || mode == xproto.NotifyModeUngrab ||
		detail == xproto.NotifyDetailPointer || detail == xproto.NotifyDetailInferior {
		return
	}
	r := l.model.get(w)
	if r == nil {
		return
	}
	if in {
		l.model.mu.Lock()
		l.model.focused[l.client(w)] = w
		l.model.mu.Unlock()
	}
	l.tell(Focus, r.id)
}

// message hears what we sent to ourselves.
func (l *looper) message(e xproto.ClientMessageEvent) {
	if e.Window != l.own || e.Type != l.atoms.sync || e.Format != 32 {
		return
	}
	switch serial := e.Data.Data32[0]; e.Data.Data32[1] {
	case markSync:
		if m := l.mark(serial); m != nil {
			l.tellPending()
			close(m.handled)
		}
	case markDamage:
		l.damageTaken(xproto.Window(e.Data.Data32[2]))
	}
}

// damaged hears that the server holds damage of a window. It is taken away
// before it is told, so that what is drawn afterwards is damage anew; telling
// first would lose what is drawn between the look and the taking.
func (l *looper) damaged(w xproto.Window) {
	r := l.model.get(w)
	if r == nil {
		return
	}
	r.pixels.notified = true
	if r.pixels.asked || l.due[r] {
		return
	}
	if wait := damageInterval - time.Since(l.emitted[r]); wait > 0 {
		if len(l.due) == 0 {
			l.timer.Reset(wait)
		}
		l.due[r] = true
		return
	}
	l.take(r)
}

func (l *looper) take(r *record) {
	r.pixels.notified, r.pixels.asked = false, true
	damage.Subtract(l.events.x, r.pixels.damage, 0, 0)
	l.sendMark(0, markDamage, r.xid)
}

// takeDue takes the damage whose time has come.
func (l *looper) takeDue() {
	next := damageInterval
	for r := range l.due {
		if wait := damageInterval - time.Since(l.emitted[r]); wait > 0 {
			next = min(next, wait)
			continue
		}
		delete(l.due, r)
		l.take(r)
	}
	if len(l.due) > 0 {
		l.timer.Reset(next)
	}
}

// damageTaken hears that all damage up to now is counted.
func (l *looper) damageTaken(w xproto.Window) {
	r := l.model.get(w)
	if r == nil {
		return
	}
	r.pixels.asked = false
	l.emitted[r] = time.Now()
	l.tellDamage(r)
	if r.pixels.notified {
		l.damaged(w)
	}
}

// tellPending tells damage that the server has told us of and that waits for
// its turn, because somebody asks for all that happened before.
func (l *looper) tellPending() {
	for r := range l.due {
		l.tellDamage(r)
	}
	l.model.mu.Lock()
	var asked []*record
	for _, r := range l.model.byXID {
		if r.pixels.asked {
			asked = append(asked, r)
		}
	}
	l.model.mu.Unlock()
	for _, r := range asked {
		l.tellDamage(r)
	}
}

func (l *looper) tellDamage(r *record) {
	if r.popup {
		l.tellClient(Damaged, r.xid)
		return
	}
	l.tell(Damaged, r.id)
}
