package tree

import (
	"iter"
	"math"
)

// Cursor is one node of a [Reader]. It is a small value; copying it is free.
// The zero Cursor is invalid: all that it says is empty, so a search may be
// asked on without a check in between (c.Parent().Name()).
type Cursor struct {
	r *Reader
	i int
}

// invalidRecord is what an invalid Cursor reads.
var invalidRecord = make([]byte, recordSizes[secNodes])

func (c Cursor) rec() []byte {
	if c.r == nil {
		return invalidRecord
	}
	return c.r.sections[secNodes].record(c.i)
}

func (c Cursor) str(field int) string {
	if c.r == nil {
		return ""
	}
	return c.r.str(c.rec(), field)
}

// Valid reports whether there is a node.
func (c Cursor) Valid() bool { return c.r != nil }

// Index returns the node's place in pre-order, -1 if c is invalid.
func (c Cursor) Index() int {
	if c.r == nil {
		return -1
	}
	return c.i
}

// ID returns the node's id, 0 if c is invalid.
func (c Cursor) ID() NodeID { return NodeID(u64(c.rec(), nodeID)) }

// Role returns the node's role. One of a newer host reads [RoleUnknown].
func (c Cursor) Role() Role {
	b := c.rec()[nodeRole:]
	return Role(b[0]) | Role(b[1])<<8
}

// States returns the node's states.
func (c Cursor) States() States { return States(u64(c.rec(), nodeStates)) }

// Is reports whether the node has all of the states.
func (c Cursor) Is(s States) bool { return c.States().Has(s) }

// Ifaces returns the interfaces that the node offers.
func (c Cursor) Ifaces() Interfaces { return Interfaces(u32(c.rec(), nodeIfaces)) }

// Can reports whether the node offers all of the interfaces.
func (c Cursor) Can(i Interfaces) bool { return c.Ifaces().Has(i) }

// HasBounds reports whether Bounds means something.
func (c Cursor) HasBounds() bool { return c.rec()[nodeFlags]&flagHasBounds != 0 }

// Bounds returns the node's rectangle relative to its surface.
func (c Cursor) Bounds() Rect { return rect(c.rec(), nodeBounds) }

// WindowBounds returns the node's rectangle relative to the window, also when
// it lies in a popup: what the host functions of input and capture take.
func (c Cursor) WindowBounds() Rect {
	b := c.Bounds()
	if n := int(c.Surface()); n > 0 && n <= len(c.r.window.Surfaces) {
		popup, window := c.r.window.Surfaces[n-1].Bounds, c.r.window.Bounds
		b.X += popup.X - window.X
		b.Y += popup.Y - window.Y
	}
	return b
}

// Surface returns the number of the surface that the node lies in, 0 for the
// window itself.
func (c Cursor) Surface() uint32 { return u32(c.rec(), nodeSurface) }

// Name returns the node's name.
func (c Cursor) Name() string { return c.str(nodeName) }

// Description returns what the toolkit says beyond the name.
func (c Cursor) Description() string { return c.str(nodeDescription) }

// Text returns the included part of the node's text.
func (c Cursor) Text() string { return c.str(nodeText) }

// Sensitive reports whether the node holds a secret; its text is masked.
func (c Cursor) Sensitive() bool { return c.rec()[nodeFlags]&flagSensitive != 0 }

// ChildrenTotal returns how many children the toolkit reports, -1 unknown.
func (c Cursor) ChildrenTotal() int64 { return int64(u64(c.rec(), nodeTotal)) }

// ChildrenFirst returns the number of the first included child.
func (c Cursor) ChildrenFirst() int64 { return int64(u64(c.rec(), nodeFirst)) }

// ChildrenCount returns how many children are included.
func (c Cursor) ChildrenCount() int { return int(u32(c.rec(), nodeCount)) }

// End says why the included children end where they do.
func (c Cursor) End() End { return End(c.rec()[nodeEnd]) }

// Subtree returns the number of nodes in the subtree, this one included.
func (c Cursor) Subtree() int { return int(u32(c.rec(), nodeSubtree)) }

// Parent returns the node's parent, invalid for the root.
func (c Cursor) Parent() Cursor {
	if c.r == nil {
		return c
	}
	return c.r.At(c.r.parent(c.i))
}

// Children yields the included children.
func (c Cursor) Children() iter.Seq[Cursor] {
	return func(yield func(Cursor) bool) {
		end := c.i + c.Subtree()
		for i := c.i + 1; i < end; i += c.r.subtree(i) {
			if !yield(Cursor{c.r, i}) {
				return
			}
		}
	}
}

// Child returns the n-th included child, invalid if there are fewer.
func (c Cursor) Child(n int) Cursor {
	for child := range c.Children() {
		if n == 0 {
			return child
		}
		n--
	}
	return Cursor{}
}

// Descendants yields everything below the node in pre-order.
func (c Cursor) Descendants() iter.Seq[Cursor] {
	return func(yield func(Cursor) bool) {
		end := c.i + c.Subtree()
		for i := c.i + 1; i < end; i++ {
			if !yield(Cursor{c.r, i}) {
				return
			}
		}
	}
}

