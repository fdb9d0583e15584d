package main

import (
	"strings"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/plugins/generic/window"
)

// The names of the actions.
const (
	calculate    = "calculate"
	pressKeys    = "press_keys"
	clearDisplay = "clear"
	setMode      = "set_mode"
	copyResult   = "copy_result"
	undo         = "undo"
)

// patience is how long the host waits for a first effect, in milliseconds: the
// calculator carries out a press 250 ms after it was asked to.
const patience = 1500

// rest are the actions of package window that suit the calculator as they are.
var rest = map[string]bool{window.Close: true, window.Press: true, window.SetField: true, window.Choose: true}

func (c *calculator) actions() []hostabi.Action {
	shown := new(window.Schema).String("display", "What the display shows afterwards", true).JSON()
	out := []hostabi.Action{
		{
			Name: calculate, Title: "Calculate", Patience: patience,
			Description: "Writes an expression on the display, in place of what is there, and calculates it, for example “(12 + 30) * 2”, “√16”, “5!”, “2^10”, “sin(30)”.",
			Input:       new(window.Schema).String("expression", "The expression, without an equals sign", true).JSON(),
			Output:      new(window.Schema).String("expression", "", true).String("result", "The result, “” if there was none", true).JSON(),
		},
		{
			Name: pressKeys, Title: "Press keys", Patience: patience,
			Description: "Presses keys of the calculator one after the other, at most 16. Keys here: " + c.keyList() + ".",
			Input:       new(window.Schema).String("keys", "Digits and operators as in “12+30=”; keys with longer names apart, as in “7 mod 3 =”", true).JSON(),
			Output:      shown,
		},
		{Name: clearDisplay, Title: "Clear the display", Idempotent: true, Patience: patience, Description: "Clears the display; the history stays.", Output: shown},
		{Name: undo, Title: "Undo", Patience: patience, Description: "Takes back the last step on the display."},
		{
			Name: copyResult, Title: "Copy", Idempotent: true, Patience: patience, OpenWorld: true,
			Description: "Copies what the display shows to the clipboard.", Output: new(window.Schema).String("copied", "", true).JSON(),
		},
	}
	if c.mode != "" {
		out = append(out, hostabi.Action{
			Name: setMode, Title: "Change the mode", Idempotent: true, Patience: patience,
			Description: "Changes the calculator's mode. Advanced has functions and unit conversion, Programming has number bases, Financial has interest.",
			Input:       new(window.Schema).String("mode", "", true, modes...).JSON(),
			Output:      new(window.Schema).String("mode", "The mode afterwards", true).JSON(),
		})
	}
	return append(out, c.others()...)
}

// others are the actions of package window on what is neither key nor display.
func (c *calculator) others() []hostabi.Action {
	w := *c.Window
	w.Fields, w.Buttons, w.Lists, w.Texts = nil, nil, nil, nil
	for _, f := range c.Fields {
		if f.Node != c.display {
			w.Fields = append(w.Fields, f)
		}
	}
	for _, b := range c.Buttons {
		if !c.onKeypad(b.Node) {
			w.Buttons = append(w.Buttons, b)
		}
	}
	var out []hostabi.Action
	for _, a := range w.Actions() {
		if rest[a.Name] {
			out = append(out, a)
		}
	}
	return out
}

func (c *calculator) keyList() string {
	var labels []string
	for _, k := range c.keys {
		labels = append(labels, k.label)
	}
	return window.Cut(strings.Join(labels, " "), 600)
}
