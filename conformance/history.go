package conformance

import (
	"slices"
	"strings"
	"time"
)

// history follows the windows of one server from state to state.
type history struct {
	last map[string]*window // of the windows that are there
	gone map[string]bool    // ids that were there once
}

func newHistory() *history { return &history{last: map[string]*window{}, gone: map[string]bool{}} }

// follow judges a state by those before it: versions (B11) and ids (B12).
func (h *history) follow(l *log, s *snapshot) {
	now := map[string]*window{}
	for _, w := range s.windows {
		if w.id == "" || now[w.id] != nil {
			continue
		}
		now[w.id] = w
		if h.gone[w.id] {
			l.fail("B12", w.raw, "the id %s is there again after its window had gone", w.id)
			delete(h.gone, w.id) // said once
		}
		if old := h.last[w.id]; old != nil && old.versions && w.versions {
			l.version(old, w)
		}
	}
	for id := range h.last {
		if now[id] == nil {
			h.gone[id] = true
		}
	}
	h.last = now
}

func (l *log) version(old, w *window) {
	evidence := []any{old.raw, w.raw}
	switch {
	case w.version < old.version:
		l.fail("B11", evidence, "window %s: its version went from %d down to %d", w.id, old.version, w.version)
	case w.content != old.content && w.version == old.version:
		l.fail("B11", evidence, "window %s: its content changed and its version is still %d", w.id, w.version)
	case w.content != old.content:
		l.pass("B11", nil, "versions rose with every change of content")
	default:
		l.pass("B11", nil, "versions are 64-bit integers and never fell")
	}
}

// look is one answer: what it said, and between which moments it was made.
type look struct {
	start, end time.Time
	said       string
}

// looks is a row of answers to the same question. Of equal ones in a row the
// first and the last are kept.
type looks []look

func (ls looks) with(l look) looks {
	if n := len(ls); n > 1 && ls[n-1].said == l.said && ls[n-2].said == l.said {
		ls[n-1] = l
		return ls
	}
	return append(ls, l)
}

// change is a difference between two answers, which came about between two
// moments: the old state could still be read at some time after since.
type change struct{ since, seen time.Time }

func (ls looks) changes() (out []change) {
	for i := 1; i < len(ls); i++ {
		if ls[i].said != ls[i-1].said {
			out = append(out, change{ls[i-1].start, ls[i].end})
		}
	}
	return out
}

// announced reports whether a notification came after the change, at most grace
// after it had been seen.
func (c change) announced(at []time.Time, grace time.Duration) bool {
	return slices.ContainsFunc(at, func(t time.Time) bool { return !t.Before(c.since) && t.Before(c.seen.Add(grace)) })
}

// early is how long before a change a notification may have meant it.
const early = 2 * time.Second

// tooEarly reports whether a notification came shortly before the change when
// there was nothing else to tell of: since the answer before it, all was the same.
func (ls looks) tooEarly(c change, at []time.Time) bool {
	for i := range ls {
		if !ls[i].start.Equal(c.since) || i > 0 && ls[i].said != ls[i-1].said {
			continue
		}
		return slices.ContainsFunc(at, func(t time.Time) bool { return t.Before(c.since) && c.since.Sub(t) < early })
	}
	return false
}

// set is a list without its order, as one string.
func set(list []string) string { return strings.Join(slices.Sorted(slices.Values(list)), " ") }
