package window

import (
	"slices"
	"strings"

	"oriel.dev/oriel/hostabi"
)

// The names of the actions.
const (
	SetField   = "set_field"
	Press      = "press"
	Choose     = "choose"
	Toggle     = "toggle"
	CheckItem  = "check_item"
	OpenItem   = "open_item"
	ReadMenu   = "read_menu"
	ChooseMenu = "choose_menu"
	ReadText   = "read_text"
	LoadRows   = "load_rows"
	ReadLive   = "read_live"
	ScrollTo   = "scroll_to"
	ScrollBy   = "scroll"
	TypeLine   = "type_line"
	Close      = "close"
)

// WindowText is what read_text calls everything that a window says outside of
// its fields.
const WindowText = "window"

// maxEnum is the most labels that a schema lists; with more of them the label
// is any text, checked when the action is carried out.
const maxEnum = 60

// maxDescription bounds what a description tells of the fields.
const maxDescription = 1500

// Actions are what an agent can do to the window. An action for which the
// window has nothing is not there; one that cannot be done now says why.
func (w *Window) Actions() []hostabi.Action {
	var out []hostabi.Action
	for _, action := range [...]func() (hostabi.Action, bool){
		w.setField, w.press, w.choose, w.toggle, w.checkItem, w.openItem, w.readMenu, w.chooseMenu,
		w.readText, w.loadRows, w.readLive, w.scrollTo, w.scroll, w.typeLine, w.close,
	} {
		if a, ok := action(); ok {
			out = append(out, a)
		}
	}
	return out
}

// enum is labels if there are few enough to list them.
func enum(labels []string) []string {
	if len(labels) > maxEnum {
		return nil
	}
	return labels
}

func (w *Window) setField() (hostabi.Action, bool) {
	var labels []string
	var b strings.Builder
	any := false
	for i := range w.Fields {
		f := &w.Fields[i]
		if f.Kind == Shown {
			continue
		}
		any = true
		if !f.Enabled {
			continue
		}
		labels = append(labels, f.Label)
		describe(&b, f)
	}
	if !any {
		return hostabi.Action{}, false
	}
	a := hostabi.Action{
		Name: SetField, Title: "Set a field", Idempotent: true,
		Description: "Sets a field of this window to a value, replacing what is in it. Fields: " + b.String() + ".",
		Input: new(Schema).String("field", "Label of the field", true, enum(labels)...).
			Raw("value", `"type":["string","boolean","number"]`, "The new value: text, true or false, a number, or the label of a choice", true).JSON(),
		Output: new(Schema).Raw("value", `"type":["string","boolean","number","null"]`, "What the field shows afterwards; null if it is secret", true).JSON(),
	}
	if len(labels) == 0 {
		a.Description = "Sets a field of this window to a value."
		a.Unavailable = "every field of this window is read-only or disabled now"
	}
	return a, true
}

// describe tells a field's label and what it takes.
func describe(b *strings.Builder, f *Field) {
	if b.Len() > maxDescription {
		if !strings.HasSuffix(b.String(), "…") {
			b.WriteString("; …")
		}
		return
	}
	if b.Len() > 0 {
		b.WriteString("; ")
	}
	b.WriteString(f.Label)
	b.WriteString(" (")
	b.WriteString(f.takes())
	if f.Required {
		b.WriteString(", required")
	}
	b.WriteByte(')')
}

// takes says in words what values a field takes.
func (f *Field) takes() string {
	switch f.Kind {
	case Check:
		return "true or false"
	case Number:
		if f.Max > f.Min {
			return "number from " + ftoa(f.Min) + " to " + ftoa(f.Max)
		}
		return "number"
	case Choice:
		if len(f.Options) == 0 {
			return "choice"
		}
		return "one of " + optionList(f.Options)
	case Area:
		return "text of several lines"
	}
	switch {
	case f.Sensitive:
		return "secret text"
	case len(f.Options) > 0:
		return "text, suggestions " + optionList(f.Options)
	}
	return "text"
}

