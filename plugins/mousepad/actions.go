package main

import (
	"slices"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/plugins/generic/window"
)

// The names of the actions that the adapter adds to those of package window.
const (
	setText     = "set_text"
	insertText  = "insert_text"
	replaceText = "replace_text"
	findText    = "find_text"
	loadText    = "load_text"
	save        = "save"
	saveAs      = "save_as"
	openFile    = "open_file"
	newDocument = "new_document"
	newWindow   = "new_window"
	closeTab    = "close_document"
	undo        = "undo"
	redo        = "redo"
)

// searchFor is the label of the entry of the search bar.
const searchFor = "Search for"

// item is an item of a menu. The chord finds it in every language, the label
// where there is no chord.
type item struct {
	menu  int // its menu's place in the menu bar
	chord string
	label string
	done  string // what to say when it was chosen
}

var saveItem = item{0, "<Primary>s", "Save", "Asked to save."}

// menuActions are the actions that do nothing but choose from a menu.
var menuActions = map[string]item{
	saveAs:      {0, "<Primary><Shift>s", "Save As", "Chose Save As; a file chooser opens."},
	openFile:    {0, "<Primary>o", "Open", "Chose Open; a file chooser opens."},
	newDocument: {0, "<Primary>n", "New", "Asked for an empty document."},
	newWindow:   {0, "<Primary><Shift>n", "New Window", "Asked for a new window."},
	closeTab:    {0, "<Primary>w", "Close Tab", "Asked to close the document; the editor may ask whether to save first."},
	undo:        {1, "<Primary>z", "Undo", "Asked to undo the last change."},
	redo:        {1, "<Primary><Shift>z", "Redo", "Asked to redo the last change."},
}

// actions are those on the text, those of the File and Edit menus, and from
// package window what concerns the rest: menus, tabs, the search bar.
func (e *editor) actions() []hostabi.Action {
	rest := *e.Window
	rest.Fields = slices.DeleteFunc(slices.Clone(e.Fields), func(f window.Field) bool { return f.Document })
	return slices.Concat(e.textActions(), e.fileActions(), rest.Actions())
}

func (e *editor) readOnly() string {
	if e.document.Enabled {
		return ""
	}
	return "the document cannot be edited"
}

func (e *editor) textActions() []hostabi.Action {
	text := func() *window.Schema { return new(window.Schema) }
	chars := text().Int("characters", "Characters in the document afterwards", true, 0).JSON()
	return []hostabi.Action{
		{
			Name: setText, Title: "Set the whole text", Destructive: true, Idempotent: true, Unavailable: e.readOnly(),
			Description: "Replaces the whole text of the document. It does not save the file.",
			Input:       text().String("text", "The new text", true).JSON(), Output: chars,
		},
		{
			Name: insertText, Title: "Insert text", Unavailable: e.readOnly(),
			Description: "Inserts text at the start, at the end or at the cursor. It does not save the file.",
			Input: text().String("text", "The text to insert, line ends included", true).
				String("where", "Where to insert", true, "start", "end", "cursor").JSON(),
			Output: chars,
		},
		{
			Name: replaceText, Title: "Replace text", Destructive: true, Unavailable: e.readOnly(),
			Description: "Replaces a text by another everywhere in the document, upper and lower case being different. It does not save the file.",
			Input: text().String("find", "The text to find, exactly", true).String("replace", "What to put in its place", true).
				Bool("first_only", "Replace the first occurrence only", false).JSON(),
			Output: text().Int("replaced", "How many were replaced", true, 0).JSON(),
		},
		{
			Name: findText, Title: "Find text", ReadOnly: true, Idempotent: true,
			Description: "Finds a text in the document and tells the line, the column and the words of the line for each place, at most 50.",
			Input:       text().String("find", "The text to find", true).Bool("any_case", "Take upper and lower case as the same", false).JSON(),
			Output: text().Int("found", "How many there are", true, 0).
				Raw("places", `"type":"array","items":{"type":"string"}`, "Each as “line:column: words of the line”", true).JSON(),
		},
		{
			Name: loadText, Title: "Read a part of the text", ReadOnly: true, Idempotent: true,
			Description: "Reads the characters from offset on, for texts that are longer than the content shows.",
			Input: text().Int("offset", "First character, from 0", false, 0).
				Int("length", "Number of characters, at most 20000; 4000 if absent", false, 1).JSON(),
			Output: window.TextResult(),
		},
	}
}

func (e *editor) fileActions() []hostabi.Action {
	saved := ""
	if !e.name.modified {
		saved = "there are no unsaved changes"
	}
	saveText := "Saves the document to " + e.name.file + "."
	if !e.name.hasFile() {
		saveText = "Saves the document; a file chooser opens, since it has no file yet."
	}
	return []hostabi.Action{
		{Name: save, Title: "Save", Destructive: true, Idempotent: true, Unavailable: saved, Description: saveText},
		{Name: saveAs, Title: "Save as another file", Description: "Opens a file chooser in which to name the file.", OpenWorld: true},
		{Name: openFile, Title: "Open a file", Description: "Opens a file chooser in which to choose the file; it opens in a tab.", OpenWorld: true},
		{Name: newDocument, Title: "New document", Description: "Opens an empty document in a tab of this window."},
		{Name: newWindow, Title: "New window", Description: "Opens an empty document in a window of its own."},
		{Name: closeTab, Title: "Close the document", Destructive: true, Description: "Closes the document's tab, and the window with the last one. The editor asks first if there are unsaved changes."},
		{Name: undo, Title: "Undo", Description: "Takes back the last change of the text."},
		{Name: redo, Title: "Redo", Description: "Makes the last change again that was taken back."},
	}
}
