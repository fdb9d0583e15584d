package main

import (
	"strconv"
	"strings"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/plugins/generic/window"
	"oriel.dev/oriel/tree"
)

// modes are the calculator's modes as its menu names them.
var modes = []string{"Basic", "Advanced", "Financial", "Programming", "Keyboard"}

// calculator is a window of the calculator.
type calculator struct {
	*window.Window
	display tree.Cursor // the expression, which can be edited
	said    string      // what stands below it: an error, or nothing
	mode    string      // "" if the mode button is not there
	modeKey tree.Cursor
	history *window.List
	keys    []key
}

// key is a key of the calculator and what is on it.
type key struct {
	label   string
	node    tree.Cursor
	enabled bool
}

// narrowest is the width of the narrowest key. The bits of a number, which
// programming mode shows as buttons, are narrower.
const narrowest = 20

// read finds the parts of the calculator; nil if the window has no display, as
// its preferences.
func read(w *window.Window) *calculator {
	c := &calculator{Window: w}
	for i := range w.Fields {
		if f := &w.Fields[i]; f.Kind == window.Area && f.Enabled {
			c.display = f.Node
			break
		}
	}
	if !c.display.Valid() {
		return nil
	}
	for _, t := range w.Texts {
		if t.ReadOnly {
			if c.said = window.Clean(t.Text); c.said == "Calculating" {
				c.said = "" // it passes
			}
			break
		}
	}
	if len(w.Lists) > 0 {
		c.history = &w.Lists[0]
	}
	c.sortButtons()
	c.nameChoices()
	return c
}

// sortButtons tells the keys from the buttons of the title bar, which lie above
// the display.
func (c *calculator) sortButtons() {
	for _, b := range c.Buttons {
		if c.onKeypad(b.Node) {
			if b.Node.Bounds().W >= narrowest {
				c.keys = append(c.keys, key{keyLabel(&b), b.Node, b.Enabled})
			}
			continue
		}
		for _, m := range modes {
			if b.Label == m || strings.HasSuffix(b.Label, "("+m+")") {
				c.mode, c.modeKey = m, b.Node
			}
		}
	}
}

// onKeypad reports whether a button stands below the display.
func (c *calculator) onKeypad(b tree.Cursor) bool {
	return b.Surface() == 0 && b.Bounds().Y > c.display.Bounds().Y
}

// keyLabel is what is on a key, without the number that tells equal buttons
// apart.
func keyLabel(b *window.Button) string {
	if l := window.Label(b.Node.Name()); l != "" {
		return l
	}
	return b.Label
}

// nameChoices names the choices of the modes, which have no names of their own.
func (c *calculator) nameChoices() {
	choices := map[string][]string{"Advanced": {"Conversion", "Convert from", "Convert to"}, "Programming": {"Number base"}}[c.mode]
	for i := range c.Fields {
		if f := &c.Fields[i]; f.Kind == window.Choice && len(choices) > 0 {
			f.Label, choices = choices[0], choices[1:]
		}
	}
}

// expression is what the display shows.
func (c *calculator) expression() string { return window.Clean(c.display.Text()) }

// lastResult is the last result of the history: what stands behind the equals
// sign.
func (c *calculator) lastResult() string {
	if c.history == nil || len(c.history.Rows) == 0 {
		return ""
	}
	return resultOf(c.history.Rows[len(c.history.Rows)-1].Name())
}

func resultOf(row string) string {
	if i := strings.LastIndex(row, " = "); i >= 0 {
		return strings.TrimSpace(row[i+3:])
	}
	return ""
}

func (c *calculator) summary() string {
	s := "Calculator"
	if c.mode != "" {
		s += " in " + strings.ToLower(c.mode) + " mode"
	}
	if e := c.expression(); e != "" {
		s += " showing “" + window.Cut(e, 80) + "”"
	} else {
		s += " with an empty display"
	}
	if c.history != nil && len(c.history.Rows) > 0 {
		n := strconv.Itoa(len(c.history.Rows))
		s += ", after " + n + " calculation"
		if n != "1" {
			s += "s"
		}
	}
	if _, open := c.MenuBlock(); open {
		s += "; a menu is open"
	}
	s += "."
	if c.said != "" {
		s += " It says: " + window.Cut(c.said, 100) + "."
	}
	return s
}

func (c *calculator) blocks() []hostabi.Block {
	out := c.NoticeBlocks()
	if c.said != "" {
		out = append(out, hostabi.Block{Key: "said", Type: hostabi.Notice, Severity: hostabi.Error, Text: c.said})
	}
	items := []hostabi.Field{{Label: "Display", Value: c.expression()}}
	if c.mode != "" {
		items = append(items, hostabi.Field{Label: "Mode", Value: c.mode})
	}
	if r := c.lastResult(); r != "" {
		items = append(items, hostabi.Field{Label: "Last result", Value: r})
	}
	for i := range c.Fields {
		if f := &c.Fields[i]; f.Node != c.display {
			items = append(items, hostabi.Field{Label: f.Label, Value: f.Value})
		}
	}
	out = append(out, hostabi.Block{Key: "display", Type: hostabi.Fields, Items: items})
	if c.history != nil && len(c.history.Rows) > 0 {
		b := c.history.Block()
		b.Key, b.Ordered = "history", true
		out = append(out, b)
	}
	if menu, open := c.MenuBlock(); open {
		out = append(out, menu)
	}
	return out
}
