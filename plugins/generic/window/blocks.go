package window

import (
	"strings"
	"unicode/utf8"

	"oriel.dev/oriel/hostabi"
)

// How much of the texts a view shows. The rest is read by an action.
const (
	maxDocument = 4000 // characters of the text that the window is about
	maxValue    = 1000 // of another field
	maxStatic   = 4000 // of what the window says
	maxShown    = 60   // rows of a list or table
)

// View makes the whole view of a window.
func (w *Window) View() *hostabi.View {
	return &hostabi.View{Title: w.TitleText(), Summary: w.Summary(), Blocks: w.Blocks(), Actions: w.Actions()}
}

// TitleText is the window's title, or the name that the application gives it.
func (w *Window) TitleText() string {
	if t := Clean(w.Title); t != "" {
		return Cut(t, 200)
	}
	return Cut(Clean(w.Tree.Root().Name()), 200)
}

// Blocks are the window's contents: what it draws attention to, what it says,
// its fields, its document, its lists.
func (w *Window) Blocks() []hostabi.Block {
	out := w.NoticeBlocks()
	if t := w.staticText(); t != "" {
		out = append(out, hostabi.Block{Key: "text", Type: hostabi.Text, Text: cutText(t, maxStatic, WindowText)})
	}
	if items := w.FieldItems(); len(items) > 0 {
		out = append(out, hostabi.Block{Key: "fields", Type: hostabi.Fields, Items: items})
	}
	if d := w.Document(); d != nil {
		out = append(out, DocumentBlock(d, "read_text of \""+d.Label+"\""))
	}
	out = append(out, w.readOnlyBlocks()...)
	for i := range w.Lists {
		out = append(out, w.Lists[i].Block())
	}
	if b, ok := w.MenuBlock(); ok {
		out = append(out, b)
	}
	if len(w.Status) > 0 {
		text := "Status bar: " + Cut(strings.Join(w.Status, " · "), maxValue)
		out = append(out, hostabi.Block{Key: "status", Type: hostabi.Text, Text: text})
	}
	if !w.Accessible() {
		out = append(out, w.picture())
	}
	return out
}

// NoticeBlocks are the blocks of the window's notices.
func (w *Window) NoticeBlocks() []hostabi.Block {
	var out []hostabi.Block
	for _, n := range w.Notices {
		out = append(out, hostabi.Block{Key: n.Key, Type: hostabi.Notice, Severity: n.Severity, Text: n.Text})
	}
	if !w.Accessible() {
		out = append(out, hostabi.Block{Key: "inaccessible", Type: hostabi.Notice, Severity: hostabi.Warn, Text: w.inaccessible()})
	} else if w.emptyPage() {
		out = append(out, hostabi.Block{Key: "inaccessible", Type: hostabi.Notice, Severity: hostabi.Warn, Text: chromiumOff})
	}
	for i := range w.Lists {
		if l := &w.Lists[i]; l.More {
			text := l.Label + ": more rows exist than the application tells of; load_rows scrolls to them and back."
			out = append(out, hostabi.Block{Key: blockKey("more:", l.Label), Type: hostabi.Notice, Severity: hostabi.Info, Text: text})
		}
	}
	return out
}

const chromiumOff = "The page's content is not told to accessibility. Start the application again with " +
	"--force-renderer-accessibility to read and operate it; until then only its frame can be used."

// emptyPage reports whether a browser shows a page of which it tells nothing.
func (w *Window) emptyPage() bool {
	return w.Page.Subtree() == 1 && area(w.Page) > 100*100
}

// inaccessible says that the application tells nothing, and what switches its
// accessibility on.
func (w *Window) inaccessible() string {
	if why, _ := w.Tree.Partial(); strings.Contains(why, "accessibility bus") { // no fault of the application
		return "This window can only be seen: " + why + "."
	}
	how := "If it is a Qt application, start it with QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1; Chromium and Electron with " +
		"--force-renderer-accessibility; Java with the ATK wrapper. Terminals like xterm have none: use the picture."
	switch {
	case strings.Contains(w.Toolkit, "chromium"), strings.Contains(strings.ToLower(w.Class), "chrom"):
		how = "Start it again with --force-renderer-accessibility."
	case strings.HasPrefix(w.Toolkit, "qt"):
		how = "Start it again with QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1."
	}
	return "This window tells nothing to accessibility, so it can only be seen. " + how
}

// picture is the last resort for a window that tells nothing.
func (w *Window) picture() hostabi.Block {
	return hostabi.Block{
		Key: "picture", Type: hostabi.Media, Alt: "The window as it looks: " + w.TitleText(),
		Region: hostabi.Region{X: 0, Y: 0, W: max(w.Bounds.W, 1), H: max(w.Bounds.H, 1)},
	}
}

