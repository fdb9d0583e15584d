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
	case e.direct:
		r.allChildren(e)
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
	k := &elem{ref: to, parent: e, count: -1, index: int(e.n.ChildrenFirst) + len(e.kids)}
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
