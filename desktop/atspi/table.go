package atspi

import (
	"strings"

	"oriel.dev/oriel/tree"
)

const tableIface = ifacePrefix + "Table"

// maxCells bounds the cells of one table that are asked for in one reading.
const maxCells = 2500

// table reads the cells of a table that are in view, cell by cell: such a table
// makes its children on demand, and asking for all of them stops some
// applications for good.
func (r *reader) table(e *elem) {
	t := &tree.Table{Rows: -1, Columns: -1}
	r.dimensions(e, t, func() {
		e.n.ChildrenTotal = e.count
		if t.Rows <= 0 || t.Columns <= 0 {
			return
		}
		all := block{0, 0, t.Rows, t.Columns}
		if r.how.wholeLists && t.Rows <= int64(r.bus.limits.Children) && t.Rows*t.Columns <= int64(2*r.bus.limits.Children) {
			r.headers(e, all)
			r.cells(e, all)
			return
		}
		r.visibleBlock(e, t, func(b block) {
			if b.rows < t.Rows || b.columns < t.Columns {
				e.n.End = tree.EndCut
			}
			e.n.ChildrenFirst = b.row
			r.headers(e, b)
			r.cells(e, b)
		})
	})
}

// dimensions asks for the size of a table.
func (r *reader) dimensions(e *elem, t *tree.Table, then func()) {
	left := 2
	answer := func(to *int64) func(any, error) {
		return func(v any, err error) {
			if n, ok := v.(int32); ok && err == nil {
				*to = int64(n)
			}
			if left--; left == 0 {
				e.n.Table = t
				then()
			}
		}
	}
	r.get(e.ref, tableIface, "NRows", answer(&t.Rows))
	r.get(e.ref, tableIface, "NColumns", answer(&t.Columns))
}

// block is a rectangle of cells.
type block struct{ row, column, rows, columns int64 }

// visibleBlock finds the cells in view by what lies at the corners of the
// table's visible part.
func (r *reader) visibleBlock(e *elem, t *tree.Table, then func(block)) {
	area := e.clip
	if area.Empty() {
		then(clampBlock(block{0, 0, int64(r.bus.limits.Children), t.Columns}, t))
		return
	}
	r.cellNear(e, probes(area, true), func(row, column int64, ok bool) {
		b := block{row: row, column: column}
		if !ok {
			b = block{}
		}
		r.cellNear(e, corners(area), func(row, column int64, ok bool) {
			if !ok || row < b.row {
				row = b.row + int64(r.bus.limits.Children) - 1
			}
			if !ok || column < b.column {
				column = t.Columns - 1
			}
			b.rows, b.columns = row-b.row+1, column-b.column+1
			then(clampBlock(b, t))
		})
	})
}

// corners returns points near the bottom right of an area.
func corners(area tree.Rect) []point {
	out := probes(area, false)
	for i := range out {
		out[i].x = area.X + area.W - 1 - min(4+int32(i)*8, area.W/2)
	}
	return out
}

func clampBlock(b block, t *tree.Table) block {
	b.rows = min(b.rows, t.Rows-b.row)
	b.columns = min(b.columns, t.Columns-b.column)
	if b.rows*b.columns > maxCells {
		b.columns = min(b.columns, 50)
		b.rows = max(1, maxCells/b.columns)
	}
	return b
}

// cellNear hands on the row and column of the cell at the first point that has one.
func (r *reader) cellNear(e *elem, at []point, then func(row, column int64, ok bool)) {
	r.probe(e, at, func(index int64) {
		if index < 0 {
			then(0, 0, false)
			return
		}
		var row, column int64 = -1, -1
		left := 2
		answer := func(to *int64) func([]any, error) {
			return func(body []any, err error) {
				if n, ok := first(body).(int32); ok && err == nil {
					*to = int64(n)
				}
				if left--; left == 0 {
					if row < 0 || column < 0 { // a header
						r.cellNear(e, at[min(1, len(at)):], then)
						return
					}
					then(row, column, true)
				}
			}
		}
		r.send(e.ref, tableIface+".GetRowAtIndex", answer(&row), int32(index))
		r.send(e.ref, tableIface+".GetColumnAtIndex", answer(&column), int32(index))
	})
}

// headers reads the column headers of a block.
func (r *reader) headers(e *elem, b block) {
	if r.how.sparse {
		return // a sheet's columns have letters, not headers
	}
	for c := b.column; c < b.column+b.columns; c++ {
		k := r.child(e, ref{})
		k.listed = true
		r.send(e.ref, tableIface+".GetColumnHeader", func(body []any, err error) {
			at, ok := refOf(first(body))
			if err != nil || !ok {
				k.status = statusGone
				return
			}
			k.ref = at
			k.header = true
			k.n.Cell = &tree.Cell{Column: uint32(c)}
			r.visit(k)
		}, int32(c))
	}
}

// cells reads the cells of a block. Empty cells of a sheet are left out.
func (r *reader) cells(e *elem, b block) {
	for row := b.row; row < b.row+b.rows; row++ {
		for column := b.column; column < b.column+b.columns; column++ {
			k := r.child(e, ref{})
			k.listed = true
			k.n.Cell = &tree.Cell{Row: uint32(row), Column: uint32(column), RowSpan: 1, ColumnSpan: 1}
			r.send(e.ref, tableIface+".GetAccessibleAt", func(body []any, err error) {
				at, ok := refOf(first(body))
				switch {
				case err != nil:
					r.deny(k, err)
				case !ok:
					k.status = statusGone
				default:
					k.ref = at
					r.hasten(func() { r.cell(k) })
				}
			}, int32(row), int32(column))
		}
	}
}

// cell reads one cell. Of a sheet it reads an empty one no further than it takes
// to see that it is empty, and of the others only what cells have: there may be
// a thousand in view.
func (r *reader) cell(k *elem) {
	k.cell = true
	if !r.how.sparse {
		r.visit(k)
		return
	}
	r.get(k.ref, ifacePrefix+"Text", "CharacterCount", func(v any, err error) {
		length, _ := v.(int32)
		if err != nil || length <= 0 {
			k.status = statusHidden
			return
		}
		r.hasten(func() { r.filled(k, length) })
	})
}

// filled reads a cell of a sheet that has a text.
func (r *reader) filled(k *elem, length int32) {
	const text = ifacePrefix + "Text"
	k.n.Ifaces = tree.IfaceComponent | tree.IfaceText
	k.n.TextInfo = &tree.TextInfo{Length: int64(length), Caret: -1, SelStart: -1, SelEnd: -1}
	r.get(k.ref, accessible, "Name", func(v any, _ error) { k.setName(v, r.how) })
	r.send(k.ref, accessible+".GetState", func(body []any, _ error) { k.setStates(first(body)) })
	r.send(k.ref, text+".GetText", func(body []any, err error) {
		s, _ := first(body).(string)
		if err == nil {
			k.n.Text = strings.ToValidUTF8(s, "\uFFFD")
		}
	}, int32(0), min(length, int32(r.bus.limits.Text)))
	r.extents(k, func() { // the last answer: the others have come before
		k.status = statusRead
		k.settle()
		k.place()
	})
}

// place moves a cell to where it is: the cells of some of LibreOffice's tables
// are relative to the table.
func (e *elem) place() {
	table := e.parent.n.Bounds
	if e.cell && e.n.HasBounds && e.n.Bounds.Intersect(table).Empty() {
		e.n.Bounds.X += table.X
		e.n.Bounds.Y += table.Y
	}
}
