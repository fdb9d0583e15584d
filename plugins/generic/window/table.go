package window

import (
	"slices"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/tree"
)

// cell is a cell of a table and where it stands.
type cell struct {
	row, column int64
	node        tree.Cursor
	inRow       bool // its row is an element of its own
}

// table reads a table. Toolkits list its cells in three ways: with their
// places, in rows, or one after the other.
func (s *scanner) table(l *List, dim tree.Table) {
	var heads []tree.Cursor
	cells := make([]cell, 0, l.Node.ChildrenCount())
	rows := 0
	for child := range l.Node.Children() {
		switch child.Role() {
		case tree.RoleColumnHeader:
			heads = append(heads, child)
		case tree.RoleTableRow, tree.RoleListItem, tree.RoleTreeItem, tree.RoleSection, tree.RolePanel, tree.RoleGrouping, tree.RoleUnknown:
			s.tableRow(child, &heads, &cells, &rows)
		case tree.RoleTableCell, tree.RoleRowHeader:
			cells = append(cells, cell{-1, -1, child, false})
		}
	}
	columns := int64(len(heads))
	if columns == 0 || dim.Columns > 0 && dim.Columns < columns {
		columns = dim.Columns
	}
	skip := headerRows(heads)
	s.place(l, cells, columns, skip)
	columns = s.fill(l, cells, columns)
	s.headers(l, heads, columns)
	l.Total = max(dim.Rows-skip, l.Offset+int64(len(l.Rows)))
	if n := len(l.Rows); n > 0 {
		l.Total = max(l.Total, l.Rows[n-1].Number+1)
	}
	l.More = l.Node.End() == tree.EndVirtual && dim.Rows < 0
}

// headerRows is how many rows of the table the headers take up themselves: in
// web pages one, elsewhere none.
func headerRows(heads []tree.Cursor) int64 {
	for _, h := range heads {
		if at, ok := h.Cell(); ok && at.RowSpan > 0 && h.Parent().Role() == tree.RoleTableRow {
			return int64(at.Row) + 1
		}
	}
	return 0
}

// tableRow reads a row that is an element of its own, or a group of rows.
func (s *scanner) tableRow(row tree.Cursor, heads *[]tree.Cursor, cells *[]cell, rows *int) {
	column := int64(0)
	for child := range row.Children() {
		switch child.Role() {
		case tree.RoleColumnHeader:
			*heads = append(*heads, child)
		case tree.RoleTableRow:
			s.tableRow(child, heads, cells, rows)
		case tree.RoleTableCell, tree.RoleRowHeader, tree.RoleListItem, tree.RoleTreeItem, tree.RoleLabel, tree.RoleStatic:
			*cells = append(*cells, cell{int64(*rows), column, child, true})
			column++
		}
	}
	if column > 0 {
		*rows++
	}
}

// place finds the place of each cell, best by what the cell itself says.
func (s *scanner) place(l *List, cells []cell, columns, skip int64) {
	first := l.Node.ChildrenFirst()
	for i := range cells {
		c := &cells[i]
		if at, ok := c.node.Cell(); ok {
			c.row, c.column = max(int64(at.Row)-skip, 0), int64(at.Column)
		} else if c.row < 0 {
			n := max(columns, 1)
			c.row, c.column = (first+int64(i))/n, (first+int64(i))%n
		}
	}
}

// fill makes rows of the cells and returns the number of columns.
func (s *scanner) fill(l *List, cells []cell, columns int64) int64 {
	known := columns > 0
	for i := range cells {
		if !known {
			columns = max(columns, cells[i].column+1)
		}
	}
	columns = min(max(columns, 1), maxColumns)
	l.letters = make([]string, columns)
	at := map[int64]int{}
	last, n := int64(-1), -1
	for i := range cells {
		c := &cells[i]
		if c.column >= columns || c.column < 0 {
			continue
		}
		if c.row != last || n < 0 {
			n, last = l.rowAt(at, c, columns), c.row
		}
		if n >= 0 {
			s.setCell(l, &l.Rows[n], c)
		}
	}
	if len(l.Rows) > 0 {
		l.Offset = l.Rows[0].Number
	}
	return columns
}

