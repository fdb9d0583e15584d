package pluginsdk

import (
	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/tree"
)

// The functions of oriel:tree read more of the window.

// Observe takes a fresh look at the window.
func Observe() (*tree.Reader, error) { return callTree(treeObserve, &hostabi.Nothing{}) }

// Children reads n children of a node from the one numbered offset on. The
// node itself is the root of the result.
func Children(id tree.NodeID, offset int64, n int) (*tree.Reader, error) {
	return callTree(treeChildren, &hostabi.ChildrenRequest{ID: id, Offset: offset, N: n})
}

// Cells reads a block of a table's cells: the children of the result's root.
func Cells(id tree.NodeID, row, column int64, rows, columns int) (*tree.Reader, error) {
	return callTree(treeCells, &hostabi.CellsRequest{ID: id, Row: row, Column: column, Rows: rows, Columns: columns})
}

// ReadText reads n characters of a node's text from the one numbered from on.
func ReadText(id tree.NodeID, from int64, n int) (string, error) {
	b, err := call(treeText, &hostabi.TextRequest{ID: id, From: from, N: n})
	return string(b), err
}
