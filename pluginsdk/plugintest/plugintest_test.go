package plugintest

import (
	"errors"
	"strings"
	"testing"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/pluginsdk"
	"oriel.dev/oriel/tree"
)

const find1 = `
	window: title="Find" app=mousepad toolkit=gtk3 bounds=100,100,300,200 popup=150,150,100,40 modal
	dialog "Find" active
	  label "Search for:" #7
	  entry text="needle" editable focused @10,10,200,30 labelled-by=7
	  button "Close" actions=click,press @10,50,60,20
	  menu "Options" surface=1 @5,5,50,20 total=9 end=cut
`

// searcher shows the entry as a field and sets it.
var searcher = pluginsdk.Adapter{
	Translate: func(r *tree.Reader) (*hostabi.View, error) {
		entry := r.Root().Find(tree.RoleEntry)
		if !entry.Valid() {
			return nil, errors.New("there is no entry")
		}
		return &hostabi.View{
			Title: r.Window().Title, Summary: "Search for a word.",
			Blocks: []hostabi.Block{{
				Key: "form", Type: hostabi.Fields, Items: []hostabi.Field{{Label: entry.Label(), Value: entry.Text()}},
			}},
			Actions: []hostabi.Action{{
				Name: "search", Title: "Search", Description: "Searches for a word.",
				Input: `{"type":"object","properties":{"word":{"type":"string","minLength":1}},"required":["word"]}`,
			}},
		}, nil
	},
	Invoke: func(c *pluginsdk.Call) (*hostabi.Outcome, error) {
		word := c.Args.Get("word").Str()
		entry, button := c.Window.Root().Find(tree.RoleEntry), c.Window.Root().Find(tree.RoleButton)
		if err := pluginsdk.SetText(entry.ID(), word); err != nil {
			return nil, err
		}
		if err := pluginsdk.DoAction(button.ID(), button.Action("press")); err != nil {
			return nil, err
		}
		pluginsdk.Log(pluginsdk.Info, "searched")
		return &hostabi.Outcome{Message: "searched for " + word, Effect: hostabi.Unconfirmed}, nil
	},
}

func TestInvokeFollowsTheScript(t *testing.T) {
	observation := Observation(t, find1)
	out := InvokeOn(t, searcher, observation, "search", `{"word":"thread"}`,
		Expect("oriel:a11y set_text", &hostabi.SetTextRequest{ID: 3, Text: "thread"}),
		Expect("oriel:a11y action", &hostabi.ActionRequest{ID: 4, Number: 1}))
	if out.Fault != nil || out.Message != "searched for thread" || out.Effect != hostabi.Unconfirmed {
		t.Errorf("got %+v", out)
	}

	out = InvokeOn(t, searcher, observation, "search", `{"word":"x"}`,
		Expect("oriel:a11y set_text", nil).Refuse(hostabi.CodeGone, "the entry is gone; read the window again"))
	if out.Fault == nil || out.Fault.Code != hostabi.CodeGone {
		t.Errorf("got %+v, want the host's fault", out)
	}
}

// recorder takes the failures that a helper reports.
type recorder struct {
	testing.TB
	failures []string
}

func (r *recorder) Helper()             {}
func (r *recorder) Logf(string, ...any) {}
func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, format)
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.failures = append(r.failures, format)
	panic(r)
}

// failures runs f and returns what it reported.
func failures(f func(t testing.TB)) string {
	r := &recorder{}
	func() {
		defer func() {
			if p := recover(); p != nil && p != any(r) {
				panic(p)
			}
		}()
		f(r)
	}()
	return strings.Join(r.failures, "\n")
}

