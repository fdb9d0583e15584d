package atspi

import (
	"slices"

	"oriel.dev/oriel/tree"
)

// flattener turns a tidied tree into nodes in pre-order.
type flattener struct {
	ids          *identities
	limit        int
	surfaceSpace bool
	// fleeting: what lies in a view has a new path in each reading.
	fleeting bool
	since    uint64

	out Reading
	// elems are the objects of the nodes.
	elems []*elem
	over  int // objects beyond the limit
}

// flatten returns the nodes below root. tops are the children of root that are
// top-levels of their own.
func (f *flattener) flatten(root *elem, tops []*elem) Reading {
	f.add(root, -1, 0, tops)
	for i := range f.out.Nodes {
		n := &f.out.Nodes[i]
		if n.Surface > 0 {
			p := &f.out.Popups[n.Surface-1]
			p.Bounds = union(p.Bounds, n)
		}
	}
	f.relate()
	if f.surfaceSpace {
		f.localize()
	}
	return f.out
}

func (f *flattener) add(e *elem, parent int32, surface uint32, tops []*elem) {
	if len(f.out.Nodes) >= f.limit {
		f.over++
		if parent >= 0 && f.out.Nodes[parent].End == tree.EndComplete {
			f.out.Nodes[parent].End = tree.EndCut
		}
		return
	}
	at := int32(len(f.out.Nodes))
	if slices.Contains(tops, e) {
		surface = f.popup(at, e.path)
	} else if parent >= 0 && (popover(e) || e.n.Role == tree.RolePopupMenu && e.n.HasBounds) {
		surface = f.popup(at, "")
	}
	n := e.n
	n.ID, n.Parent, n.Surface = f.identify(e, parent), parent, surface
	f.out.Nodes, f.elems = append(f.out.Nodes, n), append(f.elems, e)
	below := surface
	for i, k := range e.kids {
		if i == 0 && opens(e) {
			below = f.popup(at+1, "")
		}
		f.add(k, at, below, tops)
	}
	f.close(at, e)
}

// identify gives an object its number.
func (f *flattener) identify(e *elem, parent int32) tree.NodeID {
	if !f.fleeting || parent < 0 || !e.fleeting() {
		return f.ids.of(e.ref)
	}
	p := place{parent: f.out.Nodes[parent].ID, header: e.header, row: int64(e.index), column: -1}
	if c := e.n.Cell; c != nil {
		p.row, p.column = int64(c.Row), int64(c.Column)
	}
	return f.ids.at(e.ref, p, e.n.Role, e.n.Name, f.since)
}

// fleeting reports whether an object lies in a view that makes its objects when
// it is asked for them: a cell, a header, an item, or what is in one.
func (e *elem) fleeting() bool {
	return e.n.Cell != nil || e.cell || e.header || e.parent != nil && e.parent.parent != nil && e.parent.fleeting()
}

// close sets what is known once the children are in.
func (f *flattener) close(at int32, e *elem) {
	n := &f.out.Nodes[at]
	n.Subtree = uint32(len(f.out.Nodes)) - uint32(at)
	n.ChildrenCount = 0
	for i := int(at) + 1; i < len(f.out.Nodes); i += int(f.out.Nodes[i].Subtree) {
		if !e.headerAt(f.out.Nodes[i]) {
			n.ChildrenCount++
		}
	}
	if n.ChildrenTotal == 0 && n.End == tree.EndComplete {
		n.ChildrenTotal = int64(n.ChildrenCount)
	}
}

func (e *elem) headerAt(n tree.Node) bool { return e.n.Table != nil && n.Role == tree.RoleColumnHeader }

func (f *flattener) popup(at int32, topLevel string) uint32 {
	f.out.Popups = append(f.out.Popups, Popup{Node: int(at), TopLevel: topLevel})
	return uint32(len(f.out.Popups))
}

// opens reports whether the children of an object lie on a popup although no
// object stands for it: an open menu of GTK3, whose item is in the menu bar or in
// the menu before.
func opens(e *elem) bool {
	if e.n.Role != tree.RoleMenu && e.n.Role != tree.RoleComboBox || !e.n.HasBounds || popover(e) {
		return false
	}
	k := e.kids[0]
	return k.n.HasBounds && k.n.States.Has(tree.StateShowing) && isMenuItem(k.n.Role) && k.n.Bounds.Intersect(e.n.Bounds) != k.n.Bounds
}

func isMenuItem(r tree.Role) bool {
	switch r {
	case tree.RoleMenuItem, tree.RoleCheckMenuItem, tree.RoleRadioMenuItem, tree.RoleMenu, tree.RoleSeparator:
		return true
	}
	return false
}

func union(r tree.Rect, n *tree.Node) tree.Rect {
	if !n.HasBounds {
		return r
	}
	if r.Empty() {
		return n.Bounds
	}
	x0, y0 := min(r.X, n.Bounds.X), min(r.Y, n.Bounds.Y)
	x1, y1 := max(r.X+r.W, n.Bounds.X+n.Bounds.W), max(r.Y+r.H, n.Bounds.Y+n.Bounds.H)
	return tree.Rect{X: x0, Y: y0, W: x1 - x0, H: y1 - y0}
}

// relate adds the relations to what is in the reading, and calls what has no name
// by its label.
func (f *flattener) relate() {
	in := make(map[ref]int, len(f.elems))
	for i, e := range f.elems {
		in[e.ref] = i
	}
	for i, e := range f.elems {
		n := &f.out.Nodes[i]
		for _, rel := range e.relations {
			to, ok := in[rel.target]
			if ok && rel.kind == tree.LabelledBy && n.Name == "" {
				n.Name = f.out.Nodes[to].Name
			}
			if ok && to != i {
				n.Relations = append(n.Relations, tree.Relation{Kind: rel.kind, Target: f.out.Nodes[to].ID})
			}
		}
	}
}

// localize makes the bounds of the nodes on a popover relative to it: GTK4
// reports them relative to the window as if the popover were laid out in it.
func (f *flattener) localize() {
	origin := make([]tree.Rect, len(f.out.Popups))
	for i := range f.out.Popups {
		p := &f.out.Popups[i]
		origin[i] = f.out.Nodes[p.Node].Bounds
		p.Bounds = tree.Rect{W: origin[i].W, H: origin[i].H}
	}
	for i := range f.out.Nodes {
		n := &f.out.Nodes[i]
		if n.Surface > 0 && n.HasBounds {
			n.Bounds.X -= origin[n.Surface-1].X
			n.Bounds.Y -= origin[n.Surface-1].Y
		}
	}
}
