package main

import (
	"strconv"
	"strings"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/plugins/generic/window"
	"oriel.dev/oriel/tree"
)

// maxShown is the most rows of the cells in view that a view shows.
const maxShown = 60

// current is the name of the current cell or range, "" if it is not known.
func (b *book) current() string {
	if !b.box.Valid() {
		return ""
	}
	return window.Cut(window.Clean(b.box.Text()), 60)
}

// cellText is what the cell with the name shows, if it is in view and not empty.
func (b *book) cellText(name string) string {
	for c := range b.sheet.Node.Children() {
		if c.Role() == tree.RoleTableCell && c.Name() == name && !c.Sensitive() {
			return window.Cut(window.Clean(c.Text()), 1000)
		}
	}
	return ""
}

func (b *book) summary() string {
	s := "Sheet “" + window.Cut(b.sheetName(), 60) + "” of “" + window.Cut(b.file(), 80) + "”: "
	if len(b.sheet.Rows) == 0 {
		s += "nothing in view"
	} else {
		s += "rows to " + strconv.FormatInt(b.sheet.Total, 10) + " are used"
	}
	if n := len(b.sheets()); n > 1 {
		s += "; " + strconv.Itoa(n) + " sheets"
	}
	if c := b.current(); c != "" {
		s += "; at " + c
	}
	if b.editor.Valid() {
		s += "; a cell is being edited"
	}
	return s + "."
}

func (b *book) blocks() []hostabi.Block {
	out := b.NoticeBlocks()
	about := []hostabi.Field{{Label: "Document", Value: b.file()}, {Label: "Sheet", Value: b.sheetName()}}
	if c := b.current(); c != "" {
		about = append(about, hostabi.Field{Label: "Cell", Value: c})
		if t := b.cellText(c); t != "" {
			about = append(about, hostabi.Field{Label: "Content", Value: t})
		}
	}
	if b.editor.Valid() {
		about = append(about, hostabi.Field{Label: "Being edited", Value: b.edited()})
	}
	if s := window.Cut(strings.Join(b.Status, " · "), 500); s != "" {
		about = append(about, hostabi.Field{Label: "Status", Value: s})
	}
	out = append(out, hostabi.Block{Key: "about", Type: hostabi.Fields, Items: about})
	if names := b.sheets(); len(names) > 1 {
		sheets := hostabi.Block{Key: "sheets", Type: hostabi.List}
		for _, n := range names {
			sheets.List = append(sheets.List, n)
		}
		out = append(out, sheets)
	}
	return append(out, b.table())
}

// edited is the text in the cell that is being edited.
func (b *book) edited() string {
	if b.editor.Sensitive() {
		return ""
	}
	t := b.editor.Text()
	if t == "" {
		t = b.editor.Name()
	}
	return window.Cut(window.Clean(t), 1000)
}

// table is the cells in view, with the rows' numbers and without the columns in
// which nothing stands.
func (b *book) table() hostabi.Block {
	rows := b.sheet.Rows[:min(len(b.sheet.Rows), maxShown)]
	if len(rows) == 0 || len(b.sheet.Columns) == 0 {
		return hostabi.Block{Key: "cells", Type: hostabi.Text, Text: "No cell in view holds anything."}
	}
	t := hostabi.Block{Key: "cells", Type: hostabi.Table, Columns: append([]string{"Row"}, b.sheet.Columns...)}
	for i := range rows {
		t.Rows = append(t.Rows, append([]hostabi.Scalar{rows[i].Number + 1}, rows[i].Cells...))
	}
	if first, total := rows[0].Number, b.sheet.Total; first > 0 || first+int64(len(rows)) < total {
		t.Truncated, t.Offset, t.Total = true, first, max(total, first+int64(len(rows)))
	}
	return t
}
