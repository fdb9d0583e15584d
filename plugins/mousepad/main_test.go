package main

import (
	"slices"
	"strings"
	"testing"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/pluginsdk/plugintest"
)

func TestGoldenViews(t *testing.T) { plugintest.Recorded(t, adapter) }

// B16: summaries, labels, notices, descriptions and annotations serve their readers.
func TestLintB16(t *testing.T) { plugintest.Lint(t, adapter) }

// W02: the editor's windows are this adapter's, its dialogs are not.
func TestManifest(t *testing.T) {
	m := plugintest.Manifest(t)
	for _, match := range m.Match {
		if match.App == "" || match.Role != "" {
			t.Errorf("the match %+v names no application, or a role", match)
		}
	}
}

func TestTitle(t *testing.T) {
	for title, want := range map[string]name{
		"/home/ann/notes.txt - Mousepad":        {file: "/home/ann/notes.txt"},
		"*/home/ann/notes.txt - Mousepad":       {file: "/home/ann/notes.txt", modified: true},
		"*/etc/hosts [Read Only] - Mousepad":    {file: "/etc/hosts", modified: true, readOnly: true},
		"Untitled 1 - Mousepad":                 {file: "Untitled 1"},
		"/home/ann/a - Mousepad.txt - Mousepad": {file: "/home/ann/a - Mousepad.txt"},
		"":                                      {},
	} {
		if got := parseTitle(title); got != want {
			t.Errorf("%q reads %+v, want %+v", title, got, want)
		}
	}
}

const window1 = `
	window: title="*/home/user/a.txt - Mousepad" app=mousepad toolkit=gtk3 bounds=0,0,600,400
	window "*/home/user/a.txt - Mousepad"
	  menu-bar showing @0,0,600,20
	    menu "File" #3 showing enabled actions=Click @0,0,40,20
	    menu "Edit" #4 showing enabled actions=Click @40,0,40,20
	  text-area #5 showing enabled editable multi-line text="one two two" @0,20,600,380
`

func TestReplaceText(t *testing.T) {
	obs := plugintest.Observation(t, window1)
	whole := plugintest.Expect("oriel:tree text", &hostabi.TextRequest{ID: 5, N: pageSize}).Bytes([]byte("one two two"))
	for args, want := range map[string]string{
		`{"find":"two","replace":"2"}`:                   "one 2 2",
		`{"find":"two","replace":"2","first_only":true}`: "one 2 two",
	} {
		out := plugintest.InvokeOn(t, adapter, obs, "replace_text", args, whole,
			plugintest.Expect("oriel:a11y set_text", &hostabi.SetTextRequest{ID: 5, Text: want}),
			plugintest.Expect("oriel:tree text", nil).Bytes([]byte(want)))
		if out.Effect != hostabi.Confirmed {
			t.Errorf("%s: got %+v", args, out)
		}
	}
	out := plugintest.InvokeOn(t, adapter, obs, "replace_text", `{"find":"three","replace":"3"}`, whole)
	if out.Effect != hostabi.Unchanged || out.Result != `{"replaced":0}` {
		t.Errorf("got %+v", out)
	}
	if out = plugintest.InvokeOn(t, adapter, obs, "replace_text", `{"find":"","replace":"3"}`); out.Fault == nil || out.Fault.Fields[0].Field != "find" {
		t.Errorf("got %+v", out)
	}
}

func TestFindText(t *testing.T) {
	text := "Grüße\nund grüße\nGRÜSSE"
	obs := plugintest.Observation(t, strings.Replace(window1, "one two two", "x", 1))
	whole := plugintest.Expect("oriel:tree text", nil).Bytes([]byte(text))
	out := plugintest.InvokeOn(t, adapter, obs, "find_text", `{"find":"GRÜßE","any_case":true}`, whole)
	if want := `{"found":2,"places":["1:1: Grüße","2:5: und grüße"]}`; out.Result != want {
		t.Errorf("got %s, want %s", out.Result, want)
	}
	out = plugintest.InvokeOn(t, adapter, obs, "find_text", `{"find":"ße\nund"}`, whole)
	if !strings.HasPrefix(out.Result, `{"found":1,`) {
		t.Errorf("a text over two lines: got %s", out.Result)
	}
}

// Saving presses the item's key binding, in whatever language the menu is.
func TestSaveInAnyLanguage(t *testing.T) {
	menu := plugintest.Tree(t, `
		menu "Datei" #3 showing enabled
		  menu-item "Öffnen..." #8 visible enabled actions=Click
		  menu-item "Speichern" #9 visible enabled actions=Click
	`)
	menu.Nodes[2].Actions[0].KeyBinding = "s;<Alt>d:s;<Primary>s"
	out := plugintest.InvokeOn(t, adapter, plugintest.Observation(t, window1), "save", `{}`,
		plugintest.Expect("oriel:tree children", nil).Tree(menu),
		plugintest.Expect("oriel:window activate", nil),
		plugintest.Expect("oriel:input keys", &hostabi.KeysRequest{Chords: []string{"ctrl+s"}}),
		plugintest.Expect("oriel:tree observe", nil).Bytes(plugintest.Observation(t, strings.ReplaceAll(window1, `"*/`, `"/`))))
	if out.Effect != hostabi.Confirmed || !strings.Contains(out.Message, "/home/user/a.txt") {
		t.Errorf("got %+v", out)
	}
}

func TestNothingToSave(t *testing.T) {
	view := plugintest.View(t, adapter, plugintest.Observation(t, strings.ReplaceAll(window1, `"*/`, `"/`)))
	i := slices.IndexFunc(view.Actions, func(a hostabi.Action) bool { return a.Name == save })
	if i < 0 || view.Actions[i].Unavailable == "" {
		t.Errorf("save is offered for a saved document: %+v", view.Actions)
	}
}

// A dialog that is given to this adapter all the same is shown as by generic.
func TestDialogs(t *testing.T) {
	view := plugintest.View(t, adapter, plugintest.Observation(t, `
		window: title="Question" app=mousepad toolkit=gtk3 role=dialog modal
		alert "Question" showing
		  label "Do you want to save?" showing @0,0,100,20
		  button "Save" showing enabled actions=Click @0,30,50,20
	`))
	if !strings.HasPrefix(view.Summary, "Dialog: Do you want to save?") {
		t.Errorf("got %+v", view)
	}
}
