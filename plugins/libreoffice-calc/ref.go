package main

import (
	"strconv"
	"strings"

	"oriel.dev/oriel/pluginsdk"
)

// The size of a sheet.
const (
	maxRow    = 1 << 20
	maxColumn = 1 << 14
)

// area is a rectangle of cells, counted from 0.
type area struct{ row, column, rows, columns int64 }

// name is what the application calls the area: "B2" or "B2:C4".
func (a area) name() string {
	first := cellName(a.row, a.column)
	if a.rows == 1 && a.columns == 1 {
		return first
	}
	return first + ":" + cellName(a.row+a.rows-1, a.column+a.columns-1)
}

func cellName(row, column int64) string { return columnName(column) + strconv.FormatInt(row+1, 10) }

// columnName is a column's letters: A, B, … Z, AA, ….
func columnName(n int64) string {
	name := ""
	for n++; n > 0; n = (n - 1) / 26 {
		name = string(rune('A'+(n-1)%26)) + name
	}
	return name
}

// parseArea reads a name such as "B2", "$B$2" or "b2:c4". It is strict: what the
// name box does not know it makes a new name of.
func parseArea(text string) (area, bool) {
	from, to, isRange := strings.Cut(strings.ReplaceAll(strings.TrimSpace(text), "$", ""), ":")
	row, column, ok := parseCell(from)
	if !ok {
		return area{}, false
	}
	a := area{row, column, 1, 1}
	if isRange {
		row2, column2, ok := parseCell(to)
		if !ok {
			return area{}, false
		}
		a = area{min(row, row2), min(column, column2), max(row, row2) - min(row, row2) + 1, max(column, column2) - min(column, column2) + 1}
	}
	return a, true
}

func parseCell(text string) (row, column int64, ok bool) {
	at := 0
	for ; at < len(text) && at < 4; at++ {
		c := text[at] | 0x20 // lower case
		if c < 'a' || c > 'z' {
			break
		}
		column = column*26 + int64(c-'a') + 1
	}
	digits := text[at:]
	if at == 0 || digits == "" || len(digits) > 7 || digits[0] == '0' {
		return 0, 0, false
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return 0, 0, false
		}
		row = row*10 + int64(digits[i]-'0')
	}
	return row - 1, column - 1, row <= maxRow && column <= maxColumn
}

// wantArea reads the argument with a name of cells, at most of so many cells.
func wantArea(field, text string, most int64) (area, error) {
	a, ok := parseArea(text)
	if !ok {
		return a, pluginsdk.Invalid(field, "must name a cell or a range, such as B2 or B2:D10")
	}
	if a.rows*a.columns > most {
		return a, pluginsdk.Invalid(field, "has more than "+strconv.FormatInt(most, 10)+" cells; take it in parts")
	}
	return a, nil
}
