package main

import (
	"slices"
	"strings"
	"testing"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/plugins/generic/window"
	"oriel.dev/oriel/pluginsdk/plugintest"
	"oriel.dev/oriel/tree"
)

func TestGoldenViews(t *testing.T) { plugintest.Recorded(t, adapter) }

// B16: summaries, labels, notices, descriptions and annotations serve their readers.
func TestLintB16(t *testing.T) { plugintest.Lint(t, adapter) }

func TestManifest(t *testing.T) { plugintest.Manifest(t) }

const basic = `
	window: title="Calculator" app=org.gnome.calculator toolkit=gtk4 bounds=0,0,355,486
	window "Calculator" #1 actions=win.undo,win.copy
	  button "Basic" #2 description="Mode selection" showing enabled actions=Click @114,11,60,24
	  list #3 showing enabled @0,98,355,67
	    list-item "12+30 = 42" #4 showing visible @3,104,349,21
	  text-area #5 showing enabled editable multi-line text="42" @0,166,343,32
	  text-area #6 showing enabled read-only multi-line text="" @0,206,355,16
	  button "1" #7 showing enabled actions=Click @16,300,55,40
	  button "+" #8 showing enabled actions=Click description="Add [+]" @16,340,55,40
	  button "−" #9 showing enabled actions=Click description="Subtract [-]" @16,380,55,40
	  button "mod" #10 showing enabled actions=Click description="Modulus divide" @16,420,55,40
	  button "=" #11 showing enabled actions=Click @284,384,55,88
`

func open(t *testing.T, text string) *calculator {
	t.Helper()
	r, err := tree.NewReader(plugintest.Observation(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return read(window.Read(r))
}

func TestParseKeys(t *testing.T) {
	c := open(t, basic)
	for text, want := range map[string][]string{
		"1+1=":       {"1", "+", "1", "="},
		"1 mod 11 =": {"1", "mod", "1", "1", "="},
		"1-1":        {"1", "−", "1"},
		"add":        {"+"},
	} {
		if got, err := c.parseKeys(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: got %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"", "  ", "9", "1+x", strings.Repeat("1", maxKeys+1)} {
		if got, err := c.parseKeys(text); err == nil {
			t.Errorf("%q is taken as %q", text, got)
		}
	}
}

func TestCalculate(t *testing.T) {
	obs := plugintest.Observation(t, basic)
	after := strings.Replace(strings.Replace(basic, `text="42"`, `text="2"`, 1), "  text-area #5", "    list-item \"1+1 = 2\" #20 showing visible @3,130,349,21\n\t  text-area #5", 1)
	out := plugintest.InvokeOn(t, adapter, obs, "calculate", `{"expression":"1 + 1 ="}`,
		plugintest.Expect("oriel:a11y set_text", &hostabi.SetTextRequest{ID: 5, Text: "1 + 1"}),
		plugintest.Expect("oriel:tree text", nil).Bytes([]byte("1+ 1")),
		plugintest.Expect("oriel:a11y action", &hostabi.ActionRequest{ID: 11}),
		plugintest.Expect("oriel:tree observe", nil).Bytes(plugintest.Observation(t, after)))
	if out.Effect != hostabi.Confirmed || out.Result != `{"expression":"1 + 1","result":"2"}` {
		t.Errorf("got %+v", out)
	}
	says := plugintest.Expect("oriel:tree observe", nil).Bytes(plugintest.Observation(t, strings.Replace(basic, `text=""`, `text="Division by zero is undefined"`, 1)))
	out = plugintest.InvokeOn(t, adapter, obs, "calculate", `{"expression":"1÷0"}`,
		plugintest.Expect("oriel:a11y set_text", nil),
		plugintest.Expect("oriel:tree text", nil).Bytes([]byte("1÷0")),
		plugintest.Expect("oriel:a11y action", nil),
		says, says, plugintest.Expect("oriel:wait change", nil).Message(&hostabi.WaitReply{WaitedMS: 400}), says)
	if !strings.Contains(out.Message, "Division by zero") || out.Result != `{"expression":"1÷0","result":""}` {
		t.Errorf("got %+v", out)
	}
}

// C24: a key of which nothing is seen ends the row of keys, and is said to.
func TestKeyWithoutEffect(t *testing.T) {
	same := plugintest.Expect("oriel:tree observe", nil).Bytes(plugintest.Observation(t, basic))
	out := plugintest.InvokeOn(t, adapter, plugintest.Observation(t, basic), "press_keys", `{"keys":"1+1="}`,
		plugintest.Expect("oriel:a11y action", &hostabi.ActionRequest{ID: 7}), same,
		plugintest.Expect("oriel:wait change", nil).Message(&hostabi.WaitReply{WaitedMS: patience}), same)
	if out.Effect != hostabi.Unconfirmed || !strings.Contains(out.Message, "nothing was seen of it") {
		t.Errorf("got %+v", out)
	}
}

// A window without a display, such as the preferences, is shown as by generic.
func TestOtherWindows(t *testing.T) {
	view := plugintest.View(t, adapter, plugintest.Observation(t, `
		window: title="Preferences" app=org.gnome.calculator toolkit=gtk4
		window "Preferences"
		  switch "Radian" showing enabled @0,0,40,20
	`))
	if len(view.Blocks) != 1 || view.Blocks[0].Items[0].Label != "Radian" {
		t.Errorf("got %+v", view)
	}
}
