package sandbox

import (
	"fmt"
	"regexp"
	"strings"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/hostabi/check"
	"oriel.dev/oriel/tree"
)

// The tiers of a match, the least specific first. Within a tier the one that
// asks for more wins.
const (
	tierGeneric = iota
	tierToolkit
	tierApp
	tierAppRole
	tierOverride
)

// unmatched is the rank of a match that does not take the window.
const unmatched = -1

// match is one of a manifest's matches, ready for use.
type match struct {
	hostabi.Match
	title   *regexp.Regexp // nil for any
	version check.Range
	rank    int
}

func newMatch(m hostabi.Match) (match, error) {
	out := match{Match: m}
	var err error
	if m.Title != "" {
		if out.title, err = regexp.Compile(m.Title); err != nil {
			return match{}, fmt.Errorf("reading the title pattern of a match: %w", err)
		}
	}
	if out.version, err = check.ParseRange(m.AppVersion); err != nil {
		return match{}, fmt.Errorf("reading the version range of a match: %w", err)
	}
	tier := tierGeneric
	switch {
	case m.App != "" && m.Role != "":
		tier = tierAppRole
	case m.App != "":
		tier = tierApp
	case m.Toolkit != "":
		tier = tierToolkit
	}
	out.rank = tier * 10
	for _, set := range []string{m.App, m.Toolkit, m.Role, m.Title, m.AppVersion} {
		if set != "" {
			out.rank++
		}
	}
	return out, nil
}

// isDialog reports whether a window is a dialog. Some toolkits say so only by
// its modality.
func isDialog(w *tree.Window) bool { return strings.EqualFold(w.Role, "dialog") || w.Modal }

// takes reports whether the match takes the window. One that names an
// application but no role does not take its dialogs: they are often the
// toolkit's and the same everywhere.
func (m *match) takes(w *tree.Window) bool {
	switch {
	case m.App != "" && !check.IsApp(w, m.App),
		m.App != "" && m.Role == "" && isDialog(w),
		m.Toolkit != "" && !strings.EqualFold(m.Toolkit, w.Toolkit),
		m.Role != "" && !m.takesRole(w),
		m.title != nil && !m.title.MatchString(w.Title),
		!m.version.Contains(w.AppVersion):
		return false
	}
	return true
}

func (m *match) takesRole(w *tree.Window) bool {
	return strings.EqualFold(m.Role, w.Role) || strings.EqualFold(m.Role, "dialog") && isDialog(w)
}

// rank returns how specifically the adapter takes the window, or unmatched. An
// override stands for a match of the application without a role.
func (a *adapter) rank(w *tree.Window, overridden bool) int {
	best := unmatched
	for i := range a.matches {
		m := &a.matches[i]
		if m.rank > best && m.takes(w) {
			best = m.rank
		}
	}
	if overridden && (!isDialog(w) || best >= tierAppRole*10) {
		return tierOverride * 10
	}
	return best
}

// catchAll reports whether the adapter takes every window that nobody claims.
func (a *adapter) catchAll() bool {
	for _, m := range a.matches {
		if m.Match == (hostabi.Match{}) {
			return true
		}
	}
	return false
}

// Match names the adapter for a window: the most specific one, by its id among
// equals. If that one is set aside or not compiled yet the window goes to the
// generic adapter with a notice. A Ref without an ID means that there is no
// adapter at all.
func (s *Sandbox) Match(w tree.Window) Ref {
	set := s.set.Load()
	best := set.best(&w)
	if best == nil {
		return Ref{Notice: "no adapter takes this window and the generic one is missing; run oriel adapter list to see why"}
	}
	why := best.absent()
	if why == "" {
		return best.ref
	}
	for _, a := range set.adapters {
		if a != best && a.catchAll() && a.absent() == "" {
			ref := a.ref
			ref.Notice = why
			return ref
		}
	}
	ref := best.ref // nothing better: Translate waits for it, or says what is wrong
	ref.Notice = why
	return ref
}

// best returns the adapter that claims the window most specifically, or nil.
func (s *set) best(w *tree.Window) (best *adapter) {
	rank, chosen := unmatched, s.overrides(w)
	for _, a := range s.adapters { // in the order of their ids
		r := a.rank(w, chosen == a.man.ID)
		if a.trial && r >= tierApp*10 {
			r += tierOverride * 10
		}
		if r > rank {
			best, rank = a, r
		}
	}
	return best
}

// overrides returns the id of the adapter that the configuration names for the
// window's application, or "".
func (s *set) overrides(w *tree.Window) string {
	for _, o := range s.override {
		if check.IsApp(w, o.app) {
			return o.id
		}
	}
	return ""
}
