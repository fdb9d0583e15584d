package tree

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// maxShared is the longest string that is looked up before it is written, so
// that equal ones ("click", "list-item") are stored once.
const maxShared = 64

// encoder holds what one Append needs. The pool keeps its buffers, because a
// host encodes many trees of about the same size.
type encoder struct {
	out  []byte
	base int // where the tree starts in out
	pool []byte
	seen map[string]uint32 // offset in pool of the short strings
}

var encoders = sync.Pool{New: func() any { return &encoder{seen: map[string]uint32{}} }}

// Append encodes t and appends it to dst. The same tree gives the same bytes.
// Text that is not valid UTF-8 has its bad bytes replaced. A tree whose Parent
// and Subtree fields contradict each other, or one of 4 GiB, is written as it is
// and refused by [NewReader].
func Append(dst []byte, t *Tree) []byte {
	e := encoders.Get().(*encoder)
	e.out, e.base, e.pool = dst, len(dst), e.pool[:0]
	clear(e.seen)

	counts := count(t)
	e.out = slices.Grow(e.out, size(counts))
	e.header(counts)
	e.observation(t)
	e.window(&t.Window)
	e.frame(&t.Frame)
	e.nodes(t.Nodes)
	e.sideTables(t.Nodes, counts)
	e.strings()

	out := e.out
	e.out = nil
	encoders.Put(e)
	return out
}

// count returns the number of records of each section but the strings.
func count(t *Tree) (c [secEnd]uint32) {
	c[secObservation], c[secWindow], c[secFrame] = 1, 1, 1
	c[secSurfaces] = uint32(len(t.Window.Surfaces))
	c[secNodes] = uint32(len(t.Nodes))
	for i := range t.Nodes {
		n := &t.Nodes[i]
		c[secAttributes] += uint32(len(n.Attributes))
		c[secActions] += uint32(len(n.Actions))
		c[secRelations] += uint32(len(n.Relations))
		c[secValues] += one(n.Value != nil)
		c[secTexts] += one(n.TextInfo != nil)
		c[secTables] += one(n.Table != nil)
		c[secCells] += one(n.Cell != nil)
	}
	return c
}

// size guesses the length of the whole from the records and a few bytes of text
// a node, so that the buffer seldom grows.
func size(counts [secEnd]uint32) int {
	n := headerSize + int(secEnd)*(sectionEntrySize+alignment) + 16*int(counts[secNodes])
	for id, c := range counts {
		n += int(c) * int(recordSizes[id])
	}
	return n
}

func one(is bool) uint32 {
	if is {
		return 1
	}
	return 0
}

// header writes the header and the section table. Every offset is known but
// for the total length and the size of the string pool; strings fills those in.
func (e *encoder) header(counts [secEnd]uint32) {
	const sections = uint32(secEnd - 1)
	e.out = append(e.out, Magic...)
	e.u32(headerSize)
	e.u32(0)
	e.u32(sections)
	at := uint32(headerSize + sections*sectionEntrySize)
	for id := secObservation; id < secEnd; id++ {
		at = (at + alignment - 1) &^ (alignment - 1)
		e.u32(uint32(id))
		e.u32(at)
		e.u32(recordSizes[id])
		e.u32(counts[id])
		at += recordSizes[id] * counts[id]
	}
}

func (e *encoder) observation(t *Tree) {
	e.align()
	e.u32(one(t.Partial) * flagPartial)
	e.str(t.Why)
	e.u32(0)
}

func (e *encoder) window(w *Window) {
	e.align()
	e.u64(w.Handle)
	e.u64(w.Owner)
	for _, s := range [...]string{w.Title, w.Class, w.Instance, w.App, w.Process, w.AppVersion, w.Toolkit, w.Role} {
		e.str(s)
	}
	e.rect(w.Bounds)
	e.u32(one(w.Modal) * flagModal)
	e.u32(uint32(w.States))
	e.align()
	for _, s := range w.Surfaces {
		e.rect(s.Bounds)
	}
}

func (e *encoder) frame(f *Frame) {
	e.align()
	e.str(f.Digest)
	e.u32(uint32(f.W))
	e.u32(uint32(f.H))
}

