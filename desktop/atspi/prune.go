package atspi

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"oriel.dev/oriel/tree"
)

// tidyTree takes out of a tree what tells an adapter nothing: what cannot be seen,
// unnamed layout, texts that repeat their parent's. The object at the top stays.
func tidyTree(root *elem, how strategy) {
	t := &tidier{how: how}
	root.kids = t.kidsOf(root)
	t.own(root)
	root.finish()
}

type tidier struct {
	how strategy
	// tabWord is what GTK4 calls every tab and every page, in the user's language.
	tabWord string
}

// kidsOf returns the children of an object after all below them was tidied,
// with those of what went in its place.
func (t *tidier) kidsOf(e *elem) []*elem {
	var out []*elem
	for _, k := range e.kids {
		switch k.status {
		case statusPending:
			e.n.End = tree.EndTimeout
		case statusDenied:
			e.n.End = tree.EndDenied
		case statusRead:
			out = append(out, t.tidy(k)...)
		}
	}
	for _, k := range out {
		k.parent = e
	}
	return out
}

// tidy returns what stays of an object: itself, or its children, or nothing.
func (t *tidier) tidy(e *elem) []*elem {
	raw := e.kids
	e.kids = t.kidsOf(e)
	t.own(e)
	e.closedMenu(raw)
	switch {
	case e.n.Role == tree.RoleComboBox:
		e.takeEntries()
	case e.n.Role == tree.RoleTabList:
		e.selectTab()
	case takesLabels(e.n.Role):
		e.takeLabels()
	case isLayout(e.n.Role) && e.n.Name != "":
		e.kids = slices.DeleteFunc(e.kids, func(k *elem) bool { return plainText(k) && k.n.Name == e.n.Name })
	}
	switch {
	case e.n.End != tree.EndComplete:
		return []*elem{e} // it says that there is more than can be seen
	case e.shell():
		return []*elem{e.mergeInto(e.kids[0])}
	case e.dull():
		return e.kids
	}
	return []*elem{e}
}

// own puts right what an object says of itself.
func (t *tidier) own(e *elem) {
	n := &e.n
	if t.how.implied && !acts(e) {
		n.Actions = nil
	}
	if t.how.classNames {
		n.Actions = withoutClassActions(n.Actions, e.parent == nil)
		t.tabs(e)
	}
	if isText(n.Role) {
		n.States &^= tree.StateMultiLine
		if n.Name == "" && n.Text != "" {
			n.Name, n.Text, n.TextInfo = tidy(n.Text), "", nil
		}
	} else if strings.Contains(n.Name, "\n") {
		n.Name = squeeze(n.Name)
	}
	if n.Value != nil {
		if f, err := strconv.ParseFloat(n.Name, 64); err == nil && math.Abs(f-n.Value.Current) <= max(n.Value.Step, 0.5) {
			n.Name = "" // GTK3 calls a slider by its value
		}
	}
	if t.switches(n) {
		n.Role = tree.RoleSwitch
	}
}

// switches reports whether an object is a switch of GTK, which says so by its
// only action: toggle buttons and check boxes are clicked.
func (t *tidier) switches(n *tree.Node) bool {
	role := n.Role == tree.RoleToggleButton || t.how.classNames && n.Role == tree.RoleCheckBox
	return t.how.cache && role && len(n.Actions) == 1 && n.Actions[0].Name == "toggle"
}

// tabs takes the names off that GTK4 gives to every strip, tab and page alike:
// the label on a tab is its name.
func (t *tidier) tabs(e *elem) {
	n := &e.n
	switch {
	case n.Role == tree.RoleTabList:
		n.Name = ""
	case n.Role == tree.RoleTab && slices.ContainsFunc(e.kids, func(k *elem) bool { return plainText(k) && !strings.Contains(n.Name, k.n.Name) }):
		n.Name, t.tabWord = "", n.Name
	case n.Role == tree.RolePanel && n.Name == t.tabWord:
		n.Name = ""
	}
}

