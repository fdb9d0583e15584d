package config

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"oriel.dev/oriel"
)

var update = flag.Bool("update", false, "write the golden files anew")

// env is a complete small environment.
func env(more ...string) []string {
	return append([]string{"HOME=/home/u", "XDG_RUNTIME_DIR=/run/user/7"}, more...)
}

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// G01: config.toml holds every setting, with a comment, and no other; what it
// holds is valid.
func TestG01DefaultFileIsComplete(t *testing.T) {
	if _, err := Load(Sources{Environ: env()}); err != nil {
		t.Fatalf("config.toml: %v", err)
	}
	at := lines(oriel.DefaultConfig)
	text := strings.Split(oriel.DefaultConfig, "\n")
	commented := func(line int) bool { // a comment above the key or above the keys it stands with
		for i := line - 2; i >= 0 && strings.TrimSpace(text[i]) != ""; i-- {
			if strings.HasPrefix(text[i], "#") {
				return true
			}
		}
		return false
	}
	for _, f := range fields {
		line := at[f.key]
		if line == 0 {
			t.Errorf("config.toml lacks %s", f.key)
		} else if !commented(line) {
			t.Errorf("config.toml:%d: %s has no comment", line, f.key)
		}
	}
	if at[grantKey+"[0].capabilities"] == 0 {
		t.Error("config.toml ships no grants")
	}
}

// G01: defaults < file < stored settings < environment < flags.
func TestG01Precedence(t *testing.T) {
	file := write(t, "language = \"zh\"\n[log]\nlevel = \"debug\"\n[http]\nlisten = \"127.0.0.1:1111\"\nhosts = [\"a\"]\n")
	all := Sources{
		File:    file,
		Stored:  map[string]string{"log.level": "warn", "http.listen": "127.0.0.1:2222", "desktop.enable_accessibility": "true"},
		Environ: env("GUI_AGENT_LOG_LEVEL=info", "ORIEL_LOG_LEVEL=error", "GUI_AGENT_PORT=3333", "ORIEL_HTTP_HOSTS=b, c,"),
		Flags:   []Flag{{Name: "--listen", Key: "http.listen", Value: "[::1]:1024"}, {Name: "--port", Key: PortKey, Value: "0"}},
	}
	steps := []struct {
		name                  string
		sources               Sources
		language, level, addr string
		hosts                 []string
		access                bool
	}{
		{"defaults", Sources{Environ: env()}, "en", "info", "127.0.0.1:60008", []string{}, false},
		{"file", Sources{File: all.File, Environ: env()}, "zh", "debug", "127.0.0.1:1111", []string{"a"}, false},
		{"stored", Sources{File: all.File, Stored: all.Stored, Environ: env()}, "zh", "warn", "127.0.0.1:2222", []string{"a"}, true},
		{"environment", Sources{File: all.File, Stored: all.Stored, Environ: all.Environ}, "zh", "error", "127.0.0.1:3333", []string{"b", "c"}, true},
		{"flags", all, "zh", "error", "[::1]:0", []string{"b", "c"}, true},
	}
	for _, s := range steps {
		c, err := Load(s.sources)
		if err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		if c.Language != s.language || c.Log.Level != s.level || c.HTTP.Listen != s.addr ||
			!reflect.DeepEqual(c.HTTP.Hosts, s.hosts) || c.Desktop.EnableAccessibility != s.access {
			t.Errorf("%s: got %q %q %q %q %v", s.name, c.Language, c.Log.Level, c.HTTP.Listen, c.HTTP.Hosts, c.Desktop.EnableAccessibility)
		}
	}
}

// Every setting can be given by its variable, whatever its kind.
func TestEverySettingHasAVariable(t *testing.T) {
	for _, f := range fields {
		value := map[reflect.Kind]string{reflect.Bool: "maybe", reflect.Int: "many", reflect.Slice: ""}[f.value(&Config{}).Kind()]
		if value == "" {
			continue // texts and lists take anything; the rules judge it
		}
		_, err := Load(Sources{Environ: env(f.envName() + "=" + value)})
		if err == nil || !strings.HasPrefix(err.Error(), f.envName()+": "+f.key+": ") {
			t.Errorf("%s=%s: %v", f.envName(), value, err)
		}
	}
}

