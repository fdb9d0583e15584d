//go:build linux

package sandbox

import (
	"strings"
	"testing"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/tree"
)

// matching makes a module whose manifest has the matches.
func matching(id string, matches ...hostabi.Match) []byte {
	m := manifest(id, "")
	m.Match = matches
	return newAsm(`{"title":"` + id + `"}`).bytes(m)
}

func TestMatch(t *testing.T) { // W02
	e := newEnv(t, func(c *Config) {
		c.Overrides = map[string]string{"chosen": "t.other", "gone": "t.missing"}
	}, map[string][]byte{
		"generic":  matching("t.generic", hostabi.Match{}),
		"toolkit":  matching("t.gtk", hostabi.Match{Toolkit: "gtk3"}),
		"dialogs":  matching("t.dialogs", hostabi.Match{Toolkit: "gtk3", Role: "dialog"}),
		"app":      matching("t.app", hostabi.Match{App: "Editor"}),
		"app-b":    matching("t.app2", hostabi.Match{App: "editor"}),
		"role":     matching("t.role", hostabi.Match{App: "editor", Role: "utility"}),
		"title":    matching("t.title", hostabi.Match{App: "editor", Title: `\.go$`}),
		"version":  matching("t.version", hostabi.Match{App: "editor", AppVersion: ">=2 <3"}),
		"ask":      matching("t.ask", hostabi.Match{App: "asker"}, hostabi.Match{App: "asker", Role: "dialog"}),
		"other":    matching("t.other", hostabi.Match{App: "something"}),
		"catchall": matching("t.zgeneric", hostabi.Match{}),
	})
	for _, c := range []struct {
		name string
		w    tree.Window
		want string
	}{
		{"nobody claims it", tree.Window{App: "x", Role: "normal"}, "t.generic"},
		{"the toolkit", tree.Window{App: "x", Role: "normal", Toolkit: "gtk3"}, "t.gtk"},
		{"the toolkit's dialogs", tree.Window{App: "x", Role: "dialog", Toolkit: "gtk3"}, "t.dialogs"},
		{"by the desktop file's name, ties by id", tree.Window{App: "EDITOR", Role: "normal", Toolkit: "gtk3"}, "t.app"},
		{"by class", tree.Window{App: "org.x", Class: "Editor", Role: "normal"}, "t.app"},
		{"by process", tree.Window{Process: "editor", Role: "normal"}, "t.app"},
		{"application and role", tree.Window{App: "editor", Role: "utility"}, "t.role"},
		{"application and title", tree.Window{App: "editor", Role: "normal", Title: "main.go"}, "t.title"},
		{"application and version", tree.Window{App: "editor", Role: "normal", AppVersion: "2.9.1"}, "t.version"},
		{"another version", tree.Window{App: "editor", Role: "normal", AppVersion: "3.0"}, "t.app"},
		{"a claimed application's dialog", tree.Window{App: "editor", Role: "dialog", Toolkit: "gtk3"}, "t.dialogs"},
		{"the same without a toolkit's adapter", tree.Window{App: "editor", Role: "dialog"}, "t.generic"},
		{"a dialog by modality alone", tree.Window{App: "editor", Role: "normal", Modal: true}, "t.generic"},
		{"a dialog whose role is named", tree.Window{App: "asker", Role: "dialog", Toolkit: "gtk3"}, "t.ask"},
		{"the same by modality", tree.Window{App: "asker", Role: "normal", Modal: true}, "t.ask"},
		{"by configuration", tree.Window{App: "chosen", Role: "normal", Toolkit: "gtk3"}, "t.other"},
		{"its dialogs stay the toolkit's", tree.Window{App: "chosen", Role: "dialog", Toolkit: "gtk3"}, "t.dialogs"},
		{"configured, not loaded", tree.Window{App: "gone", Role: "normal"}, "t.generic"},
	} {
		if got := e.Match(c.w); got.ID != c.want || got.Notice != "" || got.Digest == "" || got.Version != "1.2.3" {
			t.Errorf("%s: Match = %+v, want %s", c.name, got, c.want)
		}
	}
	if got := e.info("t.app").Ties; strings.Join(got, " ") != "t.app2" {
		t.Errorf("ties of t.app = %q, want t.app2", got)
	}
	if got := e.info("t.role").Ties; got != nil {
		t.Errorf("ties of t.role = %q, want none", got)
	}
	if got := e.info("t.missing"); got.State != StateBroken || !strings.Contains(got.Message, "gone") {
		t.Errorf("the missing adapter is listed as %+v", got)
	}
}

func TestMatchWithoutAnyAdapter(t *testing.T) {
	e := newEnv(t, nil, map[string][]byte{"app": matching("t.app", hostabi.Match{App: "editor"})})
	ref := e.Match(tree.Window{App: "x"})
	if ref.ID != "" || ref.Notice == "" {
		t.Errorf("Match = %+v, want no adapter and a notice", ref)
	}
	if _, err := e.Translate(t.Context(), ref, nil, nil); err == nil || !strings.Contains(err.Error(), "adapter list") {
		t.Errorf("Translate without an adapter: %v", err)
	}
}
