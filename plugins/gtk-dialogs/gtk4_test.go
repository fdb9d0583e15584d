//go:build desktop

package main

import (
	"path/filepath"
	"testing"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/plugins/internal/live"
)

// Dialogs of GTK 4; the program that asks is the judge. Its file chooser does not
// say what it is, so it is shown as any other dialog, which suffices to save.
func TestRealDialogsGTK4(t *testing.T) {
	b := live.Start(t, "/usr/bin/python3")
	script, err := filepath.Abs("testdata/gtk4-dialogs.py")
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(b.V.Home(), "answer")
	question := b.Launch("Well?", "/usr/bin/python3", script, out, b.V.Home())
	question.Record("gtk4-question")
	chooser := b.Opened("Store", func() { question.Must(adapter, "", "press", `{"button":"Yes"}`) })
	live.Holds(t, out, live.Is("yes"))
	chooser.Record("gtk4-save")
	chooser.Must(adapter, hostabi.Confirmed, "set_field", `{"field":"Name","value":"new ü.txt"}`)
	chooser.Must(adapter, "", "press", `{"button":"Save"}`)
	live.Holds(t, out, live.Is(b.V.Home()+"/new ü.txt"))
}
