package main

import (
	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/plugins/generic/window"
	"oriel.dev/oriel/pluginsdk"
	"oriel.dev/oriel/tree"
)

// Bounds of one read.
const (
	maxRead   = 2000 // cells
	maxCell   = 1000 // characters of one
	blockSize = 500  // cells of one request: it has a second on a busy machine
)

// grid is what the cells of an area show, "" for empty ones.
type grid [][]string

// load reads the cells of an area, in blocks. A cell tells itself where it is;
// empty ones are left out by the host.
func (b *book) load(a area) (grid, error) {
	out := make(grid, a.rows)
	for i := range out {
		out[i] = make([]string, a.columns)
	}
	columns := min(a.columns, blockSize)
	rows := max(blockSize/columns, 1)
	for row := int64(0); row < a.rows; row += rows {
		for column := int64(0); column < a.columns; column += columns {
			r, err := pluginsdk.Cells(b.sheet.Node.ID(), a.row+row, a.column+column, int(min(rows, a.rows-row)), int(min(columns, a.columns-column)))
			if err != nil {
				return nil, err
			}
			out.take(a, r.Root())
		}
	}
	return out, nil
}

func (g grid) take(a area, table tree.Cursor) {
	for c := range table.Children() {
		at, ok := c.Cell()
		row, column := int64(at.Row)-a.row, int64(at.Column)-a.column
		if !ok || c.Sensitive() || row < 0 || row >= a.rows || column < 0 || column >= a.columns {
			continue
		}
		g[row][column] = c.Text()
	}
}

// rows are the rows for a result.
func (g grid) rows() []window.Row {
	out := make([]window.Row, len(g))
	for i := range g {
		for _, text := range g[i] {
			var v hostabi.Scalar
			if text != "" {
				v = window.Cut(window.CleanText(text), maxCell)
			}
			out[i].Cells = append(out[i].Cells, v)
		}
	}
	return out
}

func (b *book) read(args hostabi.Value) (*hostabi.Outcome, error) {
	a, err := wantArea("range", args.Get("range").Str(), maxRead)
	if err != nil {
		return nil, err
	}
	cells, err := b.load(a)
	if err != nil {
		return nil, err
	}
	result := new(window.Object).Set("range", a.name()).Rows("rows", cells.rows())
	return &hostabi.Outcome{Message: "Read " + a.name() + ".", Result: result.JSON(), Effect: hostabi.Unchanged}, nil
}
