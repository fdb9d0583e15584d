package main

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/plugins/generic/window"
	"oriel.dev/oriel/pluginsdk"
	"oriel.dev/oriel/tree"
)

// Bounds of one write.
const (
	maxWrite  = 400  // cells
	maxText   = 2000 // characters of one cell
	maxSlow   = 40   // cells that are written one by one
	maxDiffer = 5    // that a message names
)

// arriving is how long what was asked of the application may take to be seen on
// its name box, editing how long a cell may take to be opened, settling how long
// the cells may take to show what was typed, attempts how often an application
// that does not answer is asked.
const (
	arriving = 5 * time.Second
	editing  = 4 * time.Second
	settling = 3 * time.Second
	attempts = 4
)

// quickReads is how often the name box is read, a few milliseconds each, before
// the adapter waits for a change of the window.
const quickReads = 40

// value is what one cell is to hold; keep leaves it as it is, and text is then
// what it showed before.
type value struct {
	text string
	keep bool
}

// wantRows reads the rows and fits the area to them.
func wantRows(args hostabi.Value) (area, [][]value, error) {
	a, err := wantArea("range", args.Get("range").Str(), maxWrite)
	if err != nil {
		return a, nil, err
	}
	var rows [][]value
	wide, slow := 0, 0
	for row := range args.Get("rows").Elements() {
		var cells []value
		for cell := range row.Elements() {
			v, err := wantCell(cell)
			if err != nil {
				return a, nil, err
			}
			if cells = append(cells, v); !ascii(v.text) {
				slow++
			}
		}
		rows, wide = append(rows, cells), max(wide, len(cells))
	}
	if wide == 0 {
		return a, nil, pluginsdk.Invalid("rows", "holds no cell; give the rows as arrays of values")
	}
	for i := range rows {
		for len(rows[i]) < wide {
			rows[i] = append(rows[i], value{keep: true})
		}
	}
	if slow > maxSlow {
		return a, nil, pluginsdk.Invalid("rows", "hold more than "+strconv.Itoa(maxSlow)+" cells with characters beyond the keyboard's, which are written one by one; write them in parts")
	}
	n, m := int64(len(rows)), int64(wide)
	switch {
	case a.rows*a.columns == 1:
		a.rows, a.columns = n, m
	case a.rows != n || a.columns != m:
		return a, nil, pluginsdk.Invalid("rows", "must be as many as "+a.name()+" holds: "+strconv.FormatInt(a.rows, 10)+" rows of "+strconv.FormatInt(a.columns, 10)+" cells")
	}
	if n*m > maxWrite || a.row+n > maxRow || a.column+m > maxColumn {
		return a, nil, pluginsdk.Invalid("rows", "are more than "+strconv.Itoa(maxWrite)+" cells, or go over the edge of the sheet; write them in parts")
	}
	return a, rows, nil
}

func wantCell(v hostabi.Value) (value, error) {
	switch v.Kind() {
	case hostabi.KindNull:
		return value{keep: true}, nil
	case hostabi.KindBool:
		return value{text: strings.ToUpper(v.Raw())}, nil
	case hostabi.KindNumber:
		return value{text: v.Raw()}, nil
	case hostabi.KindString:
		text := v.Str()
		if len(text) > maxText || strings.ContainsAny(text, "\n\r\t\x00") {
			return value{}, pluginsdk.Invalid("rows", "holds a text with a line end or tab, or of more than "+strconv.Itoa(maxText)+" characters")
		}
		return value{text: text}, nil
	}
	return value{}, pluginsdk.Invalid("rows", "holds "+v.Kind().String()+"; a cell is a text, a number, true, false or null")
}

// write types the cells in one go and reads them back. What cannot be typed, and
// what the application made something else of, as its corrections do with quotes,
// it writes by accessibility into the opened cell.
func (b *book) write(args hostabi.Value) (*hostabi.Outcome, error) {
	a, rows, err := wantRows(args)
	if err == nil {
		err = b.busy()
	}
	if err != nil {
		return nil, err
	}
	if err := b.keep(a, rows); err != nil {
		return nil, err
	}
	if err := b.typeAll(a, rows); err != nil {
		return nil, err
	}
	// All that was typed has arrived, so what is not there now never will be.
	shown, wrong, err := b.compare(a, rows, false)
	if err != nil {
		return nil, err
	}
	for _, at := range wrong[:min(len(wrong), maxSlow)] {
		if rows[at.row][at.column].keep {
			continue
		}
		if err := b.writeOne(area{a.row + at.row, a.column + at.column, 1, 1}, rows[at.row][at.column].text); err != nil {
			return nil, err
		}
	}
	if len(wrong) > 0 {
		if shown, wrong, err = b.compare(a, rows, true); err != nil {
			return nil, err
		}
	}
	if err := b.move(a); err != nil {
		return nil, err
	}
	return outcome(a, rows, shown, wrong), nil
}

