//go:build !wasip1

package pluginsdk

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/tree"
)

func observation(t *testing.T, title string) []byte {
	t.Helper()
	return tree.Append(nil, &tree.Tree{Window: tree.Window{Title: title}, Nodes: []tree.Node{{ID: 5, Parent: -1, Subtree: 1}}})
}

// W07: each host function has its Go function, and this is its wire form.
func TestFunctionsOnTheWire(t *testing.T) {
	look := observation(t, "x")
	title := func(r *tree.Reader, err error) (any, error) {
		if err != nil {
			return nil, err
		}
		return r.Window().Title, nil
	}
	called := map[string]bool{}
	for want, c := range map[string]struct {
		reply string
		call  func() (any, error)
		got   any
	}{
		`oriel:tree observe {}`: {string(look), func() (any, error) { return title(Observe()) }, "x"},
		`oriel:tree children {"id":"18446744073709551615","offset":2,"n":3}`: {
			string(look), func() (any, error) { return title(Children(1<<64-1, 2, 3)) }, "x",
		},
		`oriel:tree cells {"id":"1","row":2,"column":3,"rows":4,"columns":5}`: {
			string(look), func() (any, error) { return title(Cells(1, 2, 3, 4, 5)) }, "x",
		},
		`oriel:tree text {"id":"1","from":2,"n":3}`:               {"abc", func() (any, error) { return ReadText(1, 2, 3) }, "abc"},
		`oriel:a11y action {"id":"1","number":2}`:                 {"", func() (any, error) { return nil, DoAction(1, 2) }, nil},
		`oriel:a11y set_text {"id":"1","text":"a\"b"}`:            {"", func() (any, error) { return nil, SetText(1, `a"b`) }, nil},
		`oriel:a11y set_text {"id":"1","text":"x","insert":true}`: {"", func() (any, error) { return nil, InsertText(1, 0, "x") }, nil},
		`oriel:a11y set_value {"id":"1","value":0.5}`:             {"", func() (any, error) { return nil, SetValue(1, 0.5) }, nil},
		`oriel:a11y select {"id":"1","child":2}`:                  {"", func() (any, error) { return nil, Select(1, 2) }, nil},
		`oriel:a11y select {"id":"1","child":2,"deselect":true}`:  {"", func() (any, error) { return nil, Deselect(1, 2) }, nil},
		`oriel:a11y select_text {"id":"1","start":2,"end":4}`:     {"", func() (any, error) { return nil, SelectText(1, 2, 4) }, nil},
		`oriel:a11y focus {"id":"1"}`:                             {"", func() (any, error) { return nil, Focus(1) }, nil},
		`oriel:a11y scroll_to {"id":"1"}`:                         {"", func() (any, error) { return nil, ScrollTo(1) }, nil},
		`oriel:window close {}`:                                   {"", func() (any, error) { return nil, CloseWindow() }, nil},
		`oriel:window activate {}`:                                {"", func() (any, error) { return nil, ActivateWindow() }, nil},
		`oriel:input move {"x":-1,"y":2}`:                         {"", func() (any, error) { return nil, Move(-1, 2) }, nil},
		`oriel:input click {"x":1,"y":2}`:                         {"", func() (any, error) { return nil, Click(1, 2) }, nil},
		`oriel:input click {"x":1,"y":2,"button":"right","count":2,"modifiers":["ctrl"]}`: {
			"", func() (any, error) {
				return nil, ClickWith(hostabi.ClickRequest{X: 1, Y: 2, Button: "right", Count: 2, Modifiers: []string{"ctrl"}})
			}, nil,
		},
		`oriel:input drag {"x":1,"y":2,"to_x":3,"to_y":4}`: {
			"", func() (any, error) { return nil, Drag(hostabi.DragRequest{X: 1, Y: 2, ToX: 3, ToY: 4}) }, nil,
		},
		`oriel:input scroll {"x":1,"y":2,"dy":-3}`:        {"", func() (any, error) { return nil, Scroll(1, 2, 0, -3) }, nil},
		`oriel:input keys {"chords":["ctrl+s","Return"]}`: {"", func() (any, error) { return nil, Keys("ctrl+s", "Return") }, nil},
		`oriel:input text {"text":"a"}`:                   {"", func() (any, error) { return nil, Type("a") }, nil},
		`oriel:capture window {"region":{"w":1,"h":1}}`: {
			"\x01\x00\x00\x00\x01\x00\x00\x00rgba",
			func() (any, error) { return Capture(&hostabi.Region{W: 1, H: 1}) },
			hostabi.Image{W: 1, H: 1, RGBA: []byte("rgba")},
		},
		`oriel:capture find {"png":"AQI=","threshold":0.5}`: {
			`{"matches":[{"x":1,"w":2,"score":0.75}]}`,
			func() (any, error) { return FindImage(hostabi.FindRequest{PNG: []byte{1, 2}, Threshold: 0.5}) },
			[]hostabi.FoundMatch{{X: 1, W: 2, Score: 0.75}},
		},
		`oriel:ocr text {}`: {
			`{"words":[{"text":"Hi","x":1,"line":2,"confidence":0.5}]}`,
			func() (any, error) { return OCR(nil) },
			[]hostabi.Word{{Text: "Hi", X: 1, Line: 2, Confidence: 0.5}},
		},
		`oriel:clipboard types {}`: {`{"types":["a","b"]}`, func() (any, error) { return ClipboardTypes() }, []string{"a", "b"}},
		`oriel:clipboard read {"type":"text/plain"}`: {
			"abc", func() (any, error) { return ReadClipboard("text/plain") }, []byte("abc"),
		},
		`oriel:clipboard write {"type":"text/plain","data":"YQ=="}`: {
			"", func() (any, error) { return nil, WriteClipboard("text/plain", []byte("a")) }, nil,
		},
		`oriel:kv get {"key":"k"}`:               {"v", func() (any, error) { b, _, err := Load("k"); return b, err }, []byte("v")},
		`oriel:kv set {"key":"k","data":"dg=="}`: {"", func() (any, error) { return nil, Store("k", []byte("v")) }, nil},
		`oriel:kv delete {"key":"k"}`:            {"", func() (any, error) { return nil, Delete("k") }, nil},
		`oriel:wait change {"timeout_ms":1500}`: {
			`{"changed":true}`, func() (any, error) { return WaitChange(1500 * time.Millisecond) }, true,
		},
		`oriel:log write {"level":"warn","text":"a"}`: {"", func() (any, error) { Log(Warn, "a"); return nil, nil }, nil},
	} {
		asked := ""
		SetHost(func(f hostabi.Function, request []byte) ([]byte, *hostabi.Fault) {
			asked = string(f.Capability) + " " + f.Name + " " + string(request)
			return []byte(c.reply), nil
		})
		got, err := c.call()
		if err != nil || asked != want || !reflect.DeepEqual(got, c.got) {
			t.Errorf("asked %s\nwant  %s\nand got %v, %v; want %v", asked, want, got, err, c.got)
		}
		called[strings.Join(strings.Fields(asked)[:2], " ")] = true
	}
	SetHost(nil)
	for _, f := range hostabi.Functions {
		if name := string(f.Capability) + " " + f.Name; !called[name] {
			t.Errorf("no function of the SDK calls %s", name)
		}
	}
}

