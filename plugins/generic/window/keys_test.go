package window

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"oriel.dev/oriel/hostabi"
)

func fieldsAndButtons(w *Window) (fields, buttons []string) {
	for i := range w.Fields {
		fields = append(fields, w.Fields[i].Label)
	}
	for i := range w.Buttons {
		buttons = append(buttons, w.Buttons[i].Label)
	}
	return fields, buttons
}

// The keys of a calculator may be toggle buttons; they are pressed, not set. The
// toggle buttons of a tool bar, or where one is on, are settings.
func TestKeypad(t *testing.T) {
	keys := func(inside, first string) *Window {
		var b strings.Builder
		b.WriteString("window: title=\"Calc\" toolkit=gtk3 bounds=0,0,400,400\nwindow \"Calc\"\n  " + inside + " showing @0,0,400,40\n")
		for i := range keypad {
			state := ""
			if i == 0 {
				state = first
			}
			fmt.Fprintf(&b, "    toggle-button \"%d\" showing enabled %s actions=click @%d,0,40,40\n", i+1, state, 40*i)
		}
		return read(t, b.String())
	}
	for _, tt := range []struct {
		inside, first string
		fields        int
	}{{"panel", "", 0}, {"tool-bar", "", keypad}, {"panel", "pressed", keypad}} {
		fields, buttons := fieldsAndButtons(keys(tt.inside, tt.first))
		if len(fields) != tt.fields || len(buttons) != keypad {
			t.Errorf("%s %s: fields %q, buttons %q", tt.inside, tt.first, fields, buttons)
		}
	}
}

// A button that only opens a menu is called after the one that it hangs on, and
// is no setting.
func TestMenuButtons(t *testing.T) {
	fields, buttons := fieldsAndButtons(read(t, `
		window: title="Calc" toolkit=gtk3 bounds=0,0,400,400
		window "Calc"
		  button "sin" showing enabled actions=click @0,0,40,40
		  toggle-button "Menu" showing enabled actions=click @40,0,10,40
		  button "cos" showing enabled actions=click @60,0,40,40
		  toggle-button "Menu" showing enabled actions=click @100,0,10,40
	`))
	if len(fields) != 0 || !slices.Equal(buttons, []string{"sin", "Menu (sin)", "cos", "Menu (cos)"}) {
		t.Errorf("fields %q, buttons %q", fields, buttons)
	}
}

// What is disabled is told too, so that an agent knows that it exists.
func TestDisabledButtonsAreNamed(t *testing.T) {
	w := read(t, `
		window: title="Paint" bounds=0,0,400,400
		window "Paint"
		  button "New" showing enabled actions=click @0,0,40,40
		  button "Undo" showing actions=click @40,0,40,40
	`)
	a, _ := w.press()
	if !strings.HasSuffix(a.Description, "Disabled now: Undo.") || strings.Contains(a.Input, "Undo") {
		t.Errorf("got %+v", a)
	}
}

// A terminal shows no empty rest of its screen, and takes lines.
func TestTerminal(t *testing.T) {
	w := read(t, `
		window: title="Terminal" toolkit=gtk3 bounds=0,0,400,400
		window "Terminal"
		  terminal "Terminal" showing enabled focusable text="$ ls\na.txt\n$ \n\n\n" @0,0,400,400
	`)
	view := w.View()
	if got := view.Blocks[0].Text; got != "Terminal:\n$ ls\na.txt\n$" {
		t.Errorf("it shows %q", got)
	}
	if !slices.ContainsFunc(view.Actions, func(a hostabi.Action) bool { return a.Name == TypeLine && a.Destructive && a.OpenWorld }) {
		t.Errorf("there is no action to type: %+v", view.Actions)
	}
}