func (e *encoder) nodes(nodes []Node) {
	e.align()
	for i := range nodes {
		n := &nodes[i]
		e.u64(uint64(n.ID))
		e.u64(uint64(n.States))
		e.u64(uint64(n.ChildrenTotal))
		e.u64(uint64(n.ChildrenFirst))
		e.u32(uint32(n.Parent))
		e.u32(n.Subtree)
		e.u32(uint32(n.Ifaces))
		e.u32(n.Surface)
		e.rect(n.Bounds)
		e.str(n.Name)
		e.str(n.Description)
		e.str(n.Text)
		e.u32(n.ChildrenCount)
		e.out = binary.LittleEndian.AppendUint16(e.out, uint16(n.Role))
		e.out = append(e.out, byte(n.End), byte(one(n.HasBounds)*flagHasBounds|one(n.Sensitive)*flagSensitive))
	}
}

// sideTables writes what only some nodes have, each table sorted by node. A
// table is passed over when it is empty.
func (e *encoder) sideTables(nodes []Node, counts [secEnd]uint32) {
	tables := [secEnd]func(i uint32, n *Node){
		secAttributes: e.attributes, secActions: e.actions, secRelations: e.relations, secValues: e.value,
		secTexts: e.text, secTables: e.table, secCells: e.cell,
	}
	for id, write := range tables {
		if write == nil {
			continue
		}
		e.align()
		if counts[id] == 0 {
			continue
		}
		for i := range nodes {
			write(uint32(i), &nodes[i])
		}
	}
}

func (e *encoder) attributes(i uint32, n *Node) {
	for _, a := range n.Attributes {
		e.u32(i)
		e.str(a.Key)
		e.str(a.Value)
	}
}

func (e *encoder) actions(i uint32, n *Node) {
	for _, a := range n.Actions {
		e.u32(i)
		e.str(a.Name)
		e.str(a.Description)
		e.str(a.KeyBinding)
	}
}

func (e *encoder) relations(i uint32, n *Node) {
	for _, r := range n.Relations {
		e.u32(i)
		e.u32(uint32(r.Kind))
		e.u64(uint64(r.Target))
	}
}

func (e *encoder) value(i uint32, n *Node) {
	if v := n.Value; v != nil {
		e.u32(i)
		e.u32(0)
		for _, f := range [...]float64{v.Current, v.Min, v.Max, v.Step} {
			e.u64(math.Float64bits(f))
		}
	}
}

func (e *encoder) text(i uint32, n *Node) {
	if t := n.TextInfo; t != nil {
		e.u32(i)
		e.u32(uint32(t.Caret))
		e.u32(uint32(t.SelStart))
		e.u32(uint32(t.SelEnd))
		e.u64(uint64(t.Length))
		e.u64(uint64(t.First))
	}
}

func (e *encoder) table(i uint32, n *Node) {
	if t := n.Table; t != nil {
		e.u32(i)
		e.u32(0)
		e.u64(uint64(t.Rows))
		e.u64(uint64(t.Columns))
	}
}

func (e *encoder) cell(i uint32, n *Node) {
	if c := n.Cell; c != nil {
		for _, v := range [...]uint32{i, c.Row, c.Column, c.RowSpan, c.ColumnSpan, 0} {
			e.u32(v)
		}
		e.u64(uint64(c.RowHeader))
		e.u64(uint64(c.ColumnHeader))
	}
}

// strings writes the pool and fills in the two numbers that header left open.
func (e *encoder) strings() {
	e.align()
	e.out = append(e.out, e.pool...)
	tree := e.out[e.base:]
	binary.LittleEndian.PutUint32(tree[8:], uint32(len(tree)))
	last := headerSize + int(secStrings-1)*sectionEntrySize
	binary.LittleEndian.PutUint32(tree[last+12:], uint32(len(e.pool)))
}

func (e *encoder) u32(v uint32) { e.out = binary.LittleEndian.AppendUint32(e.out, v) }
func (e *encoder) u64(v uint64) { e.out = binary.LittleEndian.AppendUint64(e.out, v) }

func (e *encoder) rect(r Rect) {
	e.u32(uint32(r.X))
	e.u32(uint32(r.Y))
	e.u32(uint32(r.W))
	e.u32(uint32(r.H))
}

// align fills up to where the next section starts.
func (e *encoder) align() {
	for (len(e.out)-e.base)%alignment != 0 {
		e.out = append(e.out, 0)
	}
}

// str puts s into the pool and writes its offset and length.
func (e *encoder) str(s string) {
	if s == "" {
		e.u64(0)
		return
	}
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	at, known := uint32(0), false
	if len(s) <= maxShared {
		at, known = e.seen[s]
	}
	if !known {
		at = uint32(len(e.pool))
		e.pool = append(e.pool, s...)
		if len(s) <= maxShared {
			e.seen[s] = at
		}
	}
	e.u32(at)
	e.u32(uint32(len(s)))
}
