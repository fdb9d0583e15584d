package main

import (
	"strings"
	"testing"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/pluginsdk/plugintest"
	"oriel.dev/oriel/tree"
)

const form = `
	window: title="Form" toolkit=qt5 bounds=0,0,400,300
	window "Form"
	  entry "Name" #2 showing enabled editable focusable text="Ann" @60,10,100,20
	  check-box "News" #3 showing enabled actions=Toggle @60,40,100,20
	  spin-button "Age" #4 showing enabled editable value=7,0,120,1 @60,70,100,20
	  button "OK" #5 showing enabled focusable actions=Press @60,100,60,20
	  button "Help" #6 showing actions=Press @120,100,60,20
	  password "Key" #7 showing enabled editable text="••" @60,130,100,20
`

// changed is the form after an act: with other words in the place of some.
func changed(t *testing.T, old, now string) plugintest.Exchange {
	t.Helper()
	if !strings.Contains(form, old) {
		t.Fatalf("the form has no %q", old)
	}
	return plugintest.Expect("oriel:tree observe", nil).Bytes(plugintest.Observation(t, strings.Replace(form, old, now, 1)))
}

func TestSetFieldByAccessibility(t *testing.T) {
	obs := plugintest.Observation(t, form)
	out := plugintest.InvokeOn(t, adapter, obs, "set_field", `{"field":"Name","value":"Bob"}`,
		plugintest.Expect("oriel:a11y set_text", &hostabi.SetTextRequest{ID: 2, Text: "Bob"}),
		plugintest.Expect("oriel:tree text", &hostabi.TextRequest{ID: 2, N: 4}).Bytes([]byte("Bob")))
	if out.Effect != hostabi.Confirmed || out.Result != `{"value":"Bob"}` {
		t.Errorf("got %+v", out)
	}
	out = plugintest.InvokeOn(t, adapter, obs, "set_field", `{"field":"Name","value":"Ann"}`)
	if out.Effect != hostabi.Unchanged {
		t.Errorf("the text was so before: %+v", out)
	}
}

// C24: an effect that was not seen is not claimed.
func TestSetFieldWithoutEffect(t *testing.T) {
	out := plugintest.InvokeOn(t, adapter, plugintest.Observation(t, form), "set_field", `{"field":"News","value":true}`,
		plugintest.Expect("oriel:a11y action", &hostabi.ActionRequest{ID: 3}),
		changed(t, "Name", "Name"),
		plugintest.Expect("oriel:wait change", nil).Message(&hostabi.WaitReply{WaitedMS: 900}),
		changed(t, "Name", "Name"))
	if out.Effect != "" || !strings.Contains(out.Message, "not seen") || out.Result != `{"value":false}` {
		t.Errorf("got %+v", out)
	}
}

func TestCheckAndNumber(t *testing.T) {
	obs := plugintest.Observation(t, form)
	out := plugintest.InvokeOn(t, adapter, obs, "toggle", `{"field":"News"}`,
		plugintest.Expect("oriel:a11y action", &hostabi.ActionRequest{ID: 3}),
		changed(t, `"News" #3`, `"News" #3 checked`))
	if out.Effect != hostabi.Confirmed || out.Result != `{"value":true}` {
		t.Errorf("got %+v", out)
	}
	out = plugintest.InvokeOn(t, adapter, obs, "set_field", `{"field":"Age","value":8}`,
		plugintest.Expect("oriel:a11y set_value", &hostabi.SetValueRequest{ID: 4, Value: 8}),
		changed(t, "value=7", "value=8"))
	if out.Effect != hostabi.Confirmed || out.Result != `{"value":8}` {
		t.Errorf("got %+v", out)
	}
}

// W06: a refusal names the argument and what it may be.
func TestWrongArguments(t *testing.T) {
	obs := plugintest.Observation(t, form)
	for args, want := range map[string]string{
		`{"field":"Age","value":121}`:     "value: must be from 0 to 120",
		`{"field":"Age","value":"old"}`:   "value: this field takes a number",
		`{"field":"News","value":"so"}`:   "value: this field takes true or false",
		`{"field":"Name","value":"a\nb"}`: "value: this field takes one line",
	} {
		out := plugintest.InvokeOn(t, adapter, obs, "set_field", args)
		if out.Fault == nil || out.Fault.Code != hostabi.CodeInvalid || len(out.Fault.Fields) != 1 {
			t.Fatalf("%s: got %+v", args, out)
		}
		if got := out.Fault.Fields[0].Field + ": " + out.Fault.Fields[0].Error; !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %q, want %q", args, got, want)
		}
	}
}

