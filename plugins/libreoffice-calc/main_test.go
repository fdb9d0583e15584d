package main

import (
	"slices"
	"strings"
	"testing"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/plugins/internal/odd"
	"oriel.dev/oriel/pluginsdk/plugintest"
	"oriel.dev/oriel/tree"

	"pgregory.net/rapid"
)

func TestGoldenViews(t *testing.T) { plugintest.Recorded(t, adapter) }

// B16: summaries, labels, notices, descriptions and annotations serve their readers.
func TestLintB16(t *testing.T) { plugintest.Lint(t, adapter) }

func TestAnyWindow(t *testing.T) { odd.Check(t, adapter) }

// W02: the windows with a sheet are this adapter's, the dialogs are not.
func TestManifest(t *testing.T) {
	m := plugintest.Manifest(t)
	for _, match := range m.Match {
		if match.App == "" || match.Role != "" {
			t.Errorf("the match %+v names no application, or a role", match)
		}
	}
}

func TestAreas(t *testing.T) {
	for text, want := range map[string]area{
		"A1": {0, 0, 1, 1}, "b2:C4": {1, 1, 3, 2}, "$XFD$1048576": {maxRow - 1, maxColumn - 1, 1, 1}, "C4:B2": {1, 1, 3, 2}, " AA10 ": {9, 26, 1, 1},
	} {
		if got, ok := parseArea(text); !ok || got != want {
			t.Errorf("%q reads %+v, %v; want %+v", text, got, ok, want)
		}
	}
	// What the name box does not know it would make a new name of.
	for _, text := range []string{"", "A", "1", "A0", "A01", "XFE1", "A1048577", "A1:", ":B2", "A1:B2:C3", "Prices", "AAAA1", "A1 B2", "A-1", "é1", "A99999999999"} {
		if got, ok := parseArea(text); ok {
			t.Errorf("%q reads %+v, want a refusal", text, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a := area{rapid.Int64Range(0, maxRow-1).Draw(t, "row"), rapid.Int64Range(0, maxColumn-1).Draw(t, "column"), 1, 1}
		a.rows, a.columns = rapid.Int64Range(1, maxRow-a.row).Draw(t, "rows"), rapid.Int64Range(1, maxColumn-a.column).Draw(t, "columns")
		if got, ok := parseArea(a.name()); !ok || got != a {
			t.Fatalf("%s reads %+v, want %+v", a.name(), got, a)
		}
	})
}

// What a cell may show of what was written into it.
func TestFits(t *testing.T) {
	for _, c := range []struct {
		written, shown string
		want           bool
	}{
		{"a", "a", true},
		{"a", "A", false},
		{"say \"no\"", "say “no”", false},
		{"", "", true},
		{"", "x", false},
		{"x", "", false},
		{"12", "99", false},
		{"1234.5", "1,234.50", true},
		{"1.23456", "1.23", true},
		{"1.23456", "1.24", false},
		{"0.5", "50.00%", true},
		{"-3", "3", false},
		{"10:30", "10:30:00", true},
		{"1E20", "1E+20", true},
		{"12", "", false},
		{"1.5", "1.50", true},
		{"1/2/2026", "01/02/26", true},
		{"50%", "50.00%", true},
		{"1.5", "###", true},
		{"12", "twelve", false},
		{"$5", "$5.00", true},
		{"=1+1", "2", true},
		{"=1+1", "=1+1", false},
		{"=A1", "", false},
		{"=X()", "#NAME?", true},
		{"'007", "007", true},
		{"'007", "7", false},
		{"TRUE", "TRUE", true},
	} {
		if got := fits(c.written, c.shown); got != c.want {
			t.Errorf("%q shown as %q: got %v", c.written, c.shown, got)
		}
	}
}

// A cell that was to stay may change if it is a formula, but not into what was
// written elsewhere.
func TestMisplaced(t *testing.T) {
	rows := [][]value{{{text: "007"}, {text: "世"}, {keep: true, text: "4"}}}
	for shown, want := range map[string]bool{"4": false, "8": false, "007": true, "世": false} {
		if got := misplaced(rows, "4", shown); got != want {
			t.Errorf("%q: got %v", shown, got)
		}
	}
}

const sheet = `
	window: title="a.ods - LibreOffice Calc" app=libreoffice-calc toolkit=libreoffice bounds=0,0,400,300
	window "a.ods - LibreOffice Calc" showing
	  document "a.ods" showing editable @20,60,380,200
	    table "Sheet One" #5 showing focused table=1048576,16384 total=2147483647 end=cut @20,60,380,200
	      table-cell "A1" text="item" showing cell=0,0 @20,60,40,17
	      table-cell "C3" text="4" showing cell=2,2 @100,94,40,17
	  tool-bar "Formula" showing @0,30,400,30
	    panel showing @0,30,60,30
	      entry #9 text="A1" showing enabled editable single-line actions=activate @0,30,60,30
`

func calls(name string, n int, reply []byte) []plugintest.Exchange {
	return slices.Repeat([]plugintest.Exchange{plugintest.Expect(name, nil).Bytes(reply)}, n)
}

// C09: no children of the sheet are asked for, only blocks of its cells.
func TestReadCells(t *testing.T) {
	block := plugintest.Tree(t, `
		table "Sheet One" #5 table=1048576,16384
		  table-cell "B2" text="x" cell=1,1
		  table-cell "Z9" text="elsewhere" cell=8,25
	`)
	out := plugintest.InvokeOn(t, adapter, plugintest.Observation(t, sheet), "read_cells", `{"range":"A1:B2"}`,
		plugintest.Expect("oriel:tree cells", &hostabi.CellsRequest{ID: 5, Rows: 2, Columns: 2}).Tree(block))
	if want := `{"range":"A1:B2","rows":[[null,null],[null,"x"]]}`; out.Result != want {
		t.Errorf("got %s, want %s", out.Result, want)
	}
	for _, args := range []string{`{"range":"A1:ZZ1000"}`, `{"range":"Prices"}`} {
		if out = plugintest.InvokeOn(t, adapter, plugintest.Observation(t, sheet), "read_cells", args); out.Fault == nil || out.Fault.Fields[0].Field != "range" {
			t.Errorf("%s: got %+v", args, out)
		}
	}
}

func TestWriteCellsRefuses(t *testing.T) {
	obs := plugintest.Observation(t, sheet)
	for args, field := range map[string]string{
		`{"range":"B2:C2","rows":[["a"]]}`:                                 "rows",
		`{"range":"B2","rows":[]}`:                                         "rows",
		`{"range":"B2","rows":[[]]}`:                                       "rows",
		`{"range":"B2","rows":[["a\nb"]]}`:                                 "rows",
		`{"range":"total","rows":[["a"]]}`:                                 "range",
		`{"range":"XFD1","rows":[["a","b"]]}`:                              "rows",
		`{"range":"A1048576","rows":[["a"],[1]]}`:                          "rows",
		`{"range":"$A$1:$ZZ$99","rows":[["a"]]}`:                           "range",
		`{"range":"A1","rows":[["` + strings.Repeat("é", maxText) + `"]]}`: "rows",
	} {
		out := plugintest.InvokeOn(t, adapter, obs, "write_cells", args)
		if out.Fault == nil || len(out.Fault.Fields) == 0 || out.Fault.Fields[0].Field != field {
			t.Errorf("%.60s: got %+v, want %s to be blamed", args, out, field)
		}
	}
}

// One cell, and its neighbour that is to stay: what is typed is read back.
func TestWriteCells(t *testing.T) {
	cells := func(text string) []byte {
		return tree.Append(nil, plugintest.Tree(t, "table \"Sheet One\" #5 table=1048576,16384\n  table-cell \"B2\" text=\""+text+"\" cell=1,1\n"))
	}
	script := slices.Concat(
		calls("oriel:tree cells", 1, cells("old")),
		calls("oriel:window activate", 1, nil),
		calls("oriel:tree text", 1, []byte("A1")),
		[]plugintest.Exchange{
			plugintest.Expect("oriel:a11y set_text", &hostabi.SetTextRequest{ID: 9, Text: "b2"}),
			plugintest.Expect("oriel:a11y action", &hostabi.ActionRequest{ID: 9}),
		},
		calls("oriel:tree text", 1, []byte("B2")),
		[]plugintest.Exchange{
			plugintest.Expect("oriel:input text", &hostabi.TypeRequest{Text: "12"}),
			plugintest.Expect("oriel:input keys", &hostabi.KeysRequest{Chords: []string{"Delete", "Tab"}}),
		},
		calls("oriel:tree text", 1, []byte("C2")),
		calls("oriel:tree cells", 1, cells("12.00")),
		calls("oriel:tree text", 1, []byte("B2:C2")),
		calls("oriel:a11y action", 1, nil),
	)
	out := plugintest.InvokeOn(t, adapter, plugintest.Observation(t, sheet), "write_cells", `{"range":"B2:C2","rows":[[12,null]]}`, script...)
	if out.Effect != hostabi.Confirmed || out.Result != `{"written":1,"rows":[["12.00",null]]}` {
		t.Errorf("got %+v", out)
	}
}

// The name box writes the name in capitals when it has gone there.
func TestGoTo(t *testing.T) {
	obs := plugintest.Observation(t, sheet)
	out := plugintest.InvokeOn(t, adapter, obs, "go_to", `{"cell":"$b$90"}`, slices.Concat(
		calls("oriel:tree text", 1, []byte("A1")),
		[]plugintest.Exchange{plugintest.Expect("oriel:a11y set_text", &hostabi.SetTextRequest{ID: 9, Text: "b90"})},
		calls("oriel:a11y action", 1, nil),
		calls("oriel:tree text", 2, []byte("b90")),
		calls("oriel:tree text", 1, []byte("B90")),
	)...)
	if out.Effect != hostabi.Confirmed {
		t.Errorf("got %+v", out)
	}
	if out = plugintest.InvokeOn(t, adapter, obs, "go_to", `{"cell":"Total"}`); out.Fault == nil || out.Fault.Fields[0].Field != "cell" {
		t.Errorf("a name that the box would make: got %+v", out)
	}
}

// While a cell is edited nothing is typed into it from here.
func TestBusy(t *testing.T) {
	edited := strings.Replace(sheet, "	  tool-bar", `	    panel "Cell A1" showing editable @20,60,40,17
	      paragraph "ite" showing editable @20,60,20,17
	  tool-bar`, 1)
	v := plugintest.View(t, adapter, plugintest.Observation(t, edited))
	for _, a := range v.Actions {
		if (a.Name == writeCells || a.Name == goTo) && a.Unavailable == "" {
			t.Errorf("%s is offered while a cell is edited", a.Name)
		}
	}
	if !strings.Contains(v.Summary, "a cell is being edited") {
		t.Errorf("got %q", v.Summary)
	}
}
