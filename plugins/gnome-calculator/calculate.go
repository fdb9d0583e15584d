package main

import (
	"strings"
	"time"
	"unicode/utf8"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/plugins/generic/window"
	"oriel.dev/oriel/pluginsdk"
	"oriel.dev/oriel/tree"
)

// maxKeys bounds the keys of one call: each takes a quarter of a second.
const maxKeys = 16

// signs turns what is easily typed into the signs that the calculator uses.
var signs = strings.NewReplacer("*", "×", "/", "÷", "-", "−")

// now reads the calculator anew; nil if it is not to be had.
func now(r *tree.Reader) *calculator { return read(window.Read(r)) }

// look takes a fresh look.
func look() (*calculator, error) {
	r, err := pluginsdk.Observe()
	if err != nil {
		return nil, err
	}
	if c := now(r); c != nil {
		return c, nil
	}
	return nil, pluginsdk.Refuse(hostabi.CodeGone, "the calculator's display is gone; read the window again")
}

// until waits until the calculator satisfies ok and returns it as it was last
// seen.
func (c *calculator) until(ok func(*calculator) bool) (last *calculator, done bool) {
	last = c
	_, err := pluginsdk.WaitUntil(patience*time.Millisecond, func(r *tree.Reader) bool {
		n := now(r)
		if n == nil {
			return false
		}
		last = n
		return ok(n)
	})
	return last, err == nil
}

// rows is how many calculations the history holds.
func (c *calculator) rows() int64 {
	if c.history == nil {
		return 0
	}
	return c.history.Total
}

func (c *calculator) calculate(args hostabi.Value) (*hostabi.Outcome, error) {
	expression := strings.TrimRight(strings.TrimSpace(signs.Replace(args.Get("expression").Str())), "= ")
	if expression == "" || strings.ContainsAny(expression, "\n\r") {
		return nil, pluginsdk.Invalid("expression", "must be one line, such as “12 + 30”")
	}
	equals := c.key("=")
	if equals == nil {
		return nil, pluginsdk.Refuse(hostabi.CodeUnavailable, "this mode has no = key; change the mode")
	}
	if err := pluginsdk.SetText(c.display.ID(), expression); err != nil {
		return nil, err
	}
	if text, seen := window.ReadUntil(c.display.ID(), 1000, func(t string) bool { return tight(t) == tight(expression) }); !seen {
		return nil, pluginsdk.Refuse(hostabi.CodeUnavailable, "the display did not take the expression; it shows “"+window.Cut(text, 80)+"”")
	}
	before := c.rows()
	if err := window.Activate(equals.node); err != nil {
		return nil, err
	}
	last, done := c.until(func(n *calculator) bool {
		return n.rows() > before || n.said != "" || tight(n.expression()) != tight(expression)
	})
	if last.said != "" && last.rows() == before {
		last = last.afterwards() // it may say that it is still calculating
	}
	return last.answer(expression, before, done), nil
}

// afterwards is the calculator once what it says has changed, or has stood for a
// while.
func (c *calculator) afterwards() *calculator {
	last := c
	_, _ = pluginsdk.WaitUntil(400*time.Millisecond, func(r *tree.Reader) bool { // not to change is as good
		if n := now(r); n != nil {
			last = n
		}
		return last.said == "" || last.rows() > c.rows()
	})
	return last
}

// tight is an expression without the blanks, which the display sets as it likes.
func tight(s string) string { return strings.Join(strings.Fields(s), "") }

// answer is the outcome of a calculation.
func (c *calculator) answer(expression string, before int64, done bool) *hostabi.Outcome {
	result := ""
	o := &hostabi.Outcome{Effect: hostabi.Confirmed}
	switch {
	case c.said != "":
		o.Message = "The calculator says: " + c.said + "."
	case done:
		if result = c.expression(); c.rows() > before && c.lastResult() != "" {
			result = c.lastResult()
		}
		o.Message = expression + " = " + result
	default:
		o.Message, o.Effect = "Asked for the result; none was seen. Read the window again.", ""
	}
	o.Result = new(window.Object).Set("expression", expression).Set("result", result).JSON()
	return o
}

// key finds the key that a word means, nil if there is none.
func (c *calculator) key(word string) *key {
	for _, w := range [...]string{word, signs.Replace(word)} {
		for i := range c.keys {
			if c.keys[i].label == w {
				return &c.keys[i]
			}
		}
	}
	for i := range c.keys {
		if window.SameLabel(word, c.keys[i].label) || window.SameLabel(word, c.keys[i].node.Description()) {
			return &c.keys[i]
		}
	}
	return nil
}

// parseKeys cuts text into keys: words apart that are the names of keys, else
// each character.
func (c *calculator) parseKeys(text string) ([]string, error) {
	var out []string
	if k := c.key(strings.TrimSpace(text)); k != nil {
		return []string{k.label}, nil
	}
	for word := range strings.FieldsSeq(text) {
		if k := c.key(word); k != nil {
			out = append(out, k.label)
			continue
		}
		for _, r := range word {
			k := c.key(string(r))
			if k == nil {
				return nil, pluginsdk.Invalid("keys", "there is no key “"+string(r)+"” of “"+window.Cut(word, 40)+"”; keys here: "+c.keyList())
			}
			out = append(out, k.label)
		}
	}
	if len(out) == 0 || len(out) > maxKeys {
		return nil, pluginsdk.Invalid("keys", "takes 1 to 16 keys; use calculate for a longer expression")
	}
	return out, nil
}

