package window

import (
	"strings"
	"unicode/utf8"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/pluginsdk"
	"oriel.dev/oriel/tree"
)

// Bounds of one read.
const (
	maxRead     = 20000 // characters
	defaultRead = 4000
	maxReadRows = 500
)

// span reads the arguments of a partial read.
func span(args hostabi.Value, count string, normal, most int64) (offset, n int64) {
	offset, n = max(args.Get("offset").Int(), 0), args.Get(count).Int()
	if n <= 0 {
		n = normal
	}
	return offset, min(n, most)
}

func (w *Window) doReadText(args hostabi.Value) (*hostabi.Outcome, error) {
	of := args.Get("of").Str()
	if of == WindowText {
		return w.readStatic(args)
	}
	f, err := w.field(hostabi.Value(args), "of", func(f *Field) bool { return (f.Kind == Area || f.Document) && !f.Sensitive })
	if err != nil {
		return nil, err
	}
	return ReadPart(f.Node, args)
}

// ReadPart reads the characters that the arguments offset and length name.
func ReadPart(c tree.Cursor, args hostabi.Value) (*hostabi.Outcome, error) {
	offset, n := span(args, "length", defaultRead, maxRead)
	text, err := pluginsdk.ReadText(c.ID(), offset, int(n))
	if err != nil {
		return nil, err
	}
	total := offset + int64(utf8.RuneCountInString(text))
	if info, ok := c.TextInfo(); ok {
		total = max(total, info.Length)
	}
	return textRead(text, offset, total), nil
}

func textRead(text string, offset, total int64) *hostabi.Outcome {
	n := int64(utf8.RuneCountInString(text))
	return &hostabi.Outcome{
		Message: "Characters " + itoa(offset) + " to " + itoa(offset+n) + " of " + itoa(total) + ".",
		Result:  new(Object).Set("text", CleanText(text)).Set("total", total).JSON(),
		Effect:  hostabi.Unchanged,
	}
}

// readStatic reads what the window says outside of its fields.
func (w *Window) readStatic(args hostabi.Value) (*hostabi.Outcome, error) {
	offset, n := span(args, "length", defaultRead, maxRead)
	var text strings.Builder
	text.WriteString(w.staticText())
	for _, t := range w.Texts {
		if t.ReadOnly {
			text.WriteString("\n" + t.Text)
		}
	}
	all := []rune(text.String())
	from := min(offset, int64(len(all)))
	to := min(from+n, int64(len(all)))
	return textRead(string(all[from:to]), from, int64(len(all))), nil
}

// doReadRows reads rows beyond those that the view shows: from a table by its
// cells, from a list by its children.
func (w *Window) doReadRows(args hostabi.Value) (*hostabi.Outcome, error) {
	word := args.Get("list").Str()
	l := w.List(word)
	if l == nil {
		return nil, unknown("list", word, "list", w.listsThat(func(*List) bool { return true }))
	}
	offset, n := span(args, "count", 100, maxReadRows)
	rows, err := l.read(offset, n)
	if err != nil {
		return nil, err
	}
	total := max(l.Total, offset+int64(len(rows)))
	if len(rows) == 0 {
		total = l.Total
	}
	return &hostabi.Outcome{
		Message: plural(len(rows), "row") + " from number " + itoa(offset) + " on, of " + itoa(total) + ".",
		Result:  new(Object).Rows("rows", rows).Set("total", total).JSON(),
		Effect:  hostabi.Unchanged,
	}, nil
}

func (l *List) read(offset, n int64) ([]Row, error) {
	s := scanner{w: &Window{}}
	if t, ok := l.Node.Table(); ok && t.Columns > 0 {
		columns := min(t.Columns, maxColumns, 10000/max(n, 1))
		r, err := pluginsdk.Cells(l.Node.ID(), offset, 0, int(n), int(columns))
		if err != nil {
			return nil, err
		}
		part := List{Node: r.Root()}
		s.table(&part, tree.Table{Rows: t.Rows, Columns: columns})
		return part.Rows, nil
	}
	r, err := pluginsdk.Children(l.Node.ID(), offset, int(n))
	if err != nil {
		return nil, err
	}
	part := List{Node: r.Root()}
	s.items(&part, r.Root(), 0)
	return part.Rows, nil
}

func (w *Window) doReadLive() (*hostabi.Outcome, error) {
	var values []string
	for _, l := range w.Live {
		values = append(values, l.Label+": "+l.Value)
	}
	return &hostabi.Outcome{Message: "The values now.", Result: new(Object).List("values", values).JSON(), Effect: hostabi.Unchanged}, nil
}

func (w *Window) doScrollTo(args hostabi.Value) (*hostabi.Outcome, error) {
	word := args.Get("item").Str()
	c := w.element(word)
	if !c.Valid() {
		return nil, pluginsdk.Invalid("item", "there is no field, button or row “"+Cut(Clean(word), maxLabel)+"” in this window now")
	}
	if err := pluginsdk.ScrollTo(c.ID()); err != nil {
		return nil, err
	}
	return &hostabi.Outcome{Message: "Scrolled to “" + Cut(Clean(word), maxLabel) + "”."}, nil
}

// element finds the field, button or row that a word means.
func (w *Window) element(word string) tree.Cursor {
	if f := w.Field(word); f != nil {
		return f.Around
	}
	if b := w.Button(word); b != nil {
		return b.Node
	}
	for i := range w.Lists {
		if r, err := w.Lists[i].find(word); err == nil {
			return r.Node
		}
	}
	return tree.Cursor{}
}

func (w *Window) doScroll(args hostabi.Value) (*hostabi.Outcome, error) {
	if !w.Scrolls {
		return nil, pluginsdk.Refuse(hostabi.CodeUnavailable, "nothing in this window scrolls")
	}
	n := int(min(args.Get("notches").Int(), 50))
	if n <= 0 {
		n = 5
	}
	dx, dy := 0, 0
	direction := args.Get("direction").Str()
	switch direction {
	case "down":
		dy = n
	case "up":
		dy = -n
	case "left":
		dx = -n
	case "right":
		dx = n
	default:
		return nil, pluginsdk.Invalid("direction", "must be down, up, left or right")
	}
	if err := pluginsdk.Scroll(w.ScrollX, w.ScrollY, dx, dy); err != nil {
		return nil, err
	}
	return &hostabi.Outcome{Message: "Scrolled " + direction + "."}, nil
}
