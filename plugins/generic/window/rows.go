package window

import (
	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/pluginsdk"
	"oriel.dev/oriel/tree"
)

// Bounds of one load.
const (
	defaultRows = 100
	maxLoadRows = 500
	maxLoaded   = 6000 // cells of one load
	loadCells   = 500  // cells of one request: it has a second on a busy machine
	loadItems   = 100  // items of one request
	maxLate     = 8    // requests of one load that may end before they are answered in full
)

// loaded is a part of a list or table.
type loaded struct {
	columns []string
	rows    []Row
	// first is the number of the first row, total how many rows there are, or
	// are known if more is set.
	first, total int64
	more         bool
}

// doLoadRows loads rows beyond those that the view shows.
func (w *Window) doLoadRows(args hostabi.Value) (*hostabi.Outcome, error) {
	word := args.Get("list").Str()
	l := w.List(word)
	if l == nil || !l.loads() {
		return nil, unknown("list", word, "long list", w.listsThat((*List).loads))
	}
	offset, n := span(args, "limit", defaultRows, maxLoadRows)
	part, effect, err := loaded{}, hostabi.Unchanged, error(nil)
	switch {
	case l.More:
		part, effect, err = w.loadScrolling(l, offset, n)
	case l.sheet():
		part, err = w.loadSheet(l, offset, n)
	case l.hasCells():
		part, err = l.loadTable(offset, n)
	default:
		part, err = l.loadItems(offset, n)
	}
	if err != nil {
		return nil, err
	}
	return part.outcome(l, effect), nil
}

func (p *loaded) outcome(l *List, effect hostabi.Effect) *hostabi.Outcome {
	message := plural(len(p.rows), "row") + " of “" + l.Label + "” from number " + itoa(p.first) + " on, of " + itoa(p.total)
	if p.more {
		message += " known so far"
	}
	result := new(Object).Rows("rows", p.rows).List("columns", p.columns).
		Set("offset", p.first).Set("total", p.total).Set("more", p.more)
	return &hostabi.Outcome{Message: message + ".", Result: result.JSON(), Effect: effect}
}

// loads reports whether there may be rows that the view does not show.
func (l *List) loads() bool { return l.sheet() || l.Block().Truncated }

// hasCells reports whether the application gives the list's cells by their
// places.
func (l *List) hasCells() bool {
	t, ok := l.Node.Table()
	return ok && t.Columns > 0 && isTable(l.Node)
}

// loadTable reads rows of a table, with the columns that the view has.
func (l *List) loadTable(offset, n int64) (loaded, error) {
	t, _ := l.Node.Table()
	columns := min(t.Columns, maxColumns)
	n = min(n, max(l.Total-offset, 0))
	rows, err := l.cells(offset, n, columns)
	if err != nil {
		return loaded{}, err
	}
	for i := range rows {
		rows[i].Cells = l.shownCells(rows[i].Cells)
	}
	return loaded{columns: l.Columns, rows: rows, first: offset, total: l.Total}, nil
}

// shownCells leaves out the cells of the columns that the view leaves out.
func (l *List) shownCells(cells []hostabi.Scalar) []hostabi.Scalar {
	if len(l.kept) == 0 {
		return cells
	}
	out := make([]hostabi.Scalar, len(l.kept))
	for i, column := range l.kept {
		if column < len(cells) {
			out[i] = cells[column]
		}
	}
	return out
}

// allCells is the opposite of shownCells.
func (l *List) allCells(cells []hostabi.Scalar, columns int64) []hostabi.Scalar {
	out := make([]hostabi.Scalar, max(columns, int64(len(cells))))
	for i, c := range cells {
		out[l.kept[i]] = c
	}
	return out
}

// cells reads n rows of cells, each with all columns and none left out.
func (l *List) cells(offset, n, columns int64) ([]Row, error) {
	columns = max(columns, 1)
	n = min(n, max(maxLoaded/columns, 1))
	var out []Row
	block, late := max(loadCells/columns, 1), 0
	for at := offset; at < offset+n; {
		rows := min(offset+n-at, block)
		r, err := pluginsdk.Cells(l.Node.ID(), at, 0, int(rows), int(columns))
		if err != nil {
			return nil, err
		}
		if why, part := r.Partial(); part {
			// It did not answer in time: a part would look like empty cells.
			if late++; late > maxLate {
				return nil, pluginsdk.Refuse(hostabi.CodeTimeout, "the application was too busy to tell its rows ("+why+"); ask again, for fewer")
			}
			block = max(rows/2, 1)
			continue
		}
		part := List{Node: r.Root(), limit: int(rows)}
		s := scanner{w: &Window{Tree: r, Window: r.Window()}, hidden: true}
		s.table(&part, tree.Table{Rows: at + rows, Columns: columns})
		for i := range part.Rows {
			part.Rows[i].Cells = part.allCells(part.Rows[i].Cells, columns)
		}
		out = append(out, dense(part.Rows, at, rows, columns)...)
		at += rows
	}
	return out, nil
}

// dense puts rows in their places, with empty ones where there are none.
func dense(rows []Row, first, n, columns int64) []Row {
	out := make([]Row, max(n, 0)) // an application may list its rows in any order
	for i := range out {
		out[i] = Row{Number: first + int64(i), Cells: make([]hostabi.Scalar, columns)}
	}
	for i := range rows {
		if at := rows[i].Number - first; at >= 0 && at < n {
			copy(out[at].Cells, rows[i].Cells)
			rows[i].Cells = out[at].Cells
			out[at] = rows[i]
		}
	}
	return out
}

// loadItems reads items of a list by their numbers among its children.
func (l *List) loadItems(offset, n int64) (loaded, error) {
	part := List{limit: int(n)}
	for at := offset; at < offset+n; {
		count := min(offset+n-at, loadItems)
		r, err := pluginsdk.Children(l.Node.ID(), at, int(count))
		if err != nil {
			return loaded{}, err
		}
		if why, part := r.Partial(); part {
			return loaded{}, pluginsdk.Refuse(hostabi.CodeTimeout, "the application was too busy to tell its rows ("+why+"); ask again, for fewer")
		}
		s := scanner{w: &Window{Tree: r, Window: r.Window()}, hidden: true}
		s.items(&part, r.Root(), 0)
		if at += count; int64(r.Root().ChildrenCount()) < count {
			break
		}
	}
	total := max(l.Total, offset+int64(len(part.Rows)))
	if len(part.Rows) == 0 {
		total = l.Total
	}
	return loaded{rows: part.Rows, first: offset, total: total}, nil
}
