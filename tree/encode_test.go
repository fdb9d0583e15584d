package tree

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "write the golden files")

// sample is a small window that uses every part of the format.
func sample() *Tree {
	t := &Tree{
		Window: Window{
			Handle: 7, Owner: 3, Title: "Größe ändern", Class: "Mousepad", Instance: "mousepad", App: "org.xfce.mousepad",
			Process: "mousepad", AppVersion: "0.5.10", Toolkit: "gtk3", Role: "dialog", Bounds: Rect{100, -20, 640, 480},
			Modal: true, States: WindowActive | WindowUrgent, Surfaces: []Surface{{Rect{150, 40, 200, 300}}},
		},
		Frame:   Frame{Digest: strings.Repeat("ab", 32), W: 640, H: 480},
		Partial: true, Why: "mousepad answered 7 of 9 elements",
		Nodes: []Node{
			{ID: 10, Parent: -1, Role: RoleWindow, States: StateActive | StateShowing, Name: "Größe ändern"},
			{ID: 11, Role: RoleLabel, Name: "Width", Bounds: Rect{0, 0, 60, 20}, HasBounds: true},
			{
				ID: 12, Role: RoleSpinButton, States: StateEditable | StateFocused, Ifaces: IfaceValue | IfaceText,
				Bounds: Rect{60, 0, 80, 20}, HasBounds: true, Text: "640", Description: "in pixels",
				Value:     &Value{Current: 640, Min: 1, Max: 1e6, Step: 0.5},
				TextInfo:  &TextInfo{Length: 3, Caret: 2, SelStart: -1, SelEnd: -1},
				Relations: []Relation{{LabelledBy, 11}, {MemberOf, 99}},
				Actions:   []Action{{Name: "activate", KeyBinding: "<Alt>w"}, {Name: "click", Description: "press"}},
			},
			{
				ID: 13, Role: RoleTable, ChildrenTotal: 10000, ChildrenFirst: 40, End: EndCut,
				Table: &Table{Rows: 5000, Columns: 2}, Attributes: []Attribute{{"class", "GtkTreeView"}, {"empty", ""}},
			},
			{ID: 14, Parent: 3, Role: RoleTableCell, Name: "click", Cell: &Cell{20, 0, 1, 2, 0, 11}},
			{ID: 15, Role: RolePassword, Sensitive: true, Text: "•••"},
			{ID: 1 << 63, Role: RoleMenu, Surface: 1, Bounds: Rect{1, 2, 3, 4}, HasBounds: true, ChildrenTotal: -1, End: EndVirtual},
		},
	}
	if err := t.Link(); err != nil {
		panic(err)
	}
	return t
}

// W08: the golden files are shared by all SDKs; they change only with a new
// version of the format.
func TestGoldenFiles(t *testing.T) {
	for name, tree := range map[string]*Tree{"sample": sample(), "empty": {}} {
		file := filepath.Join("testdata", name+Extension)
		got := Append(nil, tree)
		if *update {
			if err := os.WriteFile(file, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: the encoding differs from the golden file", file)
		}
		back, err := Decode(want)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(back, tree) {
			t.Errorf("%s reads\n%+v, want\n%+v", file, back, tree)
		}
	}
}

func TestDecodeIsTheInverseOfAppend(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawTree(t)
		if err := want.Link(); err != nil {
			t.Fatal(err)
		}
		prefix := []byte("seven b")
		b := Append(prefix, want)
		if !bytes.HasPrefix(b, prefix) {
			t.Fatal("Append overwrites what it appends to")
		}
		got, err := Decode(b[len(prefix):])
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got\n%+v, want\n%+v", got, want)
		}
	})
}

// Link accepts exactly the parents that the reader accepts.
func TestLinkAgreesWithTheReader(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tree := &Tree{Nodes: make([]Node, rapid.IntRange(1, 8).Draw(t, "n"))}
		for i := range tree.Nodes {
			tree.Nodes[i].Parent = int32(rapid.IntRange(-1, 7).Draw(t, "parent"))
		}
		linked := tree.Link()
		_, read := NewReader(Append(nil, tree))
		if (linked == nil) != (read == nil) {
			t.Fatalf("Link says %v, NewReader says %v", linked, read)
		}
	})
}

