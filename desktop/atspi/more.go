package atspi

import (
	"context"
	"fmt"
	"strings"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/tree"
)

// Children reads n children of a node from offset on, by the toolkit's own
// numbers and whether they can be seen or not: also the items of a closed menu.
// Node 0 of the result is the node itself.
func (b *Bus) Children(ctx context.Context, app App, id tree.NodeID, offset int64, n int) (Reading, error) {
	n = min(n, b.limits.Children)
	return b.again(ctx, app, id, func(r *reader, e *elem) {
		r.host(e, func(host ref, count int64) {
			last := min(offset+int64(n), count) - 1
			e.n.ChildrenTotal = count
			if offset > 0 || last+1 < count {
				e.n.End = tree.EndCut
			}
			if n <= 0 || offset < 0 {
				return
			}
			r.how.wholeLists = true
			e.listed = true
			r.childrenAt(e, host, offset, last)
			for _, k := range e.kids {
				k.listed = true
			}
		})
	})
}

// host hands on the object that holds the children of e: Qt5 puts the items of
// a menu into a popup in it.
func (r *reader) host(e *elem, then func(host ref, count int64)) {
	if e.n.Role != tree.RoleMenuItem || e.count != 1 {
		then(e.ref, e.count)
		return
	}
	r.send(e.ref, accessible+".GetChildAtIndex", func(body []any, err error) {
		at, ok := refOf(first(body))
		if err != nil || !ok {
			then(e.ref, e.count)
			return
		}
		popup := &elem{ref: at}
		r.base(popup, func() {
			popup.settle()
			if popup.n.Role == tree.RolePopupMenu {
				e.n.Role = tree.RoleMenu
				then(at, popup.count)
				return
			}
			then(e.ref, e.count)
		})
	}, int32(0))
}

// Cells reads a block of cells of a table as children of node 0, the table.
func (b *Bus) Cells(ctx context.Context, app App, id tree.NodeID, row, column int64, rows, columns int) (Reading, error) {
	return b.again(ctx, app, id, func(r *reader, e *elem) {
		t := &tree.Table{Rows: -1, Columns: -1}
		r.dimensions(e, t, func() {
			e.n.ChildrenTotal = e.count
			if row < 0 || column < 0 || row >= t.Rows || column >= t.Columns || rows <= 0 || columns <= 0 {
				return
			}
			want := clampBlock(block{row, column, int64(rows), int64(columns)}, t)
			if want != (block{0, 0, t.Rows, t.Columns}) {
				e.n.End = tree.EndCut
			}
			e.n.ChildrenFirst = row
			r.cells(e, want)
		})
	})
}

// Node reads one node again, without its children: the read-back after a deed.
func (b *Bus) Node(ctx context.Context, app App, id tree.NodeID) (tree.Node, error) {
	got, err := b.again(ctx, app, id, nil)
	if err != nil {
		return tree.Node{}, err
	}
	n := got.Nodes[0]
	n.ChildrenTotal = -1
	return n, nil
}

// again reads one object, and of what is below it what more reads.
func (b *Bus) again(ctx context.Context, app App, id tree.NodeID, more func(*reader, *elem)) (Reading, error) {
	deadline := b.limits.Deadline
	inner, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	at, ok := b.ids.find(id)
	if !ok {
		return Reading{}, fmt.Errorf("reading an element of %s: %w", app.Name, desktop.ErrGone)
	}
	r := b.newReader(inner, app, 0)
	e := &elem{ref: at, count: -1}
	r.seen[at] = true
	r.base(e, func() {
		if e.has(rawDefunct) {
			e.status = statusGone
			return
		}
		e.status = statusRead
		e.settle()
		r.content(e)
		if e.n.Ifaces.Has(tree.IfaceComponent) {
			r.send(e.ref, component+".GetExtents", func(body []any, err error) {
				if err == nil {
					e.setExtents(first(body))
				}
			}, r.how.coord())
		}
		if more != nil {
			more(r, e)
		}
	})
	err := r.settleRun(r.run())
	if err == nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	switch {
	case err != nil:
		return Reading{}, fmt.Errorf("reading an element of %s: %w", app.Name, b.reason(err))
	case e.status == statusGone:
		b.ids.forget(at)
		return Reading{}, fmt.Errorf("reading an element of %s: %w", app.Name, desktop.ErrGone)
	case e.status != statusRead:
		return Reading{}, fmt.Errorf("reading an element of %s: %w", app.Name, desktop.ErrRefused)
	}
	return r.reading(e, nil, deadline), nil
}

// Text reads n characters of a node's text from offset from on. The text of a
// password field is never asked for: it comes as dots.
func (b *Bus) Text(ctx context.Context, app App, id tree.NodeID, from int64, n int) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, b.limits.Deadline)
	defer cancel()
	at, ok := b.ids.find(id)
	if !ok {
		return "", fmt.Errorf("reading a text of %s: %w", app.Name, desktop.ErrGone)
	}
	r := b.newReader(ctx, app, 0)
	e := &elem{ref: at, count: -1}
	r.base(e, func() {
		e.status = statusRead
		e.settle()
		if !e.n.Ifaces.Has(tree.IfaceText) {
			return
		}
		if !r.how.attributes || e.n.Sensitive {
			r.text(e, from, n)
			return
		}
		// Only the attributes may tell that the text is secret.
		r.send(e.ref, accessible+".GetAttributes", func(body []any, err error) {
			if err == nil {
				e.setAttributes(first(body))
			}
			r.text(e, from, n)
		})
	})
	if err := r.run(); err != nil {
		return "", fmt.Errorf("reading a text of %s: %w", app.Name, b.reason(err))
	}
	switch {
	case e.status == statusGone:
		return "", fmt.Errorf("reading a text of %s: %w", app.Name, desktop.ErrGone)
	case e.n.TextInfo == nil:
		return "", fmt.Errorf("reading a text of %s: %w: the element has none", app.Name, desktop.ErrUnsupported)
	case e.n.Sensitive:
		return strings.Repeat("•", int(max(0, min(e.n.TextInfo.Length-from, int64(n))))), nil
	}
	return e.n.Text, nil
}
