// Gnome-calculator is the adapter for GNOME Calculator: what it shows and what
// was calculated before, and calculating by expression or by keys.
package main

import (
	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/plugins/generic/window"
	"oriel.dev/oriel/pluginsdk"
	"oriel.dev/oriel/tree"
)

var adapter = pluginsdk.Adapter{Translate: translate, Invoke: invoke}

func init() { pluginsdk.Register(adapter) }

func main() {}

func translate(r *tree.Reader) (*hostabi.View, error) {
	w := window.Read(r)
	c := read(w)
	if c == nil {
		return w.View(), nil
	}
	return &hostabi.View{Title: w.TitleText(), Summary: c.summary(), Blocks: c.blocks(), Actions: c.actions()}, nil
}

func invoke(call *pluginsdk.Call) (*hostabi.Outcome, error) {
	w := window.Read(call.Window)
	c := read(w)
	if c == nil {
		return w.Invoke(call)
	}
	switch call.Action {
	case calculate:
		return c.calculate(call.Args)
	case pressKeys:
		return c.pressKeys(call.Args)
	case clearDisplay:
		return c.clear()
	case setMode:
		return c.setMode(call.Args)
	case copyResult:
		return c.copyResult()
	case undo:
		return c.do("win.undo", "Undid the last step.")
	}
	return w.Invoke(call)
}