func TestAppendReplacesInvalidUTF8(t *testing.T) {
	got, err := Decode(Append(nil, &Tree{Window: Window{Title: "a\xffb"}}))
	if err != nil {
		t.Fatal(err)
	}
	if got.Window.Title != "a\uFFFDb" {
		t.Errorf("title %q", got.Window.Title)
	}
}

func drawTree(t *rapid.T) *Tree {
	str := rapid.StringN(0, 8, 80)
	rect := rapid.Custom(func(t *rapid.T) Rect {
		i := rapid.Int32()
		return Rect{i.Draw(t, "x"), i.Draw(t, "y"), i.Draw(t, "w"), i.Draw(t, "h")}
	})
	s := func() string { return str.Draw(t, "string") }
	tree := &Tree{
		Window: Window{
			Handle: rapid.Uint64().Draw(t, "handle"), Title: s(), Class: s(), App: s(), Role: s(), AppVersion: s(),
			Bounds: rect.Draw(t, "bounds"), Modal: rapid.Bool().Draw(t, "modal"),
		},
		Frame: Frame{s(), 3, 4}, Partial: rapid.Bool().Draw(t, "partial"), Why: s(),
	}
	for range rapid.IntRange(0, 3).Draw(t, "surfaces") {
		tree.Window.Surfaces = append(tree.Window.Surfaces, Surface{rect.Draw(t, "surface")})
	}
	last := []int{-1} // the ancestors of the next node
	for i := range rapid.IntRange(0, 12).Draw(t, "nodes") {
		up := rapid.IntRange(1, max(1, len(last)-1)).Draw(t, "depth")
		if i > 0 {
			last = last[:up+1]
		}
		tree.Nodes = append(tree.Nodes, drawNode(t, last[len(last)-1], s, rect))
		last = append(last, i)
	}
	return tree
}

func drawNode(t *rapid.T, parent int, s func() string, rect *rapid.Generator[Rect]) Node {
	n := Node{
		ID: NodeID(rapid.Uint64().Draw(t, "id")), Parent: int32(parent), Role: Role(rapid.Uint16().Draw(t, "role")),
		States: States(rapid.Uint64().Draw(t, "states")), Ifaces: Interfaces(rapid.Uint32().Draw(t, "ifaces")),
		Bounds: rect.Draw(t, "rect"), HasBounds: rapid.Bool().Draw(t, "has"), Surface: rapid.Uint32().Draw(t, "surface"),
		Name: s(), Description: s(), Text: s(), Sensitive: rapid.Bool().Draw(t, "sensitive"),
		ChildrenTotal: rapid.Int64().Draw(t, "total"), ChildrenFirst: rapid.Int64().Draw(t, "first"),
		End: End(rapid.Uint8().Draw(t, "end")),
	}
	some := func(what string) bool { return rapid.Bool().Draw(t, what) }
	for range rapid.IntRange(0, 2).Draw(t, "many") {
		n.Attributes = append(n.Attributes, Attribute{s(), s()})
		n.Actions = append(n.Actions, Action{s(), s(), s()})
		n.Relations = append(n.Relations, Relation{RelationKind(rapid.Uint16().Draw(t, "kind")), n.ID + 1})
	}
	if some("value") {
		n.Value = &Value{rapid.Float64().Draw(t, "current"), -1, 1, 0.1}
	}
	if some("text") {
		n.TextInfo = &TextInfo{rapid.Int64().Draw(t, "length"), -1, rapid.Int32().Draw(t, "start"), 9, 1 << 40}
	}
	if some("table") {
		n.Table = &Table{rapid.Int64().Draw(t, "rows"), -1}
	}
	if some("cell") {
		n.Cell = &Cell{rapid.Uint32().Draw(t, "row"), 2, 3, 4, n.ID, 1}
	}
	return n
}
