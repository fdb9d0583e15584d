package host

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/hostabi/check"
	"oriel.dev/oriel/internal/config"
	"oriel.dev/oriel/internal/store"
	"oriel.dev/oriel/sandbox"
)

// G22: hosts that start at once agree on one token.
func TestG22OneToken(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	tokens := make([]string, 20)
	var wg sync.WaitGroup
	for i := range tokens {
		wg.Go(func() {
			token, err := Token(dir)
			if err != nil {
				t.Error(err)
			}
			tokens[i] = token
		})
	}
	wg.Wait()
	for _, got := range tokens {
		if got != tokens[0] || len(got) < 20 {
			t.Fatalf("tokens differ or are short: %q", tokens)
		}
	}
	left, err := filepath.Glob(filepath.Join(dir, ".token-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	for name, damage := range map[string]func() error{
		"others can read": func() error { return os.Chmod(TokenPath(dir), 0o604) },
		"holds none":      func() error { return os.WriteFile(TokenPath(dir), []byte("short"), 0o600) },
	} {
		if err := errors.Join(os.Chmod(TokenPath(dir), 0o600), damage()); err != nil {
			t.Fatal(err)
		}
		if _, err := Token(dir); err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "remove it") {
			t.Errorf("%v, want %q and the cure", err, name)
		}
		if err := os.Chmod(TokenPath(dir), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func defaults(t *testing.T, more ...string) *config.Config {
	t.Helper()
	c, err := config.Load(config.Sources{Environ: append([]string{"HOME=/home/u", "XDG_RUNTIME_DIR=/run/u"}, more...)})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// What config.toml says by default is what the parts do by default.
func TestFromSettings(t *testing.T) {
	exe := filepath.Join(t.TempDir(), "bin", "oriel")
	builtin := filepath.Join(filepath.Dir(exe), "adapters")
	if err := os.MkdirAll(builtin, 0o700); err != nil {
		t.Fatal(err)
	}
	got := FromSettings(defaults(t, "ORIEL_ADAPTERS_DIRS=/mine,"+builtin+"/"), exe, slog.New(slog.DiscardHandler))
	if want := []string{"/mine", builtin}; !reflect.DeepEqual(got.Sandbox.Dirs, want) {
		t.Errorf("adapter folders %q, want %q", got.Sandbox.Dirs, want)
	}
	if got.Listen != "127.0.0.1:60008" || got.StateDir != "/home/u/.local/state/oriel" || got.RuntimeDir != "/run/u/oriel" || got.MCP.Anybody {
		t.Errorf("got %+v", got)
	}
	b := got.Bridge
	for _, d := range []struct {
		name      string
		got, want time.Duration
	}{
		{"quiet", b.Quiet, 50 * time.Millisecond},
		{"busy", b.Busy, 250 * time.Millisecond},
		{"look", b.Look, 2 * time.Second},
		{"patience", b.Patience, 1200 * time.Millisecond},
		{"settle", b.Settle, 1500 * time.Millisecond},
		{"idle timeout", got.MCP.IdleTimeout, 30 * time.Minute},
	} {
		if d.got != d.want {
			t.Errorf("%s: %v, want %v", d.name, d.got, d.want)
		}
	}
	want := sandbox.Limits{
		Translate: 500 * time.Millisecond, Invoke: 10 * time.Second, Total: time.Minute, Start: 2 * time.Second, Compile: 20 * time.Second,
		Memory: 64 << 20, CompileMemory: 1 << 30, Module: 32 << 20, View: 256 << 10, LogLines: 100, HostCalls: 10_000,
		Idle: 10 * time.Minute, Cache: 512 << 20,
	}
	if got.Sandbox.Limits != want {
		t.Errorf("W16: limits\n got %+v\nwant %+v", got.Sandbox.Limits, want)
	}
	manifests, err := filepath.Glob("../plugins/*/adapter.toml")
	if err != nil || len(got.Sandbox.Grants) != len(manifests) || got.Sandbox.Grants[0].ID != genericID {
		t.Errorf("W09: grants %+v", got.Sandbox.Grants)
	}
	labels := FromSettings(defaults(t, "ORIEL_SENSITIVE_LABELS=(?i)card,^PIN$"), exe, nil).Bridge.SensitiveLabels
	if len(labels) != 2 || !labels[0].MatchString("Credit Card") {
		t.Errorf("B15: sensitive labels %v", labels)
	}
	if !reflect.DeepEqual(got.Watchdog, []string{exe, WatchdogCommand}) || got.Robot != nil {
		t.Errorf("C32: the watchdog is %q, the robot backend %q", got.Watchdog, got.Robot)
	}
	if bot := FromSettings(defaults(t, "ORIEL_DESKTOP_BACKEND=robot"), exe, nil).Robot; !reflect.DeepEqual(bot, []string{exe, RobotCommand}) {
		t.Errorf("the robot backend is %q", bot)
	}
	if open := FromSettings(defaults(t, "ORIEL_HTTP_AUTH=none"), exe, nil); !open.MCP.Anybody {
		t.Error("auth = none does not let everybody in")
	}
}

func TestChooseDesktop(t *testing.T) {
	for _, c := range []struct {
		name, virtual, display, env, wayland string
		want                                 string // display, "virtual" or a part of the error
	}{
		{"environment", "never", "", ":3", "", ":3"},
		{"setting wins", "never", ":4", ":3", "", ":4"},
		{"always virtual", "always", ":4", ":3", "", "virtual"},
		{"virtual where nothing is", "auto", "", "", "", "virtual"},
		{"not where something is", "auto", "", ":3", "", ":3"},
		{"Xwayland", "never", "", ":3", "wayland-0", ":3"},
		{"Wayland alone", "never", "", "", "wayland-0", "Wayland session without Xwayland"},
		{"nothing", "never", "", "", "", "DISPLAY is not set"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := defaults(t, "ORIEL_DESKTOP_VIRTUAL="+c.virtual, "ORIEL_DESKTOP_DISPLAY="+c.display, "ORIEL_DIRS_RUNTIME="+t.TempDir())
			getenv := func(k string) string { return map[string]string{"DISPLAY": c.env, "WAYLAND_DISPLAY": c.wayland}[k] }
			d, err := ChooseDesktop(cfg, getenv)
			got := d.Display
			switch {
			case err != nil:
				if got = err.Error(); !errors.Is(err, ErrNoDisplay) || !strings.Contains(got, "--virtual") || !strings.Contains(got, c.want) {
					t.Errorf("%v, want %q and the way out", err, c.want)
				}
				if _, err := FindDesktop(t.Context(), cfg, getenv); !errors.Is(err, ErrNoDisplay) {
					t.Errorf("without a host: %v", err)
				}
				return
			case d.Virtual != nil:
				got = "virtual"
				if d.Virtual.Width != 1920 || d.Virtual.Height != 1080 {
					t.Errorf("size %+v", d.Virtual)
				}
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestStoredSettings(t *testing.T) {
	dir := t.TempDir()
	if got, err := StoredSettings(t.Context(), dir); err != nil || got != nil {
		t.Errorf("without a database: %v, %v", got, err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("reading made %v, %v", entries, err)
	}
	s, err := store.Open(t.Context(), databasePath(dir))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.SetSetting(t.Context(), "log.level", "debug"), s.Close()); err != nil {
		t.Fatal(err)
	}
	if got, err := StoredSettings(t.Context(), dir); err != nil || got["log.level"] != "debug" {
		t.Errorf("%v, %v", got, err)
	}
}

func TestDisplayOfVirtualDesktop(t *testing.T) {
	dir := t.TempDir()
	own := Desktop{Virtual: defaultVirtual(t)}
	if _, err := displayOf(dir, own); err == nil || !strings.Contains(err.Error(), "--virtual") {
		t.Errorf("without a host: %v", err)
	}
	if err := os.WriteFile(envPath(dir), []byte("export X='a b'\nexport DISPLAY=:42\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := displayOf(dir, own); err != nil || got != ":42" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := displayOf(dir, Desktop{Display: ":7"}); err != nil || got != ":7" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestWriteAdaptersGolden(t *testing.T) {
	var b strings.Builder
	err := WriteAdapters(&b, []sandbox.Info{
		{ID: genericID, Version: "1.0.0", File: "/a/generic.wasm", State: sandbox.StateReady, Matches: []hostabi.Match{{}}},
		{
			ID: "org.example.x", Version: "2.0.0", File: "/a/x.wasm", State: sandbox.StateReady, Message: "oriel:input is not granted to it; grant it",
			Matches: []hostabi.Match{{App: "x", AppVersion: ">=2", Toolkit: "gtk4", Role: "dialog", Title: "^Save"}}, Ties: []string{"org.example.y"},
		},
		{File: "/a/z.wasm", State: sandbox.StateBroken, Message: "module: one\nmodule: two"},
		{ID: "org.example.w", Version: "3", File: "/a/w.wasm", State: sandbox.StateAside, Message: "it failed three times in a row"},
	})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/adapters.golden", b.String())
}

// W09: config.toml ships exactly what the first-party adapters ask for.
func TestW09ShippedGrantsFitTheManifests(t *testing.T) {
	grants := FromSettings(defaults(t), "/usr/bin/oriel", nil).Sandbox.Grants
	manifests, err := filepath.Glob("../plugins/*/adapter.toml")
	if err != nil || len(manifests) != len(grants) {
		t.Errorf("%d grants for %d adapters, %v", len(grants), len(manifests), err)
	}
	for _, file := range manifests {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m, err := check.ManifestFromTOML(file, text)
		if err != nil {
			t.Fatal(err)
		}
		var asked []hostabi.Capability
		for _, p := range m.Permissions {
			asked = append(asked, p.Capability)
		}
		var got []hostabi.Capability
		for _, g := range grants {
			if g.ID == m.ID {
				got = slices.Clone(g.Capabilities)
			}
		}
		slices.Sort(asked)
		slices.Sort(got)
		if !slices.Equal(got, asked) {
			t.Errorf("%s asks for %q, config.toml grants %q", m.ID, asked, got)
		}
	}
}
