//go:build desktop

package main

import (
	"testing"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/plugins/internal/live"
	"oriel.dev/oriel/tree"
)

// The saved file is the judge; emoji count twice in the editor, which must not
// shift or halve anything.
func TestRealEditing(t *testing.T) {
	b := live.Start(t, "featherpad")
	path := b.File("notes.txt", "😀 one\ntwo 世界\n")
	w := b.Launch("", "featherpad", "--standalone", path)
	w.Record("saved")
	w.Must(adapter, hostabi.Confirmed, "insert_text", `{"text":"end 😀 grüße\n","where":"end"}`)
	w.Must(adapter, hostabi.Confirmed, "replace_text", `{"find":"😀","replace":"🎉🎉"}`)
	w.Must(adapter, hostabi.Unchanged, "find_text", `{"find":"世界"}`)
	w.Must(adapter, hostabi.Confirmed, "insert_text", `{"text":"start\n","where":"start"}`)
	w.Record("modified")
	w.Must(adapter, hostabi.Confirmed, "save", `{}`)
	live.Holds(t, path, live.Is("start\n🎉🎉 one\ntwo 世界\nend 🎉🎉 grüße\n"))
	w.Must(adapter, hostabi.Confirmed, "set_text", `{"text":"new 世😀\n"}`)
	w.Must(adapter, hostabi.Unchanged, "set_text", `{"text":"new 世😀\n"}`)
	w.Must(adapter, hostabi.Confirmed, "save", `{}`)
	live.Holds(t, path, live.Is("new 世😀\n"))
}

// Tabs and the file chooser, which is Qt's own and the generic adapter's affair.
func TestRealFiles(t *testing.T) {
	b := live.Start(t, "featherpad")
	w := b.Launch("", "featherpad", "--standalone", b.File("notes.txt", "text\n"))
	w.Must(adapter, "", "new_document", `{}`)
	w.Until(func(r *tree.Reader) bool { _, e := open(r); return e != nil && e.tabs() != nil })
	w.Must(adapter, hostabi.Confirmed, "set_text", `{"text":"another 世界 😀\n"}`)
	w.Record("tabs")
	chooser := b.Opened("", func() { w.Must(adapter, "", "save_as", `{}`) })
	chooser.Record("save-as")
	path := b.V.Home() + "/other.txt"
	chooser.Must(adapter, hostabi.Confirmed, "set_field", `{"field":"File name","value":"`+path+`"}`)
	chooser.Must(adapter, "", "press", `{"button":"Save"}`)
	chooser.Gone()
	live.Holds(t, path, live.Is("another 世界 😀\n"))
	w.Must(adapter, hostabi.Confirmed, "choose", `{"from":"Tab","item":"notes.txt"}`)
	w.Must(adapter, hostabi.Confirmed, "insert_text", `{"text":"more\n","where":"cursor"}`)
	w.Must(adapter, "", "undo", `{}`)
	w.Until(func(r *tree.Reader) bool { _, e := open(r); return e != nil && e.doc.Node.Text() == "text\n" })
}