// Find returns the first node below this one that has the role, invalid if
// there is none.
func (c Cursor) Find(role Role) Cursor {
	for d := range c.Descendants() {
		if d.Role() == role {
			return d
		}
	}
	return Cursor{}
}

// Within returns the nearest node above this one that has the role, invalid if
// there is none.
func (c Cursor) Within(role Role) Cursor {
	p := c.Parent()
	for p.Valid() && p.Role() != role {
		p = p.Parent()
	}
	return p
}

// side returns the records of a side table that belong to the node: the table
// and the numbers of the first and one past the last.
func (c Cursor) side(id sectionID) (s *section, from, to int) {
	if c.r == nil {
		return nil, 0, 0
	}
	s = &c.r.sections[id]
	if s.count == 0 {
		return s, 0, 0
	}
	// Written out because adapters ask it of every node, and a guest pays for
	// each call of a function.
	from, to = 0, s.count
	for from < to {
		if middle := (from + to) / 2; int(u32(s.data, middle*s.size)) < c.i {
			from = middle + 1
		} else {
			to = middle
		}
	}
	for to = from; to < s.count && int(u32(s.data, to*s.size)) == c.i; to++ {
	}
	return s, from, to
}

// sideRecord returns the one record of the node in a side table, or nil.
func (c Cursor) sideRecord(id sectionID) []byte {
	s, from, to := c.side(id)
	if from == to {
		return nil
	}
	return s.record(from)
}

// Attributes yields the node's attributes.
func (c Cursor) Attributes() iter.Seq2[string, string] {
	return func(yield func(key, value string) bool) {
		s, from, to := c.side(secAttributes)
		for i := from; i < to; i++ {
			if rec := s.record(i); !yield(c.r.str(rec, 4), c.r.str(rec, 12)) {
				return
			}
		}
	}
}

// Attribute returns the value of an attribute, "" if there is none.
func (c Cursor) Attribute(key string) string {
	for k, v := range c.Attributes() {
		if k == key {
			return v
		}
	}
	return ""
}

// Actions yields what the node can do, with each action's number.
func (c Cursor) Actions() iter.Seq2[int, Action] {
	return func(yield func(int, Action) bool) {
		s, from, to := c.side(secActions)
		for i := from; i < to; i++ {
			rec := s.record(i)
			if !yield(i-from, Action{c.r.str(rec, 4), c.r.str(rec, 12), c.r.str(rec, 20)}) {
				return
			}
		}
	}
}

// Action returns the number of the action with the name, -1 if there is none.
func (c Cursor) Action(name string) int {
	for i, a := range c.Actions() {
		if a.Name == name {
			return i
		}
	}
	return -1
}

// Relations yields the node's relations. A target need not be in the tree.
func (c Cursor) Relations() iter.Seq[Relation] {
	return func(yield func(Relation) bool) {
		s, from, to := c.side(secRelations)
		for i := from; i < to; i++ {
			rec := s.record(i)
			if !yield(Relation{RelationKind(u32(rec, 4)), NodeID(u64(rec, 8))}) {
				return
			}
		}
	}
}

// Related returns the first target of a relation that is in the tree, invalid
// if there is none.
func (c Cursor) Related(kind RelationKind) Cursor {
	for rel := range c.Relations() {
		if rel.Kind != kind {
			continue
		}
		if target := c.r.ByID(rel.Target); target.Valid() {
			return target
		}
	}
	return Cursor{}
}

// Label returns the node's name, or that of the node that labels it.
func (c Cursor) Label() string {
	if n := c.Name(); n != "" {
		return n
	}
	return c.Related(LabelledBy).Name()
}

// Value returns the state of a slider, spin button or progress bar.
func (c Cursor) Value() (Value, bool) {
	rec := c.sideRecord(secValues)
	if rec == nil {
		return Value{}, false
	}
	f := func(at int) float64 { return math.Float64frombits(u64(rec, at)) }
	return Value{f(8), f(16), f(24), f(32)}, true
}

// TextInfo returns the length of the whole text, the caret and the selection.
func (c Cursor) TextInfo() (TextInfo, bool) {
	rec := c.sideRecord(secTexts)
	if rec == nil {
		return TextInfo{}, false
	}
	return TextInfo{
		Length: int64(u64(rec, 16)), First: int64(u64(rec, 24)),
		Caret: int32(u32(rec, 4)), SelStart: int32(u32(rec, 8)), SelEnd: int32(u32(rec, 12)),
	}, true
}

// Table returns the dimensions of a table.
func (c Cursor) Table() (Table, bool) {
	rec := c.sideRecord(secTables)
	if rec == nil {
		return Table{}, false
	}
	return Table{int64(u64(rec, 8)), int64(u64(rec, 16))}, true
}

// Cell returns the node's place in the table that it lies in.
func (c Cursor) Cell() (Cell, bool) {
	rec := c.sideRecord(secCells)
	if rec == nil {
		return Cell{}, false
	}
	return Cell{
		Row: u32(rec, 4), Column: u32(rec, 8), RowSpan: u32(rec, 12), ColumnSpan: u32(rec, 16),
		RowHeader: NodeID(u64(rec, 24)), ColumnHeader: NodeID(u64(rec, 32)),
	}, true
}