func TestFaultsOfTheHostArrive(t *testing.T) {
	want := &hostabi.Fault{Code: hostabi.CodeDenied, Message: "not granted; grant it", Capability: hostabi.CapInput}
	SetHost(func(hostabi.Function, []byte) ([]byte, *hostabi.Fault) { return nil, want })
	defer SetHost(nil)
	if err := Keys("a"); !reflect.DeepEqual(err, error(want)) {
		t.Errorf("got %v, want %v", err, want)
	}
	SetHost(func(hostabi.Function, []byte) ([]byte, *hostabi.Fault) {
		return nil, &hostabi.Fault{Code: hostabi.CodeGone, Message: "none"}
	})
	if _, there, err := Load("k"); there || err != nil {
		t.Errorf("a value that is not there: %v, %v", there, err)
	}
	SetHost(func(hostabi.Function, []byte) ([]byte, *hostabi.Fault) { return []byte("junk"), nil })
	if _, err := Observe(); err == nil {
		t.Error("a tree that is none is taken")
	}
	SetHost(nil)
	if err := Focus(1); err == nil || !strings.Contains(err.Error(), "there is no host") {
		t.Errorf("without a host: %v", err)
	}
}

func TestTranslateAnswersEverything(t *testing.T) {
	good := Adapter{Translate: func(r *tree.Reader) (*hostabi.View, error) { return &hostabi.View{Title: r.Window().Title}, nil }}
	fails := func(v *hostabi.View, err error) Adapter {
		return Adapter{Translate: func(*tree.Reader) (*hostabi.View, error) { return v, err }}
	}
	for name, c := range map[string]struct {
		a    Adapter
		in   []byte
		want string
	}{
		"good":         {good, observation(t, "Hi"), `{"title":"Hi"}`},
		"junk":         {good, []byte("junk"), `{"fault":{"code":"internal","message":"reading tree: the data does not begin with ORT1"}}`},
		"unregistered": {Adapter{}, observation(t, ""), `{"fault":{"code":"internal","message":"the module registers no adapter: call pluginsdk.Register in an init function"}}`},
		"nothing":      {fails(nil, nil), observation(t, ""), `{"fault":{"code":"internal","message":"Translate returned neither a view nor an error"}}`},
		"fault":        {fails(nil, Refuse(hostabi.CodeGone, "gone")), observation(t, ""), `{"fault":{"code":"gone","message":"gone"}}`},
		"error":        {fails(nil, errors.New("oops")), observation(t, ""), `{"fault":{"code":"internal","message":"oops"}}`},
	} {
		if got := string(Translate(nil, c.a, c.in)); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

func TestInvokeAnswersEverything(t *testing.T) {
	call := func(action, args string) []byte {
		return hostabi.AppendCall(nil, &hostabi.Call{Action: action, Args: args, Observation: observation(t, "Hi")})
	}
	a := Adapter{Invoke: func(c *Call) (*hostabi.Outcome, error) {
		switch c.Action {
		case "say":
			return &hostabi.Outcome{Message: c.Args.Get("word").Str() + " in " + c.Window.Window().Title, Effect: hostabi.Confirmed}, nil
		case "wrong":
			return nil, Invalid("word", "too rude")
		}
		return nil, nil
	}}
	for name, c := range map[string]struct {
		a    Adapter
		in   []byte
		want string
	}{
		"good":       {a, call("say", `{"word":"a"}`), `{"message":"a in Hi","effect":"confirmed"}`},
		"no args":    {a, call("say", ""), `{"message":" in Hi","effect":"confirmed"}`},
		"wrong":      {a, call("wrong", ""), `{"fault":{"code":"invalid_argument","message":"the argument word is wrong: too rude","fields":[{"field":"word","error":"too rude"}]}}`},
		"nothing":    {a, call("", ""), `{"fault":{"code":"internal","message":"Invoke returned neither an outcome nor an error"}}`},
		"no actions": {Adapter{}, call("say", ""), `{"fault":{"code":"not_available","message":"this adapter has no actions; read the window again"}}`},
		"cut":        {a, nil, `{"fault":{"code":"internal","message":"reading call: shorter than its header"}}`},
		"bad args":   {a, call("say", "{"), `{"fault":{"code":"internal","message":"reading JSON: want a key at byte 1"}}`},
		"bad tree":   {a, hostabi.AppendCall(nil, &hostabi.Call{Action: "say"}), `{"fault":{"code":"internal","message":"reading tree: the data does not begin with ORT1"}}`},
	} {
		if got := string(Invoke(nil, c.a, c.in)); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

// A window that changes at every look must not hold an adapter for ever.
func TestWaitUntil(t *testing.T) {
	looks, waits := 0, 0
	host := func(waited int64, changed bool) Host {
		looks, waits = 0, 0
		return func(f hostabi.Function, _ []byte) ([]byte, *hostabi.Fault) {
			if f.Capability == hostabi.CapTree {
				looks++
				return observation(t, strings.Repeat("x", looks)), nil
			}
			waits++
			return hostabi.Append(nil, &hostabi.WaitReply{Changed: changed, WaitedMS: waited}), nil
		}
	}
	defer SetHost(nil)
	title := func(want string) func(*tree.Reader) bool {
		return func(r *tree.Reader) bool { return r.Window().Title == want }
	}
	SetHost(host(10, true))
	if r, err := WaitUntil(time.Second, title("xxx")); err != nil || r.Window().Title != "xxx" || waits != 2 {
		t.Errorf("the third look satisfies: %v after %d waits", err, waits)
	}
	for name, h := range map[string]struct {
		host  Host
		looks int
	}{
		"nothing changes": {host(1000, false), 2}, "it never rests": {host(0, true), 51}, "in large steps": {host(25, true), 3},
	} {
		looks = 0
		SetHost(h.host)
		_, err := WaitUntil(50*time.Millisecond, title("none"))
		if f, ok := errors.AsType[*hostabi.Fault](err); !ok || f.Code != hostabi.CodeTimeout || looks != h.looks {
			t.Errorf("%s: got %v after %d looks, want a timeout after %d", name, err, looks, h.looks)
		}
	}
}

func TestRegister(t *testing.T) {
	defer Register(Adapter{})
	Register(Adapter{Invoke: func(*Call) (*hostabi.Outcome, error) { return &hostabi.Outcome{Message: "me"}, nil }})
	if out, err := Registered().Invoke(nil); err != nil || out.Message != "me" {
		t.Errorf("got %+v, %v", out, err)
	}
}
