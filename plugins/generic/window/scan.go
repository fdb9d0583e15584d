package window

import (
	"strings"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/tree"
)

// scanner walks a tree once in reading order and sorts what it meets.
type scanner struct {
	w *Window

	labels []label
	radios []radio
	bars   int // progress bars seen
	// barArea is that of the largest scroll bar seen.
	barArea int64

	// Where the walk is: the nearest named group, the row of a list, and
	// whether texts belong to the status bar or to a notice.
	group, row     string
	status, silent bool
	// hidden takes in what cannot be seen: rows that are scrolled away.
	hidden bool
}

// label is a text on the screen that may name a field.
type label struct {
	node    tree.Cursor
	text    string
	heading bool
	status  bool
	title   bool // of the group that it stands in
	ticks   bool // changes by itself
	used    bool // names a field
}

// visible reports whether a person sees the element.
func (s *scanner) visible(c tree.Cursor) bool {
	return s.hidden || c.HasBounds() && !c.Bounds().Empty() && c.Is(tree.StateShowing)
}

// name returns the element's own name as a label, without the underscore that
// marks a mnemonic where the description tells it without.
func (s *scanner) name(c tree.Cursor) string {
	n := c.Name()
	if d := c.Description(); d != "" && strings.Replace(n, "_", "", 1) == d {
		n = d
	}
	return Label(n)
}

func (s *scanner) walk(c tree.Cursor) {
	if s.visit(c) {
		s.children(c)
	}
}

// children walks the children in the order in which they are read: GTK3 lists
// those of a grid from the last to the first.
func (s *scanner) children(c tree.Cursor) {
	if !s.reversed(c) {
		for child := range c.Children() {
			s.walk(child)
		}
		return
	}
	var all []tree.Cursor
	for child := range c.Children() {
		all = append(all, child)
	}
	for i := len(all) - 1; i >= 0; i-- {
		s.walk(all[i])
	}
}

// reversed reports whether the visible children lie from the bottom up.
func (s *scanner) reversed(c tree.Cursor) bool {
	var last tree.Rect
	seen, down := 0, false
	for child := range c.Children() {
		if !s.visible(child) {
			continue
		}
		b := child.Bounds()
		if seen > 0 {
			if b.Y > last.Y || b.Y == last.Y && b.X > last.X {
				return false
			}
			down = down || b.Y+b.H <= last.Y
		}
		last = b
		seen++
	}
	return down
}

// visit takes note of one element and reports whether to go on below it.
func (s *scanner) visit(c tree.Cursor) bool {
	switch role := c.Role(); role {
	case tree.RoleScrollBar:
		s.scrollBar(c)
		return false
	case tree.RoleSeparator, tree.RoleToolTip:
		return false
	case tree.RoleMenuBar:
		s.menuBar(c)
		return false
	case tree.RoleTabList:
		s.tabs(c)
		return true
	case tree.RolePanel, tree.RoleGrouping, tree.RoleForm, tree.RoleFiller, tree.RoleUnknown:
		return s.container(c)
	case tree.RoleTab:
		return s.inGroup(c, s.tabName(c))
	case tree.RoleDocument:
		s.page(c)
		return true
	default:
		if !s.visible(c) {
			return true
		}
		return s.element(c, role)
	}
}

// element takes note of a visible element of a role with a meaning.
func (s *scanner) element(c tree.Cursor, role tree.Role) bool {
	switch role {
	case tree.RoleStatusBar:
		return s.within(c, &s.status)
	case tree.RoleInfoBar, tree.RoleAlert, tree.RoleNotification:
		s.notice(c)
		return s.within(c, &s.silent)
	case tree.RoleButton, tree.RoleToggleButton, tree.RoleLink, tree.RoleIcon:
		return s.button(c, role)
	case tree.RoleMenuItem, tree.RoleCheckMenuItem, tree.RoleRadioMenuItem, tree.RoleMenu:
		return s.menuItem(c, role)
	case tree.RoleCheckBox, tree.RoleSwitch:
		s.check(c)
	case tree.RoleRadioButton:
		s.radio(c)
	case tree.RoleComboBox:
		s.combo(c)
	case tree.RoleEntry, tree.RolePassword, tree.RoleTextArea, tree.RoleTerminal:
		s.text(c)
	case tree.RoleSpinButton, tree.RoleSlider:
		s.number(c)
	case tree.RoleProgressBar:
		s.progress(c)
	case tree.RoleLevelBar:
		s.level(c)
	case tree.RoleCalendar:
		s.calendar(c)
	case tree.RoleTable, tree.RoleTreeTable, tree.RoleTree, tree.RoleList, tree.RoleListBox, tree.RoleDescriptionList:
		return s.list(c)
	case tree.RoleLabel, tree.RoleStatic, tree.RoleCaption:
		s.label(c, false)
		return c.ChildrenCount() > 0
	case tree.RoleHeading:
		s.label(c, true)
		return s.below(c)
	case tree.RoleParagraph, tree.RoleBlockQuote:
		s.label(c, false)
		return s.below(c)
	default:
		return true
	}
	return false
}

