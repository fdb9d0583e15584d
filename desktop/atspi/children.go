package atspi

import (
	"oriel.dev/oriel/tree"
)

// children reads what is below an object, by the way that its size allows.
func (r *reader) children(e *elem) {
	limit := int64(r.bus.limits.Children)
	depth := 0
	for p := e; p != nil; p = p.parent {
		depth++
	}
	switch {
	case e.count == 0, depth > maxDepth:
	case e.count < 0 || e.has(rawDescendants) && e.n.Ifaces.Has(tree.IfaceTable):
		if e.n.Ifaces.Has(tree.IfaceTable) {
			r.table(e)
		}
	case e.count > limit && (isList(e.n.Role) || e.has(rawDescendants)), e.count > hardChildren:
		r.list(e)
	case e.n.Role == tree.RoleMenu && !e.listed && r.cached == nil && e.count > 3:
		r.menu(e)
	default:
		r.allChildren(e)
	}
}

// isList reports whether the children of a role are alike, so that leaving
// some out leaves the others whole.
func isList(role tree.Role) bool {
	switch role {
	case tree.RoleList, tree.RoleListBox, tree.RoleTree, tree.RoleTreeTable, tree.RoleTable, tree.RoleMenu, tree.RolePopupMenu,
		tree.RoleTableRow, tree.RoleTreeItem, tree.RoleDescriptionList:
		return true
	}
	return false
}

// menu reads the items of a menu if it is open. Whether it is, its first and its
// last item tell: menus are many, and nearly all are closed.
func (r *reader) menu(e *elem) {
	left, open := 2, false
	look := func(i int64) {
		answer := func(shown bool) {
			open = open || shown
			if left--; left > 0 {
				return
			}
			if open {
				r.allChildren(e)
				return
			}
			e.n.ChildrenTotal, e.n.End = e.count, tree.EndCut
		}
		r.send(e.ref, accessible+".GetChildAtIndex", func(body []any, err error) {
			at, ok := refOf(first(body))
			if err != nil || !ok {
				answer(true) // it will be seen item by item
				return
			}
			r.send(at, accessible+".GetState", func(body []any, err error) {
				item := &elem{}
				item.setStates(first(body))
				answer(item.has(rawShowing))
			})
		}, int32(i))
	}
	look(0)
	look(e.count - 1)
}

// allChildren reads every child that can be seen.
func (r *reader) allChildren(e *elem) {
	if kids := r.byParent[e.ref]; int64(len(kids)) == e.count && r.numbered(kids) {
		for _, k := range kids {
			r.visit(r.child(e, k))
		}
		return
	}
	r.send(e.ref, accessible+".GetChildren", func(body []any, err error) {
		refs, ok := first(body).([][]any)
		if err != nil || !ok {
			r.denyChildren(e, err)
			return
		}
		for _, v := range refs {
			if to, ok := refOf(v); ok && (r.shown == nil || r.shown[to] || e.listed || e.n.Role == tree.RoleComboBox) {
				r.visit(r.child(e, to))
			}
		}
	})
}

// numbered reports whether the cache knows the place of each of the objects.
func (r *reader) numbered(kids []ref) bool {
	for i, k := range kids {
		if r.cached[k].index != i {
			return false
		}
	}
	return true
}

// child adds a child to an object.
func (r *reader) child(e *elem, to ref) *elem {
	k := &elem{ref: to, parent: e, count: -1}
	k.listed = r.keepsHidden(e) && (r.how.wholeLists || e.listed || e.n.Role == tree.RoleComboBox)
	e.kids = append(e.kids, k)
	return k
}

// keepsHidden reports whether the children of an object are kept although they
// may be out of view: rows of lists, and what a closed combo box offers.
func (r *reader) keepsHidden(e *elem) bool {
	switch e.n.Role {
	case tree.RoleComboBox, tree.RoleList, tree.RoleListBox, tree.RoleTree, tree.RoleTreeTable, tree.RoleTable, tree.RoleTabList:
		return true
	case tree.RoleTab:
		return r.how.byExtents // elsewhere a tab may hold its whole page
	}
	return e.listed && !e.n.States.Has(tree.StateShowing)
}

func (r *reader) denyChildren(e *elem, err error) {
	if e.status == statusRead && err != nil {
		r.denied++
		e.n.End = tree.EndDenied
	}
}

// list reads the children in view of an object that has too many. It never
// asks for all of them.
func (r *reader) list(e *elem) {
	e.n.ChildrenTotal = e.count
	e.n.End = tree.EndCut
	if r.how.byExtents && virtual(e) {
		e.n.ChildrenTotal, e.n.End = -1, tree.EndVirtual
	}
	r.visibleRange(e, func(first, last int64) {
		last = min(last, first+int64(r.bus.limits.Children)-1, e.count-1)
		r.childrenAt(e, e.ref, first, last)
	})
}

// virtual reports whether a GTK4 list makes its rows as they come into view.
func virtual(e *elem) bool {
	return e.class == "GtkListView" || e.class == "GtkGridView" || e.class == "GtkColumnView" || e.class == "GtkColumnListView"
}

// childrenAt reads the children that e, or what holds them for it, has under the
// numbers from to to.
func (r *reader) childrenAt(e *elem, host ref, from, to int64) {
	e.n.ChildrenFirst = from
	for i := from; i <= to; i++ {
		k := r.child(e, ref{})
		r.send(host, accessible+".GetChildAtIndex", func(body []any, err error) {
			at, ok := refOf(first(body))
			switch {
			case err != nil:
				r.deny(k, err)
			case !ok:
				k.status = statusGone
			default:
				k.ref = at
				r.visit(k)
			}
		}, int32(i))
	}
}

// visibleRange finds the numbers of the first and the last child in view by
// asking what is at the corners of the object's visible part.
func (r *reader) visibleRange(e *elem, then func(first, last int64)) {
	limit := int64(r.bus.limits.Children)
	area := e.clip
	if area.Empty() || !e.n.Ifaces.Has(tree.IfaceComponent) {
		then(0, limit-1)
		return
	}
	r.probe(e, probes(area, true), func(first int64) {
		if first < 0 {
			first = 0
		}
		r.probe(e, probes(area, false), func(last int64) {
			if last < first {
				last = first + limit - 1
			}
			then(first, last)
		})
	})
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
	}, at[0].x, at[0].y, uint32(0))
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
