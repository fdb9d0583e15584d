package tree

import (
	"fmt"
	"testing"
)

// large is about what a window of an office application gives.
func large(n int) *Tree {
	t := &Tree{Window: Window{Title: "Untitled"}}
	roles := []Role{RoleLabel, RoleButton, RolePanel, RoleEntry}
	for i := range n {
		node := Node{
			ID: NodeID(i*16 + 5), Parent: int32(i - i%10), Role: roles[i%len(roles)], States: StateShowing | StateEnabled,
			Name: fmt.Sprintf("element number %d", i), Bounds: Rect{int32(i), 2, 30, 4}, HasBounds: true,
			Actions: []Action{{Name: "click"}}, Attributes: []Attribute{{"class", "GtkLabel"}},
		}
		if i%10 == 0 {
			node.Parent = 0
		}
		if i%4 == 3 {
			node.Relations = []Relation{{LabelledBy, NodeID((i-3)*16 + 5)}}
			node.Text, node.TextInfo = "some words", &TextInfo{Length: 10}
		}
		t.Nodes = append(t.Nodes, node)
	}
	if err := t.Link(); err != nil {
		panic(err)
	}
	return t
}

func BenchmarkAppend(b *testing.B) {
	t := large(2000)
	dst := Append(nil, t)
	b.SetBytes(int64(len(dst)))
	b.ReportAllocs()
	for b.Loop() {
		dst = Append(dst[:0], t)
	}
}

func BenchmarkNewReader(b *testing.B) {
	data := Append(nil, large(2000))
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := NewReader(data); err != nil {
			b.Fatal(err)
		}
	}
}

// scan is what a translate does at least: look at every node, and at some of
// them closely.
func scan(r *Reader) (n int) {
	for c := range r.All() {
		if c.Is(StateShowing) && c.Role() == RoleEntry {
			n += len(c.Name()) + len(c.Text())
		}
	}
	return n
}

func BenchmarkScan(b *testing.B) {
	r, err := NewReader(Append(nil, large(2000)))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if scan(r) == 0 {
			b.Fatal("nothing found")
		}
	}
}

func BenchmarkLabels(b *testing.B) {
	data := Append(nil, large(2000))
	b.ReportAllocs()
	for b.Loop() {
		r, _ := NewReader(data)
		n := 0
		for c := range r.All() {
			n += len(c.Related(LabelledBy).Name())
		}
		if n == 0 {
			b.Fatal("nothing found")
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	data := Append(nil, large(2000))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Decode(data); err != nil {
			b.Fatal(err)
		}
	}
}
