package check

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"oriel.dev/oriel/hostabi"
)

func goodView() *hostabi.View {
	return &hostabi.View{
		Title: "Save as", Summary: "A file is to be saved.",
		Blocks: []hostabi.Block{
			{Key: "text", Type: hostabi.Text, Text: "some\n\ttext", Truncated: true, Total: 900},
			{Key: "form", Type: hostabi.Fields, Items: []hostabi.Field{{Label: "Name", Value: "a.txt"}}},
			{Key: "files", Type: hostabi.Table, Columns: []string{"Name", "Size"}, Rows: [][]hostabi.Scalar{{"a", int64(1)}}, Truncated: true, Offset: 5, Total: 6},
			{Key: "list", Type: hostabi.List, List: []hostabi.Scalar{"a", nil, true, 0.5}, Ordered: true},
			{Key: "note", Type: hostabi.Notice, Severity: hostabi.Warn, Text: "It exists."},
			{Key: "shot", Type: hostabi.Media, Region: hostabi.Region{W: 1, H: 1}, Alt: "preview"},
			{Key: "own", Type: hostabi.Custom, Payload: `{"a":[1]}`},
		},
		Actions: []hostabi.Action{{
			Name: "save", Title: "Save", Description: "Saves the file.\nAsks nothing.", Destructive: true,
			Input: `{"type":"object","properties":{"name":{"type":"string"}}}`, Output: `{"type":"object"}`,
		}},
		AppActions: []hostabi.Action{{Name: "save", Title: "Save all", Description: "Saves all files.", ReadOnly: true}},
	}
}

func TestView(t *testing.T) {
	v := goodView()
	if err := View(v); err != nil {
		t.Fatal(err)
	}
	if want := goodView(); !reflect.DeepEqual(v, want) {
		t.Errorf("a good view is changed:\n%+v", v)
	}
	if err := View(&hostabi.View{}); err != nil {
		t.Errorf("an empty view: %v", err)
	}
}

// W13
func TestViewIsNormalised(t *testing.T) {
	v := goodView()
	v.Title = " \u202eexe.txt\u2066\n\x1b[31m two  blanks\u00a0"
	v.Summary = strings.Repeat("ä", 2000)
	v.Blocks[1].Items = []hostabi.Field{{Label: "Na\x00me\U000E0041", Value: 7}, {Label: "NaN", Value: math.NaN()}}
	v.Blocks[2].Columns[0] = "Na\tme"
	v.Actions[0].Title = "Save\r\n"
	v.Actions[0].Description = "one\ntwo\x07\u202d"
	if err := View(v); err != nil {
		t.Fatal(err)
	}
	items := v.Blocks[1].Items
	for what, pair := range map[string][2]any{
		"title":       {v.Title, "exe.txt [31m two blanks"},
		"summary":     {len([]rune(v.Summary)), 1000},
		"label":       {items[0].Label, "Name"},
		"int":         {items[0].Value, int64(7)},
		"NaN":         {items[1].Value, nil},
		"column":      {v.Blocks[2].Columns[0], "Na me"},
		"action":      {v.Actions[0].Title, "Save"},
		"description": {v.Actions[0].Description, "one\ntwo"},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: got %q, want %q", what, pair[0], pair[1])
		}
	}
}

