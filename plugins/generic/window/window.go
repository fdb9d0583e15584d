package window

import (
	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/tree"
)

// Window is one observation of a window in words for an agent.
type Window struct {
	tree.Window
	Tree *tree.Reader
	// Fields are in reading order. Their labels are unique.
	Fields []Field
	// Buttons are what can be pressed: buttons, links, toggle buttons and the
	// items of open menus. Their labels are unique.
	Buttons []Button
	// Menus are the entries of the menu bar.
	Menus []Button
	// Lists are lists, trees and tables. Their labels are unique.
	Lists []List
	// Texts are what the window says outside of fields, buttons and lists.
	Texts   []Text
	Status  []string // of the status bar
	Notices []Notice
	Live    []Live
	// Page is the web page that the window shows, invalid if none.
	Page tree.Cursor
	// Scrolls is set if a part of the window scrolls; ScrollX, ScrollY is a
	// point in the largest one.
	Scrolls          bool
	ScrollX, ScrollY int32

	bars     []tree.Cursor // scroll bars that scroll
	terminal tree.Cursor   // the first terminal, invalid if there is none
}

// Kind is a kind of [Field].
type Kind uint8

// The kinds.
const (
	Line   Kind = iota + 1 // one line of text
	Area                   // text of several lines
	Check                  // true or false
	Choice                 // one of Options
	Number                 // between Min and Max
	Shown                  // has a value that cannot be set
)

// Field is an element that holds a value.
type Field struct {
	Label string
	Kind  Kind
	// Node takes the value. Around is the element that a person sees as the
	// field: the combo box around its entry, else Node itself.
	Node, Around tree.Cursor
	Value        hostabi.Scalar
	// Options are the choices of a Choice, or the suggestions of a Line, as
	// far as the application tells them before it is opened.
	Options []Option
	// Enabled fields can be set.
	Enabled   bool
	Sensitive bool
	Required  bool
	// Problem is what the application says against the value, "" if nothing.
	Problem  string
	Min, Max float64
	// Document marks the Area that the window is about.
	Document bool
	// Tabs marks the Choice of a strip of tabs, Radio that of radio buttons.
	Tabs, Radio bool

	group    string // the named group or the row that it stands in
	fallback string // its label if nothing else names it
	live     string // what it shows that changes by itself
	utf16    bool   // its text is counted in UTF-16 units
}

// Option is one choice of a field.
type Option struct {
	Label    string
	Node     tree.Cursor
	Selected bool
	Enabled  bool
}

// Button is an element that can be pressed.
type Button struct {
	Label   string
	Node    tree.Cursor
	Enabled bool
	// Menu is set for an item of an open menu, Link for a link.
	Menu, Link bool
	// Checkable items and toggle buttons are on or off.
	Checkable, On bool
	around        string // the row or group that it stands in
}

// Text is a piece of text that the window shows.
type Text struct {
	Text    string
	Heading bool
	Node    tree.Cursor
	// ReadOnly marks a text area that cannot be edited; Label is then its label.
	ReadOnly bool
	Label    string
}

// Notice is something that the window draws attention to.
type Notice struct {
	Key      string
	Severity hostabi.Severity
	Text     string
}

// Live is a value that changes by itself.
type Live struct{ Label, Value string }

// Read reads an observation.
func Read(r *tree.Reader) *Window {
	w := &Window{Window: r.Window(), Tree: r}
	s := scanner{w: w, labels: make([]label, 0, min(r.Len()/4, maxTexts))}
	if root := r.Root(); root.Valid() {
		if isContent(root.Role()) {
			s.walk(root)
		} else {
			s.children(root)
		}
	}
	s.finish()
	return w
}

// isContent reports whether a window that has the role is itself what it shows,
// with nothing around it.
func isContent(role tree.Role) bool {
	switch role {
	case tree.RoleList, tree.RoleListBox, tree.RoleTable, tree.RoleTreeTable, tree.RoleTree, tree.RoleDescriptionList,
		tree.RoleTextArea, tree.RoleEntry, tree.RolePassword, tree.RoleTerminal, tree.RoleDocument,
		tree.RoleSpinButton, tree.RoleSlider, tree.RoleProgressBar, tree.RoleCalendar, tree.RoleComboBox, tree.RoleCheckBox,
		tree.RoleTabList, tree.RoleMenuBar:
		return true
	}
	return false
}

// Field returns the field that an agent's word means, or nil.
func (w *Window) Field(word string) *Field {
	for i := range w.Fields {
		if w.Fields[i].Label == word {
			return &w.Fields[i]
		}
	}
	for i := range w.Fields {
		if SameLabel(word, w.Fields[i].Label) {
			return &w.Fields[i]
		}
	}
	return nil
}

// Button returns the button that an agent's word means, or nil.
func (w *Window) Button(word string) *Button {
	for i := range w.Buttons {
		if w.Buttons[i].Label == word {
			return &w.Buttons[i]
		}
	}
	for i := range w.Buttons {
		if SameLabel(word, w.Buttons[i].Label) {
			return &w.Buttons[i]
		}
	}
	return nil
}

// List returns the list that an agent's word means, or nil.
func (w *Window) List(word string) *List {
	for i := range w.Lists {
		if w.Lists[i].Label == word {
			return &w.Lists[i]
		}
	}
	for i := range w.Lists {
		if SameLabel(word, w.Lists[i].Label) {
			return &w.Lists[i]
		}
	}
	return nil
}

// Document returns the text area that the window is about, or nil.
func (w *Window) Document() *Field {
	for i := range w.Fields {
		if w.Fields[i].Document {
			return &w.Fields[i]
		}
	}
	return nil
}

// Accessible reports whether the application tells anything of the window.
func (w *Window) Accessible() bool { return w.Tree.Len() > 0 }

// Dialog reports whether the window asks something of its user.
func (w *Window) Dialog() bool {
	switch w.Tree.Root().Role() {
	case tree.RoleDialog, tree.RoleAlert, tree.RoleFileChooser, tree.RoleColorChooser:
		return true
	}
	return w.Modal || w.Role == "dialog"
}
