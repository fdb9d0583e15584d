package window

import (
	"strings"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/tree"
)

// maxOptions is how many choices of a field are told.
const maxOptions = 100

// mask stands for every secret, whatever its length; an empty one shows as
// empty, so that an agent sees that it is still to be filled in.
const mask = "••••••"

func (s *scanner) add(f Field) {
	f.utf16 = countsUTF16(s.w.Toolkit)
	if !f.Around.Valid() {
		f.Around = f.Node
	}
	f.group = s.group
	if s.row != "" {
		f.group = s.row
	}
	f.Required = f.Required || f.Node.Is(tree.StateRequired)
	if f.Node.Is(tree.StateInvalid) {
		f.Problem = s.problem(f.Node)
	}
	s.w.Fields = append(s.w.Fields, f)
}

// problem says what the application says against an entry.
func (s *scanner) problem(c tree.Cursor) string {
	for _, kind := range [...]tree.RelationKind{tree.ErrorMessage, tree.DescribedBy} {
		target := c.Related(kind)
		if t := s.textOf(target); t != "" {
			return Cut(t, 200)
		}
		if t := Clean(s.wordsBelow(target)); t != "" {
			return Cut(t, 200)
		}
	}
	if d := Clean(c.Description()); d != "" {
		return Cut(d, 200)
	}
	return "the application says that this entry is not valid"
}

// check takes note of a check box, switch or toggle button.
func (s *scanner) check(c tree.Cursor) {
	name := s.name(c)
	if name == "" {
		name = Label(s.wordsBelow(c))
	}
	s.add(Field{Label: name, Kind: Check, Node: c, Value: onOff(c), Enabled: c.Is(tree.StateEnabled)})
}

// onOff is the value of what is on or off: some check boxes are neither.
func onOff(c tree.Cursor) hostabi.Scalar {
	switch st := c.States(); {
	case st.Has(tree.StateIndeterminate):
		return "mixed"
	default:
		return st&(tree.StateChecked|tree.StatePressed) != 0
	}
}

// text takes note of an entry or a text area.
func (s *scanner) text(c tree.Cursor) {
	readOnly := c.Is(tree.StateReadOnly) || !c.Is(tree.StateEditable) && !c.Can(tree.IfaceEditableText)
	area := c.Role() == tree.RoleTextArea || c.Role() == tree.RoleTerminal || c.Is(tree.StateMultiLine)
	secret := c.Sensitive() || c.Role() == tree.RolePassword
	if readOnly && area && !secret {
		t := CleanText(c.Text())
		if c.Role() == tree.RoleTerminal {
			t = strings.TrimRight(t, "\n ") // the empty rest of the screen
			if !s.w.terminal.Valid() {
				s.w.terminal = c
			}
		}
		if Clean(t) != "" {
			s.w.Texts = append(s.w.Texts, Text{Text: t, Node: c, ReadOnly: true, Label: s.name(c)})
		}
		return
	}
	f := Field{
		Label: s.name(c), Kind: Line, Node: c, Enabled: c.Is(tree.StateEnabled) && !readOnly, Sensitive: secret,
	}
	if area {
		f.Kind = Area
	}
	f.Value = textValue(c, secret)
	s.add(f)
	s.icons(c)
}

// textValue is the content of a text element for people to read.
func textValue(c tree.Cursor, secret bool) string {
	t := c.Text()
	if !secret {
		return CleanText(t)
	}
	if info, ok := c.TextInfo(); t == "" && (!ok || info.Length == 0) {
		return ""
	}
	return mask
}

// icons takes note of the icons within an entry that can be pressed.
func (s *scanner) icons(c tree.Cursor) {
	for child := range c.Children() {
		switch child.Role() {
		case tree.RoleIcon, tree.RoleButton, tree.RoleImage:
			if s.visible(child) && clickable(child) >= 0 {
				s.button(child, tree.RoleIcon)
			}
		}
	}
}

// number takes note of a spin button or slider. One without a number is a line
// of text.
func (s *scanner) number(c tree.Cursor) {
	v, ok := c.Value()
	if !ok {
		if c.Can(tree.IfaceText) {
			s.text(c)
		}
		return
	}
	name := s.name(c)
	if _, isNumber := parseFloat(name); isNumber {
		name = "" // a scale that shows its value
	}
	s.add(Field{
		Label: name, Kind: Number, Node: c, Value: scalar(v.Current), Min: v.Min, Max: v.Max,
		Enabled: c.Is(tree.StateEnabled) && !c.Is(tree.StateReadOnly),
	})
}

