package main

import (
	"slices"
	"strings"
	"testing"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/plugins/internal/odd"
	"oriel.dev/oriel/pluginsdk/plugintest"
)

func TestGoldenViews(t *testing.T) { plugintest.Recorded(t, adapter) }

// B16: summaries, labels, notices, descriptions and annotations serve their readers.
func TestLintB16(t *testing.T) { plugintest.Lint(t, adapter) }

func TestAnyWindow(t *testing.T) { odd.Check(t, adapter) }

// W02: the editor's windows are this adapter's, its dialogs are not.
func TestManifest(t *testing.T) {
	m := plugintest.Manifest(t)
	for _, match := range m.Match {
		if match.App == "" || match.Role != "" {
			t.Errorf("the match %+v names no application, or a role", match)
		}
	}
}

const window1 = `
	window: title="*/home/user/a.txt" app=featherpad toolkit=qt5 bounds=0,0,600,400
	window "*/home/user/a.txt" showing
	  text-area #5 showing enabled editable multi-line focused text="😀 two" @0,20,600,340
	  status-bar showing @0,380,600,20
	    label "Encoding: UTF-8   Lines: 1   Sel. Chars: 0" showing @0,380,300,20
`

// Emoji are two units to the editor and one character to an agent.
func TestInsertCountsUnits(t *testing.T) {
	obs := plugintest.Observation(t, window1)
	out := plugintest.InvokeOn(t, adapter, obs, "insert_text", `{"text":"!","where":"end"}`,
		plugintest.Expect("oriel:tree text", &hostabi.TextRequest{ID: 5, N: 100_000}).Bytes([]byte("😀 two")),
		plugintest.Expect("oriel:a11y set_text", &hostabi.SetTextRequest{ID: 5, Text: "!", Insert: true, At: 6}),
		plugintest.Expect("oriel:tree text", nil).Bytes([]byte("😀 two!")))
	if out.Effect != hostabi.Confirmed || out.Result != `{"characters":6}` {
		t.Errorf("got %+v", out)
	}
	if out = plugintest.InvokeOn(t, adapter, obs, "insert_text", `{"text":"","where":"end"}`); out.Fault == nil || out.Fault.Fields[0].Field != "text" {
		t.Errorf("nothing to insert: got %+v", out)
	}
}

// A text of more than one page is put together without a halved emoji.
func TestLongText(t *testing.T) {
	text := strings.Repeat("x", 99_999) + "😀" + strings.Repeat("y", 10)
	out := plugintest.InvokeOn(t, adapter, plugintest.Observation(t, window1), "find_text", `{"find":"😀y"}`,
		plugintest.Expect("oriel:tree text", nil).Bytes([]byte(text[:99_999]+"?")),
		plugintest.Expect("oriel:tree text", &hostabi.TextRequest{ID: 5, From: 99_999, N: 100_000}).Bytes([]byte(text[99_999:])))
	if !strings.HasPrefix(out.Result, `{"found":1,"places":["1:100000: `) {
		t.Errorf("got %+v", out)
	}
}

func TestReplaceAndFind(t *testing.T) {
	obs := plugintest.Observation(t, window1)
	read := func(text string) plugintest.Exchange {
		return plugintest.Expect("oriel:tree text", nil).Bytes([]byte(text))
	}
	for args, want := range map[string]string{
		`{"find":"two","replace":"😀"}`:                   "😀 one 😀 😀",
		`{"find":"two","replace":"2","first_only":true}`: "😀 one 2 two",
	} {
		out := plugintest.InvokeOn(t, adapter, obs, "replace_text", args, read("😀 one two two"),
			plugintest.Expect("oriel:a11y set_text", &hostabi.SetTextRequest{ID: 5, Text: want}), read(want))
		if out.Effect != hostabi.Confirmed {
			t.Errorf("%s: got %+v", args, out)
		}
	}
	out := plugintest.InvokeOn(t, adapter, obs, "replace_text", `{"find":"three","replace":"3"}`, read("one"))
	if out.Effect != hostabi.Unchanged || out.Result != `{"replaced":0}` {
		t.Errorf("got %+v", out)
	}
	for args, want := range map[string]string{
		`{"find":"GRÜSSE","any_case":true}`: `{"found":2,"places":["1:1: Grüsse","2:5: und grüsse"]}`,
		`{"find":"e\nund"}`:                 `{"found":1,"places":["1:6: Grüsse"]}`,
		`{"find":"none"}`:                   `{"found":0,"places":[]}`,
	} {
		if out := plugintest.InvokeOn(t, adapter, obs, "find_text", args, read("Grüsse\nund grüsse\n")); out.Result != want {
			t.Errorf("%s: got %s, want %s", args, out.Result, want)
		}
	}
}

// C24: a text that the editor does not take is not called set.
func TestSetTextReadsBack(t *testing.T) {
	host := func(f hostabi.Function, _ []byte) ([]byte, *hostabi.Fault) {
		switch string(f.Capability) + " " + f.Name {
		case "oriel:tree text":
			return []byte("old"), nil
		case "oriel:tree observe":
			return plugintest.Observation(t, window1), nil
		case "oriel:wait change":
			return hostabi.Append(nil, &hostabi.WaitReply{WaitedMS: 1000}), nil
		}
		return nil, nil
	}
	out := plugintest.InvokeWith(t, adapter, plugintest.Observation(t, window1), "set_text", `{"text":"new"}`, host)
	if out.Effect != hostabi.Unconfirmed {
		t.Errorf("got %+v", out)
	}
}

func TestSave(t *testing.T) {
	clean := strings.ReplaceAll(window1, "*/", "/")
	out := plugintest.InvokeOn(t, adapter, plugintest.Observation(t, window1), "save", `{}`,
		plugintest.Expect("oriel:window activate", nil),
		plugintest.Expect("oriel:input keys", &hostabi.KeysRequest{Chords: []string{"ctrl+s"}}),
		plugintest.Expect("oriel:tree observe", nil).Bytes(plugintest.Observation(t, clean)))
	if out.Effect != hostabi.Confirmed || !strings.Contains(out.Message, "/home/user/a.txt") {
		t.Errorf("got %+v", out)
	}
	view := plugintest.View(t, adapter, plugintest.Observation(t, clean))
	i := slices.IndexFunc(view.Actions, func(a hostabi.Action) bool { return a.Name == save })
	if i < 0 || view.Actions[i].Unavailable == "" {
		t.Errorf("save is offered for a saved document: %+v", view.Actions)
	}
}
