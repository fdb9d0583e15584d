package main

import (
	"slices"
	"strings"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/plugins/generic/window"
	"oriel.dev/oriel/pluginsdk"
	"oriel.dev/oriel/tree"
)

// The labels of a file chooser's parts.
const (
	nameField   = "Name"
	folderField = "Folder"
	filesList   = "Files"
)

// showLocation is the action of GTK3's file chooser that puts an entry for the
// path in the place of the folders.
const showLocation = "show_location"

// chooser is a file chooser: one that opens lists the files and shows an entry
// for a path on demand, one that saves has an entry for the name.
type chooser struct {
	*window.Window
	answers
	widget tree.Cursor // the part that is GTK's own
	folder tree.Cursor // the row of folders, invalid if the path is shown
	entry  tree.Cursor // takes the name or path, invalid if there is none
	saves  bool
}

// newChooser returns nil for what is no file chooser.
func newChooser(w *window.Window) *chooser {
	widget := w.Tree.Root()
	for c := range w.Tree.All() {
		if c.Role() == tree.RoleFileChooser {
			widget = c // the innermost
		}
	}
	if widget.Role() != tree.RoleFileChooser {
		return nil
	}
	c := &chooser{Window: w, answers: findAnswers(w), widget: widget}
	c.findEntry()
	c.findFolder()
	c.rename()
	return c
}

// findEntry finds the entry for the name. Where it is a part of the chooser's
// own first row the dialog saves; the entry for a path takes the folders' place.
func (c *chooser) findEntry() {
	for d := range c.widget.Descendants() {
		if d.Role() != tree.RoleEntry || d.Sensitive() || !d.Is(tree.StateEditable|tree.StateShowing) || d.Within(tree.RoleTable).Valid() {
			continue
		}
		c.entry, c.saves = d, d.Parent() == c.widget || d.Related(tree.LabelledBy).Valid() || d.Name() != ""
		return
	}
}

// findFolder finds the row of buttons that are the folders on the way to the one
// that is shown.
func (c *chooser) findFolder() {
	for d := range c.widget.Descendants() {
		if d.Role() == tree.RoleToggleButton && d.Is(tree.StateShowing|tree.StateChecked) && d.Parent().Role() != tree.RoleTable {
			c.folder = d.Parent()
			return
		}
	}
}

// rename labels the entry, which may be named by what stands around it.
func (c *chooser) rename() {
	for i := range c.Fields {
		if f := &c.Fields[i]; c.entry.Valid() && f.Node == c.entry {
			f.Label = nameField
		}
	}
}

// path is the folder that is shown, as far as the row of folders tells it.
func (c *chooser) path() string {
	if !c.folder.Valid() {
		return ""
	}
	var parts []string
	for d := range c.folder.Children() {
		if d.Role() != tree.RoleToggleButton || !d.Is(tree.StateShowing) {
			continue
		}
		name := window.Label(d.Name())
		parts = append(parts, name)
		if d.Is(tree.StateChecked) {
			break
		}
	}
	return strings.Join(parts, " › ")
}

// ours reports whether a field is a part of the chooser that actions or blocks
// of their own stand for.
func (c *chooser) ours(f *window.Field) bool {
	n := f.Node
	return n == c.entry || c.folder.Valid() && (n == c.folder || n.Parent() == c.folder || f.Around.Parent() == c.folder) || f.Label == folderField
}

// rest is the window without what is told in another way: the choices of the
// application itself stay, and the places, the files and the filter.
func (c *chooser) rest() *window.Window {
	rest := *c.Window
	rest.Fields = slices.DeleteFunc(slices.Clone(c.Fields), func(f window.Field) bool { return c.ours(&f) })
	rest.Buttons = slices.DeleteFunc(without(c.Buttons, c.accept, c.cancel), func(b window.Button) bool {
		return c.folder.Valid() && b.Node.Parent() == c.folder && b.Node.Role() != tree.RoleToggleButton
	})
	return &rest
}

func (c *chooser) view() *hostabi.View {
	rest := c.rest()
	v := &hostabi.View{Title: c.TitleText(), Summary: c.summary(), Blocks: rest.NoticeBlocks()}
	items := []hostabi.Field{}
	if p := c.path(); p != "" {
		items = append(items, hostabi.Field{Label: folderField, Value: p})
	}
	if c.entry.Valid() {
		items = append(items, hostabi.Field{Label: nameField, Value: window.Cut(window.Clean(c.entry.Text()), 1000)})
	}
	if items = append(items, rest.FieldItems()...); len(items) > 0 {
		v.Blocks = append(v.Blocks, hostabi.Block{Key: "fields", Type: hostabi.Fields, Items: items})
	}
	for i := range rest.Lists {
		v.Blocks = append(v.Blocks, rest.Lists[i].Block())
	}
	v.Actions = append(c.actions(), slices.DeleteFunc(rest.Actions(), func(a hostabi.Action) bool {
		return a.Name == window.Close || a.Name == window.ScrollTo || a.Name == window.Toggle
	})...)
	return v
}

