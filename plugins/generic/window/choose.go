package window

import (
	"strings"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/pluginsdk"
	"oriel.dev/oriel/tree"
)

func (w *Window) doChoose(args hostabi.Value) (*hostabi.Outcome, error) {
	from, item := args.Get("from").Str(), args.Get("item").Str()
	if f := w.Field(from); f != nil && (f.Kind == Choice || f.Kind == Line && len(f.Options) > 0) {
		if !f.Enabled {
			return nil, pluginsdk.Refuse(hostabi.CodeUnavailable, "the field “"+f.Label+"” is disabled now")
		}
		if f.Kind == Line {
			o, err := w.setText(f, item)
			if o != nil {
				resulting(o, "selected", Cut(item, maxValue))
			}
			return o, err
		}
		return w.chooseOption(f, item, "item")
	}
	l := w.List(from)
	if l == nil || !l.Selectable {
		return nil, unknown("from", from, "choice, list or table", w.choices())
	}
	return w.chooseRow(l, item)
}

// option finds the option that a word means, -1 if there is none.
func (f *Field) option(word string) int {
	for i := range f.Options {
		if f.Options[i].Label == word {
			return i
		}
	}
	for i := range f.Options {
		if SameLabel(word, f.Options[i].Label) {
			return i
		}
	}
	return -1
}

func (f *Field) optionLabels() []string {
	var labels []string
	for i := range f.Options {
		labels = append(labels, f.Options[i].Label)
	}
	return labels
}

// choiceArg is the argument that names a choice: "value" of set_field, "item" of
// choose.
type choiceArg string

// result is the member of the action's result that tells the choice.
func (a choiceArg) result() string {
	if a == "value" {
		return "value"
	}
	return "selected"
}

// chooseOption chooses from radio buttons, tabs or a combo box. arg is the
// argument to blame for a word that is no choice.
func (w *Window) chooseOption(f *Field, word string, arg choiceArg) (*hostabi.Outcome, error) {
	if v, ok := f.Value.(string); ok && v != "" && SameLabel(word, v) {
		return resulting(unchanged("“"+v+"” is chosen already."), arg.result(), v), nil
	}
	n := f.option(word)
	if n < 0 && (f.Radio || f.Tabs) {
		return nil, unknown(string(arg), word, "choice", f.optionLabels())
	}
	var err error
	label := word
	if n >= 0 {
		label = f.Options[n].Label
	}
	switch {
	case f.Radio:
		err = Activate(f.Options[n].Node)
	case f.Tabs:
		err = selectChild(f.Node, f.Options[n].Node)
	default:
		label, err = w.chooseCombo(f, word, n, arg)
	}
	if err != nil {
		return nil, err
	}
	last, done := until(f, func(g *Field) bool {
		v, ok := g.Value.(string)
		return ok && SameLabel(label, v)
	})
	w.awaitClosed()
	return resulting(did("Chose “"+label+"” in “"+f.Label+"”.", done), arg.result(), valueOf(last)), nil
}

// awaitClosed waits until no more popups are open than when the window was read:
// an open one swallows the next click.
func (w *Window) awaitClosed() {
	_, _ = pluginsdk.WaitUntil(SettleTime, func(r *tree.Reader) bool { return len(r.Window().Surfaces) <= len(w.Surfaces) })
}

// selectChild selects a child of a container by the container's selection, by
// the child's own action, or with the mouse.
func selectChild(container, child tree.Cursor) error {
	if container.Can(tree.IfaceSelection) {
		if n := childNumber(container, child); n >= 0 {
			return pluginsdk.Select(container.ID(), n)
		}
	}
	return Activate(child)
}

// pageSize is how many children are asked for at a time, maxPages how often.
const (
	pageSize = 200
	maxPages = 50
)

// childNumber finds the number of a child among all children of a container,
// hidden ones included; -1 if it is not found.
func childNumber(container, child tree.Cursor) int64 {
	for page := range int64(maxPages) {
		r, err := pluginsdk.Children(container.ID(), page*pageSize, pageSize)
		if err != nil {
			return -1
		}
		n, count := r.Root().ChildrenFirst(), 0
		for c := range r.Root().Children() {
			if c.ID() == child.ID() {
				return n
			}
			n++
			count++
		}
		if count < pageSize {
			return -1
		}
	}
	return -1
}

// chooseCombo chooses from a combo box: through its selection if its choices
// are known, else by opening it and pressing the item.
func (w *Window) chooseCombo(f *Field, word string, n int, arg choiceArg) (string, error) {
	if n >= 0 && f.Around.Can(tree.IfaceSelection) {
		label := f.Options[n].Label
		if err := pluginsdk.Select(f.Around.ID(), int64(n)); err == nil {
			if _, done := until(f, func(g *Field) bool { return g.Value == label }); done {
				return label, nil
			}
		}
	}
	return w.chooseOpened(f, word, arg)
}