// finish puts right what could not be before the objects around were known.
func (e *elem) finish() {
	n := &e.n
	if n.Name == "" && n.Description != "" && acts(e) && n.Text == "" && !n.Ifaces.Has(tree.IfaceEditableText) {
		n.Name, n.Description = squeeze(n.Description), "" // a button that has only a tooltip
	}
	if underlined(n.Name, n.Description) {
		n.Name, n.Description = n.Description, ""
	}
	if !n.States.Has(tree.StateShowing) {
		n.Bounds, n.HasBounds = tree.Rect{}, false
	}
	if n.Text == n.Name && n.States&tree.StateEditable == 0 && n.Role == tree.RoleTableCell {
		n.Text, n.TextInfo = "", nil
	}
	if n.Role == tree.RoleComboBox && n.Name == n.Text {
		n.Name = "" // GTK3 calls a combo box by what is chosen
	}
	if squeeze(n.Description) == squeeze(n.Name) {
		n.Description = ""
	}
	for _, k := range e.kids {
		k.finish()
	}
}

// classPrefixes begin the names of the actions that GTK4 gives to every object
// of a class, such as copying to every label. The others are the application's own.
var classPrefixes = []string{
	"clipboard.", "selection.", "link.", "menu.popup", "text.", "misc.", "default.activate", "scroll.", "list.", "delete-",
}

// withoutClassActions drops the actions that tell nothing from the end of the
// list: the others keep their places, which are their numbers.
func withoutClassActions(list []tree.Action, top bool) []tree.Action {
	if top {
		return list
	}
	last := -1
	for i, a := range list {
		if !slices.ContainsFunc(classPrefixes, func(p string) bool { return strings.HasPrefix(a.Name, p) }) {
			last = i
		}
	}
	return list[:last+1]
}

// isText reports whether a role is text that a person only reads.
func isText(r tree.Role) bool {
	switch r {
	case tree.RoleLabel, tree.RoleStatic, tree.RoleParagraph, tree.RoleHeading, tree.RoleCaption, tree.RoleToolTip:
		return true
	}
	return false
}

// isLayout reports whether a role says nothing without a name.
func isLayout(r tree.Role) bool {
	switch r {
	case tree.RolePanel, tree.RoleFiller, tree.RoleScrollPane, tree.RoleSplitPane, tree.RoleViewport, tree.RoleGrouping,
		tree.RoleSeparator, tree.RoleUnknown, tree.RoleSection, tree.RoleForm, tree.RoleWindow, tree.RoleEmbedded,
		tree.RoleRowHeader, tree.RoleColumnHeader, tree.RoleTitleBar, tree.RoleStatusBar, tree.RoleToolBar:
		return true
	}
	return isText(r)
}

// dull reports whether an object may go and leave its place to its children.
func (e *elem) dull() bool {
	n := &e.n
	switch {
	case popover(e):
		return len(e.kids) == 0 // it begins a surface
	case e.unseen(), n.Role == tree.RoleSeparator && n.Name == "" && n.Value == nil:
		return true
	case len(n.Actions) > 0, n.Value != nil, n.Ifaces.Has(tree.IfaceEditableText), len(e.relations) > 0, n.Table != nil,
		n.Sensitive, n.Text != "" && !isText(n.Role):
		return false
	case n.Name != "" && !(isLayout(n.Role) && !isText(n.Role) && n.Name == e.nameAbove()):
		return false
	case n.Role == tree.RoleTabList:
		return !slices.ContainsFunc(e.kids, func(k *elem) bool { return k.n.Role == tree.RoleTab })
	case n.Role == tree.RoleTab:
		return !n.HasBounds
	case n.Role == tree.RoleImage, n.Role == tree.RoleIcon:
		return n.Description == ""
	case n.Role == tree.RoleScrollBar:
		return true
	case n.Role == tree.RoleToolBar, n.Role == tree.RoleStatusBar:
		return len(e.kids) == 0
	case isLayout(n.Role):
		return n.Description == "" && n.States&(tree.StateModal|tree.StateExpandable) == 0 && !(n.States.Has(tree.StateFocused) && len(e.kids) == 0)
	case n.Role == tree.RoleMenu, n.Role == tree.RolePopupMenu, n.Role == tree.RoleList, n.Role == tree.RoleListBox:
		// A popup begins a surface and stays; the list of a closed combo box goes.
		return len(e.kids) == 0 && !n.HasBounds || !n.States.Has(tree.StateShowing) && e.parent.n.Role == tree.RoleComboBox
	}
	return false
}

