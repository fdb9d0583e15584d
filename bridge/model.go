package bridge

import (
	"slices"

	"oriel.dev/oriel/desktop"
)

// topWindow is what the modal logic needs to know of a window. The slice that
// holds them is ordered by age, that of a modal since it became modal: it took the
// input over from those before it.
type topWindow struct {
	id    desktop.WindowID
	app   desktop.AppID
	group uint64
	modal bool
	// owners is the chain of owners as it was when each was last seen alive:
	// owners[0] the window's own, owners[1] that one's, and so on. It outlives
	// the owners, so that a modal whose owner has gone finds the next one.
	owners []desktop.WindowID
}

// verdict is what the modal logic says of a window.
type verdict struct {
	modal bool
	owner desktop.WindowID // 0: none
	// blockedBy is a window that takes the input instead; 0 means operable.
	blockedBy desktop.WindowID
}

// judge decides for each window whether it is modal, under which owner, and
// whether it takes input now. It is pure.
//
// A modal window blocks its owner, the windows of its group, and, without an
// owner, its whole application. It never blocks what hangs under it, nor a
// modal that came later: of several that exclude each other the latest takes
// the input. A modal that lost its last owner is shown as a window like any
// other, since only one that never had an owner is modal to the application; but
// if it has a group, it goes on blocking that.
func judge(windows []topWindow) map[desktop.WindowID]verdict {
	alive := make(map[desktop.WindowID]int, len(windows))
	for i, w := range windows {
		alive[w.id] = i
	}
	out := make(map[desktop.WindowID]verdict, len(windows))
	for _, w := range windows {
		out[w.id] = topology(w, alive)
	}
	m := modals{windows: windows, verdicts: out}
	for i, w := range windows {
		v := out[w.id]
		v.blockedBy = m.blocker(i)
		out[w.id] = v
	}
	return out
}

// topology resolves the owner among the living.
func topology(w topWindow, alive map[desktop.WindowID]int) verdict {
	if !w.modal {
		return verdict{}
	}
	if len(w.owners) == 0 {
		return verdict{modal: true}
	}
	for _, o := range w.owners {
		if _, ok := alive[o]; ok && o != w.id {
			return verdict{modal: true, owner: o}
		}
	}
	return verdict{}
}

type modals struct {
	windows  []topWindow
	verdicts map[desktop.WindowID]verdict
}

// blocker returns the latest modal that blocks the window at i, or has displaced
// a modal that it hangs under; or 0.
func (m modals) blocker(i int) desktop.WindowID {
	id := m.windows[i].id
	for j := len(m.windows) - 1; j >= 0; j-- {
		by := m.windows[j].id
		if by == id || m.under(id, by) {
			continue
		}
		if m.blocks(j, i) {
			return by
		}
		for x := range j {
			if m.under(id, m.windows[x].id) && m.displaces(j, x) {
				return by
			}
		}
	}
	return 0
}

// displaces reports whether the modal at j came later to the same owner than the
// one at i, so that what hangs under that one is out of reach too. In a window
// group the latest window has the input wherever it hangs.
func (m modals) displaces(j, i int) bool {
	a, b := m.verdicts[m.windows[j].id], m.verdicts[m.windows[i].id]
	return j > i && a.modal && b.modal && a.owner != 0 && a.owner == b.owner && m.windows[j].group == 0
}

// blocks reports whether the window at j is a modal that keeps the one at i
// from taking input.
func (m modals) blocks(j, i int) bool {
	by, w := m.windows[j], m.windows[i]
	if !by.modal {
		return false
	}
	v, wv := m.verdicts[by.id], m.verdicts[w.id]
	grouped := by.group != 0 && w.group == by.group && w.app == by.app
	// Of two modals that exclude each other, the later has taken the input over.
	later := w.modal && i > j && !m.under(by.id, w.id)
	switch {
	case !v.modal:
		return grouped && !later
	case v.owner == 0:
		return w.app == by.app && m.root(i) <= j && !(grouped && later)
	}
	return !later && (grouped || v.owner == w.id || wv.modal && wv.owner == v.owner)
}

// root is the place of the application modal that the window at i is or hangs
// under, or -1.
func (m modals) root(i int) int {
	for j := len(m.windows) - 1; j >= 0; j-- {
		v := m.verdicts[m.windows[j].id]
		if v.modal && v.owner == 0 && (j == i || m.under(m.windows[i].id, m.windows[j].id)) {
			return j
		}
	}
	return -1
}

// under reports whether id hangs, over any number of modals, under top.
func (m modals) under(id, top desktop.WindowID) bool {
	var seen []desktop.WindowID // owners by the window system's word can form a ring
	for !slices.Contains(seen, id) {
		seen = append(seen, id)
		id = m.verdicts[id].owner
		if id == top {
			return true
		}
		if id == 0 {
			return false
		}
	}
	return false
}
