package window

import (
	"strings"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/pluginsdk"
	"oriel.dev/oriel/tree"
)

// setText replaces the text of a field, by accessibility where the field takes
// it so, else with the keyboard.
func (w *Window) setText(f *Field, text string) (*hostabi.Outcome, error) {
	if f.Kind == Line && strings.ContainsAny(text, "\n\r") {
		return nil, pluginsdk.Invalid("value", "this field takes one line of text")
	}
	if !f.Sensitive && f.Whole() && f.Node.Text() == text {
		return resulting(unchanged("“"+f.Label+"” holds this text already."), "value", Cut(text, maxValue)), nil
	}
	if err := WriteText(f.Node, text); err != nil {
		return nil, err
	}
	if f.Sensitive {
		return w.checkSecret(f, text)
	}
	now, seen := ReadBack(f.Node.ID(), text)
	o := did("Set “"+f.Label+"”.", seen)
	if !seen && now != "" {
		o.Message += " It shows: " + Cut(Clean(now), 100)
	}
	return resulting(o, "value", Cut(now, maxValue)), nil
}

// WriteText replaces what is in an element.
func WriteText(c tree.Cursor, text string) error {
	if c.Can(tree.IfaceEditableText) {
		return pluginsdk.SetText(c.ID(), text)
	}
	if err := focus(c); err != nil {
		return err
	}
	if err := pluginsdk.Keys("ctrl+a"); err != nil {
		return err
	}
	if text == "" {
		return pluginsdk.Keys("Delete")
	}
	return pluginsdk.Type(text)
}

// focus gives an element the keyboard focus and waits until it has it; a click
// helps where accessibility does not.
func focus(c tree.Cursor) error {
	if err := pluginsdk.ActivateWindow(); err != nil {
		return err
	}
	if giveFocus(c) {
		return nil
	}
	if err := click(c, 1); err != nil {
		return err
	}
	has := func(r *tree.Reader) bool { return r.ByID(c.ID()).Is(tree.StateFocused) }
	if _, err := pluginsdk.WaitUntil(SettleTime, has); err != nil {
		return pluginsdk.Refuse(hostabi.CodeNoFocus, "the field did not take the keyboard focus; nothing was typed")
	}
	return nil
}

// ReadBack reads an element's text until it is the one that was written, at
// most for the settle time.
func ReadBack(id tree.NodeID, want string) (now string, seen bool) {
	return ReadUntil(id, int(units(want, true))+1, func(t string) bool { return t == want })
}

// ReadUntil reads the first n characters of an element's text until they
// satisfy ok, at most for the settle time.
func ReadUntil(id tree.NodeID, n int, ok func(string) bool) (now string, seen bool) {
	read := func() bool {
		t, err := pluginsdk.ReadText(id, 0, n)
		if err != nil {
			return false
		}
		now = t
		return ok(t)
	}
	if read() {
		return now, true
	}
	_, err := pluginsdk.WaitUntil(SettleTime, func(*tree.Reader) bool { return read() })
	return now, err == nil
}

// checkSecret reads back how long a secret is, which is all that can be seen.
func (w *Window) checkSecret(f *Field, text string) (*hostabi.Outcome, error) {
	n := units(text, f.utf16)
	if info, ok := f.Node.TextInfo(); ok && info.Length == n {
		o := &hostabi.Outcome{Message: "Set “" + f.Label + "”. It held a secret of this length before, so it cannot be seen whether that changed.", Effect: hostabi.Unconfirmed}
		return resulting(o, "value", nil), nil
	}
	_, done := until(f, func(g *Field) bool {
		info, ok := g.Node.TextInfo()
		return ok && info.Length == n
	})
	return resulting(did("Set “"+f.Label+"”.", done), "value", nil), nil
}

// doTypeLine types a line into a terminal. What comes of it the window shows.
func (w *Window) doTypeLine(args hostabi.Value) (*hostabi.Outcome, error) {
	text := args.Get("text").Str()
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return nil, pluginsdk.Invalid("text", "has a line end or another control character; send one line at a time")
	}
	if !w.terminal.Valid() {
		return nil, pluginsdk.Refuse(hostabi.CodeUnavailable, "this window has no terminal now")
	}
	if err := focus(w.terminal); err != nil {
		return nil, err
	}
	if text != "" {
		if err := pluginsdk.Type(text); err != nil {
			return nil, err
		}
	}
	message := "Typed the line."
	if args.Get("enter").Bool() {
		if err := pluginsdk.Keys("Return"); err != nil {
			return nil, err
		}
		message = "Typed the line and pressed Return."
	}
	return &hostabi.Outcome{Message: message}, nil
}
