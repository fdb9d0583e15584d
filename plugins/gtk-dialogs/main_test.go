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

// W02: it takes the dialogs of toolkits, and no application by its name.
func TestManifest(t *testing.T) {
	m := plugintest.Manifest(t)
	for _, match := range m.Match {
		if match.App != "" || match.Toolkit == "" || match.Role != "dialog" {
			t.Errorf("the match %+v names an application, or more than dialogs", match)
		}
	}
}

// find returns an action of a view.
func find(t *testing.T, v *hostabi.View, name string) hostabi.Action {
	t.Helper()
	i := slices.IndexFunc(v.Actions, func(a hostabi.Action) bool { return a.Name == name })
	if i < 0 {
		t.Fatalf("there is no action %s in %+v", name, v.Actions)
	}
	return v.Actions[i]
}

func TestMessages(t *testing.T) {
	for _, c := range []struct {
		name, tree, summary string
		severity            hostabi.Severity
	}{
		{"picture", `
			window: title="" app=x toolkit=gtk3 role=dialog modal bounds=0,0,200,100
			alert "Error" showing
			  image "Error" showing @0,0,40,40
			  label "The disk is full" showing @50,0,100,20
			  button "OK" showing enabled focused actions=click @0,30,50,20
		`, "Error: The disk is full. Answers: OK (default).", hostabi.Error},
		{"spoken", `
			window: title="x" app=x toolkit=gtk3 role=dialog bounds=0,0,200,100
			dialog "x" showing
			  label "Warning: hot" showing @0,0,100,20
			  button "Stop" showing enabled actions=click @0,30,50,20
			  button "Go on" showing default enabled actions=click @60,30,50,20
		`, "Question: Warning: hot. Answers: Stop, Go on (default).", hostabi.Warn},
		{"of LibreOffice", `
			window: title="Keep Format" app=soffice toolkit=libreoffice role=dialog modal bounds=0,0,300,200
			alert "Question" showing
			  label "This document may hold what cannot be saved as “Text CSV”." showing @0,0,200,40
			  check-box "Ask again" showing enabled checked checkable actions=click @0,50,100,20
			  button "Use ODF Format" showing enabled actions=click @0,80,100,30
			  button "Use Text CSV Format" showing enabled default actions=click @100,80,100,30
		`, "Question: This document may hold what cannot be saved as “Text CSV”. Answers: Use ODF Format, Use Text CSV Format (default).", hostabi.Info},
		{"another language", `
			window: title="Frage" app=x toolkit=gtk4 role=dialog bounds=0,0,200,100
			dialog "Frage" showing
			  label "Datei ersetzen?" showing @0,0,100,20
			  check-box "Nicht mehr fragen" showing enabled checkable actions=click @0,22,100,8
			  button "Abbrechen" showing enabled actions=click @0,30,50,20
			  button "Ersetzen" showing actions=click @60,30,50,20
		`, "Question: Datei ersetzen? Answers: Abbrechen, Ersetzen (disabled).", hostabi.Warn},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := plugintest.View(t, adapter, plugintest.Observation(t, c.tree))
			if v.Summary != c.summary || v.Blocks[0].Severity != c.severity {
				t.Errorf("got %q, %s; want %q, %s", v.Summary, v.Blocks[0].Severity, c.summary, c.severity)
			}
		})
	}
}

// A dialog in which there is more to do is shown whole.
func TestOtherDialogs(t *testing.T) {
	v := plugintest.View(t, adapter, plugintest.Observation(t, `
		window: title="Sign in" app=x toolkit=gtk3 role=dialog bounds=0,0,200,100
		dialog "Sign in" showing
		  label "Name:" showing @0,0,50,20
		  entry text="ann" showing enabled editable @60,0,100,20
		  button "OK" showing enabled default actions=click @0,30,50,20
	`))
	find(t, v, "set_field")
	if v.Blocks[0].Type != hostabi.Fields {
		t.Errorf("got %+v", v.Blocks)
	}
}

const saving = `
	window: title="Speichern" app=x toolkit=gtk3 role=dialog bounds=0,0,400,300
	file-chooser "Speichern" showing
	  file-chooser "" showing
	    entry "Name:" #5 text="a.txt" showing enabled editable single-line @60,0,200,20
	    filler "PathBar Layer" showing @0,30,200,20
	      toggle-button "File System Root" showing enabled actions=click @0,30,20,20
	      toggle-button "tmp" showing enabled checked actions=click @20,30,20,20
	      toggle-button "deep" showing enabled actions=click @40,30,20,20
	  button "Abbrechen" #8 showing enabled actions=click @200,270,50,20
	  button "Speichern" #9 showing enabled default actions=click @260,270,50,20
`

func TestChooser(t *testing.T) {
	obs := plugintest.Observation(t, saving)
	v := plugintest.View(t, adapter, obs)
	if want := "File chooser to save: Speichern, in File System Root › tmp, name “a.txt”."; v.Summary != want {
		t.Errorf("got %q, want %q", v.Summary, want)
	}
	out := plugintest.InvokeOn(t, adapter, obs, "choose_file", `{"path":"/tmp/b.txt"}`,
		plugintest.Expect("oriel:a11y set_text", &hostabi.SetTextRequest{ID: 5, Text: "/tmp/b.txt"}),
		plugintest.Expect("oriel:tree text", nil).Bytes([]byte("/tmp/b.txt")))
	if out.Effect != hostabi.Confirmed {
		t.Errorf("got %+v", out)
	}
	if out = plugintest.InvokeOn(t, adapter, obs, "choose_file", `{"path":"a.txt"}`); out.Effect != hostabi.Unchanged {
		t.Errorf("the same name: got %+v", out)
	}
	for _, args := range []string{`{"path":""}`, `{"path":"a\nb"}`} {
		if out = plugintest.InvokeOn(t, adapter, obs, "choose_file", args); out.Fault == nil || out.Fault.Code != hostabi.CodeInvalid {
			t.Errorf("%s: got %+v", args, out)
		}
	}
}

// An entry that makes something else of a path is not called a success.
func TestChooserReadsBack(t *testing.T) {
	wait := func() []plugintest.Exchange {
		return []plugintest.Exchange{
			plugintest.Expect("oriel:tree observe", nil).Bytes(plugintest.Observation(t, saving)),
			plugintest.Expect("oriel:tree text", nil).Bytes([]byte("b.txt~")),
		}
	}
	script := []plugintest.Exchange{
		plugintest.Expect("oriel:a11y set_text", nil),
		plugintest.Expect("oriel:tree text", nil).Bytes([]byte("b.txt~")),
	}
	script = append(script, wait()...)
	script = append(script, plugintest.Expect("oriel:wait change", nil).Message(&hostabi.WaitReply{WaitedMS: 5000}))
	script = append(script, wait()...)
	out := plugintest.InvokeOn(t, adapter, plugintest.Observation(t, saving), "choose_file", `{"path":"b.txt"}`, script...)
	if out.Effect != hostabi.Unconfirmed || out.Result != `{"path":"b.txt~"}` {
		t.Errorf("got %+v", out)
	}
}

// Without a name there is nothing to save under.
func TestChooserDisabled(t *testing.T) {
	obs := plugintest.Observation(t, strings.Replace(saving, "showing enabled default", "showing default", 1))
	if a := find(t, plugintest.View(t, adapter, obs), "save"); a.Unavailable == "" {
		t.Errorf("got %+v", a)
	}
}
