package window

import "oriel.dev/oriel/tree"

// combo takes note of a combo box. Toolkits say what is chosen in five ways:
// the selected item, the entry inside, the text, a label inside, or the combo
// box's own name, which then is no label.
func (s *scanner) combo(c tree.Cursor) {
	f := Field{Kind: Choice, Node: c, Around: c, Enabled: c.Is(tree.StateEnabled)}
	var entry, inside tree.Cursor
	for d := range c.Descendants() {
		switch d.Role() {
		case tree.RoleEntry, tree.RoleTextArea:
			if !entry.Valid() {
				entry = d
			}
		case tree.RoleMenuItem, tree.RoleCheckMenuItem, tree.RoleRadioMenuItem, tree.RoleListItem, tree.RoleTableCell, tree.RoleTreeItem:
			s.option(&f, d)
		case tree.RoleLabel, tree.RoleStatic:
			if !inside.Valid() && s.visible(d) && s.textOf(d) != "" {
				inside = d
			}
		}
	}
	name, text := s.name(c), Clean(shownText(c))
	finishOptions(&f)
	switch {
	case entry.Valid() && entry.Is(tree.StateEditable):
		f.Kind, f.Node, f.Sensitive = Line, entry, entry.Sensitive()
		f.Value = textValue(entry, f.Sensitive)
	case f.Value != nil:
	case text != "":
		f.Value = Cut(text, maxLabel)
	case inside.Valid():
		f.Value = Label(s.textOf(inside))
	case name != "" && s.nameIsValue():
		f.Value, name = name, ""
	default:
		f.Value = ""
	}
	if v, ok := f.Value.(string); ok && v == name && s.nameIsValue() {
		name = ""
	}
	f.Label = name
	s.add(f)
}

// nameIsValue reports whether the toolkit names a combo box after its choice.
func (s *scanner) nameIsValue() bool {
	switch s.w.Toolkit {
	case "gtk3", "qt5", "qt6":
		return true
	}
	return false
}

func (s *scanner) option(f *Field, d tree.Cursor) {
	if len(f.Options) >= maxOptions {
		return
	}
	name := s.name(d)
	if name == "" {
		name = Label(s.wordsBelow(d))
	}
	if name == "" {
		return
	}
	selected := d.States()&(tree.StateSelected|tree.StateChecked) != 0
	f.Options = append(f.Options, Option{name, d, selected, true})
}
