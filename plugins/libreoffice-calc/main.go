// Libreoffice-calc is the adapter for the spreadsheets of LibreOffice: the cells
// in view as a table with the letters of the columns and the numbers of the rows,
// ranges read and written by their names, the sheets.
//
// A sheet claims to have 2³¹−1 children, so the adapter never asks for children
// of it, only for blocks of cells.
package main

import (
	"slices"
	"strings"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/plugins/generic/window"
	"oriel.dev/oriel/pluginsdk"
	"oriel.dev/oriel/tree"
)

var adapter = pluginsdk.Adapter{Translate: translate, Invoke: invoke}

func init() { pluginsdk.Register(adapter) }

func main() {}

// book is a window that shows a sheet of a spreadsheet.
type book struct {
	*window.Window
	sheet *window.List
	tabs  *window.Field // of the sheets, nil if they are hidden
	// box is the entry that tells the name of the current cell or range and
	// goes to another one; invalid if its tool bar is hidden.
	box tree.Cursor
	// editor is the text of the cell that is being edited, invalid if none is.
	editor tree.Cursor
}

// open reads a window; the book is nil if it shows no sheet, as a dialog or the
// preview of the print does.
func open(r *tree.Reader) (*window.Window, *book) {
	w := window.Read(r)
	b := &book{Window: w}
	for i := range w.Lists {
		l := &w.Lists[i]
		if t, ok := l.Node.Table(); ok && l.Node.Parent().Role() == tree.RoleDocument && t.Rows >= 1<<16 {
			b.sheet = l
			break
		}
	}
	if b.sheet == nil {
		return w, nil
	}
	for i := range w.Fields {
		if f := &w.Fields[i]; f.Tabs && f.Node.Bounds().Y > b.sheet.Node.Bounds().Y {
			b.tabs = f
		}
	}
	b.box = nameBox(r, b.sheet.Node)
	b.editor = editor(b.sheet.Node)
	return w, b
}

// nameBox finds the name box: of the entries on tool bars the one just above the
// sheet, at the left.
func nameBox(r *tree.Reader, sheet tree.Cursor) (box tree.Cursor) {
	for c := range r.All() {
		if c.Role() != tree.RoleEntry || c.Sensitive() || !c.Is(tree.StateShowing) || !c.Within(tree.RoleToolBar).Valid() || c.Bounds().Y >= sheet.Bounds().Y {
			continue
		}
		if !box.Valid() || c.Bounds().Y > box.Bounds().Y || c.Bounds().Y == box.Bounds().Y && c.Bounds().X < box.Bounds().X {
			box = c
		}
	}
	return box
}

// editor finds the text of the cell that is being edited, which stands beside
// the sheet.
func editor(sheet tree.Cursor) tree.Cursor {
	for c := range sheet.Parent().Children() {
		if c == sheet {
			continue
		}
		if p := c.Find(tree.RoleParagraph); p.Is(tree.StateEditable) {
			return p
		}
	}
	return tree.Cursor{}
}

// file is the document's name: the title without the program's name.
func (b *book) file() string {
	t := b.TitleText()
	if at := strings.LastIndex(t, "LibreOffice"); at > 0 {
		t = strings.TrimRight(t[:at], " -—–")
	}
	return t
}

// sheetName is the name of the sheet that is shown.
func (b *book) sheetName() string {
	if b.tabs != nil {
		if t := window.ScalarText(b.tabs.Value); t != "" {
			return t
		}
	}
	return strings.TrimPrefix(b.sheet.Label, "Sheet ")
}

// sheets are the names of all sheets.
func (b *book) sheets() []string {
	var out []string
	if b.tabs != nil {
		for i := range b.tabs.Options {
			out = append(out, b.tabs.Options[i].Label)
		}
	}
	return out
}

// rest is what is operated as in every window: the menus, the view. While a cell
// is edited there are the buttons that end it too.
func (b *book) rest() *window.Window {
	rest := *b.Window
	rest.Fields, rest.Lists, rest.Buttons = nil, nil, nil
	if b.editor.Valid() && b.box.Valid() {
		bar := b.box.Within(tree.RoleToolBar)
		for i := range b.Buttons {
			if p := &b.Buttons[i]; p.Node.Role() == tree.RoleButton && p.Node.Parent() == bar {
				rest.Buttons = append(rest.Buttons, *p)
			}
		}
	}
	return &rest
}

func translate(r *tree.Reader) (*hostabi.View, error) {
	w, b := open(r)
	if b == nil {
		return w.View(), nil
	}
	return &hostabi.View{Title: b.TitleText(), Summary: b.summary(), Blocks: b.blocks(), Actions: b.actions()}, nil
}

func invoke(c *pluginsdk.Call) (*hostabi.Outcome, error) {
	w, b := open(c.Window)
	if b == nil {
		return w.Invoke(c)
	}
	switch c.Action {
	case writeCells:
		return b.write(c.Args)
	case readCells:
		return b.read(c.Args)
	case loadUsed:
		return b.loadUsed(c)
	case goTo:
		return b.goTo(c.Args)
	case selectSheet:
		return b.selectSheet(c.Args)
	case save:
		return b.save()
	}
	return b.rest().Invoke(c)
}

// busy refuses what cannot be done while a cell is being edited, or without the
// name box.
func (b *book) busy() error {
	if why := b.whyBusy(); why != "" {
		return pluginsdk.Refuse(hostabi.CodeUnavailable, why)
	}
	return nil
}

func (b *book) whyBusy() string {
	switch {
	case b.editor.Valid():
		return "a cell is being edited; end that first by its buttons"
	case !b.box.Valid():
		return "the name box is not shown; switch on the formula bar in the menu View"
	}
	return ""
}

// without leaves actions out.
func without(actions []hostabi.Action, names ...string) []hostabi.Action {
	return slices.DeleteFunc(actions, func(a hostabi.Action) bool { return slices.Contains(names, a.Name) })
}
