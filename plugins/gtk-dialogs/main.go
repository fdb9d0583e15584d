// Gtk-dialogs is the adapter for the dialogs that are GTK's own and the same in
// every application: messages and questions, file choosers, print dialogs. Any
// other dialog is shown as by generic.
package main

import (
	"slices"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/plugins/generic/window"
	"oriel.dev/oriel/pluginsdk"
	"oriel.dev/oriel/tree"
)

var adapter = pluginsdk.Adapter{Translate: translate, Invoke: invoke}

func init() { pluginsdk.Register(adapter) }

func main() {}

// dialog is what one kind of dialog is to an agent.
type dialog interface {
	view() *hostabi.View
	invoke(c *pluginsdk.Call) (*hostabi.Outcome, error)
}

// open reads a dialog and finds out what kind it is.
func open(r *tree.Reader) dialog {
	w := window.Read(r)
	if c := newChooser(w); c != nil {
		return c
	}
	if p := newPrint(w); p != nil {
		return p
	}
	if m := newMessage(w); m != nil {
		return m
	}
	return other{w}
}

// other is a dialog of the application's own making.
type other struct{ *window.Window }

func (o other) view() *hostabi.View { return o.View() }

func (o other) invoke(c *pluginsdk.Call) (*hostabi.Outcome, error) { return o.Invoke(c) }

func translate(r *tree.Reader) (*hostabi.View, error) { return open(r).view(), nil }

func invoke(c *pluginsdk.Call) (*hostabi.Outcome, error) { return open(c.Window).invoke(c) }

// answers are the buttons at the bottom of a dialog: the one that accepts and
// the one that cancels. Either may be nil.
type answers struct{ accept, cancel *window.Button }

// cancelKey is what the key binding of a button that cancels ends in, in
// English; elsewhere it is the only other button of the row.
const cancelKey = "<Alt>c"

// findAnswers finds the answers among the buttons that stand in the row of the
// default one.
func findAnswers(w *window.Window) answers {
	var a answers
	for i := range w.Buttons {
		if w.Buttons[i].Node.Is(tree.StateDefault) {
			a.accept = &w.Buttons[i]
		}
	}
	if a.accept == nil {
		return a
	}
	row := a.accept.Node.Parent()
	var rest []*window.Button
	for i := range w.Buttons {
		b := &w.Buttons[i]
		if b == a.accept || b.Node.Parent() != row {
			continue
		}
		if window.SameLabel("Cancel", b.Label) || keyOf(b) == cancelKey {
			a.cancel = b
			return a
		}
		rest = append(rest, b)
	}
	if len(rest) == 1 {
		a.cancel = rest[0]
	}
	return a
}

// keyOf is the key binding of a button.
func keyOf(b *window.Button) string {
	for _, action := range b.Node.Actions() {
		return action.KeyBinding
	}
	return ""
}

// without leaves buttons out, for actions of their own press them.
func without(buttons []window.Button, drop ...*window.Button) []window.Button {
	return slices.DeleteFunc(slices.Clone(buttons), func(b window.Button) bool {
		return slices.ContainsFunc(drop, func(d *window.Button) bool { return d != nil && d.Node == b.Node })
	})
}

// leave presses the button that cancels; a dialog without one is closed.
func (a answers) leave(w *window.Window) (*hostabi.Outcome, error) {
	if a.cancel == nil || !a.cancel.Enabled {
		return window.CloseNow()
	}
	if err := w.Press(a.cancel.Node); err != nil {
		return nil, err
	}
	return &hostabi.Outcome{Message: "Pressed “" + a.cancel.Label + "”."}, nil
}

// cancelAction is the action that leave carries out.
func cancelAction(what string) hostabi.Action {
	return hostabi.Action{Name: cancel, Title: "Cancel", Description: what}
}

// The names of the actions that this adapter adds to those of package window.
const (
	chooseFile = "choose_file"
	openFile   = "open"
	saveFile   = "save"
	printNow   = "print"
	cancel     = "cancel"
)
