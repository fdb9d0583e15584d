package window

import (
	"strings"
	"unicode/utf8"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/tree"
)

// Summary says in one sentence what the window shows: for a dialog what it
// asks, for another window what it is and how much it holds.
func (w *Window) Summary() string {
	if !w.Accessible() {
		return "A window of which nothing but its picture is known."
	}
	var s string
	if w.Dialog() {
		s = w.dialogSummary()
	} else {
		s = w.windowSummary()
	}
	return Cut(s, 400)
}

// dialogSummary quotes the question and names the answers.
func (w *Window) dialogSummary() string {
	s := "Dialog"
	switch w.Tree.Root().Role() {
	case tree.RoleFileChooser:
		s = "File chooser"
	case tree.RoleColorChooser:
		s = "Colour chooser"
	}
	parts := w.contents()
	if q := w.question(); q != "" {
		s += ": " + q
		if parts != "" {
			s += " With " + parts + "."
		}
	} else if parts != "" {
		s += " with " + parts + "."
	} else {
		s += "."
	}
	return s + w.answers() + w.troubles()
}

// question is what a dialog says first: one or two sentences.
func (w *Window) question() string {
	q := ""
	for _, t := range w.Texts {
		if t.ReadOnly || utf8.RuneCountInString(q)+utf8.RuneCountInString(t.Text) > 200 {
			break
		}
		if q != "" {
			q += " "
		}
		q += sentence(t.Text)
	}
	if q == "" && len(w.Texts) > 0 && !w.Texts[0].ReadOnly {
		q = sentence(Cut(w.Texts[0].Text, 200))
	}
	if q == "" {
		if t := w.TitleText(); t != "" {
			q = sentence(t)
		}
	}
	return q
}

// sentence ends a text as a sentence.
func sentence(s string) string {
	if s == "" || strings.ContainsRune(".!?:…。？！", lastRune(s)) {
		return s
	}
	return s + "."
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

func (w *Window) answers() string {
	var list []string
	for i := range w.Buttons {
		if b := &w.Buttons[i]; b.Enabled && !b.Menu && !b.Link && !b.Checkable {
			list = append(list, b.Label)
		}
	}
	if len(list) == 0 || len(list) > 6 {
		return ""
	}
	return " Buttons: " + strings.Join(list, ", ") + "."
}

// windowSummary says what kind of window it is and what is in it.
func (w *Window) windowSummary() string {
	s, parts := "Window", w.contents()
	if d := w.Document(); d != nil {
		s = "Text editor"
		if parts != "" {
			parts = ", " + parts
		}
		parts = documentSize(d) + parts
	} else if w.Page.Valid() {
		s = "Web page in a browser"
	}
	if t := w.TitleText(); t != "" {
		s += " “" + Cut(t, 80) + "”"
	}
	if parts != "" {
		s += " with " + parts
	}
	if w.Unsaved() {
		s += ", unsaved changes"
	}
	return s + "." + w.troubles()
}

// documentSize says how long a document is: in lines if all of it is known.
func documentSize(f *Field) string {
	text, _ := f.Value.(string)
	info, known := f.Node.TextInfo()
	switch {
	case text == "":
		return "an empty text"
	case known && !f.Whole() && f.utf16:
		return "a long text"
	case known && !f.Whole():
		return "a text of " + itoa(info.Length) + " characters"
	}
	return lines(text)
}

// Unsaved reports whether the title carries the star by which editors mark
// changes that are not saved.
func (w *Window) Unsaved() bool {
	t := strings.TrimSpace(w.Title)
	return strings.HasPrefix(t, "*") || strings.HasPrefix(t, "•") || strings.HasSuffix(t, "*") ||
		strings.Contains(t, "* - ") || strings.Contains(t, "* — ") || strings.Contains(t, "*]")
}

func lines(text string) string {
	n := strings.Count(text, "\n")
	if !strings.HasSuffix(text, "\n") {
		n++
	}
	return plural(n, "line")
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return itoa(int64(n)) + " " + word + "s"
}

// contents counts what the window holds.
func (w *Window) contents() string {
	var parts []string
	fields, empty := 0, 0
	for i := range w.Fields {
		f := &w.Fields[i]
		switch {
		case f.Tabs:
			v, _ := f.Value.(string)
			parts = append(parts, plural(len(f.Options), "tab")+" (“"+v+"” active)")
		case f.Document:
		default:
			fields++
			if v, ok := f.Value.(string); ok && v == "" && f.Enabled {
				empty++
			}
		}
	}
	if fields > 0 {
		t := plural(fields, "field")
		if empty > 0 {
			t += " (" + itoa(int64(empty)) + " empty)"
		}
		parts = append(parts, t)
	}
	for i := range w.Lists {
		if i == 3 {
			parts = append(parts, itoa(int64(len(w.Lists)-3))+" more lists")
			break
		}
		parts = append(parts, w.Lists[i].summary())
	}
	if w.openMenu() {
		parts = append(parts, "an open menu")
	}
	return strings.Join(parts, ", ")
}

func (l *List) summary() string {
	kind, what := "list", "item"
	if len(l.Columns) > 0 {
		kind, what = "table", "row"
	}
	n := plural(int(l.Total), what)
	if l.More {
		n = "more than " + n
	}
	s := "a " + kind + " “" + l.Label + "” of " + n
	if sel := l.selected(); sel != nil {
		s += " (selected: " + Cut(ScalarText(sel), 40) + ")"
	}
	return s
}

func (w *Window) openMenu() bool {
	for i := range w.Buttons {
		if w.Buttons[i].Menu {
			return true
		}
	}
	return false
}

// troubles repeats the gravest notice.
func (w *Window) troubles() string {
	for _, n := range w.Notices {
		if n.Severity == hostabi.Error {
			return " " + sentence(Cut(n.Text, 120))
		}
	}
	return ""
}
