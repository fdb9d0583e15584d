package conformance

import "slices"

// topology judges owners (B09) and operability (B07, B08) of one state.
func (l *log) topology(s *snapshot, strict bool) {
	sound := true
	for _, w := range s.windows {
		switch {
		case w.owner == "":
		case s.window(w.owner) == nil:
			l.fail("B09", w.raw, "window %s: its ownerId is no window of this state", w.id)
			sound = false
		case !w.modal:
			l.fail("B07", w.raw, "window %s: has an owner and is not modal, which is none of the three states", w.id)
			sound = false
		case len(s.chain(w)) == 0:
			l.fail("B09", w.raw, "window %s: owners form a ring", w.id)
			sound = false
		}
	}
	seen := map[string]bool{}
	for _, id := range s.operable {
		if s.window(id) == nil || seen[id] {
			l.fail("B07", s.operable, "operable window %s is no window of this state, or named twice", id)
			sound = false
		}
		seen[id] = true
	}
	if !sound {
		return // what follows would only repeat it
	}
	deep := 0
	for _, w := range s.windows {
		deep = max(deep, len(s.chain(w))-1)
	}
	l.pass("B09", nil, "every owner is there; the deepest chain has %d modals", deep)
	groups := map[string][]*window{}
	for _, w := range s.windows {
		app := w.app
		if strict {
			app = ""
		}
		groups[app] = append(groups[app], w)
	}
	for _, group := range groups {
		if slices.ContainsFunc(group, isApplicationModal) {
			l.underApplicationModal(s, group)
		} else {
			l.operability(s, group)
		}
	}
}

func isApplicationModal(w *window) bool { return w.modal && w.owner == "" }

// chain is the window and its owners, or nothing if they form a ring.
func (s *snapshot) chain(w *window) []*window {
	var out []*window
	for w != nil {
		if slices.Contains(out, w) {
			return nil
		}
		out = append(out, w)
		w = s.window(w.owner)
	}
	return out
}

// covered reports whether a modal hangs under the window.
func (s *snapshot) covered(w *window) bool {
	return slices.ContainsFunc(s.windows, func(d *window) bool { return d.modal && d.owner == w.id })
}

// operability judges windows of which none is an application modal. Toolkits
// differ in what a window modal blocks beside its owner, so a top that is not
// operable is a fault only where no other modal could have its input.
func (l *log) operability(s *snapshot, group []*window) {
	before := l.failures("B07")
	for _, w := range group {
		operable, covered := s.isOperable(w.id), s.covered(w)
		switch {
		case operable && covered:
			l.fail("B07", s.verdict(), "window %s is operable under its own modal", w.id)
		case !operable && !covered && !s.rival(w, group):
			l.fail("B07", s.verdict(), "window %s is not operable and no modal could block it", w.id)
		}
	}
	if l.failures("B07") == before {
		l.pass("B07", s.operable, "%d windows, %d operable", len(s.windows), len(s.operable))
	}
}

// rival reports whether a modal that the window does not hang under could have
// its input.
func (s *snapshot) rival(w *window, group []*window) bool {
	return slices.ContainsFunc(group, func(m *window) bool { return m.modal && !slices.Contains(s.chain(w), m) })
}

// underApplicationModal judges windows of which one is an application modal: at
// most one takes input, and it is modal and the top of its chain.
func (l *log) underApplicationModal(s *snapshot, group []*window) {
	before := l.failures("B08")
	n := 0
	for _, w := range group {
		if !s.isOperable(w.id) {
			continue
		}
		if n++; !w.modal || s.covered(w) || n > 1 {
			l.fail("B08", s.verdict(), "window %s is operable beside an application modal", w.id)
		}
	}
	if l.failures("B08") == before {
		l.pass("B08", s.operable, "the top alone is operable")
	}
}

// verdict is the evidence for operability: the windows without their content.
func (s *snapshot) verdict() any {
	type row struct {
		ID    string `json:"id"`
		Modal bool   `json:"modal"`
		Owner string `json:"ownerId,omitempty"`
	}
	var rows []row
	for _, w := range s.windows {
		rows = append(rows, row{w.id, w.modal, w.owner})
	}
	return map[string]any{"operableWindowIds": s.operable, "windows": rows}
}