// G01: every fault names source, key and line, and what to do. The cases are
// testdata/faults/*.toml; the messages stand beside them.
func TestG01FaultsGolden(t *testing.T) {
	cases, err := filepath.Glob("testdata/faults/*.toml")
	if err != nil || len(cases) < 10 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	for _, path := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".toml"), func(t *testing.T) {
			_, err := Load(Sources{File: path, FileRequired: true, Environ: env()})
			if err == nil {
				t.Fatal("it loads")
			}
			golden(t, strings.TrimSuffix(path, ".toml")+".golden", err.Error()+"\n")
		})
	}
}

// G01: so do the faults of the sources that are no files.
func TestG01OtherFaultsGolden(t *testing.T) {
	var out strings.Builder
	for _, c := range []struct {
		name string
		s    Sources
	}{
		{"missing file", Sources{File: "/nowhere/config.toml", FileRequired: true}},
		{"file is a folder", Sources{File: "testdata"}},
		{"unknown variable", Sources{Environ: []string{"ORIEL_HTTP_LISTN=127.0.0.1:1"}}},
		{"variable of a setting to come", Sources{Environ: []string{"GUI_AGENT_MODEL=x"}}},
		{"bad variable", Sources{Environ: []string{"GUI_AGENT_TRANSPORT=tcp"}}},
		{"bad port", Sources{Environ: []string{"GUI_AGENT_PORT=eighty"}}},
		{"flag without host", Sources{Flags: []Flag{{"--listen", "http.listen", ":60008"}}}},
		{"flag for every network", Sources{Flags: []Flag{{"--listen", "http.listen", "0.0.0.0:60008"}}}},
		{"flag with a name", Sources{Flags: []Flag{{"--listen", "http.listen", "example.org:60008"}}}},
		{"flag without port", Sources{Flags: []Flag{{"--listen", "http.listen", "127.0.0.1"}}}},
		{"stored unknown", Sources{Stored: map[string]string{"model.name": "x"}}},
		{"stored folder", Sources{Stored: map[string]string{"dirs.state": "/x"}}},
		{"stored nonsense", Sources{Stored: map[string]string{"limits.memory_mb": "lots", "desktop.enable_accessibility": "ja"}}},
	} {
		_, err := Load(c.s)
		if err == nil {
			t.Errorf("%s: it loads", c.name)
			continue
		}
		fmt.Fprintf(&out, "== %s\n%v\n", c.name, err)
	}
	golden(t, "testdata/other-faults.golden", out.String())
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run the test with -update and read what it writes", err)
	}
	if got != string(want) {
		t.Errorf("%s\n got:\n%s\nwant:\n%s", path, got, want)
	}
}

// W09: the shipped grants hold until the user's own; a grant of the user's
// replaces all that stood under its id.
func TestW09Grants(t *testing.T) {
	ids := func(c *Config) string {
		var out []string
		for _, g := range c.Adapters.Grants {
			out = append(out, fmt.Sprintf("%s=%d", strings.TrimPrefix(g.ID, "dev.oriel."), len(g.Capabilities)))
		}
		return strings.Join(out, " ")
	}
	c, err := Load(Sources{Environ: env()})
	if err != nil || !strings.HasPrefix(ids(c), "generic=5 mousepad=5 gnome-calculator=5 ") {
		t.Fatalf("shipped grants: %v, %v", ids(c), err)
	}
	others := strings.TrimPrefix(ids(c), "generic=5 ")
	digest := strings.Repeat("0a", 32)
	c, err = Load(Sources{Environ: env(), File: write(t, `
[[adapters.grant]]
id = "dev.oriel.generic"
capabilities = []
[[adapters.grant]]
id = "org.example.x"
capabilities = ["oriel:kv"]
digest = "`+digest+`"
scopes = { "oriel:kv" = "64KB" }
`)})
	if err != nil || ids(c) != others+" generic=0 org.example.x=1" {
		t.Fatalf("with the user's: %v, %v", ids(c), err)
	}
	if g := c.Adapters.Grants[len(c.Adapters.Grants)-1]; g.Digest != digest || g.Capabilities[0] != "oriel:kv" || g.Scopes["oriel:kv"] != "64KB" {
		t.Errorf("the user's grant: %+v", g)
	}
}

