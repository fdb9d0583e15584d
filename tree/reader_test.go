package tree

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func reader(t testing.TB, tree *Tree) *Reader {
	t.Helper()
	r, err := NewReader(Append(nil, tree))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func names(seq func(func(Cursor) bool)) (out []string) {
	for c := range seq {
		out = append(out, c.Role().String())
	}
	return out
}

func TestCursorWalks(t *testing.T) {
	r := reader(t, sample())
	root := r.Root()
	if got, want := names(root.Children()), []string{"label", "spin-button", "table", "password", "menu"}; !slices.Equal(got, want) {
		t.Errorf("children %v, want %v", got, want)
	}
	if got, want := names(root.Descendants()), []string{"label", "spin-button", "table", "table-cell", "password", "menu"}; !slices.Equal(got, want) {
		t.Errorf("descendants %v, want %v", got, want)
	}
	if got := len(names(r.All())); got != r.Len() || got != 7 {
		t.Errorf("All yields %d nodes, Len is %d", got, r.Len())
	}
	cell := root.Find(RoleTableCell)
	switch {
	case cell.Parent().Role() != RoleTable, cell.Within(RoleWindow) != root, cell.Within(RoleMenu).Valid():
		t.Errorf("the cell's parent is %v", cell.Parent().Role())
	case root.Child(2) != cell.Parent(), root.Child(5).Valid():
		t.Error("Child counts wrongly")
	case root.Parent().Valid(), root.Index() != 0, cell.Index() != 4:
		t.Error("Parent or Index is wrong")
	}
	for c := range r.All() {
		if got := r.ByID(c.ID()); got != c {
			t.Errorf("ByID(%d) is node %d, want %d", c.ID(), got.Index(), c.Index())
		}
	}
	if r.ByID(4711).Valid() {
		t.Error("ByID finds what is not there")
	}
	count := 0
	for range root.Descendants() {
		if count++; count == 2 {
			break
		}
	}
}

func TestCursorSays(t *testing.T) {
	r := reader(t, sample())
	spin := r.Root().Find(RoleSpinButton)
	for name, got := range map[string]bool{
		"label of the labelling node": spin.Label() == "Width",
		"states":                      spin.Is(StateFocused|StateEditable) && !spin.Is(StateActive|StateFocused),
		"interfaces":                  spin.Can(IfaceValue) && !spin.Can(IfaceTable),
		"action by name":              spin.Action("click") == 1 && spin.Action("none") == -1,
		"attribute":                   r.Root().Find(RoleTable).Attribute("class") == "GtkTreeView",
		"missing attribute":           spin.Attribute("class") == "",
		"relation to what is missing": !spin.Related(MemberOf).Valid(),
		"sensitive":                   r.Root().Find(RolePassword).Sensitive() && !spin.Sensitive(),
		"bounds in the window":        spin.WindowBounds() == Rect{60, 0, 80, 20},
		"bounds of a popup":           r.Root().Find(RoleMenu).WindowBounds() == Rect{1 + 50, 2 + 60, 3, 4},
	} {
		if !got {
			t.Errorf("%s: wrong", name)
		}
	}
	if why, partial := r.Partial(); !partial || why == "" {
		t.Errorf("Partial is %q, %v", why, partial)
	}
}

// The zero Cursor answers everything with nothing.
func TestInvalidCursor(t *testing.T) {
	v := reflect.ValueOf(Cursor{})
	for i := range v.NumMethod() {
		m, name := v.Method(i), v.Type().Method(i).Name
		args := make([]reflect.Value, m.Type().NumIn())
		for j := range args {
			args[j] = reflect.New(m.Type().In(j)).Elem()
		}
		for j, out := range m.Call(args) {
			want := reflect.Zero(out.Type()).Interface()
			switch {
			case name == "Index" || name == "Action":
				want = -1
			case name == "Is" || name == "Can":
				want = true // the empty set is in every set
			case out.Kind() == reflect.Func:
				out.Call([]reflect.Value{reflect.MakeFunc(out.Type().In(0), func([]reflect.Value) []reflect.Value {
					t.Errorf("%s yields something", name)
					return []reflect.Value{reflect.ValueOf(false)}
				})})
				continue
			}
			if out.Interface() != want {
				t.Errorf("%s: result %d is %v, want %v", name, j, out, want)
			}
		}
	}
}

// W08: what newer versions add is passed over.
func TestNewerVersionsAreRead(t *testing.T) {
	want := sample()
	got, err := Decode(newer(Append(nil, want)))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v, want\n%+v", got, want)
	}
}

// newer rewrites an encoded tree as a later version might: a longer header,
// sections that nobody knows yet, and eight more bytes in each record but for
// the strings.
func newer(b []byte) []byte {
	const header = 24
	le := binary.LittleEndian
	n := int(u32(b, 12))
	out := make([]byte, header+(n+1)*sectionEntrySize)
	copy(out, Magic)
	le.PutUint32(out[4:], header)
	le.PutUint32(out[12:], uint32(n+1))
	le.PutUint32(out[header:], 4000) // an unknown section of no size
	for i := range n {
		from, to := b[headerSize+i*sectionEntrySize:], out[header+(i+1)*sectionEntrySize:]
		id, offset, size, count := u32(from, 0), int(u32(from, 4)), int(u32(from, 8)), int(u32(from, 12))
		more := 8
		if sectionID(id) == secStrings {
			more = 0
		}
		le.PutUint32(to, id)
		le.PutUint32(to[4:], uint32(len(out)))
		le.PutUint32(to[8:], uint32(size+more))
		le.PutUint32(to[12:], uint32(count))
		for j := range count {
			out = append(out, b[offset+j*size:offset+(j+1)*size]...)
			out = append(out, bytes.Repeat([]byte{0xAA}, more)...)
		}
	}
	le.PutUint32(out[8:], uint32(len(out)))
	return out
}

