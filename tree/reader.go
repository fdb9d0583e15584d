package tree

import (
	"encoding/binary"
	"iter"
	"unsafe"
)

// Reader reads an encoded tree in place. Strings that it returns point into the
// buffer, which must not change while they are used. It allocates nothing after
// [NewReader] but the index of the first ByID, so a scan is as cheap as the
// memory that it touches. It is not safe for concurrent use.
type Reader struct {
	sections [secEnd]section
	window   Window
	index    []int32 // hash table by NodeID, 1-based; made by the first ByID
}

// section is one table of records.
type section struct {
	data  []byte // count*size bytes
	size  int
	count int
}

func (s *section) record(i int) []byte { return s.data[i*s.size : (i+1)*s.size] }

// NewReader checks all of b once: every offset, every index, and that parents
// and subtree sizes agree. What it accepts can be read without further errors.
// Sections that it does not know and what newer versions add to records are
// passed over.
func NewReader(b []byte) (*Reader, error) {
	r := &Reader{}
	if err := r.readSections(b); err != nil {
		return nil, fault("reading tree:", err)
	}
	if err := r.check(); err != nil {
		return nil, fault("reading tree:", err)
	}
	r.window = r.readWindow()
	return r, nil
}

func u32(b []byte, at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
func u64(b []byte, at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }

// readSections reads the header and finds the known sections.
func (r *Reader) readSections(b []byte) error {
	if len(b) < headerSize || string(b[:4]) != Magic {
		return fault("the data does not begin with", Magic)
	}
	size, total, n := uint64(u32(b, 4)), uint64(u32(b, 8)), uint64(u32(b, 12))
	switch {
	case total != uint64(len(b)):
		return fault(len(b), "bytes of", total)
	case size < headerSize || size+n*sectionEntrySize > total:
		return fault("a header of", size, "bytes with", n, "sections does not fit into", total, "bytes")
	}
	for i := range int(n) {
		if err := r.readSection(b, b[int(size)+i*sectionEntrySize:]); err != nil {
			return fault("section entry", i, "is wrong:", err)
		}
	}
	return nil
}

func (r *Reader) readSection(b, entry []byte) error {
	id, offset := sectionID(u32(entry, 0)), uint64(u32(entry, 4))
	size, n := uint64(u32(entry, 8)), uint64(u32(entry, 12))
	if id == 0 || id >= secEnd {
		return nil
	}
	switch {
	case r.sections[id].size != 0:
		return fault("section", id, "comes twice")
	case size < uint64(recordSizes[id]):
		return fault("section", id, "has records of", size, "bytes, want at least", recordSizes[id])
	case offset > uint64(len(b)) || n > (uint64(len(b))-offset)/size:
		return fault("section", id, "with", n, "records of", size, "bytes at", offset, "does not fit into", len(b), "bytes")
	}
	r.sections[id] = section{b[offset : offset+n*size], int(size), int(n)}
	return nil
}

// stringFields are the offsets of the string references in the records of each
// section.
var stringFields = [secEnd][]int{
	secObservation: {4},
	secWindow:      {16, 24, 32, 40, 48, 56, 64, 72},
	secFrame:       {0},
	secNodes:       {nodeName, nodeDescription, nodeText},
	secAttributes:  {4, 12},
	secActions:     {4, 12, 20},
}

// check proves what the accessors rely on.
func (r *Reader) check() error {
	for _, id := range [...]sectionID{secObservation, secWindow, secFrame} {
		if n := r.sections[id].count; n > 1 {
			return fault("section", id, "has", n, "records, want one")
		}
	}
	for id, fields := range stringFields {
		if err := r.checkStrings(&r.sections[id], fields); err != nil {
			return fault("section", id, "is wrong:", err)
		}
	}
	if err := r.checkNodes(); err != nil {
		return err
	}
	for id := secAttributes; id <= secCells; id++ {
		many := id <= secRelations
		if err := r.checkOrder(&r.sections[id], many); err != nil {
			return fault("section", id, "is wrong:", err)
		}
	}
	return nil
}

// checkStrings proves that every string lies in the pool. Like checkNodes it
// works on the bare bytes, since it runs for each observation in each guest.
func (r *Reader) checkStrings(s *section, fields []int) error {
	end := uint64(r.sections[secStrings].count)
	for _, f := range fields {
		for at := f; at+8 <= len(s.data); at += s.size {
			ref := binary.LittleEndian.Uint64(s.data[at:]) // offset in the lower half, length in the upper
			if ref&0xffffffff+ref>>32 > end {
				return fault("record", at/s.size, "has a string of", ref>>32, "bytes at", ref&0xffffffff, "outside the pool of", end)
			}
		}
	}
	return nil
}

// checkNodes proves that the nodes are in pre-order: each one's parent is the
// node before it, or what remains after closing the subtrees that end there.
func (r *Reader) checkNodes() error {
	data, size, n := r.sections[secNodes].data, r.sections[secNodes].size, r.Len()
	for i := range n {
		parent := int(int32(u32(data, i*size+nodeParent)))
		if parent >= i || parent < -1 || parent == -1 && i > 0 {
			return fault("node", i, "has parent", parent, "want one before it, or -1 for the first")
		}
		if parent == i-1 {
			continue
		}
		if err := r.closeSubtrees(i, parent); err != nil {
			return err
		}
	}
	if n == 0 {
		return nil
	}
	return r.closeSubtrees(n, -1)
}

// closeSubtrees goes up from the node before i to parent and checks that each
// subtree that it leaves ends at i. Each node is left once, so all calls
// together take one step per node.
func (r *Reader) closeSubtrees(i, parent int) error {
	j := i - 1
	for ; j > parent; j = r.parent(j) {
		if end := j + r.subtree(j); end != i {
			return fault("node", j, "has a subtree that ends at", end, "want", i)
		}
	}
	if j != parent {
		return fault("node", i, "is not in the subtree of its parent", parent)
	}
	return nil
}

// checkOrder proves that the records of a side table are sorted by node, so
// that a binary search finds them. Only some tables have many records a node.
func (r *Reader) checkOrder(s *section, many bool) error {
	least, step := uint32(0), uint32(1)
	if many {
		step = 0
	}
	n := uint32(r.Len())
	for at := 0; at < len(s.data); at += s.size {
		node := u32(s.data, at)
		if node < least || node >= n {
			return fault("record", at/s.size, "names node", node, "out of order or range")
		}
		least = node + step
	}
	return nil
}

func (r *Reader) parent(i int) int {
	return int(int32(u32(r.sections[secNodes].record(i), nodeParent)))
}
func (r *Reader) subtree(i int) int { return int(u32(r.sections[secNodes].record(i), nodeSubtree)) }

// str returns the string that a record refers to at a field.
func (r *Reader) str(rec []byte, field int) string {
	at, n := u32(rec, field), u32(rec, field+4)
	if n == 0 {
		return ""
	}
	s := r.sections[secStrings].data[at : at+n]
	return unsafe.String(&s[0], len(s))
}

func rect(rec []byte, at int) Rect {
	return Rect{int32(u32(rec, at)), int32(u32(rec, at+4)), int32(u32(rec, at+8)), int32(u32(rec, at+12))}
}

func (r *Reader) readWindow() Window {
	s := &r.sections[secWindow]
	if s.count == 0 {
		return Window{}
	}
	rec := s.record(0)
	w := Window{
		Handle: u64(rec, 0), Owner: u64(rec, 8),
		Title: r.str(rec, 16), Class: r.str(rec, 24), Instance: r.str(rec, 32), App: r.str(rec, 40),
		Process: r.str(rec, 48), AppVersion: r.str(rec, 56), Toolkit: r.str(rec, 64), Role: r.str(rec, 72),
		Bounds: rect(rec, 80), Modal: u32(rec, 96)&flagModal != 0, States: WindowStates(u32(rec, 100)),
	}
	surfaces := &r.sections[secSurfaces]
	for i := range surfaces.count {
		w.Surfaces = append(w.Surfaces, Surface{rect(surfaces.record(i), 0)})
	}
	return w
}

// Window returns what is known of the window as a whole.
func (r *Reader) Window() Window { return r.window }

// Frame returns the frozen picture's digest and size.
func (r *Reader) Frame() Frame {
	s := &r.sections[secFrame]
	if s.count == 0 {
		return Frame{}
	}
	rec := s.record(0)
	return Frame{Digest: r.str(rec, 0), W: int32(u32(rec, 8)), H: int32(u32(rec, 12))}
}

// Partial reports whether the application did not answer all of it in time, and
// why in words for a person.
func (r *Reader) Partial() (why string, partial bool) {
	s := &r.sections[secObservation]
	if s.count == 0 {
		return "", false
	}
	rec := s.record(0)
	return r.str(rec, 4), u32(rec, 0)&flagPartial != 0
}

// Len returns the number of nodes.
func (r *Reader) Len() int { return r.sections[secNodes].count }

// At returns the node with the index i; out of range, an invalid Cursor.
func (r *Reader) At(i int) Cursor {
	if i < 0 || i >= r.Len() {
		return Cursor{}
	}
	return Cursor{r, i}
}

// Root returns the window's own node, invalid if the tree has no nodes.
func (r *Reader) Root() Cursor { return r.At(0) }

// All yields every node in pre-order.
func (r *Reader) All() iter.Seq[Cursor] {
	return func(yield func(Cursor) bool) {
		for i := range r.Len() {
			if !yield(Cursor{r, i}) {
				return
			}
		}
	}
}

// ByID returns the node with the id, invalid if it is not in the tree.
func (r *Reader) ByID(id NodeID) Cursor {
	if r.index == nil {
		r.makeIndex()
	}
	mask := len(r.index) - 1
	for slot := hash(id) & mask; r.index[slot] != 0; slot = (slot + 1) & mask {
		if c := (Cursor{r, int(r.index[slot] - 1)}); c.ID() == id {
			return c
		}
	}
	return Cursor{}
}

// hash spreads ids, which are often multiples of something (Fibonacci hashing).
func hash(id NodeID) int { return int(uint64(id) * 0x9E3779B97F4A7C15 >> 33) }

// makeIndex fills a table twice as large as needed, so that probing ends.
func (r *Reader) makeIndex() {
	size := 2
	for size < 2*r.Len() {
		size *= 2
	}
	r.index = make([]int32, size)
	for c := range r.All() {
		id := c.ID()
		slot := hash(id) & (size - 1)
		for r.index[slot] != 0 && r.At(int(r.index[slot]-1)).ID() != id {
			slot = (slot + 1) & (size - 1)
		}
		if r.index[slot] == 0 { // the first of two with one id counts
			r.index[slot] = int32(c.i + 1)
		}
	}
}