// W04, W13
func TestViewRefuses(t *testing.T) {
	action := func(f func(*hostabi.Action)) func(*hostabi.View) {
		return func(v *hostabi.View) { f(&v.Actions[0]) }
	}
	block := func(i int, f func(*hostabi.Block)) func(*hostabi.View) {
		return func(v *hostabi.View) { f(&v.Blocks[i]) }
	}
	for want, change := range map[string]func(*hostabi.View){
		`blocks[0].key: is empty; give the block a name that stays`:                     block(0, func(b *hostabi.Block) { b.Key = "" }),
		`blocks[2].key: "form" is the key of blocks[1] too; give each block its own`:    block(2, func(b *hostabi.Block) { b.Key = "form" }),
		`blocks[0].key: is longer than 128 bytes`:                                       block(0, func(b *hostabi.Block) { b.Key = strings.Repeat("k", 129) }),
		`blocks[0].type: is "graph"; it must be one of ["text" "fields"`:                block(0, func(b *hostabi.Block) { b.Type = "graph" }),
		`blocks[0].rows: does not belong to a block of type text; leave it out`:         block(0, func(b *hostabi.Block) { b.Rows = [][]hostabi.Scalar{{}} }),
		`blocks[6].text: does not belong to a block of type custom`:                     block(6, func(b *hostabi.Block) { b.Text = "x" }),
		`blocks[2].columns: is empty; name the columns`:                                 block(2, func(b *hostabi.Block) { b.Columns, b.Rows = nil, nil }),
		`blocks[2].rows[0]: has 1 cells; there are 2 columns`:                           block(2, func(b *hostabi.Block) { b.Rows[0] = b.Rows[0][:1] }),
		`blocks[2].rows[0][1]: is a []int; use a string, bool, int64, float64 or nil`:   block(2, func(b *hostabi.Block) { b.Rows[0][1] = []int{1} }),
		`blocks[1].items[0].label: is empty`:                                            block(1, func(b *hostabi.Block) { b.Items[0].Label = "\u202e " }),
		`blocks[3].truncated: is not set, but offset or total are`:                      block(3, func(b *hostabi.Block) { b.Total = 9 }),
		`blocks[2].total: is 5, which is less than the 1 after offset 5`:                block(2, func(b *hostabi.Block) { b.Total = 5 }),
		`blocks[4].truncated: does not belong to a block of type notice`:                block(4, func(b *hostabi.Block) { b.Truncated, b.Total = true, 9 }),
		`blocks[4].severity: is "loud"; it must be one of ["info"`:                      block(4, func(b *hostabi.Block) { b.Severity = "loud" }),
		`blocks[4].text: is empty; a notice says something`:                             block(4, func(b *hostabi.Block) { b.Text = " " }),
		`blocks[5].region: is empty`:                                                    block(5, func(b *hostabi.Block) { b.Region.W = 0 }),
		`blocks[5].alt: is empty`:                                                       block(5, func(b *hostabi.Block) { b.Alt = "" }),
		`blocks[6].payload: reading JSON: want a value at byte 0`:                       block(6, func(b *hostabi.Block) { b.Payload = "" }),
		`actions[0].name: is "Save"; take 1 to 24 of the characters a-z, 0-9 and _`:     action(func(a *hostabi.Action) { a.Name = "Save" }),
		`actions[0].name: is "` + strings.Repeat("a", 25):                               action(func(a *hostabi.Action) { a.Name = strings.Repeat("a", 25) }),
		`app_actions[1].name: "save" comes twice`:                                       func(v *hostabi.View) { v.AppActions = append(v.AppActions, v.AppActions[0]) },
		`actions[0].title: is empty`:                                                    action(func(a *hostabi.Action) { a.Title = "" }),
		`actions[0].description: is empty; say what the action does`:                    action(func(a *hostabi.Action) { a.Description = "\n" }),
		`actions[0].input: is no object schema; begin it with {"type": "object"`:        action(func(a *hostabi.Action) { a.Input = `{"type":"string"}` }),
		`actions[0].input: reading JSON: want , or } at byte 17`:                        action(func(a *hostabi.Action) { a.Input = `{"type":"object" ` }),
		`actions[0].input: has a property expectedVersion, which the host adds itself`:  action(func(a *hostabi.Action) { a.Input = `{"type":"object","properties":{"expectedVersion":{}}}` }),
		`actions[0].input: /properties/a has the keyword "minimun", which JSON Schema`:  action(func(a *hostabi.Action) { a.Input = `{"type":"object","properties":{"a":{"minimun":1}}}` }),
		`actions[0].input: /properties/a uses a reference; write out what it refers to`: action(func(a *hostabi.Action) { a.Input = `{"type":"object","properties":{"a":{"$ref":"#"}}}` }),
		`actions[0].input: /properties/a is null; write a schema`:                       action(func(a *hostabi.Action) { a.Input = `{"type":"object","properties":{"a":null}}` }),
		`actions[0].output: `: action(func(a *hostabi.Action) { a.Output = `{"type":"object","properties":{"a":{"pattern":"("}}}` }),
		`actions[0].destructive: contradicts read_only; choose one`:    action(func(a *hostabi.Action) { a.ReadOnly = true }),
		`actions[0].patience: is 60001 ms; it must be from 0 to 60000`: action(func(a *hostabi.Action) { a.Patience = 60001 }),
		`size: has 3`: block(0, func(b *hostabi.Block) { b.Text = strings.Repeat("x", 300_000) }),
		`blocks: has 1001 blocks; the most is 1000, so set truncated`: func(v *hostabi.View) { v.Blocks = make([]hostabi.Block, 1001) },
		`actions: has 201 actions; the most is 200`:                   func(v *hostabi.View) { v.Actions = make([]hostabi.Action, 201) },
	} {
		v := goodView()
		change(v)
		if err := View(v); err == nil || !strings.Contains(err.Error(), "view: "+want) {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

// What has been checked once passes again unchanged.
func TestCheckingAgainChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := goodView()
		v.Title, v.Summary = rapid.String().Draw(t, "title"), rapid.String().Draw(t, "summary")
		v.Blocks[1].Items[0].Label = "x" + rapid.String().Draw(t, "label")
		v.Blocks[3].List[0] = rapid.Float64().Draw(t, "value")
		if err := View(v); err != nil {
			t.Fatal(err)
		}
		for _, r := range v.Title + v.Summary + v.Blocks[1].Items[0].Label {
			if Harmful(r) || r == '\n' {
				t.Fatalf("%U is left", r)
			}
		}
		before := fmt.Sprintf("%+v", v)
		if err := View(v); err != nil {
			t.Fatal(err)
		}
		if after := fmt.Sprintf("%+v", v); after != before {
			t.Fatalf("got %s, want %s", after, before)
		}
	})
}

func FuzzView(f *testing.F) {
	f.Add(hostabi.AppendView(nil, goodView()))
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := hostabi.ParseView(b)
		if err != nil || View(v) != nil {
			return
		}
		if again, err := hostabi.ParseView(hostabi.AppendView(nil, v)); err != nil || View(again) != nil {
			t.Fatalf("a checked view does not pass again: %v", err)
		}
	})
}

func BenchmarkView(b *testing.B) {
	for b.Loop() {
		if err := View(goodView()); err != nil {
			b.Fatal(err)
		}
	}
}