// optionList lists choices, the first dozen.
func optionList(options []Option) string {
	var b strings.Builder
	for i, o := range options {
		if i == 12 {
			b.WriteString(", …")
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(o.Label)
	}
	return b.String()
}

func (w *Window) press() (hostabi.Action, bool) {
	var labels, disabled []string
	for i := range w.Buttons {
		if b := &w.Buttons[i]; b.Enabled {
			labels = append(labels, b.Label)
		} else if !b.Menu && !strings.HasPrefix(b.Label, unnamed) {
			disabled = append(disabled, b.Label)
		}
	}
	if len(w.Buttons) == 0 {
		return hostabi.Action{}, false
	}
	a := hostabi.Action{
		Name: Press, Title: "Press a button", Destructive: true, OpenWorld: true,
		Description: "Presses a button, link or menu item of this window. What it does is the application's affair.",
		Input:       new(Schema).String("button", "Label of the button", true, enum(labels)...).JSON(),
	}
	if len(labels) > maxEnum {
		a.Description += " Buttons: " + Cut(strings.Join(labels, "; "), maxDescription) + "."
	}
	if len(disabled) > 0 {
		a.Description += " Disabled now: " + Cut(strings.Join(disabled, "; "), maxDescription/3) + "."
	}
	if len(labels) == 0 {
		a.Unavailable = "every button of this window is disabled now"
	}
	return a, true
}

// choices are the labels from which something can be chosen.
func (w *Window) choices() []string {
	var labels []string
	for i := range w.Fields {
		if f := &w.Fields[i]; f.Enabled && (f.Kind == Choice || f.Kind == Line && len(f.Options) > 0) {
			labels = append(labels, f.Label)
		}
	}
	for i := range w.Lists {
		if l := &w.Lists[i]; l.Selectable {
			labels = append(labels, l.Label)
		}
	}
	return labels
}

func (w *Window) choose() (hostabi.Action, bool) {
	labels := w.choices()
	if len(labels) == 0 {
		return hostabi.Action{}, false
	}
	return hostabi.Action{
		Name: Choose, Title: "Choose an item", Idempotent: true,
		Description: "Chooses an item from a choice, tab strip, list or table. A row is named by its first words, or by its number as #1, #2, ….",
		Input: new(Schema).String("from", "Label of the field, list or table", true, enum(labels)...).
			String("item", "The item as it is shown, or #number of the row", true).JSON(),
		Output: new(Schema).Raw("selected", `"type":["string","null"]`, "What is selected afterwards; null if that was not seen", true).JSON(),
	}, true
}

func (w *Window) toggle() (hostabi.Action, bool) {
	var labels []string
	for i := range w.Fields {
		if f := &w.Fields[i]; f.Kind == Check && f.Enabled {
			labels = append(labels, f.Label)
		}
	}
	if len(labels) == 0 {
		return hostabi.Action{}, false
	}
	return hostabi.Action{
		Name: Toggle, Title: "Toggle a field", Description: "Turns a check box, switch or toggle button to its other state.",
		Input:  new(Schema).String("field", "Label of the field", true, enum(labels)...).JSON(),
		Output: new(Schema).Raw("value", `"type":["string","boolean","null"]`, "The state afterwards", true).JSON(),
	}, true
}

// listsThat are the labels of the lists with a property.
func (w *Window) listsThat(has func(*List) bool) []string {
	var labels []string
	for i := range w.Lists {
		if has(&w.Lists[i]) {
			labels = append(labels, w.Lists[i].Label)
		}
	}
	return labels
}

func (w *Window) checkItem() (hostabi.Action, bool) {
	labels := w.listsThat(func(l *List) bool { return l.Checkable })
	if len(labels) == 0 {
		return hostabi.Action{}, false
	}
	return hostabi.Action{
		Name: CheckItem, Title: "Tick a row", Idempotent: true,
		Description: "Ticks the box of a row in a list, or takes the tick away.",
		Input: new(Schema).String("list", "Label of the list or table", true, enum(labels)...).
			String("item", "The row's first words, or #number", true).Bool("checked", "true to tick it", true).JSON(),
	}, true
}

func (w *Window) openItem() (hostabi.Action, bool) {
	labels := w.listsThat(func(l *List) bool { return l.Openable })
	if len(labels) == 0 {
		return hostabi.Action{}, false
	}
	return hostabi.Action{
		Name: OpenItem, Title: "Open a row", OpenWorld: true,
		Description: "Opens a row of a list or table, as a double click does.",
		Input: new(Schema).String("list", "Label of the list or table", true, enum(labels)...).
			String("item", "The row's first words, or #number", true).JSON(),
	}, true
}

func (w *Window) menuLabels() []string {
	var labels []string
	for i := range w.Menus {
		if w.Menus[i].Enabled {
			labels = append(labels, w.Menus[i].Label)
		}
	}
	return labels
}

func (w *Window) readMenu() (hostabi.Action, bool) {
	labels := w.menuLabels()
	if len(labels) == 0 {
		return hostabi.Action{}, false
	}
	return hostabi.Action{
		Name: ReadMenu, Title: "Read a menu", ReadOnly: true, Idempotent: true,
		Description: "Lists the items of a menu of the menu bar without opening it: their names, which are on, which are unavailable, which hold a submenu (ending in “ >”).",
		Input:       new(Schema).String("menu", "The menu", true, enum(labels)...).JSON(),
		Output:      new(Schema).Raw("items", `"type":"array","items":{"type":"string"}`, "", true).JSON(),
	}, true
}

func (w *Window) chooseMenu() (hostabi.Action, bool) {
	labels := w.menuLabels()
	if len(labels) == 0 {
		return hostabi.Action{}, false
	}
	return hostabi.Action{
		Name: ChooseMenu, Title: "Choose from a menu", Destructive: true, OpenWorld: true,
		Description: "Chooses an item of a menu of the menu bar. read_menu lists the items.",
		Input: new(Schema).String("menu", "The menu", true, enum(labels)...).
			String("item", "The item; one of a submenu as “Submenu > Item”", true).JSON(),
	}, true
}

func (w *Window) readText() (hostabi.Action, bool) {
	var labels []string
	for i := range w.Fields {
		if f := &w.Fields[i]; f.reads() {
			labels = append(labels, f.Label)
		}
	}
	if len([]rune(w.staticText())) > maxStatic || len(w.readOnlyBlocks()) > 0 {
		labels = append(labels, WindowText)
	}
	if len(labels) == 0 {
		return hostabi.Action{}, false
	}
	return hostabi.Action{
		Name: ReadText, Title: "Read a text", ReadOnly: true, Idempotent: true,
		Description: "Reads a part of a long text: the characters from offset on.",
		Input: new(Schema).String("of", "Which text", true, enum(labels)...).
			Int("offset", "First character, from 0", false, 0).Int("length", "Number of characters, at most 20000; 4000 if absent", false, 1).JSON(),
		Output: TextResult(),
	}, true
}

func (w *Window) loadRows() (hostabi.Action, bool) {
	labels := w.listsThat((*List).loads)
	if len(labels) == 0 {
		return hostabi.Action{}, false
	}
	a := hostabi.Action{
		Name: LoadRows, Title: "Load rows", ReadOnly: true, Idempotent: true,
		Description: "Loads rows of a long list or table from offset on, without the window's content changing. It may give fewer than limit; go on from there.",
		Input: new(Schema).String("list", "Label of the list or table", true, enum(labels)...).
			Int("offset", "Number of the first row, from 0", false, 0).Int("limit", "How many rows, at most 500; 100 if absent", false, 1).JSON(),
		Output: new(Schema).Raw("rows", `"type":"array","items":{"type":"array"}`, "Each with a cell for each column", true).
			Raw("columns", `"type":"array","items":{"type":"string"}`, "Empty for a list", true).
			Int("offset", "Number of the first row in rows", true, 0).Int("total", "Rows there are, or are known if more is true", true, 0).
			Bool("more", "Whether there are rows beyond total", true).JSON(),
	}
	if slices.ContainsFunc(w.Lists, func(l List) bool { return l.More }) {
		a.ReadOnly = false
		a.Description += " A list that tells only of the rows in view is scrolled to them and back."
	}
	return a, true
}

func (w *Window) readLive() (hostabi.Action, bool) {
	if len(w.Live) == 0 {
		return hostabi.Action{}, false
	}
	return hostabi.Action{
		Name: ReadLive, Title: "Read what changes by itself", ReadOnly: true,
		Description: "Reads the values that change by themselves, such as clocks and progress, which the content only marks.",
		Output:      new(Schema).Raw("values", `"type":"array","items":{"type":"string"}`, "Each as “label: value”", true).JSON(),
	}, true
}

func (w *Window) scrollTo() (hostabi.Action, bool) {
	if !w.Scrolls {
		return hostabi.Action{}, false
	}
	return hostabi.Action{
		Name: ScrollTo, Title: "Scroll into view", Idempotent: true,
		Description: "Scrolls a field, button or row into view.",
		Input:       new(Schema).String("item", "Label of the field or button, or the row's first words", true).JSON(),
	}, true
}

func (w *Window) scroll() (hostabi.Action, bool) {
	if !w.Scrolls {
		return hostabi.Action{}, false
	}
	return hostabi.Action{
		Name: ScrollBy, Title: "Scroll", Description: "Scrolls the window's largest part with the mouse wheel.",
		Input: new(Schema).String("direction", "", true, "down", "up", "left", "right").
			Int("notches", "Wheel notches, at most 50; 5 if absent", false, 1).JSON(),
	}, true
}

func (w *Window) typeLine() (hostabi.Action, bool) {
	if !w.terminal.Valid() {
		return hostabi.Action{}, false
	}
	return hostabi.Action{
		Name: TypeLine, Title: "Type a line", Destructive: true, OpenWorld: true,
		Description: "Types a line into the terminal of this window, after what stands at its prompt. With enter the terminal's program takes it, which may do anything that its user may.",
		Input: new(Schema).String("text", "One line of text; may be empty to press only Return", true).
			Bool("enter", "Whether to press Return after it", true).JSON(),
	}, true
}

func (w *Window) close() (hostabi.Action, bool) {
	return CloseAction(), true
}

// CloseAction closes the window.
func CloseAction() hostabi.Action {
	return hostabi.Action{
		Name: Close, Title: "Close the window", Destructive: true,
		Description: "Closes the window. The application may ask first whether to save.",
	}
}
