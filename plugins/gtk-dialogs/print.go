package main

import (
	"slices"
	"strings"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/plugins/generic/window"
	"oriel.dev/oriel/pluginsdk"
	"oriel.dev/oriel/tree"
)

// The labels that a print dialog's parts get, since its own are those of what
// stands around them.
const (
	printers  = "Printers"
	pages     = "Pages"
	pageRange = "Page range"
	format    = "Output format"
	file      = "File"
)

// printing is GTK's dialog for printing: tabs, on the first of which are the
// printers, the pages and the number of copies.
type printing struct {
	*window.Window
	answers
	printers *window.List // nil on the other tabs
}

// newPrint returns nil for what is no print dialog. It goes by the form of the
// dialog and not by its words, which differ with the language.
func newPrint(w *window.Window) *printing {
	p := &printing{Window: w, answers: findAnswers(w)}
	root := w.Tree.Root()
	if root.Role() != tree.RoleDialog || p.accept == nil {
		return nil
	}
	for i := range w.Lists {
		if l := &w.Lists[i]; l.Node.Parent().Role() == tree.RoleTab && len(l.Columns) == 3 {
			p.printers = l
		}
	}
	if p.printers == nil {
		return nil
	}
	area := p.printers.Node.Parent()
	radios, copies := 0, false
	for child := range area.Children() {
		switch child.Role() {
		case tree.RoleRadioButton:
			radios++
		case tree.RoleSpinButton:
			copies = true
		}
	}
	if radios < 2 || !copies {
		return nil
	}
	p.name()
	return p
}

// name gives the parts the names that a person would use.
func (p *printing) name() {
	p.printers.Label = printers
	for i := range p.Fields {
		f := &p.Fields[i]
		switch {
		case f.Radio && f.Node.Bounds().Y < p.rangeTop():
			f.Label = format
		case f.Radio:
			f.Label = pages
			slices.Reverse(f.Options)
		case f.Kind == window.Line && f.Node.Role() == tree.RoleEntry, f.Kind == window.Shown && f.Node.Role() == tree.RoleEntry:
			f.Label = pageRange
		}
	}
	for i := range p.Buttons {
		if b := &p.Buttons[i]; b.Node.Parent() == p.printers.Node.Parent() && b.Node.Role() == tree.RoleButton {
			b.Label = file + ": " + b.Label
		}
	}
}

// rangeTop is where the part for the pages begins: at the lowest radio button
// that stands beside the number of copies.
func (p *printing) rangeTop() int32 {
	for child := range p.printers.Node.Parent().Children() {
		if child.Role() == tree.RoleSpinButton {
			return child.Bounds().Y
		}
	}
	return 0
}

func (p *printing) view() *hostabi.View {
	rest := *p.Window
	rest.Buttons = without(p.Buttons, p.accept, p.cancel)
	v := rest.View()
	v.Summary = p.summary()
	v.Blocks = slices.DeleteFunc(v.Blocks, func(b hostabi.Block) bool { return b.Key == "text" })
	v.Actions = slices.DeleteFunc(v.Actions, func(a hostabi.Action) bool {
		return a.Name == window.Close || a.Name == window.OpenItem || a.Name == window.Toggle
	})
	start := hostabi.Action{
		Name: printNow, Title: "Print", OpenWorld: true, Destructive: true,
		Description: "Prints with the settings shown. With the printer that prints to a file, it writes the file that the button “" + file +
			": …” names; pressing that opens a file chooser for another one.",
	}
	if !p.accept.Enabled {
		start.Unavailable = "no printer is chosen; choose one from Printers"
	}
	v.Actions = append([]hostabi.Action{start, cancelAction("Closes the dialog without printing.")}, v.Actions...)
	return v
}

func (p *printing) summary() string {
	chosen := "none chosen"
	for i := range p.printers.Rows {
		if r := &p.printers.Rows[i]; r.Selected {
			chosen = r.Name()
		}
	}
	var s strings.Builder
	s.WriteString("Print dialog. Printer: " + chosen)
	for i := range p.Fields {
		if f := &p.Fields[i]; f.Label == pages || f.Kind == window.Number {
			s.WriteString("; " + f.Label + ": " + window.ScalarText(f.Value))
		}
	}
	for i := range p.Buttons {
		if b := &p.Buttons[i]; b.Node.Parent() == p.printers.Node.Parent() {
			s.WriteString("; " + b.Label)
		}
	}
	return window.Cut(s.String()+".", 400)
}

func (p *printing) invoke(c *pluginsdk.Call) (*hostabi.Outcome, error) {
	switch c.Action {
	case cancel:
		return p.leave(p.Window)
	case printNow:
		if !p.accept.Enabled {
			return nil, pluginsdk.Refuse(hostabi.CodeUnavailable, "no printer is chosen; choose one from Printers first")
		}
		if err := p.Press(p.accept.Node); err != nil {
			return nil, err
		}
		return &hostabi.Outcome{Message: "Asked to print."}, nil
	}
	return p.Invoke(c)
}
