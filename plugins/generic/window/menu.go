package window

import (
	"strings"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/pluginsdk"
	"oriel.dev/oriel/tree"
)

// menuItems is the most items of one menu that are asked for.
const menuItems = 200

// menu finds the entry of the menu bar that an argument names.
func (w *Window) menu(args hostabi.Value) (*Button, error) {
	word := args.Get("menu").Str()
	for i := range w.Menus {
		if SameLabel(word, w.Menus[i].Label) {
			if !w.Menus[i].Enabled {
				return nil, pluginsdk.Refuse(hostabi.CodeUnavailable, "the menu “"+w.Menus[i].Label+"” is disabled now")
			}
			return &w.Menus[i], nil
		}
	}
	return nil, unknown("menu", word, "menu", w.menuLabels())
}

// MenuEntry is an item of a menu that is closed or open.
type MenuEntry struct {
	Label         string
	Node          tree.Cursor
	Enabled       bool
	Checkable, On bool
	Submenu       bool
	// Keys are the key bindings, as GTK writes them: "s;<Alt>f:s;<Primary>s".
	Keys string
}

// HasKeys reports whether an item is chosen by a chord such as "<Primary>s",
// which is the same in every language.
func (e *MenuEntry) HasKeys(chord string) bool {
	return e.Keys == chord || strings.HasSuffix(e.Keys, ";"+chord)
}

// MenuEntries reads the items of a menu without opening it.
func MenuEntries(id tree.NodeID) ([]MenuEntry, error) {
	r, err := pluginsdk.Children(id, 0, menuItems)
	if err != nil {
		return nil, err
	}
	var out []MenuEntry
	collectItems(r.Root(), &out)
	return out, nil
}

// collectItems takes the items below a node, through what only groups them.
func collectItems(c tree.Cursor, out *[]MenuEntry) {
	for child := range c.Children() {
		switch role := child.Role(); role {
		case tree.RoleMenu, tree.RoleMenuItem, tree.RoleCheckMenuItem, tree.RoleRadioMenuItem:
			label := itemLabel(child)
			if role == tree.RoleMenu && label == "" { // the menu inside a menu item
				collectItems(child, out)
				continue
			}
			if label == "" {
				continue
			}
			e := MenuEntry{Label: label, Node: child, Enabled: child.Is(tree.StateEnabled), Submenu: role == tree.RoleMenu}
			e.Checkable = role == tree.RoleCheckMenuItem || role == tree.RoleRadioMenuItem || child.Is(tree.StateCheckable)
			e.On = child.Is(tree.StateChecked)
			for _, a := range child.Actions() {
				e.Keys = a.KeyBinding
			}
			*out = append(*out, e)
		case tree.RoleSeparator, tree.RoleScrollBar:
		default:
			collectItems(child, out)
		}
	}
}

func (e *MenuEntry) text() string {
	t := e.Label
	switch {
	case !e.Enabled:
		t += " (unavailable)"
	case e.Checkable && e.On:
		t += " (on)"
	case e.Checkable:
		t += " (off)"
	}
	if e.Submenu {
		t += " >"
	}
	return t
}

func (w *Window) doReadMenu(args hostabi.Value) (*hostabi.Outcome, error) {
	m, err := w.menu(args)
	if err != nil {
		return nil, err
	}
	items, err := MenuEntries(m.Node.ID())
	if err != nil {
		return nil, err
	}
	if len(items) == 0 {
		return nil, pluginsdk.Refuse(hostabi.CodeUnsupported, "the menu tells its items only when it is open; choose_menu opens it")
	}
	var texts []string
	for i := range items {
		texts = append(texts, items[i].text())
	}
	message := plural(len(items), "item") + " in “" + m.Label + "”."
	return &hostabi.Outcome{Message: message, Result: new(Object).List("items", texts).JSON(), Effect: hostabi.Unchanged}, nil
}

func (w *Window) doChooseMenu(args hostabi.Value) (*hostabi.Outcome, error) {
	m, err := w.menu(args)
	if err != nil {
		return nil, err
	}
	path := strings.Split(args.Get("item").Str(), ">")
	for i := range path {
		path[i] = Label(path[i])
	}
	if err := w.chooseFromMenu(m, path); err != nil {
		return nil, err
	}
	return &hostabi.Outcome{Message: "Chose “" + m.Label + " > " + strings.Join(path, " > ") + "”."}, nil
}

// chooseFromMenu chooses the item that a path leads to, without opening the
// menus where the toolkit tells of closed ones.
func (w *Window) chooseFromMenu(m *Button, path []string) error {
	node, menu, opened := m.Node, m.Label, false
	var way []MenuEntry
	for i, word := range path {
		items, err := MenuEntries(node.ID())
		if err != nil {
			return err
		}
		if len(items) == 0 {
			if items, err = openMenu(node); err != nil {
				return err
			}
			opened = true
		}
		e := findEntry(items, word)
		switch {
		case e == nil:
			closeMenu(opened)
			return noEntry(items, word, menu)
		case !e.Enabled:
			closeMenu(opened)
			return pluginsdk.Refuse(hostabi.CodeUnavailable, "“"+e.Label+"” in the menu “"+menu+"” is unavailable now")
		case e.Submenu && i == len(path)-1:
			closeMenu(opened)
			return pluginsdk.Invalid("item", "“"+e.Label+"” is a submenu; name an item in it as “"+e.Label+" > …”")
		}
		way = append(way, *e)
		node, menu = e.Node, e.Label
	}
	if opened {
		return Activate(node)
	}
	return w.ChooseEntry(m.Node, way...)
}

func findEntry(items []MenuEntry, word string) *MenuEntry {
	for i := range items {
		if items[i].Label == word {
			return &items[i]
		}
	}
	for i := range items {
		if SameLabel(word, items[i].Label) {
			return &items[i]
		}
	}
	return nil
}

func noEntry(items []MenuEntry, word, menu string) error {
	var labels []string
	for i := range items {
		labels = append(labels, items[i].Label)
	}
	return unknown("item", word, "item in the menu “"+menu+"” named", labels)
}

// openMenu opens a menu whose items are told only then.
func openMenu(node tree.Cursor) ([]MenuEntry, error) {
	if err := Activate(node); err != nil {
		return nil, err
	}
	var items []MenuEntry
	_, err := pluginsdk.WaitUntil(SettleTime, func(r *tree.Reader) bool {
		items = items[:0]
		collectItems(r.ByID(node.ID()), &items)
		if len(items) == 0 { // the popup stands elsewhere in the tree
			for c := range r.Root().Children() {
				if c.Surface() > 0 {
					collectItems(c, &items)
				}
			}
		}
		return len(items) > 0
	})
	if err != nil {
		return nil, pluginsdk.Refuse(hostabi.CodeUnavailable, "the menu did not show its items when it was opened; read the window again")
	}
	return items, nil
}

// closeMenu closes the menus that were opened on the way, as a person would.
func closeMenu(opened bool) {
	if opened {
		_ = pluginsdk.Keys("Escape", "Escape") // best effort: the refusal that follows says the rest
	}
}
