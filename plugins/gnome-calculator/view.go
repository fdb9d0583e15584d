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
	keys    []window.Button
}

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
			c.said = window.Clean(t.Text)
			break
		}
	}
	if len(w.Lists) > 0 {
		c.history = &w.Lists[0]
	}
	c.sortButtons()
	return c
}

// sortButtons tells the keys from the buttons of the title bar, which lie above
// the display.
func (c *calculator) sortButtons() {
	top := c.display.Bounds().Y
	for _, b := range c.Buttons {
		if b.Node.Bounds().Y > top && b.Node.Surface() == 0 {
			c.keys = append(c.keys, b)
			continue
		}
		for _, m := range modes {
			if b.Label == m || strings.HasSuffix(b.Label, "("+m+")") {
				c.mode, c.modeKey = m, b.Node
			}
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
	return out
}