// rowAt returns the place in Rows of a cell's row, -1 if there are too many.
func (l *List) rowAt(at map[int64]int, c *cell, columns int64) int {
	n, seen := at[c.row]
	switch {
	case seen:
		return n
	case l.full():
		return -1
	}
	at[c.row] = len(l.Rows)
	l.Rows = append(l.Rows, Row{Number: c.row, Node: c.node, Cells: make([]hostabi.Scalar, columns)})
	return len(l.Rows) - 1
}

func (s *scanner) setCell(l *List, r *Row, c *cell) {
	st, name := c.node.States(), c.node.Name()
	ticks := s.ticks(c.node, st, name)
	r.Cells[c.column] = s.cellValue(c.node, st, name, ticks)
	if letters := column(name); letters != "" && l.letters[c.column] == "" {
		l.letters[c.column] = letters
	}
	if st.Has(tree.StateSelected) || c.inRow && c.node.Parent().Is(tree.StateSelected) {
		r.Selected = true
	}
	if ticks {
		r.Check, l.Checkable = c.node, true
	}
	l.Selectable = l.Selectable || st.Has(tree.StateSelectable)
	l.Openable = l.Openable || openable(c.node) >= 0
}

// ticks reports whether a cell is a box to be ticked. Qt offers to toggle every
// cell, which selects it.
func (s *scanner) ticks(c tree.Cursor, st tree.States, name string) bool {
	if st.Has(tree.StateCheckable) {
		return !c.Can(tree.IfaceText)
	}
	return name == "" && s.w.Toolkit == "gtk3" && hasAction(c, "toggle")
}

// cellValue is what a cell shows: a box is true or false, a cell made of cells
// the words of those that can be seen.
func (s *scanner) cellValue(c tree.Cursor, st tree.States, name string, ticks bool) hostabi.Scalar {
	name = Clean(name)
	if ticks && name == "" {
		return st.Has(tree.StateChecked)
	}
	if t := Clean(shownText(c)); t != "" {
		return Cut(t, maxCell) // a sheet's cells are named after their place
	}
	if name != "" && column(name) == "" {
		return Cut(name, maxCell)
	}
	return Cut(Clean(s.rowWords(c)), maxCell)
}

// column returns the letters of a cell's place in a sheet, such as "B12"; "" if
// name is none.
func column(name string) string {
	letters := 0
	for letters < len(name) && name[letters] >= 'A' && name[letters] <= 'Z' {
		letters++
	}
	if letters == 0 || letters > 3 || letters == len(name) {
		return ""
	}
	if _, ok := parseInt(name[letters:]); !ok {
		return ""
	}
	return name[:letters]
}

// headers names the columns. Columns without a header in which nothing stands
// are left out, and a single column without a header makes a list of the table.
func (s *scanner) headers(l *List, heads []tree.Cursor, columns int64) {
	heading := make([]string, columns)
	for i := range heading {
		if i < len(heads) && s.visible(heads[i]) {
			heading[i] = Label(s.wordsOrName(heads[i]))
		}
		if heading[i] == "" {
			heading[i] = l.letters[i]
		}
	}
	l.kept = make([]int, columns)
	for i := range l.kept {
		l.kept[i] = i
	}
	for i := len(heading) - 1; i >= 0; i-- {
		if heading[i] == "" && len(heading) > 1 && l.emptyColumn(i) {
			heading, l.kept = slices.Delete(heading, i, i+1), slices.Delete(l.kept, i, i+1)
			for r := range l.Rows {
				l.Rows[r].Cells = slices.Delete(l.Rows[r].Cells, i, i+1)
			}
		}
	}
	if len(heading) == 1 && heading[0] == "" {
		l.Rows = slices.DeleteFunc(l.Rows, func(r Row) bool { return ScalarText(r.Cells[0]) == "" }) // separators
		return
	}
	var n names
	for i, name := range heading {
		if name == "" && l.ticked(i) {
			name = "Ticked"
		}
		if name == "" {
			name = "Column " + itoa(int64(i+1))
		}
		l.Columns = append(l.Columns, n.unique(name))
	}
}

func (l *List) emptyColumn(column int) bool {
	for i := range l.Rows {
		if ScalarText(l.Rows[i].Cells[column]) != "" {
			return false
		}
	}
	return true
}

// ticked reports whether a column is nothing but boxes to tick.
func (l *List) ticked(column int) bool {
	for i := range l.Rows {
		if _, ok := l.Rows[i].Cells[column].(bool); !ok {
			return false
		}
	}
	return len(l.Rows) > 0
}
