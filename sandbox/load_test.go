//go:build linux

package sandbox

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"oriel.dev/oriel/hostabi"
)

func TestBrokenAdaptersAreListedAndTheOthersWork(t *testing.T) { // W01, W03, W10, C36
	newer := manifest("t.newer", "x")
	newer.ABI = "oriel/7"
	good := newAsm(`{"title":"fine"}`).bytes(manifest("t.good", "good"))
	e := newEnv(t, func(c *Config) { c.Limits.Module = 1 << 20 }, map[string][]byte{
		"empty":   {},
		"text":    []byte("this is no module"),
		"newer":   newAsm(`{}`).bytes(newer),
		"unasked": newAsm(`{}`).imported("oriel:input", "keys").bytes(manifest("t.unasked", "x")),
		"unknown": newAsm(`{}`).imported("oriel:tree", "future").bytes(manifest("t.unknown", "x", hostabi.CapTree)),
		"outside": newAsm(`{}`).imported("env", "system").bytes(manifest("t.outside", "x")),
		"good":    good,
		"good2":   good,
		"large":   make([]byte, 1<<20+1),
		"table":   (&asm{funcs: newAsm(`{}`).funcs, pages: 1, tables: append([]byte{0x70, 0}, uleb(100_000_000)...)}).bytes(manifest("t.table", "x")),
	})
	if err := os.Mkdir(filepath.Join(e.dir, "folder.wasm"), 0o700); err != nil {
		t.Fatal(err)
	}
	byFile := map[string]Info{}
	for _, i := range e.List() {
		byFile[strings.TrimSuffix(filepath.Base(i.File), ".wasm")] = i
	}
	for name, want := range map[string][]string{
		"empty":   {"no WebAssembly module", "build it"},
		"text":    {"no WebAssembly module"},
		"newer":   {"oriel/7", "oriel/1", "update the host"},
		"unasked": {"oriel:input", "manifest", "reason"},
		"unknown": {"future", "no function of oriel/1", "newer"},
		"outside": {"env", "system"},
		"good2":   {"same id", "good.wasm", "remove one"},
		"large":   {"limit is 1 MB"},
		"table":   {"table", "100000000"},
	} {
		got := byFile[name]
		if got.State != StateBroken {
			t.Errorf("%s: state %q, want broken", name, got.State)
		}
		for _, w := range want {
			if !strings.Contains(got.Message, w) {
				t.Errorf("%s: message %q lacks %q", name, got.Message, w)
			}
		}
	}
	if got := byFile["good"]; got.State != StateReady || got.Message != "" {
		t.Errorf("the good one is %+v", got)
	}
	if got := e.must("good", "").Title; got != "fine" {
		t.Errorf("title = %q", got)
	}
}

func TestAMissingDirectoryIsNoError(t *testing.T) {
	e := newEnv(t, func(c *Config) { c.Dirs = []string{filepath.Join(c.CacheDir, "none")} }, nil)
	if got := e.List(); len(got) != 0 {
		t.Errorf("List = %+v", got)
	}
}

func TestNewRefusesWhatCannotWork(t *testing.T) {
	open := t.TempDir()
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		cfg  Config
		want string
	}{
		"no runner":       {Config{CacheDir: t.TempDir()}, "no runner command"},
		"no cache":        {Config{Runner: []string{"x"}}, "no directory is configured"},
		"an open cache":   {Config{Runner: []string{"x"}, CacheDir: open}, "chmod 700"},
		"a file as cache": {Config{Runner: []string{"x"}, CacheDir: os.Args[0]}, "cache"},
	} {
		if s, err := New(t.Context(), c.cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: New = %v, %v", name, s, err)
		}
	}
}

func TestUngrantedIsListedWithItsCure(t *testing.T) { // W09, W10
	caps := []hostabi.Capability{hostabi.CapKV, hostabi.CapInput}
	wasm := newAsm(`{"title":"x"}`).bytes(manifest("t.asks", "a", caps...))
	for name, c := range map[string]struct {
		grant   Grant
		granted int
	}{
		"none":                         {Grant{}, 0},
		"by id":                        {Grant{ID: "t.asks", Capabilities: caps}, 2},
		"by digest":                    {Grant{Digest: digest(wasm), Capabilities: caps[:1]}, 1},
		"by both":                      {Grant{ID: "t.asks", Digest: digest(wasm), Capabilities: caps}, 2},
		"another build":                {Grant{ID: "t.asks", Digest: digest(nil), Capabilities: caps}, 0},
		"another id":                   {Grant{ID: "t.other", Digest: digest(wasm), Capabilities: caps}, 0},
		"nobody in particular":         {Grant{Capabilities: caps}, 0},
		"what is not asked for is not": {Grant{ID: "t.asks", Capabilities: []hostabi.Capability{hostabi.CapOCR}}, 0},
	} {
		e := newEnv(t, func(cfg *Config) { cfg.Grants = []Grant{c.grant} }, map[string][]byte{"a": wasm})
		i := e.info("t.asks")
		if len(i.Granted) != c.granted || len(i.Asked) != 2 || i.State != StateReady {
			t.Errorf("%s: %+v", name, i)
		}
		if c.granted < 2 && (!strings.Contains(i.Message, "config.toml") || !strings.Contains(i.Message, string(hostabi.CapInput))) {
			t.Errorf("%s: message %q", name, i.Message)
		}
	}
}

