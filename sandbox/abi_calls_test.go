//go:build linux

package sandbox

import (
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/tree"
)

// script is what the host answers to one function, and what it is then asked and
// what the adapter makes of the answer.
type script struct {
	args    string
	reply   string
	request string // as it reaches the host; "" where the sandbox itself answers
	out     string
}

var picture = string(append(binary.LittleEndian.AppendUint32([]byte{2, 0, 0, 0}, 1), "rgbargba"...))

// scripts has an entry for each function of the contract.
var scripts = map[string][]script{
	"oriel:tree observe":     {{`{}`, "", `{}`, `["seen ä",2,"18446744073709551615"]`}},
	"oriel:tree children":    {{`{"id":"18446744073709551615","a":2,"n":3}`, "", `{"id":"18446744073709551615","offset":2,"n":3}`, `["seen ä",2,"18446744073709551615"]`}},
	"oriel:tree cells":       {{`{"id":"1","a":2,"b":3,"n":4,"m":5}`, "", `{"id":"1","row":2,"column":3,"rows":4,"columns":5}`, `["seen ä",2,"18446744073709551615"]`}},
	"oriel:tree text":        {{`{"id":"1","a":2,"n":3}`, "a\"€😀", `{"id":"1","from":2,"n":3}`, `["a\"€😀"]`}},
	"oriel:a11y action":      {{`{"id":"1","n":2}`, "", `{"id":"1","number":2}`, `[]`}},
	"oriel:a11y set_text":    {{`{"id":"1","text":"a\"ä\n"}`, "", `{"id":"1","text":"a\"ä\n"}`, `[]`}, {`{"id":"1","text":"x","a":7,"flag":true}`, "", `{"id":"1","text":"x","insert":true,"at":7}`, `[]`}},
	"oriel:a11y set_value":   {{`{"id":"1","f":0.1}`, "", `{"id":"1","value":0.1}`, `[]`}, {`{"id":"1","f":-1e-7}`, "", `{"id":"1","value":-1e-7}`, `[]`}, {`{"id":"1","f":0.30000000000000004}`, "", `{"id":"1","value":0.30000000000000004}`, `[]`}, {`{"id":"1","f":1e23}`, "", `{"id":"1","value":1e23}`, `[]`}, {`{"id":"1","f":2.2250738585072011e-308}`, "", `{"id":"1","value":2.2250738585072011e-308}`, `[]`}},
	"oriel:a11y select":      {{`{"id":"1","a":2}`, "", `{"id":"1","child":2}`, `[]`}, {`{"id":"1","a":2,"flag":true}`, "", `{"id":"1","child":2,"deselect":true}`, `[]`}},
	"oriel:a11y select_text": {{`{"id":"1","a":2,"b":4}`, "", `{"id":"1","start":2,"end":4}`, `[]`}},
	"oriel:a11y focus":       {{`{"id":"1"}`, "", `{"id":"1"}`, `[]`}},
	"oriel:a11y scroll_to":   {{`{"id":"1"}`, "", `{"id":"1"}`, `[]`}},
	"oriel:window close":     {{`{}`, "", `{}`, `[]`}},
	"oriel:window activate":  {{`{}`, "", `{}`, `[]`}},
	"oriel:input move":       {{`{"n":-1,"m":2}`, "", `{"x":-1,"y":2}`, `[]`}},
	"oriel:input click":      {{`{"n":1,"m":2}`, "", `{"x":1,"y":2}`, `[]`}, {`{"n":1,"m":2,"a":2,"text":"right","list":["ctrl","alt"]}`, "", `{"x":1,"y":2,"button":"right","count":2,"modifiers":["ctrl","alt"]}`, `[]`}},
	"oriel:input drag":       {{`{"n":1,"m":2,"a":3,"b":4,"text":"middle","list":["shift"]}`, "", `{"x":1,"y":2,"to_x":3,"to_y":4,"button":"middle","modifiers":["shift"]}`, `[]`}},
	"oriel:input scroll":     {{`{"n":1,"m":2,"a":-3,"b":4}`, "", `{"x":1,"y":2,"dx":-3,"dy":4}`, `[]`}},
	"oriel:input keys":       {{`{"list":["ctrl+s","Return"]}`, "", `{"chords":["ctrl+s","Return"]}`, `[]`}},
	"oriel:input text":       {{`{"text":"ä"}`, "", `{"text":"ä"}`, `[]`}},
	"oriel:capture window":   {{`{}`, picture, `{}`, `[2,1,8]`}, {`{"region":{"x":1,"w":2}}`, picture, `{"region":{"x":1,"w":2}}`, `[2,1,8]`}},
	"oriel:capture find":     {{`{"text":"abcd","f":0.5}`, `{"matches":[{"x":1,"y":-2,"w":3,"h":4,"score":0.75}]}`, `{"png":"YWJjZA==","threshold":0.5}`, `["1,-2,3,4",0.75]`}},
	"oriel:ocr text":         {{`{}`, `{"words":[{"text":"Größe","x":1,"line":2,"confidence":0.5},{"text":"b"}]}`, `{}`, `["Größe","1,0,0,0",2,0.5,"b","0,0,0,0",0,0]`}},
	"oriel:clipboard types":  {{`{}`, `{"types":["a","ä"]}`, `{}`, `["a","ä"]`}, {`{}`, `{}`, `{}`, `[]`}},
	"oriel:clipboard read":   {{`{"text":"text/plain"}`, "ä", `{"type":"text/plain"}`, `["ä"]`}},
	"oriel:clipboard write":  {{`{"text":"text/plain","data":"ab"}`, "", `{"type":"text/plain","data":"YWI="}`, `[]`}},
	"oriel:kv set":           {{`{"text":"kä","data":"v€"}`, "", "", `[]`}},
	"oriel:kv get":           {{`{"text":"kä"}`, "", "", `[true,"v€"]`}, {`{"text":"other"}`, "", "", `[false,""]`}},
	"oriel:kv delete":        {{`{"text":"kä"}`, "", "", `[]`}},
	"oriel:wait change":      {{`{"a":1500}`, `{"changed":true,"waited_ms":3}`, `{"timeout_ms":1500}`, `[true]`}, {`{"a":1}`, `{}`, `{"timeout_ms":1}`, `[false]`}},
	"oriel:log write":        {{`{"text":"warn","data":"logged €"}`, "", "", `[]`}},
}

