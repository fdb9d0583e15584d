package host

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"oriel.dev/oriel/bridge"
	"oriel.dev/oriel/desktop/linux/virtual"
)

func TestExecWords(t *testing.T) {
	for line, want := range map[string][]string{
		`mousepad %U`:                           {"mousepad"},
		`mousepad --disable-server %F`:          {"mousepad", "--disable-server"},
		`"/opt/my tools/x" "a \"b\" \$c" ""`:    {"/opt/my tools/x", `a "b" $c`, ""},
		`env A=B x --name=%c --rate=50%% %i %k`: {"env", "A=B", "x", "--name=The Name", "--rate=50%"},
		`sh -c "rm -rf ~; echo $(x)"`:           {"sh", "-c", "rm -rf ~; echo $(x)"},
		`x ; y | z && $HOME`:                    {"x", ";", "y", "|", "z", "&&", "$HOME"},
		`x  	 y`:                                {"x", "y"},
		``:                                      nil,
		`   `:                                   nil,
		`"open`:                                 nil,
		`""`:                                    nil,
	} {
		got, ok := execWords(line, "The Name")
		if ok != (want != nil) || ok && !slices.Equal(got, want) {
			t.Errorf("%s: %q, %t", line, got, ok)
		}
	}
}

// entries writes .desktop files and returns the environment that finds them.
func entries(t *testing.T, files map[string]string) func(string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := map[string]string{"XDG_DATA_HOME": filepath.Join(dir, "own"), "XDG_DATA_DIRS": filepath.Join(dir, "a") + ":relative:" + filepath.Join(dir, "b")}
	return func(key string) string { return env[key] }
}

const shEntry = "[Desktop Entry]\nType=Application\nName=Shell\nExec=sh %u\n"

// B33: what a menu would show can be started, by a short name; nothing else.
func TestB33InstalledEntries(t *testing.T) {
	got := installedEntries(entries(t, map[string]string{
		"a/applications/org.example.Editor.desktop": "# comment\n" + shEntry + "Exec[de]=nonsense\n[Desktop Action new]\nExec=false\nName=New\n",
		"a/applications/kde/tool.desktop":           shEntry,
		"a/applications/hidden.desktop":             shEntry + "Hidden=true\n",
		"a/applications/nodisplay.desktop":          shEntry + "NoDisplay=true\n",
		"a/applications/terminal.desktop":           shEntry + "Terminal=true\n",
		"a/applications/link.desktop":               "[Desktop Entry]\nType=Link\nURL=x\nExec=sh\n",
		"a/applications/gone.desktop":               "[Desktop Entry]\nType=Application\nExec=no-such-program-at-all\n",
		"a/applications/tried.desktop":              shEntry + "TryExec=no-such-program-at-all\n",
		"a/applications/noexec.desktop":             "[Desktop Entry]\nType=Application\n",
		"a/applications/removed.desktop":            shEntry,
		"own/applications/removed.desktop":          shEntry + "Hidden=true\n",
		"own/applications/mine.desktop":             shEntry,
		"b/applications/mine.desktop":               "[Desktop Entry]\nType=Application\nExec=true\n",
		"b/applications/net.other.Editor.desktop":   shEntry,
		"b/applications/notes.txt":                  shEntry,
	}))
	names := sortedKeys(got)
	if want := []string{"editor", "kde-tool", "mine", "org.example.Editor"}; !slices.Equal(names, want) {
		t.Fatalf("found %v, want %v", names, want)
	}
	if e := got["mine"]; !slices.Equal(e.argv, []string{"sh"}) || e.name != "Shell" {
		t.Errorf("the user's own entry does not win: %+v", e)
	}
	if got["editor"].id == got["org.example.Editor"].id {
		t.Errorf("two of one short name: %+v", got)
	}
}

// B33: the settings say what may be started; on a desktop of the user's own nothing
// unless they name it.
func TestB33LaunchIsAllowedBySettings(t *testing.T) {
	env := entries(t, map[string]string{"a/applications/org.example.Editor.desktop": shEntry, "a/applications/viewer.desktop": shEntry})
	for _, c := range []struct {
		allowed []string
		own     bool
		want    []string
	}{
		{[]string{"auto"}, true, []string{"editor", "viewer"}},
		{[]string{"auto"}, false, nil},
		{[]string{"*"}, false, []string{"editor", "viewer"}},
		{nil, true, nil},
		{[]string{"viewer", "none"}, false, []string{"viewer"}},
		{[]string{"org.example.Editor"}, false, []string{"editor"}},
		{[]string{"auto", "viewer"}, false, []string{"viewer"}},
	} {
		conn := &connection{log: slog.New(slog.DiscardHandler)}
		if c.own {
			conn.cfg.Virtual = &virtual.Config{}
		}
		l := &launcher{allowed: c.allowed, conn: conn, getenv: env}
		if got := l.Launchable(); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.allowed, got, c.want)
		}
		var e *bridge.Error
		if _, err := l.Launch(t.Context(), "test", "nothing"); !errors.As(err, &e) || e.Code != bridge.ActionNotAvailable {
			t.Errorf("%v: %v", c.allowed, err)
		}
	}
}

func TestFace(t *testing.T) {
	for _, c := range []struct {
		name, app, tools, want string
	}{
		{"", "", "", "/mcp"},
		{"all", "", "", "/mcp"},
		{"bridge", "", "fixed", "/mcp/bridge?tools=fixed"},
		{"", "mousepad", "", "/mcp/app/mousepad"},
		{"bridge", "mousepad", "", ""},
		{"else", "", "", ""},
		{"", "../x", "", ""},
		{"", "", "many", ""},
	} {
		got, err := Face(c.name, c.app, c.tools)
		if (err == nil) != (c.want != "") || err == nil && got.String() != c.want {
			t.Errorf("%+v: %s, %v", c, got, err)
		}
	}
}