// nameAbove returns the name that is nearest above an object.
func (e *elem) nameAbove() string {
	for p := e.parent; p != nil; p = p.parent {
		if p.n.Name != "" {
			return p.n.Name
		}
	}
	return ""
}

// unseen reports whether an object has no place, although its toolkit tells places,
// and nothing below it has one.
func (e *elem) unseen() bool {
	return e.n.Ifaces.Has(tree.IfaceComponent) && !e.n.HasBounds && !e.listed && len(e.kids) == 0
}

// shell reports whether an object is only the shell of its first child: GTK4
// makes a menu button of a button in a button, and a bar of a range in a bar.
// Popups of the shell are allowed beside.
func (e *elem) shell() bool {
	if len(e.kids) == 0 || len(e.n.Actions) > 0 || e.n.Value != nil || e.n.Table != nil || e.n.Text != "" || isText(e.n.Role) || popover(e) {
		return false
	}
	k := e.kids[0]
	for _, other := range e.kids[1:] {
		if !popover(other) {
			return false
		}
	}
	switch e.n.Role {
	case tree.RoleButton, tree.RoleToggleButton, tree.RoleSwitch, tree.RoleCheckBox:
		return k.n.Role == tree.RoleButton || k.n.Role == tree.RoleToggleButton
	case tree.RoleComboBox:
		return (k.n.Role == tree.RoleButton || k.n.Role == tree.RoleToggleButton) && len(k.n.Actions) > 0
	case tree.RoleScrollBar:
		return k.n.Value != nil
	case tree.RolePanel, tree.RoleGrouping:
		return k.n.Role == e.n.Role && k.n.Name == e.n.Name && k.n.Description == e.n.Description
	}
	return false
}

// mergeInto gives a shell's name, role and popups to its child.
func (e *elem) mergeInto(k *elem) *elem {
	switch {
	case e.n.Role == tree.RoleComboBox:
		// What the button shows is what is chosen.
		k.n.Role, k.n.Text = tree.RoleComboBox, e.n.Text
		if k.n.Text == "" {
			k.n.Text = k.n.Name
		}
		k.n.Name, k.n.Bounds = e.n.Name, e.n.Bounds
	case k.n.Name == "":
		k.n.Name = e.n.Name
	}
	if k.n.Description == "" {
		k.n.Description = e.n.Description
	}
	if isLayout(k.n.Role) {
		k.n.Role = e.n.Role
	}
	const kept = tree.StateExpandable | tree.StateExpanded | tree.StateHasPopup | tree.StateHorizontal | tree.StateVertical
	k.n.States |= e.n.States & kept
	k.kids = append(k.kids, e.kids[1:]...)
	for _, p := range k.kids {
		p.parent = k
	}
	k.listed = k.listed || e.listed
	return k
}

// takesLabels reports whether the texts inside of a role are its name.
func takesLabels(r tree.Role) bool {
	switch r {
	case tree.RoleButton, tree.RoleToggleButton, tree.RoleCheckBox, tree.RoleRadioButton, tree.RoleSwitch, tree.RoleMenuItem,
		tree.RoleCheckMenuItem, tree.RoleRadioMenuItem, tree.RoleTab, tree.RoleListItem, tree.RoleTreeItem, tree.RoleHeading,
		tree.RoleLink, tree.RoleTableCell, tree.RoleColumnHeader, tree.RoleRowHeader, tree.RoleLabel, tree.RoleParagraph,
		tree.RoleToolTip, tree.RoleCaption, tree.RoleStatic, tree.RoleBlockQuote:
		return true
	}
	return false
}