// W07, W23: each function of the contract can be called from each language, and what
// travels is the same. Set comes before get in the table of functions only here.
func (r rig) functions(t *testing.T, kv *mapKV) {
	seen := window("x", "seen ä")
	seen.Nodes = []tree.Node{{ID: 1<<64 - 1, Parent: -1}, {ID: 2}}
	if err := seen.Link(); err != nil {
		t.Fatal(err)
	}
	for _, lang := range r.langs {
		if err := kv.Set(t.Context(), "org.example."+lang, "kä", []byte("v€")); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range hostabi.Functions {
		name := string(f.Capability) + " " + f.Name
		if len(scripts[name]) == 0 {
			t.Errorf("no language is asked to call %s", name)
		}
		for _, s := range scripts[name] {
			reply := []byte(s.reply)
			if f.Capability == hostabi.CapTree && s.reply == "" {
				reply = encode(seen)
			}
			for _, lang := range r.langs {
				asked := ""
				sv := services(func(_ context.Context, g hostabi.Function, request []byte) ([]byte, *hostabi.Fault) {
					if g == f {
						asked = string(request)
					}
					return reply, nil
				})
				o, err := r.Invoke(t.Context(), r.ref(lang), hostabi.Call{Action: name, Args: s.args, Observation: observe(lang, "")}, sv)
				if err != nil || o.Fault != nil {
					t.Errorf("%s: %s %s: %+v, %v", lang, name, s.args, o, err)
					continue
				}
				if canonical(t, asked) != canonical(t, s.request) || canonical(t, o.Result) != canonical(t, `{"out":`+s.out+`}`) {
					t.Errorf("%s: %s %s\nasked %s, want %s\ngave %s, want %s", lang, name, s.args, asked, s.request, o.Result, s.out)
				}
			}
		}
	}
	if n := strings.Count(r.log.String(), `level=WARN msg="logged €"`); n != len(r.langs) {
		t.Errorf("%d lines were logged, want %d", n, len(r.langs))
	}
	if len(kv.m) != 0 {
		t.Errorf("these values were not deleted: %v", kv.m)
	}
	r.until(t)
}

// until waits for a title: a window that comes to it at the third look, and one that
// never does.
func (r rig) until(t *testing.T) {
	for _, lang := range r.langs {
		looks := 0
		sv := services(func(_ context.Context, f hostabi.Function, _ []byte) ([]byte, *hostabi.Fault) {
			if f.Name == "change" {
				return []byte(`{"changed":true,"waited_ms":10}`), nil
			}
			looks++
			return observe(lang, strings.Repeat("x", looks)), nil
		})
		call := hostabi.Call{Action: "until", Args: `{"a":25,"text":"xxx"}`, Observation: observe(lang, "")}
		if o, err := r.Invoke(t.Context(), r.ref(lang), call, sv); err != nil || o.Fault != nil || looks != 3 {
			t.Errorf("%s: %v, %v after %d looks, want success after 3", lang, o, err, looks)
		}
		looks, call.Args = 0, `{"a":25,"text":"never"}`
		f, err := r.refusal(t, lang, call, sv)
		if f == nil || f.Code != hostabi.CodeTimeout || looks != 4 {
			t.Errorf("%s: %v after %d looks, want a time-out after 4", lang, err, looks)
		}
	}
}

// helloIsTheSame plays one scene with the small adapter in each language.
func helloIsTheSame(t *testing.T, p polyglot) {
	kv := &mapKV{m: map[string][]byte{}}
	r := newRig(t, p, func(c *Config) { c.KV = kv })
	scene := func(lang, text string) []byte {
		w := window(lang, "Größe")
		w.Nodes = []tree.Node{{ID: 1, Parent: -1, Role: tree.RoleWindow}, {ID: 1<<64 - 2, Role: tree.RoleEntry, Text: text}}
		if err := w.Link(); err != nil {
			t.Fatal(err)
		}
		return encode(w)
	}
	for _, lang := range r.langs {
		got, err := r.view(t, lang, scene(lang, "a \"line\" €😀"))
		if err != nil {
			t.Fatalf("%s: %v", lang, err)
		}
		r.golden(t, lang, "testdata/abi/hello.view.json", got)
		_, err = r.view(t, lang, observe(lang, "no entry"))
		if f, ok := errors.AsType[*hostabi.Fault](err); !ok || f.Code != hostabi.CodeUnsupported {
			t.Errorf("%s: a window without an entry: %v", lang, err)
		}
		state, calls := "before", []string{}
		sv := services(func(_ context.Context, f hostabi.Function, request []byte) ([]byte, *hostabi.Fault) {
			calls = append(calls, f.Name+" "+string(request))
			var set hostabi.SetTextRequest
			if f.Name == "set_text" && hostabi.Read(request, &set) == nil && set.Text != "ignored" {
				state = set.Text
			}
			if f.Name == "observe" {
				return scene(lang, state), nil
			}
			return nil, nil
		})
		call := func(args string) (*hostabi.Outcome, error) {
			return r.Invoke(t.Context(), r.ref(lang), hostabi.Call{Action: "set_text", Args: args, Observation: scene(lang, state)}, sv)
		}
		for i, c := range []struct{ args, result, effect string }{
			{`{"text":"ä€😀"}`, `{"count":1}`, "confirmed"}, {`{"text":"ignored"}`, `{"count":2}`, "unconfirmed"},
		} {
			o, err := call(c.args)
			if err != nil || o.Result != c.result || string(o.Effect) != c.effect {
				t.Errorf("%s: call %d: %+v, %v; want %s and %s", lang, i, o, err, c.result, c.effect)
			}
		}
		if want := `set_text {"id":"18446744073709551614","text":"ä€😀"}, observe {}, set_text {"id":"18446744073709551614","text":"ignored"}, observe {}`; strings.Join(calls, ", ") != want {
			t.Errorf("%s: calls %q, want %q", lang, calls, want)
		}
		o, err := call(`{"text":"two\nlines"}`)
		if err != nil || o.Fault == nil || o.Fault.Code != hostabi.CodeInvalid || len(o.Fault.Fields) != 1 || o.Fault.Fields[0].Field != "text" {
			t.Errorf("%s: two lines: %+v, %v", lang, o, err)
		}
	}
	if n := strings.Count(r.log.String(), `msg="hello sees Größe"`); n != len(r.langs) {
		t.Errorf("%d lines were logged, want %d", n, len(r.langs))
	}
}
