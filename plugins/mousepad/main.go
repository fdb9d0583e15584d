// Mousepad is the adapter for the text editor of that name: the document as
// text with its file and its state, and actions on the whole text.
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

// editor is a window of Mousepad that shows a document.
type editor struct {
	*window.Window
	document *window.Field
	name     name
}

// open reads a window; nil if it shows no document, as a dialog does.
func open(r *tree.Reader) (*window.Window, *editor) {
	w := window.Read(r)
	d := w.Document()
	if d == nil {
		return w, nil
	}
	nameSearchBar(w)
	return w, &editor{w, d, parseTitle(w.Title)}
}

// nameSearchBar gives the parts of the search bar, which have no names or those
// of arrows, the names that a person would use.
func nameSearchBar(w *window.Window) {
	there := false
	for i := range w.Fields {
		if f := &w.Fields[i]; f.Kind == window.Line && f.Node.Within(tree.RoleToolBar).Valid() {
			f.Label, there = searchFor, true
			break
		}
	}
	if !there {
		return
	}
	for i := range w.Buttons {
		if label := searchButtons[w.Buttons[i].Label]; label != "" {
			w.Buttons[i].Label = label
		}
	}
}

var searchButtons = map[string]string{"Up": "Previous match", "Down": "Next match", "Close": "Close search bar"}

func translate(r *tree.Reader) (*hostabi.View, error) {
	w, e := open(r)
	if e == nil {
		return w.View(), nil
	}
	return &hostabi.View{Title: w.TitleText(), Summary: e.summary(), Blocks: e.blocks(), Actions: e.actions()}, nil
}

func invoke(c *pluginsdk.Call) (*hostabi.Outcome, error) {
	w, e := open(c.Window)
	if e == nil {
		return w.Invoke(c)
	}
	switch c.Action {
	case setText:
		return e.setText(c.Args)
	case insertText:
		return e.insertText(c.Args)
	case replaceText:
		return e.replaceText(c.Args)
	case findText:
		return e.findText(c.Args)
	case loadText:
		return window.ReadPart(e.document, c.Args)
	case save:
		return e.save()
	}
	if item, ok := menuActions[c.Action]; ok {
		return e.choose(item)
	}
	return w.Invoke(c)
}
