package linux

import (
	"cmp"
	"slices"
	"strings"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/atspi"
	"oriel.dev/oriel/desktop/x11"
	"oriel.dev/oriel/tree"
)

// pair is a window with the element that stands for it on the accessibility
// bus.
type pair struct {
	app atspi.App
	top atspi.TopLevel
}

// candidate is a top-level element that may be a window's.
type candidate struct {
	pair
	order int // among those of its application
}

// candidates are the top-level elements of an application that may be windows.
// Popups are not, unless there is nothing else: a program whose only window is a
// list has a top-level element that looks like the popup of a combo box.
func candidates(app atspi.App, tops []atspi.TopLevel) []candidate {
	onlyPopups := !slices.ContainsFunc(tops, func(t atspi.TopLevel) bool { return !t.Popup })
	var out []candidate
	for i, top := range tops {
		if onlyPopups || !top.Popup {
			out = append(out, candidate{pair{app, top}, i})
		}
	}
	return out
}

// The weight of each piece of evidence that a window and an element are one.
// The process decides before any of them; titles say most, and what was paired
// before stays so unless the titles speak against it.
const (
	sameTitle    = 16
	sameAsBefore = 8
	samePlace    = 6
	sameSize     = 3
	showing      = 2
	sameActive   = 1
	sameModal    = 1
)

// evidence adds up what speaks for w and c being one.
func evidence(w x11.Detail, c candidate, before map[desktop.WindowID]pair) int {
	n := 0
	if title := trimTitle(w.Window.Title); title != "" && title == trimTitle(c.top.Name) {
		n += sameTitle
	}
	if p, ok := before[w.Window.ID]; ok && p.app.Bus == c.app.Bus && p.top.Path == c.top.Path {
		n += sameAsBefore
	}
	if c.top.HasBounds {
		b := w.Window.Bounds
		if near(b.W, c.top.Bounds.W) && near(b.H, c.top.Bounds.H) {
			n += sameSize
		}
		if c.app.Space() == atspi.ScreenSpace && near(b.X, c.top.Bounds.X) && near(b.Y, c.top.Bounds.Y) {
			n += samePlace
		}
	}
	if c.top.States.Has(tree.StateShowing) {
		n += showing
	}
	if w.Window.Active == c.top.States.Has(tree.StateActive) {
		n += sameActive
	}
	if w.Window.Modal == c.top.States.Has(tree.StateModal) {
		n += sameModal
	}
	return n
}

// near allows for the frames that one side counts and the other does not.
func near(a, b int32) bool { return a-b <= 32 && b-a <= 32 }

func trimTitle(s string) string { return strings.TrimSpace(s) }

// match pairs windows with elements, each at most once: those of one process
// by the most evidence, what is left over by title and size alone, because a
// process in a container has another number on each side.
func match(windows []x11.Detail, candidates []candidate, before map[desktop.WindowID]pair) map[desktop.WindowID]pair {
	type likelihood struct {
		w, c, n int
	}
	var all []likelihood
	for i, w := range windows {
		for k, c := range candidates {
			n := evidence(w, c, before)
			switch {
			case w.Window.App.PID != 0 && w.Window.App.PID == c.app.PID:
				all = append(all, likelihood{i, k, n + 1000})
			case n >= sameTitle+sameSize:
				all = append(all, likelihood{i, k, n})
			}
		}
	}
	// Among equals, the order in which both sides list them decides.
	slices.SortStableFunc(all, func(a, b likelihood) int { return cmp.Compare(b.n, a.n) })
	out := map[desktop.WindowID]pair{}
	taken := map[int]bool{}
	for _, l := range all {
		id := windows[l.w].Window.ID
		if _, done := out[id]; done || taken[l.c] {
			continue
		}
		out[id], taken[l.c] = candidates[l.c].pair, true
	}
	return out
}