func TestDirs(t *testing.T) {
	c, err := Load(Sources{Environ: env("XDG_CACHE_HOME=/c", "XDG_STATE_HOME=relative", "ORIEL_ADAPTERS_DIRS=~/a,/b")})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := c.Dirs, (Dirs{State: "/home/u/.local/state/oriel", Cache: "/c/oriel", Runtime: "/run/user/7/oriel"}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got, want := c.Adapters.Dirs, []string{"/home/u/a", "/b"}; !reflect.DeepEqual(got, want) {
		t.Errorf("adapter folders %q, want %q", got, want)
	}
	c, err = Load(Sources{Environ: []string{"HOME=/home/u", "ORIEL_DIRS_STATE=~/s"}})
	if err != nil || c.Dirs.State != "/home/u/s" || !strings.HasSuffix(c.Dirs.Runtime, fmt.Sprintf("oriel-%d", os.Getuid())) {
		t.Errorf("%+v, %v", c, err)
	}
	if got := DefaultFile([]string{"XDG_CONFIG_HOME=/x", "HOME=/h"}); got != "/x/oriel/config.toml" {
		t.Errorf("the user's file is %s", got)
	}
}

// G22: nothing but loopback is listened to.
func TestG22ListenIsLoopback(t *testing.T) {
	c, err := Load(Sources{File: write(t, "[http]\nport = 2000\n"), Environ: env()})
	if err != nil || c.HTTP.Listen != "127.0.0.1:2000" {
		t.Errorf("the port alone: %v, %v", c, err)
	}
	for addr, ok := range map[string]bool{
		"127.0.0.1:60008": true, "127.9.9.9:1024": true, "[::1]:60008": true, "localhost:60008": true, "127.0.0.1:0": true,
		":60008": false, "0.0.0.0:60008": false, "[::]:60008": false, "192.168.1.2:60008": false, "127.0.0.1": false, "60008": false,
		"127.0.0.1:80": false, "127.0.0.1:99999": false, "127.0.0.1:": false, "::1:60008": false, "": false, "127.0.0.1.example.org:60008": false,
	} {
		if err := checkListen(addr); (err == nil) != ok {
			t.Errorf("%q: %v", addr, err)
		}
	}
}

// No text breaks the line finder, and every simple key is found on its line.
func TestLinesProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines(rapid.String().Draw(t, "noise"))
		n := rapid.IntRange(0, 20).Draw(t, "blank lines")
		text := strings.Repeat("\n", n) + "# a = 1\n[t]\n" + "k = 1 # b = 2\n"
		if at := lines(text); at["t.k"] != n+3 || at["t"] != n+2 || len(at) != 2 {
			t.Fatalf("%v", at)
		}
	})
}

func FuzzLoadFile(f *testing.F) {
	f.Add("a = 1\n[http]\nlisten = 3\n[[adapters.grant]]\n")
	f.Add(oriel.DefaultConfig)
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "c.toml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Load(Sources{File: path, FileRequired: true, Environ: env()})
		if (c == nil) == (err == nil) {
			t.Fatalf("%v, %v", c, err)
		}
		if p, ok := errors.AsType[*Problem](err); err != nil && (!ok || p.Source == "" || p.Message == "") {
			t.Fatalf("a fault without source or message: %v", err)
		}
	})
}
