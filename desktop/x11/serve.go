package x11

import (
	"context"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// outgoing is a long answer of ours that another program fetches piece by
// piece.
type outgoing struct {
	typ   xproto.Atom
	rest  []byte
	since time.Time // of the last piece
}

// place is a property of another program's window.
type place struct {
	window   xproto.Window
	property xproto.Atom
}

// Limits of long answers.
const (
	maxOutgoing  = 32 // at a time
	outgoingTime = 5 * time.Second
)

// server hands out what we have on the clipboard, for one goroutine.
type server struct {
	*Selection
	long map[place]*outgoing
}

// serve answers other programs until the connection ends.
func (s *Selection) serve() {
	sv := &server{s, make(map[place]*outgoing)}
	for {
		events, open := s.requests.take()
		for _, ev := range events {
			switch e := ev.(type) {
			case xproto.SelectionRequestEvent:
				sv.answer(e)
			case xproto.PropertyNotifyEvent:
				sv.next(place{e.Window, e.Atom})
			case xproto.DestroyNotifyEvent:
				for p := range sv.long {
					if p.window == e.Window {
						delete(sv.long, p)
					}
				}
			}
		}
		if !open {
			return
		}
		<-s.requests.wake
	}
}

// answer answers one request; property 0 refuses it.
func (s *server) answer(e xproto.SelectionRequestEvent) {
	property := e.Property
	if property == 0 {
		property = e.Target // what programs older than the ICCCM mean
	}
	s.mu.Lock()
	o := s.offer
	s.mu.Unlock()
	done := false
	if o != nil && e.Selection == s.d.atoms.clipboard && (e.Time == 0 || int32(e.Time-o.since) >= 0) {
		if e.Target == s.d.atoms.multiple {
			done = s.multiple(o, e.Requestor, property)
		} else {
			done = s.put(o, place{e.Requestor, property}, e.Target)
		}
	}
	if !done {
		property = 0
	}
	msg := xproto.SelectionNotifyEvent{Time: e.Time, Requestor: e.Requestor, Selection: e.Selection, Target: e.Target, Property: property}
	xproto.SendEvent(s.d.events.x, false, e.Requestor, 0, string(msg.Bytes()))
}

// put writes one form into a property of the asking program.
func (s *server) put(o *offer, at place, target xproto.Atom) bool {
	a, x := &s.d.atoms, s.d.events.x
	change := func(typ xproto.Atom, format byte, n int, b []byte) {
		xproto.ChangeProperty(x, xproto.PropModeReplace, at.window, at.property, typ, format, uint32(n), b)
	}
	switch target {
	case a.targets:
		list := []uint32{uint32(a.targets), uint32(a.timestamp), uint32(a.multiple)}
		for t := range o.data {
			list = append(list, uint32(t))
		}
		change(xproto.AtomAtom, 32, len(list), pack(list))
		return true
	case a.timestamp:
		change(xproto.AtomInteger, 32, 1, pack([]uint32{uint32(o.since)}))
		return true
	}
	b, ok := o.data[target]
	if !ok {
		return false
	}
	s.tellPaste(at.window)
	typ := target
	if target == a.text {
		typ = a.utf8String
	}
	if len(b) <= piece {
		change(typ, 8, len(b), b)
		return true
	}
	s.begin(at, typ, b)
	change(a.incr, 32, 1, pack([]uint32{uint32(len(b))}))
	return true
}

// begin remembers a long answer. The asker's window must tell us when it has
// fetched a piece; windows of others that we watch anyway do.
func (s *server) begin(at place, typ xproto.Atom, b []byte) {
	for p, o := range s.long {
		if time.Since(o.since) > outgoingTime || len(s.long) >= maxOutgoing {
			delete(s.long, p)
		}
	}
	if s.d.model.get(at.window) == nil && at.window != s.d.own {
		xproto.ChangeWindowAttributes(s.d.events.x, at.window, xproto.CwEventMask,
			[]uint32{xproto.EventMaskPropertyChange | xproto.EventMaskStructureNotify})
	}
	s.long[at] = &outgoing{typ, b, time.Now()}
}

// next hands over the next piece once the asker has deleted the last. The empty
// piece at the end says that it is the end.
func (s *server) next(at place) {
	o := s.long[at]
	if o == nil {
		return
	}
	n := min(piece, len(o.rest))
	xproto.ChangeProperty(s.d.events.x, xproto.PropModeReplace, at.window, at.property, o.typ, 8, uint32(n), o.rest[:n])
	s.tellPaste(at.window)
	if n == 0 {
		delete(s.long, at)
		return
	}
	o.rest, o.since = o.rest[n:], time.Now()
}

// multiple answers a list of pairs of target and property at once.
func (s *server) multiple(o *offer, w xproto.Window, property xproto.Atom) bool {
	ctx, cancel := context.WithTimeout(context.Background(), answerTime)
	defer cancel()
	pairs, err := ask(ctx, s.d.questions, func(x *xgb.Conn) ([]uint32, error) { return cardinals(x, w, property), nil })
	if err != nil {
		return false
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		if p := xproto.Atom(pairs[i+1]); p == 0 || !s.put(o, place{w, p}, xproto.Atom(pairs[i])) {
			pairs[i+1] = 0
		}
	}
	xproto.ChangeProperty(s.d.events.x, xproto.PropModeReplace, w, property, s.d.atoms.atomPair, 32, uint32(len(pairs)), pack(pairs))
	return true
}

func pack(n []uint32) []byte {
	b := make([]byte, 4*len(n))
	for i, v := range n {
		xgb.Put32(b[4*i:], v)
	}
	return b
}
