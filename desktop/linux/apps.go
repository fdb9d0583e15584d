package linux

import (
	"slices"
	"sync"
	"time"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/atspi"
	"oriel.dev/oriel/desktop/x11"
	"oriel.dev/oriel/tree"
)

// apps knows the applications on the accessibility bus: which window is whose,
// and which of them answer.
type apps struct {
	hints *hints
	// suspected holds one token while an application may be hung; never closed.
	suspected chan struct{}
	// pairing is held (by its one token) while windows are paired, so that two
	// callers do not ask the same applications twice.
	pairing chan struct{}

	// mu guards everything below. It is never held during a call to the bus.
	mu      sync.Mutex
	bus     *atspi.Bus     // nil while there is none
	lost    bool           // bus said that it is gone
	version uint64         // rises when a window that is not paired may be paired now
	pids    map[int]string // bus names by process, as last listed
	windows map[desktop.WindowID]*state
	births  uint64               // counts the windows seen
	suspect map[string]atspi.App // did not answer; to be pinged
	hung    map[string]bool      // did not answer a ping either
}

// state is what is remembered of one window.
type state struct {
	seen   x11.Detail
	born   uint64 // its number among the windows seen
	pair   pair   // zero Bus: not paired
	asked  uint64
	at     time.Time // when pairing was last tried, with the version asked
	layout layout
	// odd is since when the pair's element has said another title or another
	// focus than the window has.
	odd time.Time
	// nodes are the elements that were read of this window. Deeds on others are
	// refused, so that nobody reaches from one window into another of the same
	// application.
	nodes map[tree.NodeID]element
}

// reset forgets what came from the accessibility bus.
func (s *state) reset() { *s = state{seen: s.seen, born: s.born} }

// element is what is remembered of an element.
type element struct {
	surface uint32 // its number in the layout
	actions int    // how many it has; toolkits say yes to others too
	secret  bool   // it is, or was once, a password
}

// maxNodes bounds what is remembered of one window: then only the last
// observation's elements stay.
const maxNodes = 50_000

func newApps(h *hints) *apps {
	a := &apps{
		hints: h, suspected: make(chan struct{}, 1), pairing: make(chan struct{}, 1),
		pids: map[int]string{}, windows: map[desktop.WindowID]*state{}, suspect: map[string]atspi.App{}, hung: map[string]bool{},
	}
	a.pairing <- struct{}{}
	return a
}

// connect takes a bus over.
func (a *apps) connect(bus *atspi.Bus) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.bus, a.lost = bus, false
	a.version++
	a.own(nil)
}

// connection returns the bus, or nil while there is none.
func (a *apps) connection() *atspi.Bus {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.lost {
		return nil
	}
	return a.bus
}

// disconnect closes the bus and forgets all that came from it.
func (a *apps) disconnect() error {
	a.mu.Lock()
	bus := a.bus
	a.bus, a.lost = nil, false
	a.pids = nil
	var moved []desktop.WindowID
	for id, s := range a.windows {
		if s.pair.app.Bus != "" {
			moved = append(moved, id)
		}
		s.reset()
	}
	clear(a.suspect)
	clear(a.hung)
	a.own(moved)
	a.mu.Unlock()
	if bus == nil {
		return nil
	}
	return bus.Close()
}

// event takes an event of the bus. It is called by the bus's reader.
func (a *apps) event(e atspi.Event) {
	switch e.Kind {
	case atspi.Lost:
		a.mu.Lock()
		a.lost = true
		a.mu.Unlock()
		a.wake()
	case atspi.AppGone:
		a.mu.Lock()
		a.drop(e.Bus)
		a.mu.Unlock()
	}
	if a.hints.application(e) || e.Kind == atspi.AppAdded {
		a.mu.Lock()
		a.version++
		a.mu.Unlock()
	}
}

// drop forgets an application. The caller holds mu.
func (a *apps) drop(bus string) {
	a.version++
	delete(a.suspect, bus)
	delete(a.hung, bus)
	for pid, b := range a.pids {
		if b == bus {
			delete(a.pids, pid)
		}
	}
	for _, s := range a.windows {
		if s.pair.app.Bus == bus {
			s.reset()
		}
	}
	a.own(nil)
}

// own tells the hints whose windows are whose. The caller holds mu.
func (a *apps) own(moved []desktop.WindowID) {
	o := owners{windows: map[string][]desktop.WindowID{}, waiting: map[string]bool{}}
	for id, s := range a.windows {
		bus := s.pair.app.Bus
		if bus == "" {
			o.orphans = append(o.orphans, id)
			bus = a.pids[s.seen.Window.App.PID]
			o.waiting[bus] = true
		}
		if bus != "" {
			o.windows[bus] = append(o.windows[bus], id)
		}
	}
	a.hints.own(o, moved)
}

func (a *apps) wake() {
	select {
	case a.suspected <- struct{}{}:
	default:
	}
}

// see remembers what the window system says of windows.
func (a *apps) see(ds ...x11.Detail) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.learn(ds) {
		a.own(nil)
	}
}

// learn is see for a caller that holds mu, and reports whether a window is new.
func (a *apps) learn(ds []x11.Detail) (news bool) {
	for _, d := range ds {
		s := a.windows[d.Window.ID]
		if s == nil {
			a.births++
			s = &state{born: a.births}
			a.windows[d.Window.ID] = s
			news = true
		}
		s.seen = d
	}
	return news
}

// born returns the number of windows seen so far, for a list to begin with.
func (a *apps) born() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.births
}

// list remembers a complete list and forgets the windows that are not in it.
// Windows that were first seen while the list was being made stay: it may be
// older than they are.
func (a *apps) list(ds []x11.Detail, since uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	news := a.learn(ds)
	var gone []desktop.WindowID
	for id, s := range a.windows {
		if s.born <= since && !slices.ContainsFunc(ds, func(d x11.Detail) bool { return d.Window.ID == id }) {
			gone = append(gone, id)
			delete(a.windows, id)
		}
	}
	a.hints.forget(gone)
	if news || len(gone) > 0 {
		a.own(nil)
	}
}

// pair returns the element that stands for a window, if one is known.
func (a *apps) pair(id desktop.WindowID) (pair, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.windows[id]
	if s == nil || s.pair.app.Bus == "" {
		return pair{}, false
	}
	return s.pair, true
}

// unpair gives up a pair that proved wrong: its element is gone.
func (a *apps) unpair(id desktop.WindowID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s := a.windows[id]; s != nil {
		s.reset()
		a.own(nil)
	}
}
