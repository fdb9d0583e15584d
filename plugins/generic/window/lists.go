package window

import (
	"cmp"
	"strings"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/tree"
)

// Bounds on what is taken from one list.
const (
	maxRows    = 200
	maxColumns = 30
	maxCell    = 200 // characters
)

// List is a list, a tree or a table.
type List struct {
	Label string
	Node  tree.Cursor
	// Columns are the headers of a table, unique; a list has none.
	Columns []string
	Rows    []Row
	// Offset is the number of the first row, Total how many rows there are or
	// are known. More is set when there are more than are known.
	Offset, Total int64
	More          bool
	// Selectable rows can be chosen; Openable ones can be opened as by a double
	// click; Checkable ones have a box that can be ticked.
	Selectable, Openable, Checkable bool
	group                           string
	letters                         []string // of a sheet's columns
	kept                            []int    // the columns that are shown, nil for all
	limit                           int      // most rows that are taken, 0 for the usual
}

// Row is one row of a list.
type Row struct {
	Cells    []hostabi.Scalar
	Number   int64       // in the list, from 0
	Node     tree.Cursor // the item, or the row, or its first cell
	Check    tree.Cursor // the cell or box that can be ticked
	Selected bool
}

// Name is the first words of a row, by which an agent calls it.
func (r *Row) Name() string {
	for _, c := range r.Cells {
		if t, ok := c.(string); ok && t != "" {
			return t
		}
	}
	for _, c := range r.Cells {
		if t := ScalarText(c); t != "" {
			return t
		}
	}
	return ""
}

// ScalarText is a value as text.
func ScalarText(v hostabi.Scalar) string {
	switch v := v.(type) {
	case string:
		return v
	case bool:
		if v {
			return "true"
		}
		return "false"
	case int64:
		return itoa(v)
	case float64:
		return ftoa(v)
	}
	return ""
}

// list takes note of a list or table. One whose rows hold fields is a form, not
// a list: the walk goes on into it.
func (s *scanner) list(c tree.Cursor) bool {
	if s.isForm(c) {
		was := s.row
		for child := range c.Children() {
			s.row = Cut(Label(s.wordsBelow(child)), maxLabel)
			s.walk(child)
		}
		s.row = was
		return false
	}
	l := List{Label: s.name(c), Node: c, group: s.group}
	if t, ok := c.Table(); ok && isTable(c) {
		s.table(&l, t)
	} else if isTable(c) {
		s.table(&l, tree.Table{Rows: -1, Columns: -1})
	} else {
		s.items(&l, c, 0)
		l.Offset = c.ChildrenFirst()
		s.totalOf(&l, c.ChildrenTotal())
	}
	l.Selectable = l.Selectable || c.Can(tree.IfaceSelection)
	if l.Label == "" {
		l.Label = s.listLabel(c)
	}
	s.w.Lists = append(s.w.Lists, l)
	s.buttonsIn(c)
	return false
}

func isTable(c tree.Cursor) bool {
	switch c.Role() {
	case tree.RoleTable, tree.RoleTreeTable:
		return true
	}
	return c.Find(tree.RoleColumnHeader).Valid() || c.Role() == tree.RoleTree && c.Can(tree.IfaceTable)
}

// listLabel finds a list's name by relation or in what stands around it.
func (s *scanner) listLabel(c tree.Cursor) string {
	if t := Label(s.textOf(c.Related(tree.LabelledBy))); t != "" {
		return t
	}
	for p := c.Parent(); p.Valid(); p = p.Parent() {
		if p.Role() != tree.RoleScrollPane && p.Role() != tree.RoleViewport {
			break
		}
		if n := s.name(p); n != "" {
			return n
		}
	}
	return ""
}

// isForm reports whether the items of a list hold fields.
func (s *scanner) isForm(c tree.Cursor) bool {
	if c.Role() == tree.RoleTable || c.Role() == tree.RoleTreeTable {
		return false
	}
	for d := range c.Descendants() {
		switch d.Role() {
		case tree.RoleEntry, tree.RolePassword, tree.RoleSwitch, tree.RoleComboBox, tree.RoleSpinButton, tree.RoleSlider, tree.RoleTextArea:
			return true
		}
	}
	return false
}

// buttonsIn walks the rows of a list for the buttons in them.
func (s *scanner) buttonsIn(c tree.Cursor) {
	row, silent := s.row, s.silent
	s.silent = true
	for item := range c.Children() {
		if item.Subtree() == 1 {
			continue
		}
		named := false
		for d := range item.Descendants() {
			role := d.Role()
			if role != tree.RoleButton && role != tree.RoleLink || !s.visible(d) || d.Within(tree.RoleButton).Valid() {
				continue
			}
			if !named {
				s.row, named = Cut(Label(s.wordsOrName(item)), maxLabel), true
			}
			s.button(d, role)
		}
	}
	s.row, s.silent = row, silent
}

