package atspi

import (
	"oriel.dev/oriel/tree"
)

// visibleRange finds the numbers of the first and the last child in view: by
// asking what is at the corners of the object's visible part, else by looking at
// where children are.
func (r *reader) visibleRange(e *elem, then func(first, last int64)) {
	if e.clip.Empty() || !e.n.Ifaces.Has(tree.IfaceComponent) {
		then(0, int64(r.bus.limits.Children)-1)
		return
	}
	search := func() { r.search(e, 0, e.count-1, then) }
	r.atCorners(e, then, func() {
		if r.how.byExtents && virtual(e) {
			r.realize(e, func() { r.atCorners(e, then, search) })
			return
		}
		search()
	})
}

// atCorners hands on the numbers of the children near the top and the bottom of
// what can be seen of e, or calls fail if nobody knows what is there.
func (r *reader) atCorners(e *elem, then func(first, last int64), fail func()) {
	r.probe(e, probes(e.clip, true), func(first int64) {
		if first < 0 {
			fail()
			return
		}
		r.probe(e, probes(e.clip, false), func(last int64) {
			if last < first {
				last = first + int64(r.bus.limits.Children) - 1
			}
			then(first, last)
		})
	})
}

// realizeDepth is how far below a row of a GTK4 list objects are looked up.
const realizeDepth = 6

// realize looks up every object in a GTK4 list that makes its rows as they come
// into view. GTK4 tells what is at a point only of objects that were looked up
// before; and where a row is only the point tells, since rows that went out of
// view go on saying that they are where they were.
func (r *reader) realize(e *elem, then func()) {
	left := 1
	done := func() {
		if left--; left == 0 {
			then()
		}
	}
	var below func(of ref, depth int)
	below = func(of ref, depth int) {
		left++
		r.send(of, accessible+".GetChildren", func(body []any, err error) {
			kids, _ := first(body).([][]any)
			if err == nil && depth < realizeDepth && len(kids) <= scanned {
				for _, v := range kids {
					if k, ok := refOf(v); ok {
						below(k, depth+1)
					}
				}
			}
			done()
		})
	}
	below(e.ref, 0)
	done()
}

// scanned is the number of children whose places are asked for at once.
const scanned = 256

// search looks for the children in view among those with the numbers from to to.
// It halves them by where the middle one is, until few enough are left to ask
// each of them.
func (r *reader) search(e *elem, from, to int64, then func(first, last int64)) {
	if to-from < scanned {
		r.scan(e, from, to, then)
		return
	}
	middle := from + (to-from)/2
	r.where(e, middle, func(at tree.Rect, ok bool) {
		switch {
		case !ok: // no rows that lie one below the other
			then(0, int64(r.bus.limits.Children)-1)
		case at.Y+at.H <= e.clip.Y:
			r.search(e, middle+1, to, then)
		case at.Y >= e.clip.Y+e.clip.H:
			r.search(e, from, middle-1, then)
		default:
			r.scan(e, max(from, middle-scanned/2), min(to, middle+scanned/2-1), then)
		}
	})
}

// scan asks each of the children with the numbers from to to where it is.
func (r *reader) scan(e *elem, from, to int64, then func(first, last int64)) {
	left := to - from + 1
	first, last := int64(-1), int64(-1)
	for i := from; i <= to; i++ {
		r.where(e, i, func(at tree.Rect, ok bool) {
			if ok && !at.Intersect(e.clip).Empty() {
				if first < 0 || i < first {
					first = i
				}
				last = max(last, i)
			}
			if left--; left > 0 {
				return
			}
			if first < 0 {
				first, last = 0, int64(r.bus.limits.Children)-1
			}
			then(first, last)
		})
	}
	if left <= 0 {
		then(0, int64(r.bus.limits.Children)-1)
	}
}

// where asks for the place of a child.
func (r *reader) where(e *elem, i int64, then func(at tree.Rect, ok bool)) {
	r.send(e.ref, accessible+".GetChildAtIndex", func(body []any, err error) {
		at, ok := refOf(first(body))
		if err != nil || !ok {
			then(tree.Rect{}, false)
			return
		}
		r.send(at, component+".GetExtents", func(body []any, err error) {
			k := &elem{}
			k.setExtents(first(body))
			then(k.n.Bounds, err == nil && k.n.HasBounds)
		}, r.how.coord())
	}, int32(i))
}

// probes returns points near the top, or the bottom, of an area: the first may
// hit a header, a scroll bar or a margin.
func probes(area tree.Rect, top bool) []point {
	x := area.X + min(12, area.W/2)
	var out []point
	for _, d := range []int32{3, 12, 30, 48, 70} {
		if d >= area.H {
			break
		}
		y := area.Y + d
		if !top {
			y = area.Y + area.H - 1 - d
		}
		out = append(out, point{x, y})
	}
	return out
}

type point struct{ x, y int32 }

// probe asks for the number of the child at the first point that has one, and
// hands on -1 if none has.
func (r *reader) probe(e *elem, at []point, then func(index int64)) {
	if len(at) == 0 {
		then(-1)
		return
	}
	next := func() { r.probe(e, at[1:], then) }
	r.send(e.ref, component+".GetAccessibleAtPoint", func(body []any, err error) {
		hit, ok := refOf(first(body))
		if err != nil || !ok || hit == e.ref {
			next()
			return
		}
		r.indexBelow(e, hit, maxProbeDepth, then, next)
	}, at[0].x, at[0].y, r.how.coord())
}

// maxProbeDepth bounds the way from an object at a point up to the row that holds it.
const maxProbeDepth = 12

// indexBelow finds the child of e that holds the object, and hands on its number.
func (r *reader) indexBelow(e *elem, hit ref, depth int, then func(int64), fail func()) {
	if depth == 0 {
		fail()
		return
	}
	r.get(hit, accessible, "Parent", func(v any, err error) {
		parent, ok := refOf(v)
		if err != nil || !ok {
			fail()
			return
		}
		if parent != e.ref {
			r.indexBelow(e, parent, depth-1, then, fail)
			return
		}
		r.send(hit, accessible+".GetIndexInParent", func(body []any, err error) {
			index, ok := first(body).(int32)
			if err != nil || !ok || index < 0 {
				fail()
				return
			}
			then(int64(index))
		})
	})
}