// Every way in which an adapter can be wrong fails its test.
func TestMistakesFail(t *testing.T) {
	observation := Observation(t, find1)
	calls := 0
	impure := pluginsdk.Adapter{Translate: func(*tree.Reader) (*hostabi.View, error) {
		calls++
		return &hostabi.View{Title: strings.Repeat("x", calls)}, nil
	}}
	refused := pluginsdk.Adapter{Translate: func(*tree.Reader) (*hostabi.View, error) {
		return &hostabi.View{Blocks: []hostabi.Block{{Type: "table"}}}, nil
	}}
	acts := pluginsdk.Adapter{Translate: func(r *tree.Reader) (*hostabi.View, error) {
		return nil, pluginsdk.Focus(r.Root().ID())
	}}
	for name, c := range map[string]struct {
		run  func(testing.TB)
		want string
	}{
		"impure":        {func(t testing.TB) { View(t, impure, observation) }, "not pure"},
		"bad view":      {func(t testing.TB) { View(t, refused, observation) }, "would refuse this view"},
		"acts":          {func(t testing.TB) { View(t, acts, observation) }, "translating"},
		"no action":     {func(t testing.TB) { InvokeOn(t, searcher, observation, "no", `{}`) }, "offers no action"},
		"bad arguments": {func(t testing.TB) { InvokeOn(t, searcher, observation, "search", `{}`) }, "refuse these arguments"},
		"extra calls":   {func(t testing.TB) { InvokeOn(t, searcher, observation, "search", `{"word":"x"}`) }, "no more calls"},
		"missing calls": {func(t testing.TB) {
			InvokeOn(t, searcher, observation, "search", `{"word":"x"}`, Expect("oriel:a11y set_text", nil),
				Expect("oriel:a11y action", nil), Expect("oriel:window close", nil))
		}, "did not call"},
		"other calls": {func(t testing.TB) {
			InvokeOn(t, searcher, observation, "search", `{"word":"x"}`, Expect("oriel:a11y set_text", nil),
				Expect("oriel:a11y focus", nil))
		}, "host call"},
	} {
		if got := failures(c.run); !strings.Contains(got, c.want) {
			t.Errorf("%s: reported %q, want %q", name, got, c.want)
		}
	}
}

func TestTranslateComparesWithTheGoldenFile(t *testing.T) {
	Translate(t, searcher, "testdata/find.ort")
	other := searcher
	other.Translate = func(r *tree.Reader) (*hostabi.View, error) { return &hostabi.View{Title: "other"}, nil }
	if *update {
		return
	}
	if got := failures(func(t testing.TB) { Translate(t, other, "testdata/find.ort") }); !strings.Contains(got, "differs") {
		t.Errorf("another view reports %q", got)
	}
}

func TestTreeText(t *testing.T) {
	got := Tree(t, find1)
	r, err := tree.NewReader(tree.Append(nil, got))
	if err != nil {
		t.Fatal(err)
	}
	entry, menu := r.At(2), r.At(4)
	switch {
	case got.Window.Bounds != tree.Rect{X: 100, Y: 100, W: 300, H: 200} || !got.Window.Modal:
		t.Errorf("window %+v", got.Window)
	case r.Root().ChildrenCount() != 4 || r.Root().ChildrenTotal() != 4:
		t.Errorf("root %+v", got.Nodes[0])
	case entry.Label() != "Search for:" || !entry.Is(tree.StateEditable|tree.StateFocused) || !entry.Can(tree.IfaceEditableText):
		t.Errorf("entry %+v", got.Nodes[2])
	case menu.WindowBounds() != tree.Rect{X: 55, Y: 55, W: 50, H: 20}:
		t.Errorf("the menu lies at %+v in the window", menu.WindowBounds())
	case menu.ChildrenTotal() != 9 || menu.End() != tree.EndCut:
		t.Errorf("menu %+v", got.Nodes[4])
	}
	for _, bad := range []string{
		"nothing", "panel shiny", "panel\npanel", "panel\n      label", "panel @1,2", `panel "`, "panel end=soon", "window: shape=round", "panel #x",
	} {
		if _, err := ParseTree(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}
