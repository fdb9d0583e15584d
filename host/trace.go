package host

import (
	"oriel.dev/oriel/sandbox"
	"oriel.dev/oriel/tree"
)

// Trace is one thing that happened to an adapter: a call of it, or a change of
// its file. It is for the people who write adapters; nothing in it may be
// changed.
type Trace struct {
	// Window is the id of the window of a call, "" if it is gone; Title its title.
	Window, Title string
	// Call is a translate or an invoke with its host calls, among which are the
	// adapter's lines for the log ("oriel:log write"); nil for an update.
	Call *sandbox.Trace
	// Update is the receipt of a changed file; nil for a call.
	Update *sandbox.Update
}

// traced tells Config.Trace of a call.
func (h *Host) traced(c sandbox.Trace) {
	t := Trace{Call: &c}
	if r, err := tree.NewReader(c.Observation); err == nil {
		w := r.Window()
		t.Title = w.Title
		if h.live != nil { // else the desktop is not open yet
			t.Window = h.live.bridge.Load().WindowID(w.Handle)
		}
	}
	h.cfg.Trace(t)
}

// seen returns the live windows, for new versions of adapters to be tried on.
func (h *Host) seen() []sandbox.Live {
	if h.live == nil {
		return nil
	}
	var out []sandbox.Live
	for _, s := range h.live.bridge.Load().Seen() {
		out = append(out, sandbox.Live{Observation: s.Observation, Services: s.Services, Actions: s.Actions})
	}
	return out
}