// within walks below c with a mark set, and reports false: the walk is done.
func (s *scanner) within(c tree.Cursor, mark *bool) bool {
	was := *mark
	*mark = true
	s.children(c)
	*mark = was
	return false
}

// below walks for buttons and fields below a text whose words are known.
func (s *scanner) below(c tree.Cursor) bool {
	if s.textOf(c) == "" {
		return true
	}
	return s.within(c, &s.silent)
}

// container enters a group and remembers its name for what is in it. One that
// can be clicked itself is a button.
func (s *scanner) container(c tree.Cursor) bool {
	name := s.name(c)
	if name == "" || !s.visible(c) {
		return true
	}
	if c.Is(tree.StateFocusable|tree.StateEnabled) && clickable(c) >= 0 && c.ChildrenCount() == 0 {
		s.addButton(Button{Label: name, Node: c})
		return false
	}
	return s.inGroup(c, name)
}

// inGroup walks below c as a group with a name.
func (s *scanner) inGroup(c tree.Cursor, name string) bool {
	was := s.group
	s.group = name
	s.children(c)
	s.group = was
	return false
}

// page takes note of the largest web page.
func (s *scanner) page(c tree.Cursor) {
	if s.w.Toolkit != "chromium" || !s.visible(c) || area(c) <= area(s.w.Page) {
		return
	}
	s.w.Page = c
	s.w.Scrolls = true
	s.w.ScrollX, s.w.ScrollY = c.WindowBounds().Center()
}

// scrollBar takes note of what the largest scroll bar scrolls: what lies beside
// it. One that stands at all it has scrolls nothing.
func (s *scanner) scrollBar(c tree.Cursor) {
	if v, ok := c.Value(); !s.visible(c) || ok && v.Max <= v.Min {
		return
	}
	s.w.bars = append(s.w.bars, c)
	if area(c) <= s.barArea {
		return
	}
	s.barArea = area(c)
	b := c.WindowBounds()
	s.w.Scrolls = true
	s.w.ScrollX, s.w.ScrollY = b.Center()
	if b.H > b.W {
		s.w.ScrollX = b.X - 20
	} else {
		s.w.ScrollY = b.Y - 20
	}
}

func area(c tree.Cursor) int64 {
	if !c.HasBounds() {
		return 0
	}
	b := c.Bounds()
	return int64(max(b.W, 0)) * int64(max(b.H, 0))
}

// textOf returns the words of a text element on one line: its text, or what
// its children say where it embeds them.
func (s *scanner) textOf(c tree.Cursor) string {
	t := shownText(c)
	if t == "" || strings.Contains(t, "\ufffc") && Clean(t) == "" {
		t = c.Name()
	}
	return Clean(t)
}

// shownText is an element's text unless it is a secret. The host masks those;
// this keeps to it should it fail.
func shownText(c tree.Cursor) string {
	if c.Sensitive() || c.Role() == tree.RolePassword {
		return ""
	}
	return c.Text()
}

// label takes note of a text.
func (s *scanner) label(c tree.Cursor, heading bool) {
	if s.silent {
		return
	}
	if t := s.textOf(c); t != "" {
		s.labels = append(s.labels, label{node: c, text: t, heading: heading, status: s.status, title: Label(t) == s.group})
	}
}

// notice takes note of a bar or alert and its words.
func (s *scanner) notice(c tree.Cursor) {
	if s.silent {
		return
	}
	text := Clean(s.wordsBelow(c))
	if text == "" {
		text = s.textOf(c)
	}
	if text == "" {
		return
	}
	text, _ = steady(text, false)
	s.addNotice("notice:", severityOf(text, c.Role()), text)
}

// addNotice adds a notice unless the window says the same already.
func (s *scanner) addNotice(kind string, sev hostabi.Severity, text string) {
	text = Cut(text, 500)
	for i := range s.w.Notices {
		if s.w.Notices[i].Text == text {
			return
		}
	}
	s.w.Notices = append(s.w.Notices, Notice{blockKey(kind, text), sev, text})
}

// wordsBelow joins the texts below c that are not on buttons.
func (s *scanner) wordsBelow(c tree.Cursor) string {
	var b strings.Builder
	s.words(c, &b)
	return b.String()
}

func (s *scanner) words(c tree.Cursor, b *strings.Builder) {
	for child := range c.Children() {
		if opens(child) {
			continue
		}
		switch child.Role() {
		case tree.RoleLabel, tree.RoleStatic, tree.RoleHeading, tree.RoleParagraph, tree.RoleTableCell, tree.RoleLink, tree.RoleCaption:
			if !s.visible(child) {
				continue
			}
			if t := s.textOf(child); t != "" {
				if b.Len() > 0 {
					b.WriteByte(' ')
				}
				b.WriteString(t)
				continue
			}
		case tree.RoleButton, tree.RoleToggleButton, tree.RoleComboBox, tree.RoleEntry, tree.RolePassword, tree.RoleToolTip:
			continue
		}
		s.words(child, b)
	}
}