func TestReaderRefuses(t *testing.T) {
	good := Append(nil, sample())
	entry := func(id sectionID) int { return headerSize + int(id-1)*sectionEntrySize }
	at := func(id sectionID) int { return int(u32(good, entry(id)+4)) }
	put := func(at int, v uint32) func([]byte) []byte {
		return func(b []byte) []byte {
			binary.LittleEndian.PutUint32(b[at:], v)
			return b
		}
	}
	for name, c := range map[string]struct {
		change func([]byte) []byte
		want   string
	}{
		"empty":             {func([]byte) []byte { return nil }, "begin with"},
		"other magic":       {put(0, 7), "begin with"},
		"cut":               {func(b []byte) []byte { return b[:len(b)-1] }, "bytes of"},
		"more":              {func(b []byte) []byte { return append(b, 0) }, "bytes of"},
		"short header":      {put(4, 8), "header of"},
		"many sections":     {put(12, 1<<31), "header of"},
		"section twice":     {put(entry(secCells), uint32(secValues)), "comes twice"},
		"short record":      {put(entry(secNodes)+8, 95), "at least 96"},
		"section outside":   {put(entry(secStrings)+4, 1<<31), "does not fit"},
		"too many records":  {put(entry(secNodes)+12, 1<<30), "does not fit"},
		"unknown section":   {put(entry(secSurfaces), 99), ""},
		"string outside":    {put(at(secNodes)+nodeName, 1<<30), "outside the pool"},
		"string too long":   {put(at(secWindow)+20, 1<<30), "outside the pool"},
		"root with parent":  {put(at(secNodes)+nodeParent, 0), "parent"},
		"second root":       {put(at(secNodes)+96+nodeParent, ^uint32(0)), "parent"},
		"parent after":      {put(at(secNodes)+96+nodeParent, 3), "parent"},
		"subtree too large": {put(at(secNodes)+nodeSubtree, 9), "subtree"},
		"subtree too small": {put(at(secNodes)+3*96+nodeSubtree, 1), "subtree"},
		"other parent":      {put(at(secNodes)+4*96+nodeParent, 1), "subtree"},
		"side out of range": {put(at(secCells), 70), "names node"},
		"side out of order": {put(at(secRelations)+16, 1), "names node"},
	} {
		b := c.change(bytes.Clone(good))
		_, err := NewReader(b)
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", name, err, c.want)
		}
	}
}

func TestScanningAllocatesNothing(t *testing.T) {
	r := reader(t, large(200))
	r.ByID(0) // makes the index
	allocs := testing.AllocsPerRun(10, func() {
		n := 0
		for c := range r.Root().Children() {
			for d := range c.Descendants() {
				n += len(d.Label()) + d.Action("click") + len(d.Attribute("class"))
				if _, ok := d.TextInfo(); ok {
					n++
				}
			}
		}
		if n+scan(r) == 0 {
			t.Error("nothing found")
		}
	})
	if allocs != 0 {
		t.Errorf("a scan allocates %v times, want none", allocs)
	}
}

// The strings of a Reader lie in the buffer; those of Decode do not.
func TestStringsShareTheBuffer(t *testing.T) {
	b := Append(nil, sample())
	r, err := NewReader(b)
	if err != nil {
		t.Fatal(err)
	}
	copied, err := Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	name := r.At(1).Name()
	copy(b[bytes.Index(b, []byte("Width")):], "Depth")
	if name != "Depth" || copied.Nodes[1].Name != "Width" {
		t.Errorf("the Reader says %q and the copy %q, want Depth and Width", name, copied.Nodes[1].Name)
	}
}

// FuzzReader feeds the reader anything. What it accepts must be readable to the
// last string, and mean the same when written again.
func FuzzReader(f *testing.F) {
	files, err := filepath.Glob("testdata/*" + Extension)
	if err != nil || len(files) == 0 {
		f.Fatalf("no golden files: %v", err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
		f.Add(newer(b))
	}
	f.Add([]byte(Magic))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) >= headerSize { // a wrong length is refused at once and finds nothing
			b = bytes.Clone(b)
			binary.LittleEndian.PutUint32(b[8:], uint32(len(b)))
		}
		first, err := Decode(b)
		if err != nil {
			return
		}
		again := Append(nil, first)
		second, err := Decode(again)
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		if third := Append(nil, second); !bytes.Equal(again, third) {
			t.Fatal("writing twice gives different bytes")
		}
		r, _ := NewReader(b)
		for c := range r.All() {
			_ = c.Label()
			if got := r.ByID(c.ID()); got.ID() != c.ID() {
				t.Fatalf("ByID(%d) finds %d", c.ID(), got.ID())
			}
		}
	})
}