// keep notes what the cells show that are to stay as they are.
func (b *book) keep(a area, rows [][]value) error {
	before, err := b.load(a)
	if err != nil {
		return err
	}
	for i := range rows {
		for j := range rows[i] {
			if v := &rows[i][j]; v.keep {
				v.text = before[i][j]
			}
		}
	}
	return nil
}

// place is a cell of the area that is written.
type place struct{ row, column int64 }

func outcome(a area, rows [][]value, shown grid, wrong []place) *hostabi.Outcome {
	n, failed := int64(0), ""
	for i := range rows {
		for j, v := range rows[i] {
			if v.keep {
				continue
			}
			n++
			if t := shown[i][j]; isError(t) {
				failed += " " + cellName(a.row+int64(i), a.column+int64(j)) + " shows the error " + window.Cut(window.Clean(t), 20) + "."
			}
		}
	}
	out := &hostabi.Outcome{
		Message: "Wrote " + strconv.FormatInt(n, 10) + " cells from " + cellName(a.row, a.column) + " on." + window.Cut(failed, 300), Effect: hostabi.Confirmed,
		Result: new(window.Object).Set("written", max(n-int64(len(wrong)), 0)).Rows("rows", shown.rows()).JSON(),
	}
	for i, at := range wrong {
		if i == maxDiffer {
			out.Message += " …"
			break
		}
		out.Effect = hostabi.Unconfirmed
		out.Message += " " + cellName(a.row+at.row, a.column+at.column) + " shows “" + window.Cut(window.Clean(shown[at.row][at.column]), 60) + "”."
	}
	return out
}

// typed reports whether a cell is written by the keyboard. What is to be cleared,
// and what is not on every keyboard, comes later.
func (v value) typed() bool { return !v.keep && v.text != "" && ascii(v.text) }

// typeAll types what can be typed: all at once if that is every cell, else each
// part of a row without a gap, since the application may drop a Tab that follows
// on another.
func (b *book) typeAll(a area, rows [][]value) error {
	if err := pluginsdk.ActivateWindow(); err != nil {
		return err
	}
	whole := true
	for _, row := range rows {
		whole = whole && !slices.ContainsFunc(row, func(v value) bool { return !v.typed() })
	}
	if whole {
		return b.typeRun(a, slices.Concat(rows...))
	}
	for i, row := range rows {
		for from := 0; from < len(row); {
			to := from
			for to < len(row) && row[to].typed() {
				to++
			}
			if to == from {
				from++
				continue
			}
			part := area{a.row + int64(i), a.column + int64(from), 1, int64(to - from)}
			if err := b.typeRun(part, row[from:to]); err != nil {
				return err
			}
			from = to
		}
	}
	return nil
}