func (c *chooser) actions() []hostabi.Action {
	word := "open"
	if c.saves {
		word = "save to"
	}
	out := []hostabi.Action{{
		Name: chooseFile, Title: "Name the file", Idempotent: true,
		Description: "Names the file to " + word + ", by its whole path or by its name in the folder shown. It does not " + c.verb() + " it yet.",
		Input:       new(window.Schema).String("path", "The path, such as /home/ann/a.txt, or the name", true).JSON(),
		Output:      new(window.Schema).String("path", "What stands in the entry afterwards", true).JSON(),
	}}
	if c.accept != nil {
		a := hostabi.Action{Name: c.verb(), Title: c.accept.Label, OpenWorld: true, Destructive: c.saves}
		a.Description = "Opens the file that is named or selected, by the button “" + c.accept.Label + "”. A folder is entered instead."
		if c.saves {
			a.Description = "Saves under the name that is shown, by the button “" + c.accept.Label + "”. If the file exists, a question opens whether to replace it."
		}
		if !c.accept.Enabled {
			a.Unavailable = "no file is named yet"
		}
		out = append(out, a)
	}
	return append(out, cancelAction("Closes the file chooser without choosing."))
}

// verb is the name of the action that accepts.
func (c *chooser) verb() string {
	if c.saves {
		return saveFile
	}
	return openFile
}

func (c *chooser) summary() string {
	s := "File chooser to " + c.verb() + ": " + c.TitleText()
	if p := c.path(); p != "" {
		s += ", in " + p
	}
	if c.entry.Valid() && c.entry.Text() != "" {
		s += ", name “" + window.Cut(window.Clean(c.entry.Text()), 100) + "”"
	}
	for i := range c.Lists {
		l := &c.Lists[i]
		for j := range l.Rows {
			if r := &l.Rows[j]; r.Selected && l.Node.Role() != tree.RoleListBox {
				return window.Cut(s+", “"+r.Name()+"” selected", 380) + "."
			}
		}
	}
	return window.Cut(s, 380) + "."
}

func (c *chooser) invoke(call *pluginsdk.Call) (*hostabi.Outcome, error) {
	switch call.Action {
	case chooseFile:
		return c.choose(call.Args.Get("path").Str())
	case openFile, saveFile:
		return c.finish(call.Action)
	case cancel:
		return c.leave(c.Window)
	}
	return c.rest().Invoke(call)
}

// choose puts a path into the entry, which it brings up first if need be, and
// reads it back.
func (c *chooser) choose(path string) (*hostabi.Outcome, error) {
	if path == "" {
		return nil, pluginsdk.Invalid("path", "is empty; give the file's path or its name")
	}
	if strings.ContainsAny(path, "\n\r") {
		return nil, pluginsdk.Invalid("path", "holds a line end; a path is one line")
	}
	entry, err := c.location()
	if err != nil {
		return nil, err
	}
	result := func(o *hostabi.Outcome, now string) (*hostabi.Outcome, error) {
		o.Result = new(window.Object).Set("path", window.Clean(now)).JSON()
		return o, nil
	}
	if entry.Text() == path {
		return result(&hostabi.Outcome{Message: "The entry holds this already.", Effect: hostabi.Unchanged}, path)
	}
	if err := window.WriteText(entry, path); err != nil {
		return nil, err
	}
	now, seen := window.ReadBack(entry.ID(), path)
	if !seen {
		return result(&hostabi.Outcome{Message: "The path was written, but the entry shows “" + window.Cut(window.Clean(now), 100) + "”.", Effect: hostabi.Unconfirmed}, now)
	}
	return result(&hostabi.Outcome{Message: "Named “" + window.Cut(window.Clean(path), 200) + "”.", Effect: hostabi.Confirmed}, path)
}

// location returns the entry for the path; a chooser that shows the folders
// instead is asked for it.
func (c *chooser) location() (tree.Cursor, error) {
	if c.entry.Valid() {
		return c.entry, nil
	}
	var err error
	if n := c.widget.Action(showLocation); n >= 0 {
		err = pluginsdk.DoAction(c.widget.ID(), n)
	} else if err = pluginsdk.ActivateWindow(); err == nil {
		err = pluginsdk.Keys("ctrl+l")
	}
	if err != nil {
		return tree.Cursor{}, err
	}
	var entry tree.Cursor
	_, err = pluginsdk.WaitUntil(window.SettleTime, func(r *tree.Reader) bool {
		if now := newChooser(window.Read(r)); now != nil {
			entry = now.entry
		}
		return entry.Valid()
	})
	if err != nil {
		return tree.Cursor{}, pluginsdk.Refuse(hostabi.CodeUnavailable, "the file chooser showed no entry for a path; choose from Files instead")
	}
	return entry, nil
}

// finish presses the button that accepts.
func (c *chooser) finish(verb string) (*hostabi.Outcome, error) {
	if verb != c.verb() || c.accept == nil {
		return nil, pluginsdk.Refuse(hostabi.CodeUnavailable, "this file chooser does not "+verb+"; read the window again")
	}
	if !c.accept.Enabled {
		return nil, pluginsdk.Refuse(hostabi.CodeUnavailable, "“"+c.accept.Label+"” is disabled; name the file with "+chooseFile+" first")
	}
	if err := c.Press(c.accept.Node); err != nil {
		return nil, err
	}
	return &hostabi.Outcome{Message: "Pressed “" + c.accept.Label + "”."}, nil
}
