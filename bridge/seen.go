package bridge

import (
	"image"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/hostabi"
)

// Seen is what the present view of a window was made from.
type Seen struct {
	Window      string // its id
	Handle      uint64 // that of the observation
	Adapter     Adapter
	Observation []byte      // as the adapter got it; must not be changed
	Frame       *image.RGBA // nil if no picture was taken; must not be changed
	Services    Services    // what translate may use of the host
	// Actions are what the adapter offers, those of the application included.
	Actions []hostabi.Action
}

// Seen returns what the views of the windows were made from, the oldest window
// first. A window without a view is left out.
func (b *Bridge) Seen() []Seen {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []Seen
	for _, id := range b.order {
		e := b.entries[id]
		if e == nil || e.seen.view == nil {
			continue
		}
		s := Seen{
			Window: e.id, Handle: uint64(id), Adapter: e.seen.adapter, Observation: e.seen.encoded, Frame: e.seen.frame,
			Services: frozen{e.seen.frame, b.cfg.OCR},
		}
		for _, list := range [][]hostabi.Action{e.seen.view.Actions, e.seen.view.AppActions} {
			s.Actions = append(s.Actions, list...)
		}
		out = append(out, s)
	}
	return out
}

// WindowID returns the id of the window with the handle of an observation, "" if
// it is not there any more.
func (b *Bridge) WindowID(handle uint64) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e := b.entries[desktop.WindowID(handle)]; e != nil {
		return e.id
	}
	return ""
}
