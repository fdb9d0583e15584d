package window

import (
	"bytes"
	"testing"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/hostabi/check"
	"oriel.dev/oriel/tree"

	"pgregory.net/rapid"
)

const secret = "tr0ub4dor"

// texts are what elements are called and say in random trees: what people
// write, and what breaks careless code.
var texts = []string{
	"", "", "", "Name", "Name:", "E-mail", "Save...", "12:34:56", "45 %", "a\nb", "\ufffc", "\u202eevil", "\x00", "\xff\xfe", " ", ":", "名前：", "Warning: hot",
	"A sentence that is long enough not to be taken for the label of anything at all, as it goes on and on.", "(", "[x]", "Undo [Ctrl+Z]", "7",
}

// randomTree makes trees that no toolkit would: every accessor gets something.
func randomTree(t *rapid.T) *tree.Tree {
	text := rapid.SampledFrom(texts)
	coordinate := rapid.Int32Range(-50, 900)
	n := rapid.IntRange(0, 60).Draw(t, "nodes")
	tr := &tree.Tree{Window: tree.Window{
		Title: text.Draw(t, "title"), Toolkit: rapid.SampledFrom([]string{"", "gtk3", "gtk4", "qt5", "chromium", "libreoffice"}).Draw(t, "toolkit"),
		Role: rapid.SampledFrom([]string{"normal", "dialog"}).Draw(t, "role"), Modal: rapid.Bool().Draw(t, "modal"),
		Bounds: tree.Rect{W: coordinate.Draw(t, "w"), H: coordinate.Draw(t, "h")}, Surfaces: []tree.Surface{{}},
	}}
	tr.Partial = rapid.Bool().Draw(t, "partial")
	for i := range n {
		node := tree.Node{
			ID: tree.NodeID(rapid.IntRange(1, 80).Draw(t, "id")), Role: tree.Role(rapid.IntRange(0, 90).Draw(t, "role")),
			States: tree.States(rapid.Uint64().Draw(t, "states")) | tree.StateShowing, Ifaces: tree.Interfaces(rapid.Uint32().Draw(t, "ifaces")),
			HasBounds: rapid.IntRange(0, 9).Draw(t, "bounded") > 0, Surface: uint32(rapid.IntRange(0, 9).Draw(t, "surface") / 9),
			Bounds: tree.Rect{X: coordinate.Draw(t, "x"), Y: coordinate.Draw(t, "y"), W: coordinate.Draw(t, "w"), H: coordinate.Draw(t, "h")},
			Name:   text.Draw(t, "name"), Description: text.Draw(t, "description"), Text: text.Draw(t, "text"),
			ChildrenTotal: rapid.Int64Range(-1, 1<<40).Draw(t, "total"), ChildrenFirst: rapid.Int64Range(0, 1<<40).Draw(t, "first"),
			End: tree.End(rapid.IntRange(0, 5).Draw(t, "end")),
		}
		if i > 0 {
			node.Parent = int32(ancestor(tr, i-1, rapid.IntRange(0, 4).Draw(t, "up")))
		}
		if rapid.IntRange(0, 9).Draw(t, "secret") == 0 {
			node.Sensitive, node.Text = true, secret
		}
		randomSides(t, &node, text)
		tr.Nodes = append(tr.Nodes, node)
	}
	if err := tr.Link(); err != nil {
		t.Fatal(err)
	}
	return tr
}

// ancestor goes up from a node, so that the nodes stay in pre-order.
func ancestor(tr *tree.Tree, i, up int) int {
	for ; up > 0 && i > 0; up-- {
		i = int(tr.Nodes[i].Parent)
	}
	return i
}

func randomSides(t *rapid.T, n *tree.Node, text *rapid.Generator[string]) {
	some := func(what string) bool { return rapid.IntRange(0, 3).Draw(t, what) == 0 }
	if some("actions") {
		n.Actions = []tree.Action{{Name: rapid.SampledFrom([]string{"", "click", "Toggle", "activate", "x"}).Draw(t, "action"), KeyBinding: text.Draw(t, "keys")}}
	}
	if some("value") {
		n.Value = &tree.Value{Current: rapid.Float64().Draw(t, "current"), Max: rapid.Float64().Draw(t, "max")}
	}
	if some("textinfo") {
		n.TextInfo = &tree.TextInfo{Length: rapid.Int64Range(-1, 1<<40).Draw(t, "length"), First: rapid.Int64Range(0, 1<<40).Draw(t, "first")}
	}
	if some("table") {
		n.Table = &tree.Table{Rows: rapid.Int64Range(-1, 1<<40).Draw(t, "rows"), Columns: rapid.Int64Range(-1, 1<<40).Draw(t, "columns")}
	}
	if some("cell") {
		n.Cell = &tree.Cell{Row: rapid.Uint32().Draw(t, "row"), Column: rapid.Uint32Range(0, 40).Draw(t, "column"), RowSpan: 1}
	}
	if some("relation") {
		n.Relations = []tree.Relation{{Kind: tree.RelationKind(rapid.IntRange(0, 9).Draw(t, "kind")), Target: tree.NodeID(rapid.IntRange(0, 80).Draw(t, "target"))}}
	}
	if some("attribute") {
		n.Attributes = []tree.Attribute{{Key: "placeholder-text", Value: text.Draw(t, "placeholder")}}
	}
}

// Whatever tree comes, translate makes a view that the host takes, the same each
// time (W04), with labels that name one thing each, and without secrets (B15).
func TestAnyTreeGivesAView(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		observation := tree.Append(nil, randomTree(t))
		translate := func() (*Window, *hostabi.View, []byte) {
			r, err := tree.NewReader(observation)
			if err != nil {
				t.Fatal(err)
			}
			w := Read(r)
			v := w.View()
			return w, v, hostabi.AppendView(nil, v)
		}
		w, view, first := translate()
		if _, _, second := translate(); !bytes.Equal(first, second) {
			t.Fatalf("the same observation gave\n%s\nand then\n%s", first, second)
		}
		if bytes.Contains(first, []byte(secret)) {
			t.Fatalf("a secret is in the view: %s", first)
		}
		if err := check.View(view); err != nil {
			t.Fatalf("the host would refuse this view:\n%v", err)
		}
		if view.Summary == "" {
			t.Fatal("the summary is empty")
		}
		oneEach(t, w)
	})
}

func oneEach(t *rapid.T, w *Window) {
	seen := map[string]bool{}
	once := func(kind, label string) {
		if seen[kind+label] || label == "" {
			t.Fatalf("the %s label %q comes twice or is empty", kind, label)
		}
		seen[kind+label] = true
	}
	for i := range w.Fields {
		once("field", w.Fields[i].Label)
		if w.Field(w.Fields[i].Label) != &w.Fields[i] {
			t.Fatalf("the label %q names another field", w.Fields[i].Label)
		}
	}
	for i := range w.Buttons {
		once("button", w.Buttons[i].Label)
	}
	for i := range w.Lists {
		once("list", w.Lists[i].Label)
	}
}
