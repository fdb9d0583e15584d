package atspi

import (
	"strings"

	"oriel.dev/oriel/tree"
)

// status says how far the reading of an object has come.
type status uint8

const (
	statusPending status = iota // the application has not answered yet
	statusRead
	statusHidden // it cannot be seen
	statusGone   // it does not exist any more, or was met before
	statusDenied // the application answered with an error
)

// elem is one object while it is read.
type elem struct {
	ref
	parent *elem
	kids   []*elem

	// n holds what goes into the reading; ID, Parent, Subtree and Surface are
	// set when the reading is flattened.
	n   tree.Node
	raw struct {
		role   uint32
		states rawStates
	}
	// class is the class name that stood where the name should be.
	class string
	// index is its number among the children of its parent as they were read.
	index int
	// count is how many children the toolkit reports, -1 if it does not.
	count int64
	// direct is set where the number of children is not asked for, since it is
	// small by the object's role.
	direct bool
	status status
	// listed is set for rows of lists and entries of combo boxes, which are kept
	// although they may not be in view.
	listed bool
	// cell is set for what was found by its row and column, header for the header of a column.
	cell   bool
	header bool
	// maker tells GTK3's objects from LibreOffice's own.
	maker maker
	// clip is the part of the window that the object can show itself in, in the
	// application's space; empty if unknown.
	clip tree.Rect
	// relations are by object; those whose target is not in the reading go.
	relations []relation
}

type relation struct {
	kind   tree.RelationKind
	target ref
}

// has reports whether a state that AT-SPI knows is set.
func (e *elem) has(s rawStates) bool { return e.raw.states.has(s) }

func (e *elem) setRole(v any) {
	e.raw.role, _ = v.(uint32)
}

func (e *elem) setStates(v any) {
	words, _ := v.([]uint32)
	for i, w := range words {
		if i < 2 {
			e.raw.states |= rawStates(w) << (32 * i)
		}
	}
}

func (e *elem) setCount(v any) {
	n, _ := v.(int32)
	e.count = int64(n)
}

func (e *elem) setIfaces(v any) {
	names, _ := v.([]string)
	for _, name := range names {
		e.n.Ifaces |= ifaceBits[strings.TrimPrefix(name, ifacePrefix)]
	}
}

func (e *elem) setName(v any, st strategy) {
	name, _ := v.(string)
	name = tidy(name)
	if st.classNames && className(name) {
		e.class = name
		return
	}
	if st.classNames {
		name = undouble(name)
	}
	e.n.Name = name
}

func (e *elem) setDescription(v any) {
	d, _ := v.(string)
	e.n.Description = tidy(stripMarkup(d))
}

// settle derives what follows from the basic facts.
func (e *elem) settle() {
	e.n.Role = roleOf(e.raw.role, e.raw.states)
	e.n.States = e.raw.states.states()
	if e.cell && (e.n.Role == tree.RoleEntry || e.n.Role == tree.RoleTextArea || e.n.Role == tree.RoleUnknown || e.n.Role == tree.RoleLabel) {
		e.n.Role = tree.RoleTableCell
	}
	e.n.Sensitive = e.n.Role == tree.RolePassword
	if e.n.Description == e.n.Name {
		e.n.Description = ""
	}
}

// setExtents reads the (iiii) of GetExtents. Toolkits answer with impossible
// places for what is not on the screen.
func (e *elem) setExtents(v any) {
	q, _ := v.([]any)
	if len(q) < 4 {
		return
	}
	var n [4]int32
	for i := range n {
		n[i], _ = q[i].(int32)
	}
	const nowhere = -1 << 30
	if n[0] <= nowhere || n[1] <= nowhere || n[2] <= 0 || n[3] <= 0 || n[2] == 1 && n[3] == 1 {
		return
	}
	e.n.Bounds, e.n.HasBounds = tree.Rect{X: n[0], Y: n[1], W: n[2], H: n[3]}, true
}

// item is one entry of Cache.GetItems.
type item struct {
	self, parent ref
	index        int
	base         []any
}

// The fields of an entry of Cache.GetItems: self, application, parent, index,
// child count, interfaces, name, role, description, states.
const (
	itemSelf = iota
	itemApp
	itemParent
	itemIndex
	itemCount
	itemIfaces
	itemName
	itemRole
	itemDescription
	itemStates
	itemFields
)

// itemOf reads one entry. Old toolkits send another layout, which is refused.
func itemOf(v []any) (item, bool) {
	if len(v) < itemFields {
		return item{}, false
	}
	self, ok := refOf(v[itemSelf])
	if !ok {
		return item{}, false
	}
	index, ok := v[itemIndex].(int32)
	if !ok {
		return item{}, false
	}
	parent, _ := refOf(v[itemParent])
	return item{self, parent, int(index), v}, true
}

// fill takes the basic facts from the cache.
func (e *elem) fill(i item, st strategy) {
	count, _ := i.base[itemCount].(int32)
	e.count = int64(count)
	e.setIfaces(i.base[itemIfaces])
	e.setName(i.base[itemName], st)
	e.setRole(i.base[itemRole])
	e.setDescription(i.base[itemDescription])
	e.setStates(i.base[itemStates])
}

// tidy trims a text and takes the mnemonics' and padding blanks out of it.
func tidy(s string) string {
	return strings.TrimSpace(strings.ToValidUTF8(s, "\uFFFD"))
}

// undouble turns "7 7" into "7" and "_Open Open" into "Open": GTK4 joins the name
// of a button with that of the label in it, the first of them with the mark of the
// mnemonic.
func undouble(s string) string {
	half := len(s) / 2
	if half == 0 || half == len(s)-1 || s[half] != ' ' {
		return s
	}
	if before, after := s[:half], s[half+1:]; before == after || underlined(before, after) {
		return after
	}
	return s
}

// underlined reports whether a text is another one with the mark of a mnemonic
// in it.
func underlined(s, plain string) bool {
	at := strings.IndexByte(s, '_')
	return at >= 0 && len(s) == len(plain)+1 && s[:at] == plain[:at] && s[at+1:] == plain[at:]
}

// stripMarkup takes the tags out of a text that is one piece of rich text, as
// Qt's tooltips are.
func stripMarkup(s string) string {
	if !strings.HasPrefix(s, "<") || !strings.HasSuffix(s, ">") {
		return s
	}
	var b strings.Builder
	depth := 0
	for _, c := range s {
		switch {
		case c == '<':
			depth++
		case c == '>' && depth > 0:
			depth--
		case depth == 0:
			b.WriteRune(c)
		}
	}
	return entities.Replace(b.String())
}

var entities = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&nbsp;", " ", "&amp;", "&")
