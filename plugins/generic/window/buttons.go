package window

import (
	"slices"
	"strings"

	"oriel.dev/oriel/tree"
)

// pressing are the names of the actions that do what a click does, best first.
// Toolkits write them in lower case or with a capital.
var pressing = [...]string{"click", "press", "activate", "jump", "open", "toggle", "check", "uncheck", "select", "dodefault", "showmenu"}

// clickable returns the number of the action that does what a click does, or
// -1. Where no name is known, as in other languages, it is the first action of
// an element that is there to be pressed.
func clickable(c tree.Cursor) int {
	best, number := len(pressing), -1
	for i, a := range c.Actions() {
		for rank, n := range pressing[:best] {
			if strings.EqualFold(a.Name, n) {
				best, number = rank, i
				break
			}
		}
		if number < 0 && i == 0 && (a.Name == "" || pressable(c.Role())) {
			number = 0
		}
	}
	return number
}

func pressable(r tree.Role) bool {
	switch r {
	case tree.RoleButton, tree.RoleToggleButton, tree.RoleCheckBox, tree.RoleSwitch, tree.RoleRadioButton, tree.RoleLink,
		tree.RoleMenu, tree.RoleMenuItem, tree.RoleCheckMenuItem, tree.RoleRadioMenuItem, tree.RoleTab, tree.RoleComboBox:
		return true
	}
	return false
}

// hasAction reports whether an element has the action, in either writing.
func hasAction(c tree.Cursor, name string) bool {
	for _, a := range c.Actions() {
		if strings.EqualFold(a.Name, name) {
			return true
		}
	}
	return false
}

// button takes note of a button, and reports false: what is on it is no element
// of its own, but a menu that hangs on it is, and a button inside is what takes
// the press.
func (s *scanner) button(c tree.Cursor, role tree.Role) bool {
	s.addPressable(c, role)
	for child := range c.Children() {
		if opens(child) {
			s.walk(child)
		}
	}
	return false
}

// opens reports whether an element begins a popup.
func opens(c tree.Cursor) bool { return c.Surface() != c.Parent().Surface() }

// innerButton is the button inside of c that takes the press, else c.
func innerButton(c tree.Cursor) tree.Cursor {
	for child := range c.Children() {
		if opens(child) {
			continue
		}
		if role := child.Role(); role == tree.RoleButton || role == tree.RoleToggleButton {
			return innerButton(child)
		}
		if inner := innerButton(child); inner != child {
			return inner
		}
	}
	return c
}

func (s *scanner) addPressable(c tree.Cursor, role tree.Role) {
	if role == tree.RoleIcon && clickable(c) < 0 {
		return
	}
	inner := innerButton(c)
	label := s.buttonLabel(c, inner)
	if isChrome(label, c) {
		return
	}
	if label == "" && role == tree.RoleIcon {
		return
	}
	b := Button{Label: label, Node: inner, Link: role == tree.RoleLink}
	if role == tree.RoleToggleButton || inner.Role() == tree.RoleToggleButton {
		b.Checkable, b.On = true, onOff(inner) == true
	}
	switch {
	case isSwitch(c, role):
		s.check(c)
		return
	case role == tree.RoleToggleButton && pathBar(c):
		s.radio(c)
		return
	}
	if b.Checkable && label == menuName && role == tree.RoleToggleButton && s.w.Toolkit != "chromium" {
		b.Checkable, b.Label = false, label
		s.addButton(b)
		return
	}
	if b.Checkable && label != "" && !c.Is(tree.StateHasPopup) {
		s.add(Field{Label: label, Kind: Check, Node: inner, Around: c, Value: onOff(inner), Enabled: inner.Is(tree.StateEnabled)})
	}
	if label == "" {
		b.Label = unnamed
	}
	s.addButton(b)
}

// unnamed is the label of a button that nothing names.
const unnamed = "Unnamed button"

// menuName is what GTK calls a button that only opens a menu.
const menuName = "Menu"

// keypad is how many keys make one.
const keypad = 8

// keys takes from the fields the toggle buttons that are keys, as those of a
// calculator: many outside of a tool bar, and none of them on. They are pressed.
func (s *scanner) keys() {
	isKey := func(f *Field) bool {
		return f.Kind == Check && f.Around.Role() == tree.RoleToggleButton && !f.Around.Within(tree.RoleToolBar).Valid()
	}
	n := 0
	for i := range s.w.Fields {
		if f := &s.w.Fields[i]; isKey(f) {
			if f.Value == true {
				return
			}
			n++
		}
	}
	if n < keypad {
		return
	}
	s.w.Fields = slices.DeleteFunc(s.w.Fields, func(f Field) bool { return isKey(&f) })
	for i := range s.w.Buttons {
		if b := &s.w.Buttons[i]; b.Node.Role() == tree.RoleToggleButton {
			b.Checkable = false
		}
	}
}