// chooseOpened opens a combo box and presses the item that a word means. A word
// that is none closes it again.
func (w *Window) chooseOpened(f *Field, word string, arg choiceArg) (string, error) {
	if err := Activate(opener(f.Around)); err != nil {
		return "", err
	}
	var item tree.Cursor
	var offered []string
	_, err := pluginsdk.WaitUntil(SettleTime, func(r *tree.Reader) bool {
		// The present choice may show before the others do, so not every item
		// that is there means that all are.
		item, offered = popupItem(r, f, word)
		return item.Valid()
	})
	if err == nil && item.Valid() {
		return itemLabel(item), pressItem(item)
	}
	if e := pluginsdk.Keys("Escape"); e != nil && err == nil {
		err = e
	}
	if len(offered) == 0 && err != nil {
		return "", pluginsdk.Refuse(hostabi.CodeUnavailable, "“"+f.Label+"” showed no choices when it was opened; read the window again")
	}
	return "", unknown(string(arg), word, "choice", offered)
}

// pressItem chooses an item of an opened list: by its own action, with the keys
// from the item that has the focus, through the list's selection, or with the
// mouse.
func pressItem(item tree.Cursor) error {
	if clickable(item) >= 0 {
		return Activate(item)
	}
	if steps, ok := stepsTo(item); ok {
		keys := make([]string, 0, abs(steps)+1)
		for range abs(steps) {
			keys = append(keys, map[bool]string{true: "Down", false: "Up"}[steps > 0])
		}
		return pluginsdk.Keys(append(keys, "Return")...)
	}
	return selectChild(item.Parent(), item)
}

// stepsTo counts how many items lie from the one with the focus down to item.
func stepsTo(item tree.Cursor) (int32, bool) {
	n, from, to := int32(0), int32(-1), int32(-1)
	for sibling := range item.Parent().Children() {
		if sibling.Role() != item.Role() {
			continue
		}
		if sibling.Is(tree.StateFocused) {
			from = n
		}
		if sibling == item {
			to = n
		}
		n++
	}
	return to - from, from >= 0 && to >= 0
}

// opener is the part of a combo box that opens it: a button inside, else
// itself.
func opener(c tree.Cursor) tree.Cursor {
	if clickable(c) >= 0 {
		return c
	}
	for d := range c.Descendants() {
		if (d.Role() == tree.RoleButton || d.Role() == tree.RoleToggleButton) && clickable(d) >= 0 {
			return d
		}
	}
	return c
}

// popupItem finds the item that a word means among those that an opened combo
// box shows: in a popup, or below the combo box itself, which a toolkit may
// describe in another way when it is open.
func popupItem(r *tree.Reader, f *Field, word string) (item tree.Cursor, offered []string) {
	around := r.ByID(f.Around.ID())
	for c := range r.All() {
		if c.Role() == tree.RoleComboBox && c.Surface() == f.Around.Surface() && c.Bounds() == f.Around.Bounds() {
			around = c
			break
		}
	}
	for c := range r.All() {
		switch c.Role() {
		case tree.RoleMenuItem, tree.RoleListItem, tree.RoleCheckMenuItem, tree.RoleRadioMenuItem, tree.RoleTableCell, tree.RoleTreeItem:
		default:
			continue
		}
		if !c.Is(tree.StateShowing) || c.Surface() == 0 && !below(c, around) {
			continue
		}
		label := itemLabel(c)
		if label == "" {
			continue
		}
		if SameLabel(word, label) {
			return c, nil
		}
		offered = append(offered, label)
	}
	return tree.Cursor{}, offered
}

func below(c, above tree.Cursor) bool {
	return above.Valid() && c.Index() > above.Index() && c.Index() < above.Index()+above.Subtree()
}

// itemLabel is the name of an item or the words in it.
func itemLabel(c tree.Cursor) string {
	if n := Label(c.Name()); n != "" {
		return n
	}
	s := scanner{w: &Window{}}
	return Label(s.wordsBelow(c))
}

// doCheckItem ticks a row's box or takes the tick away.
func (w *Window) doCheckItem(args hostabi.Value) (*hostabi.Outcome, error) {
	l, r, err := w.row(args, func(l *List) bool { return l.Checkable })
	if err != nil {
		return nil, err
	}
	if !r.Check.Valid() {
		return nil, pluginsdk.Refuse(hostabi.CodeUnavailable, "this row has no box to tick")
	}
	on := args.Get("checked").Bool()
	name := strings.TrimSpace(r.Name())
	if (onOff(r.Check) == true) == on {
		return unchanged("“" + name + "” is so already."), nil
	}
	if err := Activate(r.Check); err != nil {
		return nil, err
	}
	done := w.untilRow(l, r, func(now *Row) bool { return (onOff(now.Check) == true) == on })
	return did("Turned “"+name+"” "+stateWord(on)+".", done), nil
}

