//go:build desktop

package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/plugins/internal/live"
)

// shows looks for a field in the view of a window.
func shows(t *testing.T, w *live.Window, label, want string) {
	t.Helper()
	for _, b := range w.View(adapter).Blocks {
		if slices.ContainsFunc(b.Items, func(f hostabi.Field) bool { return f.Label == label && f.Value == want }) {
			return
		}
	}
	t.Errorf("the window does not show %s as %q: %+v", label, want, w.View(adapter).Blocks)
}

// zenity starts a dialog that writes its answer and its exit status to a file.
const zenity = `zenity "$@" >"$OUT.text" ; echo "$? $(cat "$OUT.text")" >"$OUT"`

func ask(b *live.Bench, title string, args ...string) (w *live.Window, out string) {
	out = filepath.Join(b.V.Home(), "answer-"+strings.ReplaceAll(title, " ", "-"))
	return b.Launch(title, "sh", append([]string{"-c", "OUT=" + out + "; " + zenity, "zenity"}, args...)...), out
}

// The exit status of the program that asks is the judge.
func TestRealMessages(t *testing.T) {
	b := live.Start(t, "zenity")
	w, out := ask(b, "Confirm", "--question", "--title=Confirm", "--text=Delete 3 files?")
	w.Record("question")
	w.Must(adapter, "", "press", `{"button":"Yes"}`)
	w.Gone()
	live.Holds(t, out, live.Is("0 \n"))
	w, out = ask(b, "Confirm again", "--question", "--title=Confirm again", "--text=Delete 3 files?", "--default-cancel", "--extra-button=Later")
	w.Record("question-extra")
	w.Must(adapter, "", "press", `{"button":"Later"}`)
	w.Gone()
	live.Holds(t, out, live.Is("1 Later\n"))
	w, out = ask(b, "Oh", "--error", "--title=Oh", "--text=The disk is full.")
	w.Record("error")
	w.Must(adapter, "", "press", `{"button":"OK"}`)
	w.Gone()
	live.Holds(t, out, live.Is("0 \n"))
}

// The path that the program prints is the judge.
func TestRealOpen(t *testing.T) {
	b := live.Start(t, "zenity")
	b.File("a", "1")
	b.File("a.txt", "1")
	b.File("ünï 世界.txt", "1")
	w, out := ask(b, "Pick", "--file-selection", "--title=Pick", "--filename="+b.V.Home()+"/")
	w.Record("open")
	w.Must(adapter, hostabi.Confirmed, "choose_file", `{"path":"`+b.V.Home()+`/a"}`)
	w.Record("open-named")
	w.Must(adapter, hostabi.Unchanged, "choose_file", `{"path":"`+b.V.Home()+`/a"}`)
	w.Must(adapter, hostabi.Confirmed, "choose_file", `{"path":"ünï 世界.txt"}`)
	w.Must(adapter, "", "open", `{}`)
	w.Gone()
	live.Holds(t, out, live.Is("0 "+b.V.Home()+"/ünï 世界.txt\n"))
	w, out = ask(b, "Pick again", "--file-selection", "--title=Pick again", "--filename="+b.V.Home()+"/")
	w.Must(adapter, "", "cancel", `{}`)
	w.Gone()
	live.Holds(t, out, live.Is("1 \n"))
}

// The editor's file is the judge; a file that is there is replaced only after
// the question that opens was answered.
func TestRealSaveAs(t *testing.T) {
	b := live.Start(t, "mousepad")
	other := b.File("other.txt", "old")
	m := b.Launch("", "mousepad", b.File("notes.txt", "grüße 世界\n"))
	chooser := b.Opened("", func() { m.Must(adapter, "", "choose_menu", `{"menu":"File","item":"Save As..."}`) })
	chooser.Record("save-as")
	chooser.Must(adapter, hostabi.Confirmed, "choose_file", `{"path":"`+other+`"}`)
	question := b.Opened("", func() { chooser.Must(adapter, "", "save", `{}`) })
	question.Record("replace")
	question.Must(adapter, "", "press", `{"button":"Cancel"}`)
	question.Gone()
	live.Holds(t, other, live.Is("old"))
	question = b.Opened("", func() { chooser.Must(adapter, "", "save", `{}`) })
	question.Must(adapter, "", "press", `{"button":"Replace"}`)
	chooser.Gone()
	live.Holds(t, other, live.Is("grüße 世界\n"))
}

// What is printed to a file is the judge.
func TestRealPrint(t *testing.T) {
	b := live.Start(t, "mousepad")
	m := b.Launch("", "mousepad", b.File("notes.txt", "a page\n"))
	p := b.Opened("", func() { m.Must(adapter, "", "choose_menu", `{"menu":"File","item":"Print..."}`) })
	p.Record("print")
	p.Must(adapter, hostabi.Confirmed, "choose", `{"from":"Printers","item":"Print to File"}`)
	p.Must(adapter, hostabi.Confirmed, "set_field", `{"field":"Copies","value":2}`)
	p.Must(adapter, hostabi.Confirmed, "choose", `{"from":"Output format","item":"SVG"}`)
	p.Must(adapter, hostabi.Confirmed, "choose", `{"from":"Output format","item":"PDF"}`)
	p.Record("print-file")
	shows(t, p, "Pages", "All Pages")
	p.Must(adapter, "", "print", `{}`)
	p.Gone()
	live.Holds(t, filepath.Join(b.V.Home(), "output.pdf"), func(content string) bool {
		return strings.HasPrefix(content, "%PDF-") && strings.Contains(content, "%%EOF")
	})
}
