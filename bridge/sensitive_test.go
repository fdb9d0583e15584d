package bridge

import (
	"regexp"
	"strings"
	"testing"

	"oriel.dev/oriel/hostabi"
)

// B15: a field whose label an administrator names is masked whatever the adapter
// wrote; the adapter's view, which is shared, stays as it is.
func TestB15LabelsOfTheAdministrator(t *testing.T) {
	view := &hostabi.View{Title: "Pay", Blocks: []hostabi.Block{
		{Key: "f", Type: hostabi.Fields, Items: []hostabi.Field{{Label: "Card number", Value: "4111"}, {Label: "Name", Value: "Ada"}}},
		{Key: "t", Type: hostabi.Text, Text: "Card number"},
	}}
	show := func(patterns ...*regexp.Regexp) string {
		c, err := newContent("w1", markSensitive(view, patterns), &blockIDs{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var out []byte
		for _, b := range c.blocks {
			out = appendBlock(out, b)
		}
		return string(out)
	}
	if got := show(); !strings.Contains(got, "4111") {
		t.Errorf("without patterns: %s", got)
	}
	got := show(regexp.MustCompile(`(?i)card`))
	if strings.Contains(got, "4111") || !strings.Contains(got, "Ada") || strings.Count(got, "Card number") != 2 {
		t.Errorf("with a pattern: %s", got)
	}
	if view.Blocks[0].Items[0].Sensitive {
		t.Error("the adapter's view was changed")
	}
}
