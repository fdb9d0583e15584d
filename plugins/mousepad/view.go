package main

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/plugins/generic/window"
)

// name is what the title of a window of Mousepad tells.
type name struct {
	file     string // path or name; "Untitled 1" for what has no file yet
	modified bool
	readOnly bool
}

// hasFile reports whether the document is one of a file.
func (n name) hasFile() bool { return strings.HasPrefix(n.file, "/") || strings.HasPrefix(n.file, "~") }

// base is the file's name without its folder.
func (n name) base() string { return n.file[strings.LastIndexByte(n.file, '/')+1:] }

// parseTitle reads a title such as "*/home/ann/notes.txt [Read Only] - Mousepad".
func parseTitle(title string) name {
	t := window.Clean(title)
	t = strings.TrimSuffix(t, " - Mousepad")
	var n name
	t, n.modified = strings.CutPrefix(t, "*")
	if at := strings.LastIndex(t, " ["); at > 0 && strings.HasSuffix(t, "]") {
		n.readOnly = true
		t = t[:at]
	}
	n.file = strings.TrimSpace(t)
	return n
}

// length is the number of characters of the whole document.
func (e *editor) length() int64 {
	n := int64(utf8.RuneCountInString(e.document.Node.Text()))
	if info, ok := e.document.Node.TextInfo(); ok {
		n = max(n, info.First+info.Length)
	}
	return n
}

// lines is how many lines the document has, if all of it is known.
func (e *editor) lines() (int64, bool) {
	if !e.document.Whole() {
		return 0, false
	}
	text, _ := e.document.Value.(string)
	n := int64(strings.Count(text, "\n"))
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n, true
}

func (e *editor) state() string {
	switch {
	case e.name.readOnly && e.name.modified:
		return "read-only, changed"
	case e.name.readOnly:
		return "read-only"
	case e.name.modified:
		return "unsaved changes"
	case !e.name.hasFile():
		return "never saved"
	}
	return "saved"
}

func (e *editor) summary() string {
	size := "empty"
	if n, known := e.lines(); known && n > 0 {
		size = count(n, "line")
	} else if !known {
		size = count(e.length(), "character")
	}
	s := "Editing “" + window.Cut(e.name.base(), 60) + "”: " + size + ", " + e.state()
	if tabs := e.tabs(); tabs != nil {
		s += "; " + strconv.Itoa(len(tabs.Options)) + " documents open in tabs"
	}
	if e.Field(searchFor) != nil {
		s += "; the search bar is open"
	}
	return s + "."
}

func count(n int64, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return strconv.FormatInt(n, 10) + " " + word + "s"
}

// tabs is the strip of tabs, nil with a single document.
func (e *editor) tabs() *window.Field {
	for i := range e.Fields {
		if e.Fields[i].Tabs {
			return &e.Fields[i]
		}
	}
	return nil
}

func (e *editor) blocks() []hostabi.Block {
	out := e.NoticeBlocks()
	about := []hostabi.Field{{Label: "File", Value: e.name.file}, {Label: "State", Value: e.state()}}
	if n, known := e.lines(); known {
		about = append(about, hostabi.Field{Label: "Lines", Value: n})
	}
	about = append(about, hostabi.Field{Label: "Characters", Value: e.length()})
	for _, s := range e.Status {
		if label, value, ok := statusItem(s); ok {
			about = append(about, hostabi.Field{Label: label, Value: value})
		}
	}
	out = append(out, hostabi.Block{Key: "about", Type: hostabi.Fields, Items: about})
	if items := e.FieldItems(); len(items) > 0 {
		out = append(out, hostabi.Block{Key: "fields", Type: hostabi.Fields, Items: items})
	}
	return append(out, window.DocumentBlock(e.document, loadText))
}

// statusItem reads a part of the status bar. The place of the caret stays out:
// it moves without the document changing.
func statusItem(s string) (label, value string, ok bool) {
	if strings.HasPrefix(s, "Line:") || strings.Contains(s, "Column:") {
		return "", "", false
	}
	if label, value, ok = strings.Cut(s, ":"); ok {
		return window.Label(label), strings.TrimSpace(value), true
	}
	return "Status", s, s != ""
}
