package linux

import (
	"context"
	"errors"
	"fmt"
	"maps"
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
	suspect map[string]atspi.App // did not answer; to be pinged
	hung    map[string]bool      // did not answer a ping either
}

// state is what is remembered of one window.
type state struct {
	pair   pair // zero Bus: not paired
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
	seen  x11.Detail
}

// element is what is remembered of an element.
type element struct {
	surface uint32 // its number in the layout
	actions int    // how many it has; toolkits say yes to others too
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
		*s = state{seen: s.seen}
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
			*s = state{seen: s.seen}
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

// see remembers windows that the window system listed; the list is complete if
// all is set, and forgets the others.
func (a *apps) see(ds []x11.Detail, all bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	listed := map[desktop.WindowID]bool{}
	news := false
	for _, d := range ds {
		listed[d.Window.ID] = true
		s := a.windows[d.Window.ID]
		if s == nil {
			s = &state{}
			a.windows[d.Window.ID] = s
			news = true
		}
		s.seen = d
	}
	var gone []desktop.WindowID
	if all {
		for id := range a.windows {
			if !listed[id] {
				gone = append(gone, id)
				delete(a.windows, id)
			}
		}
		a.hints.forget(gone)
	}
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
		*s = state{seen: s.seen}
		a.own(nil)
	}
}

// resolve pairs the windows that are not paired yet and may be by now. It never
// waits longer for a silent application than pairDeadline.
func (a *apps) resolve(ctx context.Context) error {
	if !a.due() {
		return nil
	}
	select {
	case <-a.pairing:
		defer func() { a.pairing <- struct{}{} }()
	case <-ctx.Done():
		return ctx.Err()
	}
	bus := a.connection()
	if bus == nil || !a.due() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 2*pairDeadline)
	defer cancel()
	version := a.mark()
	list, err := bus.Apps(ctx)
	if err != nil {
		return fmt.Errorf("listing the applications on the accessibility bus: %w", err)
	}
	a.settle(version, a.candidates(ctx, bus, a.wanted(list)))
	return nil
}

// due reports whether a window is unpaired and there is reason to try: it was
// not tried yet, the bus has had news since, or its application is on the bus
// and the last try is a while ago.
func (a *apps) due() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, s := range a.windows {
		if s.pair.app.Bus != "" {
			continue
		}
		if s.at.IsZero() || s.asked != a.version ||
			a.pids[s.seen.Window.App.PID] != "" && time.Since(s.at) > pairAgain {
			return true
		}
	}
	return false
}

// mark returns the version that a try to pair begins with.
func (a *apps) mark() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.version
}

// wanted notes the applications on the bus, and leaves out those that do not
// answer and those that have nothing to do with a window that is not paired.
func (a *apps) wanted(list []atspi.App) []atspi.App {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.pids = make(map[int]string, len(list))
	for _, app := range list {
		a.pids[app.PID] = app.Bus
	}
	paired, open := map[string]bool{}, map[int]bool{}
	stranger := false // a window whose process is not on the bus
	for _, s := range a.windows {
		if s.pair.app.Bus != "" {
			paired[s.pair.app.Bus] = true
			continue
		}
		pid := s.seen.Window.App.PID
		open[pid] = true
		stranger = stranger || a.pids[pid] == ""
	}
	return slices.DeleteFunc(list, func(app atspi.App) bool {
		return a.hung[app.Bus] || !open[app.PID] && !(stranger && !paired[app.Bus])
	})
}

// candidates asks applications for their top-levels, all at once.
func (a *apps) candidates(ctx context.Context, bus *atspi.Bus, list []atspi.App) []candidate {
	ctx, cancel := context.WithTimeout(ctx, pairDeadline)
	defer cancel()
	tops := make([][]atspi.TopLevel, len(list))
	var asked sync.WaitGroup
	for i, app := range list {
		asked.Go(func() {
			var err error
			tops[i], err = bus.TopLevels(ctx, app)
			if err != nil && !errors.Is(err, desktop.ErrGone) {
				a.doubt(app)
			}
		})
	}
	asked.Wait()
	var out []candidate
	for i, app := range list {
		for k, top := range tops[i] {
			if !top.Popup {
				out = append(out, candidate{pair{app, top}, k})
			}
		}
	}
	return out
}

// settle pairs windows with candidates. Windows of other applications keep
// their pairs.
func (a *apps) settle(version uint64, cs []candidate) {
	asked := map[string]bool{}
	for _, c := range cs {
		asked[c.app.Bus] = true
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	var ds []x11.Detail
	before := map[desktop.WindowID]pair{}
	for _, id := range slices.Sorted(maps.Keys(a.windows)) {
		s := a.windows[id]
		if s.pair.app.Bus == "" || asked[s.pair.app.Bus] {
			ds = append(ds, s.seen)
			before[id] = s.pair
		}
	}
	matched := match(ds, cs, before)
	var moved []desktop.WindowID
	for _, d := range ds {
		s, p := a.windows[d.Window.ID], matched[d.Window.ID]
		if s.pair.app.Bus != p.app.Bus || s.pair.top.Path != p.top.Path {
			*s = state{seen: s.seen}
			moved = append(moved, d.Window.ID)
		}
		s.pair, s.asked, s.at = p, version, time.Now()
	}
	a.own(moved)
}

// doubt has an application pinged: it did not answer something. Only a ping
// decides whether it hangs, because a call that opened a dialog may rightly
// take as long as the dialog.
func (a *apps) doubt(app atspi.App) {
	a.mu.Lock()
	a.suspect[app.Bus] = app
	a.mu.Unlock()
	a.wake()
}

// isHung reports whether an application failed to answer a ping and has not
// answered one since.
func (a *apps) isHung(bus string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.hung[bus]
}

// probe pings the suspects, all at once.
func (a *apps) probe(ctx context.Context) {
	bus := a.connection()
	a.mu.Lock()
	suspects := slices.Collect(maps.Values(a.suspect))
	a.mu.Unlock()
	if bus == nil {
		return
	}
	var asked sync.WaitGroup
	for _, app := range suspects {
		asked.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, pingDeadline)
			defer cancel()
			a.judge(app, bus.Ping(ctx, app))
		})
	}
	asked.Wait()
}

// judge notes what a ping of a suspect gave.
func (a *apps) judge(app atspi.App, err error) {
	a.mu.Lock()
	before := a.hung[app.Bus]
	switch {
	case err == nil || errors.Is(err, desktop.ErrGone):
		delete(a.suspect, app.Bus)
		delete(a.hung, app.Bus)
	case errors.Is(err, context.Canceled):
	default:
		a.hung[app.Bus] = true
	}
	after := a.hung[app.Bus]
	a.mu.Unlock()
	if before != after {
		a.hints.touch(app.Bus)
	}
}