// menuButtons calls each of several buttons that only open a menu after the
// button that it hangs on.
func (s *scanner) menuButtons() {
	for i := range s.w.Buttons {
		b := &s.w.Buttons[i]
		if b.Label != menuName || b.around != "" {
			continue
		}
		at, best := b.Node.Bounds(), int32(8) // pixels between them
		for j := range s.w.Buttons {
			o := s.w.Buttons[j].Node.Bounds()
			if gap := at.X - o.X - o.W; s.w.Buttons[j].Label != menuName && sameRow(at, o) && gap > -4 && gap < best {
				b.around, best = s.w.Buttons[j].Label, gap
			}
		}
	}
}

// isSwitch recognises GTK3's switch, a toggle button that only toggles.
func isSwitch(c tree.Cursor, role tree.Role) bool {
	return role == tree.RoleToggleButton && c.Name() == "" && hasAction(c, "toggle") && !hasAction(c, "click")
}

func (s *scanner) addButton(b Button) {
	b.Enabled = b.Node.Is(tree.StateEnabled)
	b.around = s.row
	if b.around == "" {
		b.around = s.group
	}
	s.w.Buttons = append(s.w.Buttons, b)
}

// buttonLabel finds what a person calls a button: its name, the words on it,
// what it is labelled by, its tooltip, its picture.
func (s *scanner) buttonLabel(c, inner tree.Cursor) string {
	outer, within := buttonName(c), buttonName(inner)
	switch {
	case outer != "" && within != "" && outer != within:
		return outer + " (" + within + ")" // a menu button and what it shows
	case outer != "" || within != "":
		return outer + strings.TrimPrefix(within, outer)
	}
	if t := Label(s.wordsBelow(c)); t != "" {
		return t
	}
	if t := s.name(c.Related(tree.LabelledBy)); t != "" {
		return t
	}
	for _, b := range [...]tree.Cursor{c, inner} {
		if t := Label(b.Description()); t != "" {
			return t
		}
	}
	for d := range c.Descendants() {
		if d.Role() == tree.RoleImage || d.Role() == tree.RoleIcon {
			if t := s.name(d); t != "" {
				return t
			}
		}
	}
	return ""
}

// buttonName is the name of a button unless it is that of its icon's file.
func buttonName(c tree.Cursor) string {
	n := Label(c.Name())
	if strings.HasSuffix(n, "-symbolic") && strings.IndexByte(n, ' ') < 0 {
		return ""
	}
	return n
}

// isChrome reports whether a button belongs to the window's frame, which an
// application with its own title bar draws itself: the bridge closes windows.
func isChrome(label string, c tree.Cursor) bool {
	switch label {
	case "Minimize", "Maximize", "Restore":
		return true
	case "Close":
		for sibling := range c.Parent().Children() {
			if sibling.Name() == "Minimize" || sibling.Name() == "Maximize" {
				return true
			}
		}
		return strings.HasPrefix(c.Description(), "Close the window")
	}
	return false
}

// menuItem takes note of an item of an open menu.
func (s *scanner) menuItem(c tree.Cursor, role tree.Role) bool {
	if opens(c) {
		return true // the menu itself
	}
	label := s.name(c)
	if label == "" {
		label = Label(s.wordsBelow(c))
	}
	if label == "" {
		return true
	}
	b := Button{Label: label, Node: c, Menu: true}
	if role == tree.RoleCheckMenuItem || role == tree.RoleRadioMenuItem || c.Is(tree.StateCheckable) {
		b.Checkable, b.On = true, c.Is(tree.StateChecked)
	}
	s.addButton(b)
	return role == tree.RoleMenu
}

// menuBar takes note of the entries of a menu bar, and of the items of the one
// that is open.
func (s *scanner) menuBar(c tree.Cursor) {
	for entry := range c.Children() {
		if !s.visible(entry) {
			continue
		}
		if n := s.name(entry); n != "" {
			s.w.Menus = append(s.w.Menus, Button{Label: n, Node: entry, Enabled: entry.Is(tree.StateEnabled)})
		}
		for item := range entry.Descendants() {
			switch item.Role() {
			case tree.RoleMenu, tree.RoleMenuItem, tree.RoleCheckMenuItem, tree.RoleRadioMenuItem:
				if s.visible(item) {
					s.menuItem(item, item.Role())
				}
			}
		}
	}
}

// Clickable reports whether an element offers to be clicked.
func Clickable(c tree.Cursor) bool { return clickable(c) >= 0 }