// progress takes note of a progress bar, which shows where it stands only at
// its ends: between them it moves by itself.
func (s *scanner) progress(c tree.Cursor) {
	s.bars++
	state, percent := "in progress", ""
	if v, ok := c.Value(); ok && v.Max > v.Min {
		percent = itoa(int64((v.Current-v.Min)/(v.Max-v.Min)*100+0.5)) + " %"
		switch {
		case c.Is(tree.StateBusy) || c.Is(tree.StateIndeterminate):
		case v.Current >= v.Max:
			state = "complete"
		case v.Current <= v.Min:
			state = "not started"
		}
	}
	f := Field{Label: s.name(c), Kind: Shown, Node: c, Value: state, live: percent}
	if f.Label == "" {
		f.fallback = "Progress"
	}
	s.add(f)
}

func (s *scanner) level(c tree.Cursor) {
	if v, ok := c.Value(); ok {
		s.add(Field{Label: s.name(c), Kind: Shown, Node: c, Value: scalar(v.Current), fallback: "Level"})
	}
}

// calendar takes note of a calendar, which does not tell its date.
func (s *scanner) calendar(c tree.Cursor) {
	s.add(Field{Label: s.name(c), Kind: Shown, Node: c, fallback: "Calendar"})
}

// tabs takes note of a strip of tabs. A strip that the application hides, as
// GTK3 does with a single tab, is none, and a single tab is no choice.
func (s *scanner) tabs(c tree.Cursor) {
	f := Field{Label: s.name(c), Kind: Choice, Node: c, Tabs: true, Enabled: c.Is(tree.StateEnabled)}
	for child := range c.Children() {
		if child.Role() != tree.RoleTab || !s.visible(child) {
			continue
		}
		name := s.tabName(child)
		if name == "" {
			name = "Tab " + itoa(int64(len(f.Options)+1))
		}
		f.Options = append(f.Options, Option{name, child, child.Is(tree.StateSelected), true})
	}
	if len(f.Options) < 2 {
		return
	}
	finishOptions(&f)
	if f.Label == "" || f.Label == f.Value { // Qt names the strip after its tab
		f.Label = "Tab"
	}
	s.add(f)
}

// tabName is a tab's name without what Chromium tells there of its memory, which
// ticks.
func (s *scanner) tabName(c tree.Cursor) string {
	name, _, _ := strings.Cut(s.name(c), " - Memory usage")
	if name != "" {
		return name
	}
	return Label(s.wordsBelow(c))
}

// radio is one radio button; those of one group become one field.
type radio struct {
	node  tree.Cursor
	group tree.NodeID // what the buttons of one group have in common
	field int         // its place in Fields
}

// radio takes note of a radio button. A placeholder keeps the group's place in
// the order of fields.
func (s *scanner) radio(c tree.Cursor) {
	key := radioGroup(c)
	name := s.name(c)
	if name == "" {
		name = Label(s.wordsBelow(c))
	}
	opt := Option{name, c, onOff(c) == true, c.Is(tree.StateEnabled)}
	for _, r := range s.radios {
		if r.group == key {
			f := &s.w.Fields[r.field]
			f.Options = append(f.Options, opt)
			f.Enabled = f.Enabled || opt.Enabled
			s.radios = append(s.radios, radio{c, key, r.field})
			return
		}
	}
	s.radios = append(s.radios, radio{c, key, len(s.w.Fields)})
	f := Field{Kind: Choice, Radio: true, Node: c, Around: c, Options: []Option{opt}, Enabled: opt.Enabled}
	if c.Role() == tree.RoleToggleButton {
		f.fallback = "Folder"
	}
	s.add(f)
}

// pathBar reports whether a toggle button is one of a file chooser's folders, of
// which one is on. Anywhere else a toggle button is its own master: bold and
// italic are not a choice.
func pathBar(c tree.Cursor) bool {
	if !c.Within(tree.RoleFileChooser).Valid() {
		return false
	}
	on, found := 0, false
	for sibling := range c.Parent().Children() {
		if sibling.Role() != tree.RoleToggleButton {
			if found {
				break
			}
			on = 0
			continue
		}
		found = found || sibling == c
		if onOff(sibling) == true {
			on++
		}
	}
	return found && on == 1
}

// radioGroup returns the least id of the buttons that a radio button says it
// belongs with, else its parent's.
func radioGroup(c tree.Cursor) tree.NodeID {
	least := tree.NodeID(0)
	for rel := range c.Relations() {
		if rel.Kind == tree.MemberOf && (least == 0 || rel.Target < least) {
			least = rel.Target
		}
	}
	if least != 0 {
		return min(least, c.ID())
	}
	return c.Parent().ID()
}

// finishOptions makes the labels of the choices unique and takes the value from
// the selected one.
func finishOptions(f *Field) {
	var n names
	for i := range f.Options {
		o := &f.Options[i]
		if o.Label == "" {
			o.Label = "Choice " + itoa(int64(i+1))
		}
		o.Label = n.unique(o.Label)
		if o.Selected && f.Value == nil {
			f.Value = o.Label
		}
	}
}
