package main

import (
	"errors"
	"strings"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/plugins/generic/window"
	"oriel.dev/oriel/pluginsdk"
	"oriel.dev/oriel/tree"
)

// The names of the actions that this adapter adds to those of package window.
const (
	writeCells  = "write_cells"
	readCells   = "read_cells"
	loadUsed    = "load_used_range"
	goTo        = "go_to"
	selectSheet = "select_sheet"
	save        = "save"
)

// maxName is the longest name of cells in characters.
const maxName = 40

const rowsSchema = `"type":"array","items":{"type":"array","items":{"type":["string","number","boolean","null"]}}`

func (b *book) actions() []hostabi.Action {
	object := func() *window.Schema { return new(window.Schema) }
	busy, open := b.whyBusy(), ""
	if b.editor.Valid() {
		open = busy
	}
	out := []hostabi.Action{
		{
			Name: writeCells, Title: "Write cells", Destructive: true, Idempotent: true, Unavailable: busy,
			Description: "Writes rows of values into cells of this sheet, as if typed: numbers and dates are recognised, “=” begins a formula, " +
				"“'” a text. null leaves a cell alone, an empty text clears it. Reads the cells back. At most 400 cells; it does not save.",
			Input: object().String("range", "The first cell, such as B2, or the whole range, such as B2:D3", true).
				Raw("rows", rowsSchema, "The rows, each as its cells from left to right", true).JSON(),
			Output: object().Int("written", "How many cells were written", true, 0).
				Raw("rows", rowsSchema, "What the cells show afterwards", true).JSON(),
			Patience: 4000,
		},
		{
			Name: readCells, Title: "Read cells", ReadOnly: true, Idempotent: true,
			Description: "Reads what the cells of a range of this sheet show, wherever it is; at most 2000 cells.",
			Input:       object().String("range", "Such as A1:C20", true).JSON(),
			Output:      object().String("range", "", true).Raw("rows", rowsSchema, "What the cells show; null for empty ones", true).JSON(),
		},
		{
			Name: goTo, Title: "Go to a cell", Idempotent: true, Unavailable: busy,
			Description: "Makes a cell or range of this sheet the current one and scrolls to it.",
			Input:       object().String("cell", "Such as B2 or B2:D10", true).JSON(),
		},
		{Name: save, Title: "Save", Idempotent: true, Destructive: true, Unavailable: open, Description: "Saves the document by Ctrl+S. For another format than LibreOffice's own, a question opens whether to keep it."},
	}
	if names := b.sheets(); len(names) > 1 {
		out = append(out, hostabi.Action{
			Name: selectSheet, Title: "Show another sheet", Idempotent: true, Unavailable: busy,
			Description: "Shows another sheet of the document.", Input: object().String("sheet", "Its name", true, names[:min(len(names), 60)]...).JSON(),
			Output: object().Raw("selected", `"type":["string","null"]`, "What is shown afterwards; null if that was not seen", true).JSON(),
		})
	}
	for _, a := range b.Actions() {
		if a.Name == window.LoadRows {
			out = append(out, hostabi.Action{
				Name: loadUsed, Title: "Load the used range", ReadOnly: true, Idempotent: true, Output: a.Output,
				Description: "Reads rows of the range of this sheet that is used, from column A on, in pages; at most 500 rows.",
				Input: object().Int("offset", "Number of the first row to load, from 0", false, 0).
					Int("limit", "Rows to load; 100 if absent", false, 1).JSON(),
			})
		}
	}
	return append(out, without(b.rest().Actions(), window.ReadText, window.ScrollTo)...)
}

// loadUsed is load_rows of the sheet.
func (b *book) loadUsed(c *pluginsdk.Call) (*hostabi.Outcome, error) {
	args := new(window.Object).Set("list", b.sheet.Label)
	for _, name := range [...]string{"offset", "limit"} {
		if v := c.Args.Get(name); v.Kind() == hostabi.KindNumber {
			args.Set(name, v.Scalar())
		}
	}
	return b.delegate(window.LoadRows, args)
}

// delegate has package window carry out an action of its own.
func (b *book) delegate(action string, args *window.Object) (*hostabi.Outcome, error) {
	v, err := hostabi.Parse(args.JSON())
	if err != nil {
		return nil, err
	}
	return b.Invoke(&pluginsdk.Call{Action: action, Args: v, Window: b.Tree})
}

func (b *book) selectSheet(args hostabi.Value) (*hostabi.Outcome, error) {
	if err := b.busy(); err != nil {
		return nil, err
	}
	if b.tabs == nil {
		return nil, pluginsdk.Refuse(hostabi.CodeUnavailable, "the document has one sheet, or its sheets' tabs are hidden")
	}
	out, err := b.delegate(window.Choose, new(window.Object).Set("from", b.tabs.Label).Set("item", args.Get("sheet").Str()))
	if f, ok := errors.AsType[*hostabi.Fault](err); ok && len(f.Fields) > 0 {
		return nil, pluginsdk.Invalid("sheet", f.Fields[0].Error)
	}
	return out, err
}

func (b *book) goTo(args hostabi.Value) (*hostabi.Outcome, error) {
	a, err := wantArea("cell", args.Get("cell").Str(), maxRow*maxColumn)
	if err == nil {
		err = b.busy()
	}
	if err != nil {
		return nil, err
	}
	already := b.current() == a.name() // perhaps scrolled away
	if err := b.move(a); err != nil {
		return nil, err
	}
	out := &hostabi.Outcome{Message: "Went to " + a.name() + "."}
	if !already && b.arrived(a) {
		out.Effect = hostabi.Confirmed
	}
	return out, nil
}

// move goes to cells by the name box. The name is written in small letters, unless
// the box has it already: the application writes it in capitals when it has gone
// there.
func (b *book) move(a area) error {
	activate := b.box.Action("activate")
	if activate < 0 {
		return pluginsdk.Refuse(hostabi.CodeUnsupported, "the name box takes no name")
	}
	now, err := pluginsdk.ReadText(b.box.ID(), 0, maxName)
	if err != nil {
		return err
	}
	if now != a.name() {
		if err := pluginsdk.SetText(b.box.ID(), strings.ToLower(a.name())); err != nil {
			return err
		}
	}
	return pluginsdk.DoAction(b.box.ID(), activate)
}

// arrived waits until the name box says that the cells are the current ones. At
// first it asks for that alone, since a look at the whole window takes long.
func (b *book) arrived(a area) bool {
	there := func() bool {
		now, err := pluginsdk.ReadText(b.box.ID(), 0, maxName)
		return err == nil && now == a.name()
	}
	for range quickReads {
		if there() {
			return true
		}
	}
	for range attempts {
		if _, err := pluginsdk.WaitUntil(arriving, func(*tree.Reader) bool { return there() }); err == nil {
			return true
		}
	}
	return false
}

// save presses Ctrl+S. Whether a question opens the host sees.
func (b *book) save() (*hostabi.Outcome, error) {
	if b.editor.Valid() {
		return nil, b.busy()
	}
	if err := pluginsdk.ActivateWindow(); err != nil {
		return nil, err
	}
	if err := pluginsdk.Keys("ctrl+s"); err != nil {
		return nil, err
	}
	return &hostabi.Outcome{Message: "Asked to save; if a question opens, answer it."}, nil
}
