package main

import (
	"fmt"
	"strings"
	"testing"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/pluginsdk"
	"oriel.dev/oriel/pluginsdk/plugintest"
	"oriel.dev/oriel/tree"
)

// fakeApp is an application that takes deeds as a real one does, and then does
// what is to be tested: all of it, at once or later, a part of it, or nothing.
type fakeApp struct {
	t        testing.TB
	state    state
	manner   string // "obeys", "later", "half", "ignores"
	promised []func(*state)
}

// state is what the fake application shows.
type state struct {
	name, key, row, radio string
	news, ticked, below   bool
	age                   int
}

func mark(on bool, word string) string {
	if on {
		return " " + word
	}
	return ""
}

// observation is the window of a state.
func (s *state) observation(t testing.TB) []byte {
	item := func(name string) string { return mark(s.row == name, "selected") }
	where := "showing @200,130,100,20"
	if !s.below {
		where = "visible"
	}
	whole := plugintest.Tree(t, fmt.Sprintf(`
		window: title="Form" toolkit=qt5 bounds=0,0,400,300
		window "Form"
		  entry "Name" #2 showing enabled editable text=%q @60,10,100,20
		  check-box "News" #3 showing enabled checkable actions=Toggle @60,40,100,20%s
		  spin-button "Age" #4 showing enabled editable value=%d,0,120,1 @60,70,100,20
		  password "Key" #7 showing enabled editable text=%q @60,130,100,20
		  list "Fruit" #8 showing enabled @200,10,100,90
		    list-item "Apple" #9 showing enabled selectable%s @200,10,100,20
		    list-item "Pear" #10 showing enabled selectable%s @200,30,100,20
		  list "Jobs" #13 showing enabled @200,110,100,90
		    list-item "Wash" #14 showing enabled checkable actions=Toggle @200,110,100,20%s
		    list-item "Iron" #20 enabled %s
		  panel "Size" #15 showing @10,160,100,40
		    radio-button "Small" #16 showing enabled actions=Toggle @10,160,80,20%s
		    radio-button "Large" #17 showing enabled actions=Toggle @10,180,80,20%s
		  scroll-bar #21 showing value=0,0,100,1 @390,0,10,300
	`, s.name, mark(s.news, "checked"), s.age, s.key, item("Apple"), item("Pear"), mark(s.ticked, "checked"), where,
		mark(s.radio == "Small", "checked"), mark(s.radio == "Large", "checked")))
	for i := range whole.Nodes {
		if whole.Nodes[i].ID == 8 {
			whole.Nodes[i].Ifaces |= tree.IfaceSelection
		}
	}
	return tree.Append(nil, whole)
}

// do makes the application do a deed in its manner; half is what the half of it is.
func (a *fakeApp) do(whole, half func(*state)) {
	switch a.manner {
	case "obeys":
		whole(&a.state)
	case "later":
		a.promised = append(a.promised, whole)
	case "half":
		half(&a.state)
	}
}