// takeLabels drops the texts in an object that its name repeats. An object
// without a name takes theirs, if there is nothing but texts in it.
func (e *elem) takeLabels() {
	if e.n.Name == "" {
		e.nameByLabels()
		return
	}
	for _, k := range e.kids {
		if plainText(k) && underlined(e.n.Name, k.n.Name) {
			e.n.Name = k.n.Name
		}
	}
	e.kids = slices.DeleteFunc(e.kids, func(k *elem) bool {
		return plainText(k) && strings.Contains(squeeze(e.n.Name), squeeze(k.n.Name)) || plainImage(k)
	})
	if len(e.kids) != 1 || !plainText(e.kids[0]) {
		return
	}
	switch left := e.kids[0].n.Name; {
	case isMenuItem(e.n.Role):
		e.setKey(left)
	case e.n.Description == "" && acts(e) && !isText(e.n.Role):
		e.n.Description = left
	default:
		return
	}
	e.kids = nil
}

// setKey takes the text at the right of a menu item, which is the key that
// works it.
func (e *elem) setKey(key string) {
	if len(e.n.Actions) > 0 {
		e.n.Actions[0].KeyBinding = key
	}
}

func (e *elem) nameByLabels() {
	var words []string
	for _, k := range e.kids {
		switch {
		case plainText(k):
			words = append(words, k.n.Name)
		case plainImage(k):
		default:
			return
		}
	}
	if len(words) == 0 {
		return
	}
	if isMenuItem(e.n.Role) && len(words) == 2 {
		e.setKey(words[1])
		words = words[:1]
	}
	e.n.Name = strings.Join(words, " ")
	e.kids = nil
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// plainText reports whether an object is nothing but a text.
func plainText(e *elem) bool {
	return isText(e.n.Role) && len(e.kids) == 0 && len(e.relations) == 0 && e.n.Name != "" && !acts(e)
}

func plainImage(e *elem) bool {
	return (e.n.Role == tree.RoleImage || e.n.Role == tree.RoleIcon) && len(e.kids) == 0 && !acts(e)
}

// takeEntries gives a combo box the entry that is chosen as its text.
func (e *elem) takeEntries() {
	if e.n.Text != "" {
		return
	}
	entries := e.kids
	if len(entries) == 1 && len(entries[0].kids) > 0 {
		entries = entries[0].kids // an open one
	}
	for _, k := range entries {
		if k.n.States.Has(tree.StateSelected) && k.n.Name != "" {
			e.n.Text = k.n.Name
			return
		}
	}
	if slices.ContainsFunc(entries, func(k *elem) bool { return k.n.Name == e.n.Name && isMenuItem(k.n.Role) }) {
		e.n.Text = e.n.Name
	}
}

// selectTab marks the tab that a strip is called by, as Qt5 does.
func (e *elem) selectTab() {
	var match *elem
	for _, k := range e.kids {
		switch {
		case k.n.Role != tree.RoleTab:
		case k.n.States.Has(tree.StateSelected):
			return
		case k.n.Name == e.n.Name && e.n.Name != "":
			if match != nil {
				return
			}
			match = k
		}
	}
	if match != nil {
		match.n.States |= tree.StateSelected
	}
}

// closedMenu marks a menu whose items were left out because it is closed. Qt5
// makes a menu of an item with a popup in it.
func (e *elem) closedMenu(raw []*elem) {
	n := &e.n
	if n.Role == tree.RoleMenuItem && len(raw) == 1 && raw[0].n.Role == tree.RolePopupMenu {
		n.Role = tree.RoleMenu
		n.States |= tree.StateHasPopup
		if raw[0].status == statusHidden {
			n.ChildrenTotal, n.End = raw[0].count, tree.EndCut
		}
		return
	}
	hidden := func(k *elem) bool { return k.status == statusHidden }
	if n.Role == tree.RoleMenu && !e.listed && len(raw) > 0 && len(e.kids) == 0 && !slices.ContainsFunc(raw, func(k *elem) bool { return !hidden(k) }) {
		n.ChildrenTotal, n.End = e.count, tree.EndCut
	}
}
