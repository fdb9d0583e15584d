package window

import (
	"strings"
	"testing"
)

func TestLabel(t *testing.T) {
	for in, want := range map[string]string{
		"Save      ":             "Save",
		"  E-mail: ":             "E-mail",
		"名前：":                    "名前",
		"Undo [Ctrl+Z]":          "Undo",
		"New tab (Ctrl+T)":       "New tab",
		"Start Group [(]":        "Start Group",
		"Clear Display [Escape]": "Clear Display",
		"_Retry Retry":           "Retry",
		"S_elect all Select all": "Select all",
		"Retry Again":            "Retry Again",
		"Next (F3)":              "Next",
		"Report (2)":             "Report (2)",
		"Size (px)":              "Size (px)",
		"two\nlines\tand tabs":   "two lines and tabs",
		"21\u200e∶42":            "21∶42",
		"evil\u202egnp.exe":      "evilgnp.exe",
		"\ufffcIcon\ue001":       "Icon",
		"a\x00b":                 "ab",
		"":                       "",
		"(":                      "(",
		"[x]":                    "[x]",
		"A rather long sentence that goes on until nobody would call it a label": "A rather long sentence that goes on until nobody would call…",
	} {
		if got := Label(in); got != want {
			t.Errorf("Label(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCleanTextKeepsLines(t *testing.T) {
	if got := CleanText("a\n\tb\u202e\x1b[0m\u2028c"); got != "a\n\tb[0m\nc" {
		t.Errorf("got %q", got)
	}
}

func TestUnique(t *testing.T) {
	var n names
	for _, want := range []string{"Name", "Name (2)", "Name (3)"} {
		if got := n.unique("Name"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	n.unique("Other (2)")
	n.unique("Other")
	if got := n.unique("Other"); got != "Other (3)" {
		t.Errorf("a label that is taken: got %q", got)
	}
}

func TestSameLabel(t *testing.T) {
	for _, pair := range [][2]string{{"save as", "Save As..."}, {"Save As…", "Save As..."}, {"Name:", "name"}} {
		if !SameLabel(pair[0], pair[1]) {
			t.Errorf("%q does not mean %q", pair[0], pair[1])
		}
	}
	if SameLabel("Save", "Save As...") {
		t.Error("Save means Save As")
	}
}

func TestBlockKeysFitAndDiffer(t *testing.T) {
	long := strings.Repeat("名", 60)
	a, b := blockKey("list:", long+"a"), blockKey("list:", long+"b")
	if a == b || len(a) > 128 || len(b) > 128 {
		t.Errorf("keys %q and %q", a, b)
	}
}

// B11: what ticks by itself is shown by a placeholder.
func TestSteady(t *testing.T) {
	for _, c := range []struct {
		in       string
		progress bool
		want     string
		ticks    bool
	}{
		{"12:34:56", false, "[time]", true},
		{"Elapsed 0:01:02 of this", false, "Elapsed [time] of this", true},
		{"0:00", false, "[time]", true},
		{"1:23 / 4:56", false, "[time] / [time]", true},
		{"Meeting at 10:30", false, "Meeting at 10:30", false},
		{"Chapter 3:16", false, "Chapter 3:16", false},
		{"2026-11-30", false, "2026-11-30", false},
		{"::1", false, "::1", false},
		{"123:45:67", false, "123:45:67", false},
		{"45 %", false, "45 %", false},
		{"45 %", true, "[percent]", true},
		{"Copying… 45.5%", true, "Copying… [percent]", true},
		{"3.2 MB of 10 MB, 2 minutes remaining", true, "[…] MB of […] MB, […] minutes remaining", true},
		{"3 files", true, "3 files", false},
		{"", true, "", false},
	} {
		if got, ticks := steady(c.in, c.progress); got != c.want || ticks != c.ticks {
			t.Errorf("steady(%q, %v) = %q, %v; want %q, %v", c.in, c.progress, got, ticks, c.want, c.ticks)
		}
	}
}

func TestChord(t *testing.T) {
	for keys, want := range map[string]string{
		"s;<Alt>f:s;<Primary>s":        "ctrl+s",
		"a;<Alt>f:a;<Primary><Shift>s": "ctrl+shift+s",
		"u;<Alt>e:m:u;<Alt>Up":         "alt+Up",
		"<Alt>f;<Alt>f":                "alt+f",
		"d;<Alt>e:d;Delete":            "", // with the focus elsewhere it deletes something else
		"l;<Alt>f:l":                   "",
		"r;<Alt>v:r;F11":               "F11",
		"":                             "",
		"x;<Super>x":                   "",
	} {
		e := MenuEntry{Keys: keys}
		if got := e.chord(); got != want {
			t.Errorf("%q is chord %q, want %q", keys, got, want)
		}
	}
}