func (a *fakeApp) call(f hostabi.Function, request []byte) ([]byte, *hostabi.Fault) {
	switch f.Name {
	case "observe":
		return a.state.observation(a.t), nil
	case "text":
		return []byte(a.state.name), nil
	case "change":
		changed := len(a.promised) > 0
		for _, keep := range a.promised {
			keep(&a.state)
		}
		a.promised = nil
		return hostabi.Append(nil, &hostabi.WaitReply{Changed: changed, WaitedMS: 300}), nil
	case "children":
		r, err := tree.NewReader(a.state.observation(a.t))
		if err != nil {
			a.t.Fatal(err)
		}
		whole, err := tree.Decode(a.state.observation(a.t))
		if err != nil {
			a.t.Fatal(err)
		}
		at := r.ByID(8).Index()
		whole.Nodes = whole.Nodes[at : at+3]
		whole.Nodes[0].Parent = -1
		for i := range whole.Nodes[1:] {
			whole.Nodes[i+1].Parent = 0
		}
		return tree.Append(nil, whole), nil
	case "set_text":
		r := read(a.t, request, &hostabi.SetTextRequest{})
		if r.ID == 7 {
			dots := strings.Repeat("•", len(r.Text))
			a.do(func(s *state) { s.key = dots }, func(s *state) { s.key = dots[:3] })
			break
		}
		a.do(func(s *state) { s.name = r.Text }, func(s *state) { s.name = r.Text[:1] })
	case "set_value":
		r := read(a.t, request, &hostabi.SetValueRequest{})
		a.do(func(s *state) { s.age = int(r.Value) }, func(s *state) { s.age = int(r.Value) - 1 })
	case "action":
		switch r := read(a.t, request, &hostabi.ActionRequest{}); r.ID {
		case 3:
			a.do(func(s *state) { s.news = !s.news }, func(s *state) { s.name = "seen" })
		case 14:
			a.do(func(s *state) { s.ticked = !s.ticked }, func(s *state) { s.name = "seen" })
		case 16, 17:
			a.do(func(s *state) { s.radio = "Large" }, func(s *state) { s.radio = "" })
		}
	case "select":
		a.do(func(s *state) { s.row = "Pear" }, func(s *state) { s.row = "" })
	case "scroll_to":
		a.do(func(s *state) { s.below = true }, func(s *state) { s.name = "seen" })
	}
	return nil, nil
}

// read reads a request of the adapter's.
func read[M hostabi.Message](t testing.TB, request []byte, m M) M {
	t.Helper()
	if err := hostabi.Read(request, m); err != nil {
		t.Fatal(err)
	}
	return m
}

var _ pluginsdk.Host = (*fakeApp)(nil).call

// B20, B28, C24: an effect is confirmed only if it was read back as it was asked
// for, unchanged only if the state was so before, and else unconfirmed, also where
// something else changed.
func TestEffectIsTrue(t *testing.T) {
	start := state{name: "Ann", key: "••", row: "Apple", radio: "Small", age: 7}
	acts := []struct{ name, action, args, again string }{
		{"text", "set_field", `{"field":"Name","value":"Bob"}`, `{"field":"Name","value":"Ann"}`},
		{"secret", "set_field", `{"field":"Key","value":"hunter2"}`, ""},
		{"check", "set_field", `{"field":"News","value":true}`, `{"field":"News","value":false}`},
		{"number", "set_field", `{"field":"Age","value":9}`, `{"field":"Age","value":7}`},
		{"radio", "choose", `{"from":"Size","item":"Large"}`, `{"from":"Size","item":"Small"}`},
		{"row", "choose", `{"from":"Fruit","item":"Pear"}`, `{"from":"Fruit","item":"Apple"}`},
		{"toggle", "toggle", `{"field":"News"}`, ""},
		{"tick", "check_item", `{"list":"Jobs","item":"Wash","checked":true}`, `{"list":"Jobs","item":"Wash","checked":false}`},
		{"scroll", "scroll_to", `{"item":"Iron"}`, `{"item":"Name"}`},
	}
	want := map[string]hostabi.Effect{
		"obeys": hostabi.Confirmed, "later": hostabi.Confirmed, "half": hostabi.Unconfirmed, "ignores": hostabi.Unconfirmed,
	}
	for _, act := range acts {
		for manner, effect := range want {
			t.Run(act.name+" "+manner, func(t *testing.T) {
				app := &fakeApp{t: t, state: start, manner: manner}
				out := plugintest.InvokeWith(t, adapter, start.observation(t), act.action, act.args, app.call)
				if out.Fault != nil || out.Effect != effect {
					t.Errorf("effect %q, want %q: %+v", out.Effect, effect, out)
				}
			})
		}
		if act.again == "" {
			continue
		}
		t.Run(act.name+" again", func(t *testing.T) {
			app := &fakeApp{t: t, state: start, manner: "ignores"}
			out := plugintest.InvokeWith(t, adapter, start.observation(t), act.action, act.again, app.call)
			if out.Fault != nil || out.Effect != hostabi.Unchanged {
				t.Errorf("effect %q, want unchanged: %+v", out.Effect, out)
			}
		})
	}
}
