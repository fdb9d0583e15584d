package main

import (
	"strings"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/plugins/generic/window"
	"oriel.dev/oriel/plugins/internal/document"
	"oriel.dev/oriel/pluginsdk"
	"oriel.dev/oriel/tree"
)

// The names of the actions that this adapter adds.
const (
	save        = "save"
	saveAs      = "save_as"
	openFile    = "open_file"
	newDocument = "new_document"
	closeTab    = "close_document"
	undo        = "undo"
	redo        = "redo"
)

// binding is a key binding of the editor, the same in every language.
type binding struct{ chord, done string }

var keys = map[string]binding{
	saveAs:      {"ctrl+shift+s", "Asked to save as another file; a file chooser opens."},
	openFile:    {"ctrl+o", "Asked to open a file; a file chooser opens."},
	newDocument: {"ctrl+n", "Asked for an empty document."},
	closeTab:    {"ctrl+w", "Asked to close the document; the editor may ask whether to save first."},
	undo:        {"ctrl+z", "Asked to undo the last change."},
	redo:        {"ctrl+shift+z", "Asked to redo the last change."},
}

func (e *editor) summary() string {
	size := "a text that is longer than is shown"
	if lines, _, known := e.size(); known {
		if size = "empty"; lines > 0 {
			size = document.Count(lines, "line")
		}
	}
	s := "Editing “" + window.Cut(e.base(), 60) + "”: " + size + ", " + e.state()
	if tabs := e.tabs(); tabs != nil {
		s += "; " + document.Count(int64(len(tabs.Options)), "document") + " open in tabs"
	}
	return s + "."
}

func (e *editor) blocks() []hostabi.Block {
	out := e.NoticeBlocks()
	about := []hostabi.Field{{Label: "File", Value: e.file}, {Label: "State", Value: e.state()}}
	if lines, characters, known := e.size(); known {
		about = append(about, hostabi.Field{Label: "Lines", Value: lines}, hostabi.Field{Label: "Characters", Value: characters})
	}
	if encoding := e.encoding(); encoding != "" {
		about = append(about, hostabi.Field{Label: "Encoding", Value: encoding})
	}
	out = append(out, hostabi.Block{Key: "about", Type: hostabi.Fields, Items: about})
	if items := e.rest().FieldItems(); len(items) > 0 {
		out = append(out, hostabi.Block{Key: "fields", Type: hostabi.Fields, Items: items})
	}
	return append(out, window.DocumentBlock(e.doc.Field, document.LoadText))
}

// encoding is what the status bar tells first: "Encoding: UTF-8   Lines: 3 …".
// The rest counts the selection, which moves without the document changing.
func (e *editor) encoding() string {
	for _, s := range e.Status {
		if word, rest, ok := strings.Cut(s, ": "); ok && !strings.Contains(word, " ") {
			value, _, _ := strings.Cut(rest, " ")
			return value
		}
	}
	return ""
}

func (e *editor) actions() []hostabi.Action {
	readOnly, saved := "", ""
	if !e.doc.Enabled {
		readOnly = "the document cannot be edited"
	}
	if !e.modified {
		saved = "there are no unsaved changes"
	}
	out := e.doc.Actions(readOnly)
	out = append(
		out,
		hostabi.Action{
			Name: save, Title: "Save", Destructive: true, Idempotent: true, Unavailable: saved,
			Description: "Saves the document to its file; one without a file asks for it by a file chooser.",
		},
		hostabi.Action{Name: saveAs, Title: "Save as another file", Description: "Opens a file chooser in which to name the file.", OpenWorld: true},
		hostabi.Action{Name: openFile, Title: "Open a file", Description: "Opens a file chooser in which to choose the file; it opens in a tab.", OpenWorld: true},
		hostabi.Action{Name: newDocument, Title: "New document", Description: "Opens an empty document in a tab of this window."},
		hostabi.Action{Name: closeTab, Title: "Close the document", Destructive: true, Description: "Closes the document's tab. The editor asks first if there are unsaved changes."},
		hostabi.Action{Name: undo, Title: "Undo", Description: "Takes back the last change of the text.", Unavailable: readOnly},
		hostabi.Action{Name: redo, Title: "Redo", Description: "Makes the last change again that was taken back.", Unavailable: readOnly},
	)
	return append(out, e.rest().Actions()...)
}

// press presses a key binding with the focus in the text, for some mean the
// search bar where that has it.
func (e *editor) press(k binding) (*hostabi.Outcome, error) {
	if err := pluginsdk.ActivateWindow(); err != nil {
		return nil, err
	}
	if !e.doc.Node.Is(tree.StateFocused) {
		if err := pluginsdk.Focus(e.doc.Node.ID()); err != nil {
			return nil, err
		}
	}
	if err := pluginsdk.Keys(k.chord); err != nil {
		return nil, err
	}
	return &hostabi.Outcome{Message: k.done}, nil
}

// save saves and waits until the title says so. A document without a file opens
// a file chooser instead, which the host sees.
func (e *editor) save() (*hostabi.Outcome, error) {
	out, err := e.press(binding{"ctrl+s", "Asked for the file's name; a file chooser opens."})
	if err != nil || !e.hasFile() {
		return out, err
	}
	_, err = pluginsdk.WaitUntil(window.SettleTime, func(r *tree.Reader) bool {
		_, modified := parseTitle(r.Window().Title)
		return !modified
	})
	if err != nil {
		out.Message = "Asked the editor to save; it was not seen to finish. Read the window again."
		return out, nil
	}
	out.Message, out.Effect = "Saved "+window.Cut(e.file, 200)+".", hostabi.Confirmed
	return out, nil
}
