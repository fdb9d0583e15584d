package main

import (
	"strings"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/plugins/generic/window"
	"oriel.dev/oriel/pluginsdk"
	"oriel.dev/oriel/tree"
)

// message is a dialog that says something and wants one of its buttons pressed.
type message struct {
	*window.Window
	text     string
	severity hostabi.Severity
	question bool
}

// newMessage returns nil for a dialog in which there is more to do than to press
// a button and to tick a box.
func newMessage(w *window.Window) *message {
	if len(w.Buttons) == 0 || len(w.Lists) > 0 || len(w.Menus) > 0 || w.Page.Valid() || len(w.Live) > 0 {
		return nil
	}
	for i := range w.Fields {
		if w.Fields[i].Kind != window.Check {
			return nil
		}
	}
	m := &message{Window: w}
	var said []string
	for _, n := range w.Notices {
		said = append(said, n.Text)
	}
	for _, t := range w.Texts {
		said = append(said, window.CleanText(t.Text))
	}
	if m.text = strings.Join(said, "\n"); m.text == "" {
		return nil
	}
	m.severity, m.question = m.tone()
	return m
}

// tones are the pictures of GTK's messages by the names that they have in
// English, which are also those of the dialogs.
var tones = map[string]hostabi.Severity{
	"Error": hostabi.Error, "Warning": hostabi.Warn, "Question": hostabi.Info, "Information": hostabi.Info,
}

// tone tells how grave a message is: by its picture or its dialog's name, else
// by its first word; a choice that nothing is known of deserves attention.
func (m *message) tone() (sev hostabi.Severity, question bool) {
	name := m.Tree.Root().Name()
	for c := range m.Tree.All() {
		if r := c.Role(); (r == tree.RoleIcon || r == tree.RoleImage) && tones[c.Name()] != "" {
			name = c.Name()
			break
		}
	}
	if sev, ok := tones[name]; ok {
		return sev, name == "Question"
	}
	for _, n := range m.Notices {
		return n.Severity, len(m.Buttons) > 1
	}
	if len(m.Buttons) > 1 {
		return hostabi.Warn, true
	}
	return hostabi.Info, false
}

// preferred is the button that Enter presses, nil if the dialog names none.
func (m *message) preferred() *window.Button {
	for _, mark := range [...]tree.States{tree.StateDefault, tree.StateFocused} {
		for i := range m.Buttons {
			if b := &m.Buttons[i]; b.Enabled && b.Node.Is(mark) {
				return b
			}
		}
	}
	return nil
}

func (m *message) view() *hostabi.View {
	v := &hostabi.View{Title: m.TitleText(), Summary: m.summary()}
	v.Blocks = append(v.Blocks, hostabi.Block{Key: "message", Type: hostabi.Notice, Severity: m.severity, Text: m.text})
	if items := m.FieldItems(); len(items) > 0 {
		v.Blocks = append(v.Blocks, hostabi.Block{Key: "fields", Type: hostabi.Fields, Items: items})
	}
	v.Actions = m.Actions()
	for i := range v.Actions {
		if a := &v.Actions[i]; a.Name == window.Press {
			a.Title, a.Description = "Answer", "Answers the dialog by pressing one of its buttons."
			if b := m.preferred(); b != nil {
				a.Description += " Enter would press “" + b.Label + "”."
			}
		}
	}
	return v
}

func (m *message) summary() string {
	kind := map[hostabi.Severity]string{hostabi.Error: "Error", hostabi.Warn: "Warning", hostabi.Info: "Message"}[m.severity]
	if m.question {
		kind = "Question"
	}
	s := kind + ": " + window.Cut(window.Clean(m.text), 240)
	if !strings.HasSuffix(s, ".") && !strings.HasSuffix(s, "?") && !strings.HasSuffix(s, "!") && !strings.HasSuffix(s, "…") {
		s += "."
	}
	s += " Answers: "
	preferred := m.preferred()
	for i := range m.Buttons {
		if i > 0 {
			s += ", "
		}
		b := &m.Buttons[i]
		s += b.Label
		switch {
		case !b.Enabled:
			s += " (disabled)"
		case b == preferred:
			s += " (default)"
		}
	}
	return window.Cut(s+".", 400)
}

func (m *message) invoke(c *pluginsdk.Call) (*hostabi.Outcome, error) { return m.Invoke(c) }
