package window

import (
	"strings"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/pluginsdk"
	"oriel.dev/oriel/tree"
)

// Bounds of one read.
const (
	maxRead     = 20000 // characters
	defaultRead = 4000
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
	f, err := w.field(hostabi.Value(args), "of", (*Field).reads)
	if err != nil {
		return nil, err
	}
	return ReadPart(f, args)
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
	word = "“" + Cut(Clean(word), maxLabel) + "”"
	seen := func(c tree.Cursor) bool { return c.Is(tree.StateShowing) && !c.Bounds().Empty() }
	patience, before := SettleTime, c
	if seen(before) {
		patience /= 3 // it may be so already
	}
	_, err := pluginsdk.WaitUntil(patience, func(r *tree.Reader) bool {
		now := r.ByID(before.ID())
		return seen(now) && (!seen(before) || now.Bounds() != before.Bounds())
	})
	if err != nil && seen(before) {
		return unchanged(word + " is in view already."), nil
	}
	return did("Scrolled to "+word+".", err == nil), nil
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