func (w *Window) doOpenItem(args hostabi.Value) (*hostabi.Outcome, error) {
	_, r, err := w.row(args, func(l *List) bool { return l.Openable })
	if err != nil {
		return nil, err
	}
	if n := openable(r.Node); n >= 0 {
		err = pluginsdk.DoAction(r.Node.ID(), n)
	} else {
		err = click(r.Node, 2)
	}
	if err != nil {
		return nil, err
	}
	return &hostabi.Outcome{Message: "Opened “" + strings.TrimSpace(r.Name()) + "”."}, nil
}

// row finds the row that the arguments list and item name.
func (w *Window) row(args hostabi.Value, fits func(*List) bool) (*List, *Row, error) {
	word := args.Get("list").Str()
	l := w.List(word)
	if l == nil || !fits(l) {
		return nil, nil, unknown("list", word, "list", w.listsThat(fits))
	}
	r, err := l.find(args.Get("item").Str())
	return l, r, err
}

// chooseRow selects a row of a list.
func (w *Window) chooseRow(l *List, word string) (*hostabi.Outcome, error) {
	r, err := l.find(word)
	if err != nil {
		return nil, err
	}
	name := strings.TrimSpace(r.Name())
	if r.Selected && l.selected() == name {
		return resulting(unchanged("“"+name+"” is selected already."), "selected", name), nil
	}
	done, err := w.selectRow(l, r)
	if err != nil {
		return nil, err
	}
	var selected hostabi.Scalar
	if done {
		selected = name
	}
	return resulting(did("Selected “"+name+"” in “"+l.Label+"”.", done), "selected", selected), nil
}

// selectRow tries the ways to select a row until one is seen to work.
func (w *Window) selectRow(l *List, r *Row) (bool, error) {
	selected := func(now *Row) bool { return now.Selected }
	var ways []func() error
	if l.Node.Can(tree.IfaceSelection) {
		ways = append(ways, func() error { return w.selectByNumber(l, r) })
	}
	if r.Node.Can(tree.IfaceComponent) && r.Node.Is(tree.StateFocusable) {
		ways = append(ways, func() error { return pluginsdk.Focus(r.Node.ID()) })
	}
	ways = append(ways, func() error { return click(r.Node, 1) })
	var last error
	for _, way := range ways {
		if last = way(); last != nil {
			continue
		}
		if w.untilRow(l, r, selected) {
			return true, nil
		}
	}
	return false, last
}

// selectByNumber selects a row by its number among the children. GTK3 counts
// the cells of a table after its headers.
func (w *Window) selectByNumber(l *List, r *Row) error {
	if len(l.Columns) > 0 || l.Node.Can(tree.IfaceTable) {
		columns := int64(max(len(l.Columns), 1))
		if t, ok := l.Node.Table(); ok && t.Columns > 0 {
			columns = t.Columns
		}
		return pluginsdk.Select(l.Node.ID(), (r.Number+1)*columns)
	}
	n := childNumber(l.Node, r.Node)
	if n < 0 {
		return pluginsdk.Refuse(hostabi.CodeUnsupported, "the row is not a direct child of its list")
	}
	return pluginsdk.Select(l.Node.ID(), n)
}

// untilRow waits until a row satisfies ok, at most for the settle time.
func (w *Window) untilRow(l *List, r *Row, ok func(*Row) bool) bool {
	_, err := pluginsdk.WaitUntil(SettleTime, func(t *tree.Reader) bool {
		now := Read(t)
		for i := range now.Lists {
			if now.Lists[i].Node.ID() != l.Node.ID() {
				continue
			}
			for j := range now.Lists[i].Rows {
				if row := &now.Lists[i].Rows[j]; row.Number == r.Number && ok(row) {
					return true
				}
			}
		}
		return false
	})
	return err == nil
}

// find finds the row that a word means: by its first words, by any cell, or by
// its number as #1.
func (l *List) find(word string) (*Row, error) {
	clean := Clean(word)
	if n, ok := strings.CutPrefix(clean, "#"); ok {
		if number, ok := parseInt(n); ok {
			for i := range l.Rows {
				if l.Rows[i].Number == number-1 {
					return &l.Rows[i], nil
				}
			}
		}
	}
	for _, same := range [...]func(*Row) bool{
		func(r *Row) bool { return strings.TrimSpace(r.Name()) == clean },
		func(r *Row) bool { return ScalarText(rowItem(r)) == clean },
		func(r *Row) bool { return hasCell(r, clean) },
		func(r *Row) bool { return SameLabel(clean, strings.TrimSpace(r.Name())) },
	} {
		for i := range l.Rows {
			if same(&l.Rows[i]) {
				return &l.Rows[i], nil
			}
		}
	}
	why := "there is no row “" + Cut(clean, maxLabel) + "” among those that “" + l.Label + "” shows"
	if l.Block().Truncated {
		why += "; scroll to it first, or load_rows lists the others"
	}
	return nil, pluginsdk.Invalid("item", why)
}

func hasCell(r *Row, text string) bool {
	for _, c := range r.Cells {
		if ScalarText(c) == text {
			return true
		}
	}
	return false
}