// staticText joins what the window says, a heading after an empty line.
func (w *Window) staticText() string {
	var b strings.Builder
	for _, t := range w.Texts {
		if t.ReadOnly {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
			if t.Heading {
				b.WriteByte('\n')
			}
		}
		b.WriteString(t.Text)
	}
	return b.String()
}

// cutText cuts a text and says how the rest is read: by read_text of what.
func cutText(text string, n int, what string) string {
	total := utf8.RuneCountInString(text)
	if total <= n {
		return text
	}
	return string([]rune(text)[:n]) + "\n[" + itoa(int64(n)) + " of " + itoa(int64(total)) +
		" characters; the rest by read_text of \"" + what + "\"]"
}

// DocumentBlock is the text that a window is about. how says what action reads
// the rest of a text that is cut.
func DocumentBlock(f *Field, how string) hostabi.Block {
	return hostabi.Block{Key: "document", Type: hostabi.Text, Text: f.shown(maxDocument, how)}
}

// FieldItems are the fields as labels and values, without the document, and
// what is selected in each list.
func (w *Window) FieldItems() []hostabi.Field {
	var out []hostabi.Field
	for i := range w.Fields {
		f := &w.Fields[i]
		if f.Document {
			continue
		}
		v := f.Value
		if f.reads() {
			v = f.shown(maxValue, "read_text of \""+f.Label+"\"")
		}
		out = append(out, hostabi.Field{Label: f.Label, Value: v, Sensitive: f.Sensitive})
	}
	for i := range w.Lists {
		if l := &w.Lists[i]; l.Selectable {
			out = append(out, hostabi.Field{Label: "Selected in " + l.Label, Value: l.selected()})
		}
	}
	return out
}

// selected names the selected rows; nil for none.
func (l *List) selected() hostabi.Scalar {
	var names []string
	for i := range l.Rows {
		if r := &l.Rows[i]; r.Selected {
			names = append(names, strings.TrimSpace(r.Name()))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return Cut(strings.Join(names, ", "), maxValue)
}

func (w *Window) readOnlyBlocks() []hostabi.Block {
	var out []hostabi.Block
	var n names
	for _, t := range w.Texts {
		if !t.ReadOnly {
			continue
		}
		label := t.Label
		if label == "" {
			label = "text"
		}
		label = n.unique(label)
		text := t.Text
		if t.Label != "" {
			text = t.Label + ":\n" + text
		}
		out = append(out, hostabi.Block{Key: blockKey("shown:", label), Type: hostabi.Text, Text: cutText(text, maxDocument, WindowText)})
	}
	return out
}

// Block is the table or list block of a list.
func (l *List) Block() hostabi.Block {
	b := hostabi.Block{Key: blockKey("list:", l.Label), Type: hostabi.List, Offset: l.Offset}
	rows := l.Rows[:min(len(l.Rows), maxShown)]
	if len(l.Columns) > 0 {
		b.Key, b.Type, b.Columns = blockKey("table:", l.Label), hostabi.Table, l.Columns
		for i := range rows {
			b.Rows = append(b.Rows, rows[i].Cells)
		}
	} else {
		for i := range rows {
			b.List = append(b.List, rowItem(&rows[i]))
		}
	}
	b.Total = l.Total
	b.Truncated = l.Offset > 0 || int64(len(rows)) < l.Total || l.More
	if !b.Truncated {
		b.Total, b.Offset = 0, 0
	}
	return b
}

// rowItem is a row of a list on one line.
func rowItem(r *Row) hostabi.Scalar {
	text := ""
	for _, c := range r.Cells {
		if t := ScalarText(c); t != "" {
			if text != "" {
				text += " · "
			}
			text += t
		}
	}
	if r.Check.Valid() && r.Check != r.Node {
		return text
	}
	if r.Check.Valid() {
		if onOff(r.Check) == true {
			return text + " (ticked)"
		}
		return text + " (not ticked)"
	}
	return text
}

// MenuBlock lists the items of the open menu with what is on and what cannot
// be chosen.
func (w *Window) MenuBlock() (hostabi.Block, bool) {
	b := hostabi.Block{Key: "menu", Type: hostabi.List}
	for i := range w.Buttons {
		m := &w.Buttons[i]
		if !m.Menu {
			continue
		}
		text := m.Label
		switch {
		case !m.Enabled:
			text += " (unavailable)"
		case m.Checkable && m.On:
			text += " (on)"
		case m.Checkable:
			text += " (off)"
		}
		b.List = append(b.List, text)
	}
	return b, len(b.List) > 0
}