// typeRun selects cells and types them one after the other: in a selection Tab
// goes from cell to cell, row by row. Delete takes away what the application
// proposes to complete a text with.
func (b *book) typeRun(a area, cells []value) error {
	if err := b.move(a); err != nil {
		return err
	}
	if !b.arrived(a) {
		return pluginsdk.Refuse(hostabi.CodeUnavailable, "the application did not go to "+a.name()+"; what is before it was written")
	}
	for _, v := range cells {
		if err := pluginsdk.Type(v.text); err != nil {
			return err
		}
		if err := pluginsdk.Keys("Delete", "Tab"); err != nil {
			return err
		}
	}
	// Keys wait in line, what goes by accessibility does not: so the last one is
	// seen to have arrived before anything else is asked. It ends the selection,
	// which leaves its first cell; Tab went on behind a single one.
	after := area{a.row, a.column, 1, 1}
	if len(cells) == 1 {
		after.column = min(a.column+1, maxColumn-1)
	} else if err := pluginsdk.Keys("shift+BackSpace"); err != nil {
		return err
	}
	if !b.arrived(after) {
		return pluginsdk.Refuse(hostabi.CodeTimeout, "the application has not taken all that was typed in time; read the cells before you write again")
	}
	return nil
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// compare reads the cells and lists those that do not show what was written; if
// it may wait, until they do, at most for a while. An application that has much to
// lay out may not answer at first.
func (b *book) compare(a area, rows [][]value, wait bool) (shown grid, wrong []place, err error) {
	look := func() bool {
		if shown, err = b.load(a); err != nil {
			return false
		}
		wrong = wrong[:0]
		for i := range rows {
			for j, v := range rows[i] {
				if v.keep && misplaced(rows, v.text, shown[i][j]) || !v.keep && !fits(v.text, shown[i][j]) {
					wrong = append(wrong, place{int64(i), int64(j)})
				}
			}
		}
		return len(wrong) == 0
	}
	for range attempts {
		if look() || err == nil && !wait {
			break
		}
		if _, e := pluginsdk.WaitUntil(settling, func(*tree.Reader) bool { return look() || err == nil && !wait }); e == nil || err == nil {
			break
		}
	}
	return shown, wrong, err
}

// fits reports whether a cell may show this when that was written into it.
// Numbers and dates are shown in the cell's format, formulas as their results.
func fits(written, shown string) bool {
	switch {
	case strings.HasPrefix(written, "="):
		return shown != "" && shown[0] != '='
	case written == shown, written != "" && written[0] == '\'' && written[1:] == shown:
		return true
	}
	if !numeric(written) || !numeric(shown) {
		return numeric(written) && strings.HasPrefix(shown, "#") // the column is too narrow
	}
	w, _, plain := amount(written)
	s, decimals, shownPlain := amount(shown)
	if !plain || !shownPlain {
		return true // a date or a time, in whatever order
	}
	slack := math.Pow(10, -float64(decimals))*0.51 + math.Abs(w)*1e-9
	return math.Abs(w-s) <= slack || strings.HasSuffix(shown, "%") && math.Abs(w*100-s) <= slack
}

// misplaced reports whether a cell that was to stay shows what was written into
// another. It may well show something new, if it is a formula.
func misplaced(rows [][]value, before, shown string) bool {
	return shown != before && slices.ContainsFunc(rows, func(row []value) bool {
		return slices.ContainsFunc(row, func(v value) bool { return v.typed() && v.text == shown })
	})
}

// amount reads a number as it is written or shown: with a currency, with commas
// between thousands, in percent. decimals is how many places follow the point.
func amount(s string) (v float64, decimals int, ok bool) {
	s = strings.NewReplacer(",", "", " ", "", "\u00a0", "", "\u202f", "").Replace(strings.TrimRight(strings.TrimLeft(s, "€$£¥ "), "%€$£¥ "))
	if at := strings.IndexByte(s, '.'); at >= 0 {
		decimals = len(s) - at - 1
	}
	if strings.ContainsAny(s, "eE") {
		decimals = 0
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, decimals, err == nil
}

// numeric reports whether a text begins as a number, an amount, a date or a time
// does, and holds no words.
func numeric(s string) bool {
	s = strings.TrimLeft(s, "+-.,(€$£¥ ")
	return s != "" && s[0] >= '0' && s[0] <= '9' && !strings.ContainsAny(s, "\"'“”‘’")
}

// isError reports whether a formula's result is an error.
func isError(shown string) bool {
	return strings.HasPrefix(shown, "Err:") || len(shown) > 2 && shown[0] == '#' && shown[1] >= 'A' && shown[1] <= 'Z'
}

// writeOne opens a cell, puts the text into it by accessibility, and ends the
// editing by the keyboard. A key that is taken back tells the application that
// there is something to keep; at the start of the text nothing is corrected.
func (b *book) writeOne(a area, text string) error {
	if err := b.move(a); err != nil {
		return err
	}
	if !b.arrived(a) {
		return pluginsdk.Refuse(hostabi.CodeUnavailable, "the application did not go to "+a.name()+"; cells before it are written")
	}
	keys := []string{"Delete", "Down"}
	if text != "" {
		if err := edit(text); err != nil {
			return err
		}
		keys = []string{"x", "BackSpace", "Home", "Return"}
	}
	if err := pluginsdk.Keys(keys...); err != nil {
		return err
	}
	if !b.arrived(area{min(a.row+1, maxRow-1), a.column, 1, 1}) {
		return pluginsdk.Refuse(hostabi.CodeTimeout, "the application has not taken "+a.name()+" in time; read the cells before you write again")
	}
	return nil
}

// edit opens the current cell and puts a text into it.
func edit(text string) error {
	if err := pluginsdk.Keys("F2"); err != nil {
		return err
	}
	var e tree.Cursor
	_, err := pluginsdk.WaitUntil(editing, func(r *tree.Reader) bool {
		if _, now := open(r); now != nil {
			e = now.editor
		}
		return e.Valid()
	})
	if err == nil {
		err = pluginsdk.SetText(e.ID(), text)
	}
	if err != nil {
		_ = pluginsdk.Keys("Escape") // best effort: the refusal that follows says the rest
	}
	return err
}
