//go:build desktop

package x11

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"oriel.dev/oriel/desktop"
)

// mixed is more than 500 characters of many scripts.
var mixed = strings.Repeat("Grüße, 我们在这里 🙂👍🏽 Привет — «ёлка» ñ€½ ÆØÅ λόγος 한국어 かな", 11)

// TestC19_TextIsExactInEveryToolkit pastes and types into real editors and has
// them copy what they hold.
func TestC19_TextIsExactInEveryToolkit(t *testing.T) {
	text := mixed
	if n := len([]rune(text)); n < 500 {
		t.Fatalf("the text has only %d characters", n)
	}
	page := "data:text/html,<title>page</title><textarea autofocus rows=20 cols=80></textarea>"
	for name, c := range map[string]struct {
		title string
		argv  []string
	}{
		"GTK3":     {"Mousepad", []string{"mousepad", "--disable-server"}},
		"GTK4":     {"Text Editor", []string{"gnome-text-editor", "--standalone"}},
		"Qt5":      {"Untitled", []string{"featherpad", "--standalone"}},
		"Chromium": {"page", []string{"chromium", "--no-sandbox", "--no-first-run", "--disable-gpu", "--user-data-dir=" + shared.Home() + "/chromium", "--app=" + page}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(c.argv[0]); err != nil {
				t.Fatalf("%v: install the packages of the desktop tests", err)
			}
			d, _ := open(t, shared)
			run(t, shared, c.argv[0], c.argv[1:]...)
			w := titled(t, d, c.title)
			activate(t, d, w.Window.ID)
			me := desktop.Target{Window: w.Window.ID}
			copied := func() string {
				if err := d.Input().Keys(within(t), me, []desktop.Chord{{Mods: desktop.Control, Key: "a"}, {Mods: desktop.Control, Key: "c"}}); err != nil {
					t.Log(err)
					return ""
				}
				b, err := d.Selection().Read(within(t), "UTF8_STRING")
				if err != nil {
					return ""
				}
				return string(b)
			}
			// The window is there before its field takes keys.
			wait(t, "the field to take text", func() bool {
				if err := d.Input().Type(within(t), me, "x"); err != nil {
					t.Log(err)
				}
				<-time.After(300 * time.Millisecond)
				return strings.Contains(copied(), "x")
			})
			begin := time.Now()
			if err := d.Selection().Paste(within(t), me, text); err != nil {
				t.Fatal(err)
			}
			t.Logf("pasting took %v", time.Since(begin))
			var got string
			wait(t, "the copy", func() bool { got = copied(); return len(got) > 100 })
			if got != text {
				t.Errorf("the field holds %d characters, want %d", len([]rune(got)), len([]rune(text)))
			}
			// Typed over it as fast as the input role types.
			typed := strings.TrimSpace(strings.Repeat("The Quick-Brown fox; jumps: over 0123456789 #+*&%$@!? LAZY_dogs. ", 8))
			if err := d.Input().Type(within(t), me, typed); err != nil {
				t.Fatal(err)
			}
			wait(t, "the typed text", func() bool { got = copied(); return strings.HasSuffix(got, "dogs.") && len(got) >= len(typed) })
			if got != typed {
				t.Errorf("typed %q, the field holds %q", typed, got)
			}
		})
	}
}
