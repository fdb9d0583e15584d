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
)

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
		out = append(out, candidates(app, tops[i])...)
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
			s.reset()
			moved = append(moved, d.Window.ID)
		}
		s.pair, s.asked, s.at = p, version, time.Now()
	}
	a.own(moved)
}
