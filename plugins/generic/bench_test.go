package main

import (
	"testing"

	"oriel.dev/oriel/pluginsdk"
	"oriel.dev/oriel/tree"
)

// manyNodes is a window of 2,000 nodes: a form, a table, and texts.
func manyNodes() []byte {
	tr := &tree.Tree{Window: tree.Window{Title: "Many", Toolkit: "gtk3", Bounds: tree.Rect{W: 1000, H: 1000}}}
	add := func(parent int32, n tree.Node) int32 {
		n.ID, n.Parent = tree.NodeID(len(tr.Nodes)+1), parent
		n.States |= tree.StateShowing | tree.StateVisible | tree.StateEnabled
		n.HasBounds = true
		tr.Nodes = append(tr.Nodes, n)
		return int32(len(tr.Nodes) - 1)
	}
	root := add(-1, tree.Node{Role: tree.RoleWindow, Name: "Many"})
	for i := range int32(100) {
		add(root, tree.Node{Role: tree.RoleLabel, Name: "Field " + string(rune('A'+i%26)), Bounds: tree.Rect{X: 0, Y: i * 30, W: 80, H: 20}})
		add(root, tree.Node{Role: tree.RoleEntry, States: tree.StateEditable, Text: "value", Bounds: tree.Rect{X: 100, Y: i * 30, W: 80, H: 20}})
	}
	for i := range int32(300) {
		add(root, tree.Node{Role: tree.RoleLabel, Name: "A text of the window", Bounds: tree.Rect{X: 200, Y: i * 20, W: 80, H: 20}})
	}
	table := add(root, tree.Node{Role: tree.RoleTable, Name: "Rows", Table: &tree.Table{Rows: 300, Columns: 5}, Bounds: tree.Rect{W: 500, H: 500}})
	for i := range int32(1499) {
		add(table, tree.Node{Role: tree.RoleTableCell, Name: "cell", Bounds: tree.Rect{X: i % 5 * 50, Y: i / 5 * 20, W: 50, H: 20}})
	}
	if err := tr.Link(); err != nil {
		panic(err)
	}
	return tree.Append(nil, tr)
}

func BenchmarkTranslate2000(b *testing.B) {
	observation := manyNodes()
	var out []byte
	for b.Loop() {
		out = pluginsdk.Translate(out[:0], adapter, observation)
	}
	b.ReportMetric(float64(len(out)), "bytes")
}
