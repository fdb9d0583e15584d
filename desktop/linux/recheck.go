package linux

import (
	"context"
	"maps"
	"slices"
	"time"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/atspi"
	"oriel.dev/oriel/desktop/x11"
	"oriel.dev/oriel/tree"
)

// oddFor is how long a pair may contradict itself before it is looked into: a
// change of focus or title reaches the two sides at different times, but not
// that different.
const oddFor = 500 * time.Millisecond

// doubtful notes whether what was read of a window contradicts the window, and
// reports whether it has done so for a while and there is another window that
// it may be mixed up with. Two windows of one application that look alike can
// be told apart only once one of them has the focus or another title.
func (a *apps) doubtful(d x11.Detail, root tree.Node) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.windows[d.Window.ID]
	if s == nil {
		return false
	}
	agree := d.Window.Active == root.States.Has(tree.StateActive) && trimTitle(d.Window.Title) == trimTitle(root.Name)
	switch {
	case agree:
		s.odd = time.Time{}
		return false
	case s.odd.IsZero():
		s.odd = time.Now()
	}
	if time.Since(s.odd) < oddFor {
		return false
	}
	s.odd = time.Now() // the next look is a while away
	for id, o := range a.windows {
		if id != d.Window.ID && o.pair.app.Bus == s.pair.app.Bus {
			return true
		}
	}
	return false
}

// recheck pairs the windows of an application anew if other pairs are better
// supported than the present ones. It reports whether it changed any.
func (j *joint) recheck(ctx context.Context, bus *atspi.Bus, app atspi.App) bool {
	all, err := j.x.Windows().Details(ctx)
	if err != nil {
		return false
	}
	tops, err := bus.TopLevels(ctx, app)
	if err != nil {
		j.suspect(app, err)
		return false
	}
	return j.apps.swap(app, all, candidates(app, tops))
}

// swap takes better pairs for an application's windows.
func (a *apps) swap(app atspi.App, all []x11.Detail, cs []candidate) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	var ds []x11.Detail
	now := map[desktop.WindowID]pair{}
	for _, d := range all {
		if s := a.windows[d.Window.ID]; s != nil && s.pair.app.Bus == app.Bus {
			ds = append(ds, d)
			now[d.Window.ID] = s.pair
		}
	}
	better := match(ds, cs, nil)
	if support(ds, cs, better) <= support(ds, cs, now) {
		return false
	}
	var moved []desktop.WindowID
	for _, id := range slices.Sorted(maps.Keys(now)) {
		s := a.windows[id]
		if p := better[id]; p.top.Path != s.pair.top.Path {
			asked, at := s.asked, s.at
			s.reset()
			s.pair, s.asked, s.at = p, asked, at
			moved = append(moved, id)
		}
	}
	a.own(moved)
	return len(moved) > 0
}

// support adds up the evidence for pairs.
func support(ds []x11.Detail, cs []candidate, pairs map[desktop.WindowID]pair) int {
	n := 0
	for _, d := range ds {
		for _, c := range cs {
			if c.top.Path == pairs[d.Window.ID].top.Path {
				n += evidence(d, c, nil)
			}
		}
	}
	return n
}