func TestReloadKeepsTheLastGoodOne(t *testing.T) { // W21 in its first form
	version := func(title string) []byte { return newAsm(`{"title":"` + title + `"}`).bytes(manifest("t.dev", "dev")) }
	e := newEnv(t, nil, map[string][]byte{"dev": version("one")})
	reload := func() {
		t.Helper()
		if err := e.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		select {
		case <-e.Changed():
		default:
			t.Error("Changed was not sent to")
		}
	}
	if got := e.must("dev", "").Title; got != "one" {
		t.Fatalf("title = %q", got)
	}
	old := e.Match(window("dev", "").Window)

	e.put("dev", version("two")[:50]) // half-written
	reload()
	if got := e.must("dev", "").Title; got != "one" {
		t.Errorf("with a half-written file: title = %q, want one", got)
	}
	if i := e.info("t.dev"); !strings.Contains(i.Message, "old version serves") {
		t.Errorf("message = %q", i.Message)
	}

	bad := newAsm(`{}`)
	bad.start = int(bad.add(asmFunc{name: "start", typ: typeVoid, body: []byte{opUnreachable}}))
	e.put("dev", bad.bytes(manifest("t.dev", "dev"))) // right in form, does not start
	reload()
	if got := e.must("dev", "").Title; got != "one" {
		t.Errorf("with one that does not start: title = %q, want one", got)
	}

	e.put("dev", version("two"))
	reload()
	if got := e.must("dev", "").Title; got != "two" {
		t.Errorf("title = %q, want two", got)
	}
	if i := e.info("t.dev"); i.Message != "" {
		t.Errorf("message = %q", i.Message)
	}
	if _, err := e.Translate(t.Context(), old, observe("dev", ""), nil); err == nil || !strings.Contains(err.Error(), "replaced") {
		t.Errorf("translating by the old reference: %v", err)
	}

	if err := os.Remove(filepath.Join(e.dir, "dev.wasm")); err != nil {
		t.Fatal(err)
	}
	reload()
	if got := e.Match(window("dev", "").Window); got.ID != "" {
		t.Errorf("after removal Match = %+v", got)
	}
}

func TestWarmCompilesInTheBackground(t *testing.T) { // C40
	e := newEnv(t, func(c *Config) { c.CacheDir = t.TempDir() }, map[string][]byte{
		"generic": matching("t.generic", hostabi.Match{}),
		"slow":    compileBomb(120).bytes(manifest("t.slow", "slow")),
	})
	began := time.Now()
	e.Warm(t.Context())
	w := window("slow", "").Window
	ref := e.Match(w)
	if took := time.Since(began); took > 200*time.Millisecond {
		t.Errorf("Warm and Match took %v", took)
	}
	if e.info("t.slow").State != StateCompiling || ref.Notice == "" {
		t.Errorf("while compiling: %+v, state %s", ref, e.info("t.slow").State)
	}
	for e.Match(w).ID != "t.slow" || e.Match(w).Notice != "" {
		select {
		case <-e.Changed():
		case <-time.After(time.Minute):
			t.Fatal("the adapter never became ready")
		}
		if got := e.Match(w); got.ID == "t.generic" && !strings.Contains(got.Notice, "being compiled") {
			t.Errorf("notice = %q", got.Notice)
		}
	}
	if !e.cache.sealed(e.Match(w).Digest) || e.info("t.slow").State != StateReady {
		t.Errorf("ready: %+v", e.info("t.slow"))
	}
	e.must("slow", "")
}

// A State and a Confined are shown as JSON by the command line.
func TestInfoIsJSON(t *testing.T) {
	e := newEnv(t, nil, map[string][]byte{"generic": matching("t.generic", hostabi.Match{})})
	b, err := json.Marshal(e.List())
	if err != nil || !strings.Contains(string(b), `"State":"ready"`) {
		t.Errorf("%s, %v", b, err)
	}
}
