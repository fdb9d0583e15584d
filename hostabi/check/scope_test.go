package check

import (
	"testing"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/tree"
)

// W11: for every capability, what a scope lets through and what it does not.
func TestW11Outside(t *testing.T) {
	covered := map[hostabi.Capability]bool{}
	for _, c := range []struct {
		function, scope, request string
		want                     string // what is outside, "" for nothing
	}{
		{"oriel:tree observe", "window", `{}`, ""},
		{"oriel:tree observe", "app=other", `{}`, `a window of "editor"`},
		{"oriel:tree text", "app=other app=EDITOR", `{}`, ""},
		{"oriel:a11y focus", "app=gedit", `{"id":"1"}`, ""}, // its process
		{"oriel:a11y focus", "app=x", `{"id":"1"}`, `a window of "editor"`},
		{"oriel:window close", "app=x", ``, `a window of "editor"`},
		{"oriel:wait change", "app=x", ``, `a window of "editor"`},
		{"oriel:input keys", "", `{"chords":["ctrl+q"]}`, ""},
		{"oriel:input keys", "ctrl+s Return", `{"chords":["Ctrl+s","return","control+s"]}`, ""},
		{"oriel:input keys", "ctrl+s Return", `{"chords":["Return","ctrl+S"]}`, `the key combination "ctrl+S"`},
		{"oriel:input keys", "ctrl+shift+s", `{"chords":["shift+ctrl+s"]}`, ""},
		{"oriel:input keys", "pointer", `{"chords":["a"]}`, `the key combination "a"`},
		{"oriel:input keys", "ctrl+s", `{"chords":["ctrl+s"],"more":1}`, unreadable},
		{"oriel:input text", "ctrl+s", `{"text":"x"}`, "typing text"},
		{"oriel:input text", "text", `{"text":"x"}`, ""},
		{"oriel:input click", "ctrl+s text", `{"x":1,"y":1}`, "the pointer"},
		{"oriel:input drag", "pointer", `{}`, ""},
		{"oriel:capture window", "region=10,10,20,20", `{}`, "the whole window"},
		{"oriel:capture window", "region=10,10,20,20", ``, "the whole window"},
		{"oriel:capture window", "region=10,10,20,20", `{"region":{"x":10,"y":15,"w":20,"h":15}}`, ""},
		{"oriel:capture window", "region=10,10,20,20", `{"region":{"x":10,"y":15,"w":21,"h":15}}`, "the region 10,15,21,15"},
		{"oriel:capture window", "region=10,10,20,20", `{"region":{"x":-1,"y":15,"w":2147483647,"h":15}}`, "the region -1,15,2147483647,15"},
		{"oriel:capture find", "region=10,10,20,20", `{"png":""}`, "the whole window"},
		{"oriel:capture find", "region=10,10,20,20", `{"png":"","region":{"x":10,"y":10,"w":20,"h":20}}`, ""},
		{"oriel:ocr text", "region=10,10,20,20", `{"region":{"x":9,"y":10,"w":5,"h":5}}`, "the region 9,10,5,5"},
		{"oriel:ocr text", "", `{}`, ""},
		{"oriel:clipboard read", "write", `{"type":"text/plain"}`, "reading"},
		{"oriel:clipboard types", "write", `{}`, "reading"},
		{"oriel:clipboard write", "read", `{"type":"text/plain"}`, "writing"},
		{"oriel:clipboard read", "read text/plain", `{"type":"text/plain;charset=utf-8"}`, ""},
		{"oriel:clipboard read", "read text/plain", `{"type":"TEXT/HTML"}`, `the type "TEXT/HTML"`},
		{"oriel:clipboard read", "read text/*", `{"type":"text/html"}`, ""},
		{"oriel:clipboard read", "text/plain", ``, `the type ""`},
		{"oriel:clipboard write", "write image/png", `{"type":"image/png","data":"eA=="}`, ""},
		{"oriel:clipboard write", "write image/png", `nonsense`, unreadable},
		{"oriel:kv set", "4B", `{"key":"k","data":"eHh4"}`, ""},
		{"oriel:kv set", "4B", `{"key":"k","data":"eHh4eA=="}`, "a value of 5 bytes with its key, where it may keep 4,"},
		{"oriel:kv get", "4B", `{"key":"a long key"}`, ""},
		{"oriel:kv get", "app=x", `{"key":"k"}`, `a window of "editor"`},
		{"oriel:log write", "", `{"level":"info","text":"x"}`, ""},
	} {
		f := function(t, c.function)
		covered[f.Capability] = true
		s, err := ParseScope(f.Capability, c.scope)
		if err != nil {
			t.Errorf("%s %q: %v", c.function, c.scope, err)
			continue
		}
		got := s.Outside(f, []byte(c.request), func() tree.Window { return tree.Window{App: "editor", Process: "gedit"} })
		if got != c.want {
			t.Errorf("%s within %q asked %s: %q is outside, want %q", c.function, c.scope, c.request, got, c.want)
		}
	}
	for _, f := range hostabi.Functions {
		if !covered[f.Capability] {
			t.Errorf("no case for %s", f.Capability)
		}
	}
}

// function finds a host function by its module and name.
func function(t *testing.T, name string) hostabi.Function {
	t.Helper()
	for _, f := range hostabi.Functions {
		if string(f.Capability)+" "+f.Name == name {
			return f
		}
	}
	t.Fatalf("no function %s", name)
	return hostabi.Function{}
}
