package window

import (
	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/tree"
)

// A sheet of an office program has every row that it could have, a million of
// them, and tells of its cells alone. How far it is used its scroll bars tell:
// they reach as far as the last used row or column and one view more, or twice
// the view if all that is used is in it. So the used range is found by a little
// arithmetic, and the last rows are read to make sure.

// What is taken for a sheet, and how far one is read.
const (
	sheetRows    = 1 << 16
	sheetColumns = 1 << 8
	maxSheet     = 50  // columns
	widestColumn = 100 // pixels of a column in which nothing stands
	endBlocks    = 20  // read in search of the last row
)

func (l *List) sheet() bool {
	t, ok := l.Node.Table()
	return ok && t.Rows >= sheetRows && t.Columns >= sheetColumns
}

// sheets says of each sheet how many rows are used.
func (s *scanner) sheets() {
	for i := range s.w.Lists {
		if l := &s.w.Lists[i]; l.sheet() {
			l.Offset = 0
			if n := len(l.Rows); n > 0 {
				l.Offset = l.Rows[0].Number
				l.Rows = dense(l.Rows, l.Offset, min(l.Rows[n-1].Number+1-l.Offset, maxRows), int64(len(l.Rows[0].Cells)))
			}
			l.Total = max(s.w.usedRows(l), l.Offset+int64(len(l.Rows)))
		}
	}
}

// usedRows tells how many rows of a sheet are used, as far as its scroll bar
// and the cells in view tell it.
func (w *Window) usedRows(l *List) int64 {
	seen := int64(0)
	if n := len(l.Rows); n > 0 {
		seen = l.Rows[n-1].Number + 1
	}
	reach := w.reach(l, true)
	if reach <= 0 || seen == 0 {
		return seen
	}
	first := l.Node.ChildrenFirst()
	view := l.viewRows(first)
	if reach <= first+2*(view+1) {
		return seen // all is in view
	}
	return max(reach-view, seen)
}

// viewRows is how many whole rows the view holds from the first on: those with
// cells, and as many of the usual height as have room below.
func (l *List) viewRows(first int64) int64 {
	bottom := l.Node.Bounds().Y + l.Node.Bounds().H
	for i := len(l.Rows) - 1; i >= 0; i-- {
		b := l.Rows[i].Node.Bounds()
		if !l.Rows[i].Node.Valid() || b.H <= 0 || i > 0 && i == len(l.Rows)-1 && b.Y+b.H >= bottom {
			continue // the last one is cut off
		}
		return l.Rows[i].Number + 1 - first + int64((bottom-b.Y-b.H)/b.H)
	}
	return int64(len(l.Rows))
}

// usedColumns is how many columns of a sheet may be used.
func (w *Window) usedColumns(l *List) int64 {
	t, _ := l.Node.Table()
	seen, first := int64(0), int64(-1)
	right, edge := int32(0), l.Node.Bounds().X+l.Node.Bounds().W
	for child := range l.Node.Children() {
		if at, ok := child.Cell(); ok {
			seen = max(seen, int64(at.Column)+1)
			right = max(right, child.Bounds().X+child.Bounds().W)
			if first < 0 || int64(at.Column) < first {
				first = int64(at.Column)
			}
		}
	}
	used := seen
	if reach := w.reach(l, false); reach > 0 && seen > 0 {
		used = max(reach-(seen-first)-int64(max(edge-right, 0)/widestColumn), seen)
	}
	return min(max(used, 1), t.Columns, maxSheet)
}

// reach is how far the scroll bar beside a list reaches; 0 if there is none.
func (w *Window) reach(l *List, vertical bool) int64 {
	v, ok := w.bar(l, vertical).Value()
	if !ok || v.Max <= 0 || v.Max > 1<<40 {
		return 0
	}
	return int64(v.Max)
}

// bar finds the scroll bar that lies at the right or at the bottom edge of a
// list.
func (w *Window) bar(l *List, vertical bool) tree.Cursor {
	area := l.Node.Bounds()
	var best tree.Cursor
	least := 40 // pixels beside the list
	for _, c := range w.bars {
		b, side := c.Bounds(), area.X+area.W
		if vertical != (b.H > b.W) || c.Surface() != l.Node.Surface() {
			continue
		}
		far, along, over := b.X-side, b.Y < area.Y+area.H, b.Y+b.H > area.Y
		if !vertical {
			far, along, over = b.Y-(area.Y+area.H), b.X < area.X+area.W, b.X+b.W > area.X
		}
		if n := abs(far); along && over && n < least {
			best, least = c, n
		}
	}
	return best
}

// loadSheet reads rows of the range of a sheet that is used.
func (w *Window) loadSheet(l *List, offset, n int64) (loaded, error) {
	columns := w.usedColumns(l)
	total, err := w.lastRow(l, columns)
	if err != nil {
		return loaded{}, err
	}
	part := loaded{first: offset, total: total}
	part.rows, err = l.cells(offset, min(n, max(total-offset, 0)), columns)
	last := 0
	for i := range part.rows {
		for j, c := range part.rows[i].Cells {
			if ScalarText(c) != "" {
				last = max(last, j+1)
			}
		}
	}
	last = max(last, len(l.Columns))
	last = min(last, int(columns))
	for i := range part.rows {
		part.rows[i].Cells = part.rows[i].Cells[:last]
	}
	for i := range last {
		part.columns = append(part.columns, columnName(i))
	}
	return part, err
}

// lastRow finds the end of the used range: it reads blocks of rows from a little
// beyond the place that the scroll bar tells of, upwards.
func (w *Window) lastRow(l *List, columns int64) (int64, error) {
	t, _ := l.Node.Table()
	end := min(l.Total+4, t.Rows)
	if reach := w.reach(l, true); reach > 0 {
		end = min(end, reach)
	}
	for range endBlocks {
		n := min(end, max(loadCells/columns, 8))
		rows, err := l.cells(end-n, n, columns)
		if err != nil {
			return 0, err
		}
		for i := len(rows) - 1; i >= 0; i-- {
			if !empty(rows[i].Cells) {
				return rows[i].Number + 1, nil
			}
		}
		if end -= n; end <= 0 {
			return 0, nil
		}
	}
	return l.Total, nil
}

func empty(cells []hostabi.Scalar) bool {
	for _, c := range cells {
		if ScalarText(c) != "" {
			return false
		}
	}
	return true
}

// columnName is what a sheet calls its column: A, B, … Z, AA, ….
func columnName(n int) string {
	name := ""
	for n++; n > 0; n = (n - 1) / 26 {
		name = string(rune('A'+(n-1)%26)) + name
	}
	return name
}