// wordsOrName is what a person reads on an item: the words in it, which the
// reader of the tree leaves out where the item's name has them.
func (s *scanner) wordsOrName(c tree.Cursor) string {
	if t := Clean(s.rowWords(c)); t != "" {
		return t
	}
	if n := Clean(c.Name()); n != "" {
		return n
	}
	if t := Clean(shownText(c)); t != "" {
		return t
	}
	return Clean(c.Description())
}

// rowWords joins the words in a row or cell: of one in view those that can be
// seen, of one that is scrolled away all.
func (s *scanner) rowWords(c tree.Cursor) string {
	was := s.hidden
	s.hidden = was || !s.visible(c)
	t := s.wordsBelow(c)
	s.hidden = was
	return t
}

// items adds the items below c, those of nested lists and trees indented.
func (s *scanner) items(l *List, c tree.Cursor, depth int) {
	for child := range c.Children() {
		switch child.Role() {
		case tree.RoleListItem, tree.RoleTreeItem, tree.RoleTableCell, tree.RoleTableRow, tree.RoleIcon, tree.RoleMenuItem:
			s.item(l, child, depth)
		case tree.RoleScrollBar, tree.RoleSeparator:
		default:
			if text := s.textOf(child); text != "" && child.Subtree() == 1 && isTextRole(child.Role()) {
				s.addRow(l, Row{Node: child, Cells: []hostabi.Scalar{Cut(text, maxCell)}})
				continue
			}
			s.items(l, child, depth)
		}
	}
}

func isTextRole(r tree.Role) bool {
	return r == tree.RoleLabel || r == tree.RoleStatic || r == tree.RoleParagraph
}

func (s *scanner) item(l *List, c tree.Cursor, depth int) {
	if !s.hidden && c.States()&(tree.StateShowing|tree.StateVisible) == 0 {
		return // the application hides it
	}
	text := strings.TrimPrefix(s.wordsOrName(c), "• ")
	nested := c.Find(tree.RoleTreeItem).Valid() || c.Find(tree.RoleListItem).Valid()
	if nested && c.Name() == "" {
		text = Clean(s.firstWords(c))
	}
	if text != "" {
		r := Row{Node: c, Selected: c.Is(tree.StateSelected)}
		r.Cells = []hostabi.Scalar{strings.Repeat("  ", min(depth, 10)) + Cut(text, maxCell)}
		r.Check = s.checkIn(c)
		s.addRow(l, r)
	}
	if nested {
		s.items(l, c, depth+1)
	}
}

// firstWords is the first text below an item that is not in a nested item.
func (s *scanner) firstWords(c tree.Cursor) string {
	for child := range c.Children() {
		switch child.Role() {
		case tree.RoleList, tree.RoleTree, tree.RoleListItem, tree.RoleTreeItem:
			continue
		}
		if t := s.wordsOrName(child); t != "" {
			return t
		}
	}
	return ""
}

// checkIn finds what can be ticked in an item.
func (s *scanner) checkIn(c tree.Cursor) tree.Cursor {
	if c.Is(tree.StateCheckable) {
		return c
	}
	return c.Find(tree.RoleCheckBox)
}

// full reports whether no more rows are taken.
func (l *List) full() bool { return len(l.Rows) >= cmp.Or(l.limit, maxRows) }

func (s *scanner) addRow(l *List, r Row) {
	if l.full() {
		return
	}
	r.Number = int64(len(l.Rows))
	l.Selectable = l.Selectable || r.Node.Is(tree.StateSelectable)
	l.Openable = l.Openable || openable(r.Node) >= 0
	l.Checkable = l.Checkable || r.Check.Valid()
	l.Rows = append(l.Rows, r)
}

// openable returns the number of the action that opens an item, or -1.
func openable(c tree.Cursor) int {
	if !c.Can(tree.IfaceAction) {
		return -1
	}
	for i, a := range c.Actions() {
		if strings.EqualFold(a.Name, "activate") || strings.HasPrefix(a.Name, "Activates the cell") {
			return i
		}
	}
	return -1
}

// totalOf says how long a list is when not all of it is included.
func (s *scanner) totalOf(l *List, total int64) {
	l.Total = l.Offset + int64(len(l.Rows))
	switch l.Node.End() {
	case tree.EndComplete:
	case tree.EndVirtual:
		l.More = true
	default:
		l.Total = max(l.Total, total)
		l.More = l.More || total < 0
	}
}
