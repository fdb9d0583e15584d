package window

import (
	"math"
	"time"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/pluginsdk"
	"oriel.dev/oriel/tree"
)

// GTK4's list views make their rows as they come into view and tell neither how
// many there are nor which of them is seen. Their scroll bar counts pixels, so
// where all rows are of one height, its value tells the number of each row.

// maxViews is how many views of a list one load scrolls to, drawn how long it
// waits for the rows of each.
const (
	maxViews = 60
	drawn    = 3 * time.Second
)

// ruler measures the rows of a list whose rows are made as they come into view.
type ruler struct {
	w      *Window
	list   *List
	bar    tree.Cursor
	at     float64 // the bar's value
	reach  float64 // the bar's end: the height of all rows
	height float64 // of a row, with the space between rows
}

// measure reads the ruler of a list as it is now.
func (w *Window) measure(l *List) (ruler, bool) {
	m := ruler{w: w, list: l, bar: w.bar(l, true)}
	v, ok := m.bar.Value()
	if !ok || len(l.Rows) < 3 {
		return m, false
	}
	m.at, m.reach = v.Current, v.Max
	for i := 1; i < len(l.Rows); i++ {
		step := float64(l.Rows[i].Node.Bounds().Y - l.Rows[i-1].Node.Bounds().Y)
		if m.height == 0 {
			m.height = step
		}
		if math.Abs(step-m.height) > 1 {
			return m, false
		}
	}
	return m, m.height > 0 && m.reach > 0
}

// number is the number of a row, found by its place.
func (m *ruler) number(r *Row) int64 {
	y := float64(r.Node.Bounds().Y - m.list.Node.Bounds().Y)
	return int64(math.Floor((m.at + y) / m.height))
}

// length is how many rows there are: the bar reaches to the end of the last.
func (m *ruler) length() int64 { return int64(math.Round(m.reach / m.height)) }

// rows reads the rows in view. An observation may leave out one at the edge.
func (m *ruler) rows() ([]Row, error) {
	page := int(float64(m.list.Node.Bounds().H)/m.height) + 2
	r, err := pluginsdk.Children(m.list.Node.ID(), m.list.Node.ChildrenFirst(), page)
	if err != nil {
		return nil, err
	}
	part := List{limit: page}
	s := scanner{w: &Window{Tree: r, Window: r.Window()}, hidden: true}
	s.items(&part, r.Root(), 0)
	for i := range part.Rows {
		part.Rows[i].Number = m.number(&part.Rows[i])
		if i > 0 && part.Rows[i].Number != part.Rows[i-1].Number+1 {
			return part.Rows[:i], nil // it is kept for other reasons than being in view
		}
	}
	return part.Rows, nil
}

// loadScrolling loads rows of such a list: it scrolls to them, view by view, and
// back to where the list was.
func (w *Window) loadScrolling(l *List, offset, n int64) (loaded, hostabi.Effect, error) {
	m, ok := w.measure(l)
	if !ok {
		return loaded{}, "", pluginsdk.Refuse(hostabi.CodeUnsupported,
			"this list tells only of the rows in view, and not how far it is scrolled; scroll it, then read the window again")
	}
	part := loaded{first: offset, total: l.Total, more: true}
	was, err := m.at, error(nil)
	for views := 0; int64(len(part.rows)) < n && views < maxViews && err == nil; views++ {
		next := offset + int64(len(part.rows))
		if next >= m.length() {
			break
		}
		var rows []Row
		if m, err = m.bring(next); err == nil {
			rows, err = m.rows()
		}
		if part.take(rows, n) == 0 {
			break
		}
	}
	effect := hostabi.Unchanged
	if m.at != was {
		effect = w.scrollBack(m.bar, was)
	}
	if end := offset + int64(len(part.rows)); len(part.rows) > 0 {
		part.total, part.more = max(part.total, end), max(part.total, end) < m.length()
	}
	return part, effect, err
}

// take takes over the rows that follow those that there are.
func (p *loaded) take(rows []Row, n int64) (got int) {
	for i := range rows {
		if next := p.first + int64(len(p.rows)); rows[i].Number == next && int64(len(p.rows)) < n {
			p.rows = append(p.rows, rows[i])
			got++
		}
	}
	return got
}

// bring scrolls until a row is in view, unless it is, and measures again.
func (m ruler) bring(row int64) (ruler, error) {
	page := float64(m.list.Node.Bounds().H)
	if top := float64(row) * m.height; top >= m.at && top+m.height <= m.at+page {
		return m, nil
	}
	to := max(min(float64(row)*m.height, m.reach-page), 0)
	if err := pluginsdk.SetValue(m.bar.ID(), to); err != nil {
		return m, err
	}
	now := m
	now.at = to // it may be there even if it is not seen to be
	_, err := pluginsdk.WaitUntil(drawn, func(r *tree.Reader) bool {
		w := Read(r)
		l := w.byNode(m.list.Node.ID())
		if l == nil {
			return false
		}
		seen, ok := w.measure(l)
		if ok = ok && seen.stands(to); ok {
			now = seen
		}
		return ok
	})
	return now, err
}

// stands reports whether the bar is at a place and the rows of that place are
// drawn.
func (m *ruler) stands(to float64) bool {
	top := float64(m.list.Rows[0].Node.Bounds().Y - m.list.Node.Bounds().Y)
	return math.Abs(m.at-to) <= m.height && top < m.height
}

// scrollBack brings a list back to where it was. What a person sees then is
// unchanged.
func (w *Window) scrollBack(bar tree.Cursor, was float64) hostabi.Effect {
	if pluginsdk.SetValue(bar.ID(), was) != nil {
		return hostabi.Unconfirmed
	}
	_, err := pluginsdk.WaitUntil(drawn, func(r *tree.Reader) bool {
		v, ok := r.ByID(bar.ID()).Value()
		return ok && math.Abs(v.Current-was) < 1
	})
	if err != nil {
		return hostabi.Unconfirmed
	}
	return hostabi.Unchanged
}

func (w *Window) byNode(id tree.NodeID) *List {
	for i := range w.Lists {
		if w.Lists[i].Node.ID() == id {
			return &w.Lists[i]
		}
	}
	return nil
}
