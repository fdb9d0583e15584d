// Featherpad is the adapter for the text editor FeatherPad: the document as text
// with its file and its state, and actions on the whole text.
package main

import (
	"slices"
	"strings"
	"unicode/utf8"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/plugins/generic/window"
	"oriel.dev/oriel/plugins/internal/document"
	"oriel.dev/oriel/pluginsdk"
	"oriel.dev/oriel/tree"
)

var adapter = pluginsdk.Adapter{Translate: translate, Invoke: invoke}

func init() { pluginsdk.Register(adapter) }

func main() {}

// editor is a window that shows a document.
type editor struct {
	*window.Window
	doc      document.Document
	file     string // path; "Untitled" for what has no file yet
	modified bool
}

// open reads a window; the editor is nil if it shows no document.
func open(r *tree.Reader) (*window.Window, *editor) {
	w := window.Read(r)
	f := w.Document()
	if f == nil {
		return w, nil
	}
	e := &editor{Window: w, doc: document.Document{Field: f, UTF16: strings.HasPrefix(w.Toolkit, "qt")}}
	e.file, e.modified = parseTitle(w.Window.Title)
	return w, e
}

// parseTitle reads a title such as "*/home/ann/notes.txt".
func parseTitle(title string) (file string, modified bool) {
	file, modified = strings.CutPrefix(window.Clean(title), "*")
	return strings.TrimSpace(file), modified
}

func (e *editor) hasFile() bool { return strings.HasPrefix(e.file, "/") }

func (e *editor) base() string { return e.file[strings.LastIndexByte(e.file, '/')+1:] }

func (e *editor) state() string {
	switch {
	case e.modified:
		return "unsaved changes"
	case !e.hasFile():
		return "never saved"
	}
	return "saved"
}

// size is the number of lines and characters, if all of the text is known.
func (e *editor) size() (lines, characters int64, known bool) {
	if !e.doc.Whole() || e.doc.Sensitive {
		return 0, 0, false
	}
	text := e.doc.Node.Text()
	lines = int64(strings.Count(text, "\n"))
	if text != "" && !strings.HasSuffix(text, "\n") {
		lines++
	}
	return lines, int64(utf8.RuneCountInString(text)), true
}

// tabs is the strip of tabs, nil with a single document.
func (e *editor) tabs() *window.Field {
	for i := range e.Fields {
		if f := &e.Fields[i]; f.Tabs && len(f.Options) > 1 {
			return f
		}
	}
	return nil
}

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
	if out, ok, err := e.doc.Invoke(c); ok {
		return out, err
	}
	if c.Action == save {
		return e.save()
	}
	if k, ok := keys[c.Action]; ok {
		return e.press(k)
	}
	return w.Invoke(c)
}

// rest is what is operated as in every window: the search bar, tabs, menus.
func (e *editor) rest() *window.Window {
	rest := *e.Window
	rest.Fields = slices.DeleteFunc(slices.Clone(e.Fields), func(f window.Field) bool { return f.Document })
	return &rest
}