// pressKeys presses one key after the other, each when the one before has been
// seen to work: pressed twice within a quarter of a second, a key counts once.
func (c *calculator) pressKeys(args hostabi.Value) (*hostabi.Outcome, error) {
	keys, err := c.parseKeys(args.Get("keys").Str())
	if err != nil {
		return nil, err
	}
	n := c
	for i, label := range keys {
		k := n.key(label)
		if k == nil || !k.enabled {
			return n.stopped(keys[:i], "the key “"+label+"” is not there now"), nil
		}
		if err := window.Activate(k.node); err != nil {
			return nil, err
		}
		before := n
		last, done := n.until(func(now *calculator) bool { return now.differs(before) })
		n = last
		if !done {
			return n.stopped(keys[:i], "the key “"+label+"” was pressed, but nothing was seen of it"), nil
		}
	}
	o := n.showing("Pressed " + strings.Join(keys, " ") + ". The display shows “" + n.expression() + "”.")
	o.Effect = hostabi.Confirmed
	return o, nil
}

// differs reports whether the calculator shows something else than before.
func (c *calculator) differs(before *calculator) bool {
	return c.expression() != before.expression() || c.rows() != before.rows() || c.said != before.said
}

// stopped is the outcome of keys of which only the first ones had an effect.
func (c *calculator) stopped(pressed []string, why string) *hostabi.Outcome {
	o := c.showing("Pressed " + strings.Join(pressed, " ") + "; then " + why + ". The display shows “" + c.expression() + "”.")
	if len(pressed) == 0 {
		o.Message = "Nothing changed: " + why + "."
		o.Effect = hostabi.Unconfirmed
	}
	return o
}

func (c *calculator) showing(message string) *hostabi.Outcome {
	return &hostabi.Outcome{Message: message, Result: new(window.Object).Set("display", c.expression()).JSON()}
}

// root returns the number of an action of the window itself, -1 if it has none.
func (c *calculator) root(action string) int { return c.Tree.Root().Action(action) }

// do carries out an action of the window itself.
func (c *calculator) do(action, message string) (*hostabi.Outcome, error) {
	n := c.root(action)
	if n < 0 {
		return nil, pluginsdk.Refuse(hostabi.CodeUnsupported, "this version of the calculator does not offer that")
	}
	if err := pluginsdk.DoAction(c.Tree.Root().ID(), n); err != nil {
		return nil, err
	}
	return &hostabi.Outcome{Message: message}, nil
}

func (c *calculator) clear() (*hostabi.Outcome, error) {
	if c.expression() == "" {
		o := c.showing("The display is empty already.")
		o.Effect = hostabi.Unchanged
		return o, nil
	}
	if err := pluginsdk.SetText(c.display.ID(), ""); err != nil {
		return nil, err
	}
	_, seen := window.ReadBack(c.display.ID(), "")
	last, err := look()
	if err != nil {
		return nil, err
	}
	o := last.showing("Cleared the display.")
	if seen {
		o.Effect = hostabi.Confirmed
	}
	return o, nil
}

// copyResult has the calculator copy its display. What is on the clipboard is
// not read back: it is nobody's affair but the user's.
func (c *calculator) copyResult() (*hostabi.Outcome, error) {
	text := c.expression()
	if text == "" {
		return nil, pluginsdk.Refuse(hostabi.CodeUnavailable, "the display is empty; there is nothing to copy")
	}
	o, err := c.do("win.copy", "Copied “"+window.Cut(text, 80)+"”.")
	if err != nil {
		return nil, err
	}
	o.Result = new(window.Object).Set("copied", text).JSON()
	o.Effect = hostabi.Unconfirmed
	return o, nil
}

func (c *calculator) setMode(args hostabi.Value) (*hostabi.Outcome, error) {
	mode := args.Get("mode").Str()
	result := func(c *calculator) string { return new(window.Object).Set("mode", c.mode).JSON() }
	if c.mode == mode {
		return &hostabi.Outcome{Message: "The mode is " + mode + " already.", Effect: hostabi.Unchanged, Result: result(c)}, nil
	}
	if err := window.Activate(c.modeKey); err != nil {
		return nil, err
	}
	var item tree.Cursor
	_, err := pluginsdk.WaitUntil(patience*time.Millisecond, func(r *tree.Reader) bool {
		item = modeItem(r, mode)
		return item.Valid()
	})
	if err != nil {
		return nil, pluginsdk.Refuse(hostabi.CodeUnavailable, "the menu of modes did not show “"+mode+"”; read the window again")
	}
	if err := window.Activate(item); err != nil {
		return nil, err
	}
	last, done := c.until(func(n *calculator) bool { return n.mode == mode })
	o := &hostabi.Outcome{Message: "Changed the mode to " + mode + ".", Result: result(last)}
	if done {
		o.Effect = hostabi.Confirmed
	}
	return o, nil
}

// modeItem finds the item of the open menu that a mode's name is on.
func modeItem(r *tree.Reader, mode string) tree.Cursor {
	for c := range r.All() {
		if c.Surface() == 0 || !c.Is(tree.StateShowing) {
			continue
		}
		if utf8.RuneCountInString(c.Name()) < 20 && window.Label(c.Name()) == mode && c.HasBounds() && window.Clickable(c) {
			return c
		}
	}
	return tree.Cursor{}
}