// What has no EditableText is typed into, once the focus is seen to be there.
func TestTyping(t *testing.T) {
	page := `
		window: title="Page" toolkit=chromium bounds=0,0,400,300
		window "Page"
		  entry "Name" #2 showing enabled focusable actions=press @60,10,100,20
		  entry "Other" #3 showing enabled editable @60,40,100,20
	`
	tr := plugintest.Tree(t, page)
	tr.Nodes[1].States |= tree.StateEditable // without the interface that takes text
	focused := plugintest.Tree(t, strings.Replace(page, "#2 showing", "#2 showing focused", 1))
	out := plugintest.InvokeOn(t, adapter, tree.Append(nil, tr), "set_field", `{"field":"Name","value":"Bob"}`,
		plugintest.Expect("oriel:window activate", nil),
		plugintest.Expect("oriel:a11y focus", &hostabi.NodeRequest{ID: 2}),
		plugintest.Expect("oriel:tree observe", nil).Tree(focused),
		plugintest.Expect("oriel:input keys", &hostabi.KeysRequest{Chords: []string{"ctrl+a"}}),
		plugintest.Expect("oriel:input text", &hostabi.TypeRequest{Text: "Bob"}),
		plugintest.Expect("oriel:tree text", nil).Bytes([]byte("Bob")))
	if out.Effect != hostabi.Confirmed {
		t.Errorf("got %+v", out)
	}
}

func TestPress(t *testing.T) {
	obs := plugintest.Observation(t, form)
	out := plugintest.InvokeOn(t, adapter, obs, "press", `{"button":"OK"}`,
		plugintest.Expect("oriel:a11y action", &hostabi.ActionRequest{ID: 5}))
	if out.Fault != nil || out.Effect != "" {
		t.Errorf("got %+v", out)
	}
}

// C12: GTK3 carries out an action inside the request for it. A dialog that opens
// there would make the application deaf, so a press comes as a key, or, if that
// was not granted, by accessibility all the same.
func TestPressInGTK3(t *testing.T) {
	gtk := strings.Replace(form, "qt5", "gtk3", 1)
	obs := plugintest.Observation(t, gtk)
	focused := plugintest.Observation(t, strings.Replace(gtk, "#5 showing", "#5 showing focused", 1))
	out := plugintest.InvokeOn(t, adapter, obs, "press", `{"button":"OK"}`,
		plugintest.Expect("oriel:window activate", nil),
		plugintest.Expect("oriel:a11y focus", &hostabi.NodeRequest{ID: 5}),
		plugintest.Expect("oriel:tree observe", nil).Bytes(focused),
		plugintest.Expect("oriel:input keys", &hostabi.KeysRequest{Chords: []string{"space"}}))
	if out.Fault != nil {
		t.Errorf("got %+v", out)
	}
	out = plugintest.InvokeOn(t, adapter, obs, "press", `{"button":"OK"}`,
		plugintest.Expect("oriel:window activate", nil).Refuse(hostabi.CodeDenied, "oriel:window was not granted"),
		plugintest.Expect("oriel:a11y action", &hostabi.ActionRequest{ID: 5}))
	if out.Fault != nil {
		t.Errorf("got %+v", out)
	}
}

// B15: the outcome of setting a secret does not tell it.
func TestSecretIsNotRepeated(t *testing.T) {
	out := plugintest.InvokeOn(t, adapter, plugintest.Observation(t, form), "set_field", `{"field":"Key","value":"hunter2"}`,
		plugintest.Expect("oriel:a11y set_text", &hostabi.SetTextRequest{ID: 7, Text: "hunter2"}),
		changed(t, `text="••"`, `text="•••••••"`))
	if out.Effect != hostabi.Confirmed || strings.Contains(out.Message+out.Result, "hunter2") {
		t.Errorf("got %+v", out)
	}
}

// A read-only action touches nothing.
func TestReadText(t *testing.T) {
	obs := plugintest.Observation(t, `
		window: title="Editor" bounds=0,0,400,300
		window "Editor"
		  text-area "Body" #2 showing enabled editable multi-line text="0123456789" @0,0,400,300
	`)
	out := plugintest.InvokeOn(t, adapter, obs, "read_text", `{"of":"Body","offset":3,"length":4}`,
		plugintest.Expect("oriel:tree text", &hostabi.TextRequest{ID: 2, From: 3, N: 4}).Bytes([]byte("3456")))
	if out.Effect != hostabi.Unchanged || out.Result != `{"text":"3456","total":10}` {
		t.Errorf("got %+v", out)
	}
}

// What the script's host refuses reaches the agent unchanged.
func TestFaultsPass(t *testing.T) {
	out := plugintest.InvokeOn(t, adapter, plugintest.Observation(t, form), "close", `{}`,
		plugintest.Expect("oriel:window close", nil).Refuse(hostabi.CodeGone, "the window is gone; read again"))
	if out.Fault == nil || out.Fault.Code != hostabi.CodeGone {
		t.Errorf("got %+v", out)
	}
}
