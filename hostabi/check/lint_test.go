package check

import (
	"slices"
	"strings"
	"testing"

	"oriel.dev/oriel/hostabi"
)

// wellMade is a view without findings, as good a one as a test may spoil.
func wellMade() *hostabi.View {
	return &hostabi.View{
		Title: "Notes", Summary: "A text editor with 3 lines, unsaved.",
		Blocks: []hostabi.Block{
			{Key: "f", Type: hostabi.Fields, Items: []hostabi.Field{{Label: "Search for", Value: "x"}, {Label: "iPhone"}, {Label: "Text field (2)"}, {Label: "+/−"}}},
			{Key: "t", Type: hostabi.Table, Columns: []string{"Name", "eBay price", "#"}},
			{Key: "n", Type: hostabi.Notice, Severity: hostabi.Warn, Text: "The file changed on disk."},
		},
		Actions: []hostabi.Action{
			{
				Name: "set_text", Title: "Set the text", Description: "Replaces the whole text.", Idempotent: true,
				Input: `{"type":"object","properties":{"text":{"type":"string","description":"The new text"},"where":{"enum":["start","end"]}}}`,
			},
			{Name: "read_text", Title: "Read the text", Description: "Reads a part of the text.", ReadOnly: true},
			{Name: "close", Title: "Close the window", Description: "Closes the window.", Destructive: true},
			{Name: "undo", Title: "Undo", Description: "Takes back the last change."},
		},
	}
}

// B16: each breach is found under its own name, and nothing in what is right.
func TestLint(t *testing.T) {
	if found := Lint(nil, wellMade()); len(found) > 0 {
		t.Fatalf("a good view has findings: %v", found)
	}
	label := func(s string) func(*hostabi.View) { return func(v *hostabi.View) { v.Blocks[0].Items[0].Label = s } }
	notice := func(s string) func(*hostabi.View) {
		return func(v *hostabi.View) { v.Blocks[2].Text, v.Blocks[2].Severity = s, hostabi.Info }
	}
	for _, tt := range []struct {
		name  string
		spoil func(*hostabi.View)
		rule  Rule
		place string
	}{
		{"no summary", func(v *hostabi.View) { v.Summary = " " }, SummaryEmpty, "summary"},
		{"summary is the title", func(v *hostabi.View) { v.Summary = "notes." }, SummaryRepeatsTitle, "summary"},
		{"snake case", label("search_entry"), LabelCodeName, "blocks[0].items[0].label"},
		{"camel case", label("searchEntry"), LabelCodeName, "blocks[0].items[0].label"},
		{"class", label("GtkEntry"), LabelCodeName, "blocks[0].items[0].label"},
		{"class with a number", label("QLineEdit (2)"), LabelCodeName, "blocks[0].items[0].label"},
		{"column", func(v *hostabi.View) { v.Blocks[1].Columns[0] = "first_name" }, LabelCodeName, "blocks[1].columns[0]"},
		{"no label", label("…"), LabelMissing, "blocks[0].items[0].label"},
		{"role for a label", label("entry"), LabelMissing, "blocks[0].items[0].label"},
		{"number for a label", label("Field 3"), LabelMissing, "blocks[0].items[0].label"},
		{"all custom", func(v *hostabi.View) {
			v.Blocks = append(v.Blocks[:1], hostabi.Block{Type: hostabi.Custom}, hostabi.Block{Type: hostabi.Custom})
		}, CustomOverused, "blocks"},
		{"notice says the title", notice("Notes"), NoticeIsNone, "blocks[2].text"},
		{"notice is a field", notice("Zoom: 100%"), NoticeIsNone, "blocks[2].text"},
		{"notice without words", notice("100 %"), NoticeIsNone, "blocks[2].text"},
		{"notice is a text", notice(strings.Repeat("long ", 200)), NoticeIsNone, "blocks[2].text"},
		{"many notices", func(v *hostabi.View) {
			for range 10 {
				v.Blocks = append(v.Blocks, v.Blocks[2])
			}
		}, NoticesMany, "blocks"},
		{"title is the name", func(v *hostabi.View) { v.Actions[0].Title = "set_text" }, LabelCodeName, "actions[0].title"},
		{"description is the title", func(v *hostabi.View) { v.Actions[0].Description = "Set the text." }, DescriptionPoor, "actions[0].description"},
		{"argument", func(v *hostabi.View) {
			v.Actions[0].Input = `{"type":"object","properties":{"text":{"type":"string"}}}`
		}, ArgumentUnexplained, "actions[0].input.text"},
		{"reading that writes", func(v *hostabi.View) { v.Actions[1].ReadOnly = false }, AnnotationMissing, "actions[1].read_only"},
		{"harmless close", func(v *hostabi.View) { v.Actions[2].Destructive = false }, AnnotationMissing, "actions[2].destructive"},
		{"setting anew", func(v *hostabi.View) { v.Actions[0].Idempotent = false }, AnnotationMissing, "actions[0].idempotent"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := wellMade()
			tt.spoil(v)
			found := Lint(nil, v)
			if len(found) != 1 || found[0].Rule != tt.rule || found[0].Place != tt.place || found[0].Cure == "" {
				t.Errorf("found %v, want %s at %s", found, tt.rule, tt.place)
			}
		})
	}
	m := &hostabi.Manifest{Description: "Edits", Permissions: []hostabi.Permission{{Reason: "needed"}}}
	var rules []Rule
	for _, f := range Lint(m, nil) {
		rules = append(rules, f.Rule)
	}
	if !slices.Equal(rules, []Rule{DescriptionPoor, ReasonPoor}) {
		t.Errorf("the manifest has %v", rules)
	}
}

// What an application takes no text with is refused before it is asked.
func TestArgsWithNUL(t *testing.T) {
	schema := `{"type":"object","properties":{"value":{"type":"string"},"n":{"type":"integer"}},"additionalProperties":false}`
	for args, want := range map[string]string{
		`{"value":"a\u0000b"}`:     "value",
		`{"value":"\u0000","n":1}`: "value",
		`{"value":"a\\u0000b"}`:    "",
		`{"value":"ab","n":1}`:     "",
	} {
		got := Args(schema, []byte(args))
		if want == "" && len(got) > 0 || want != "" && (len(got) != 1 || got[0].Field != want || !strings.Contains(got[0].Error, "NUL")) {
			t.Errorf("%s: %+v, want a fault of %q", args, got, want)
		}
	}
}
