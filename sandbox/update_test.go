//go:build linux

package sandbox

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"oriel.dev/oriel/hostabi"
)

// shows is an adapter for the application dev that always shows this view.
func shows(view string) []byte { return newAsm(view).bytes(manifest("t.dev", "dev")) }

// W21: a new version is tried on the live windows that are its before it takes
// over, and the receipt says what changed.
func TestUpdateTriesTheLiveWindows(t *testing.T) {
	actions := func(names ...string) (out []hostabi.Action) {
		for _, n := range names {
			out = append(out, hostabi.Action{Name: n, Title: "Do", Description: "Does it."})
		}
		return out
	}
	live := []Live{
		{Observation: observe("dev", "one"), Actions: actions("old", "same", "other")},
		{Observation: observe("elsewhere", "not its")},
	}
	e := newEnv(t, func(c *Config) { c.Live = func() []Live { return live } }, map[string][]byte{"dev": shows(`{"title":"one"}`)})
	update := func() Update {
		t.Helper()
		list, err := e.Update(t.Context())
		if err != nil || len(list) != 1 {
			t.Fatalf("Update = %+v, %v", list, err)
		}
		return list[0]
	}
	e.put("dev", shows(`{"title":"two","actions":[{"name":"same","title":"Do","description":"Does it."},`+
		`{"name":"other","title":"Do","description":"Does more."},{"name":"new","title":"New","description":"Does it."}]}`))
	u := update()
	if u.Err != nil || u.Windows != 1 || u.ID != "t.dev" || u.Before == "" || u.Before == u.Digest || u.Size == 0 ||
		!slices.Equal(u.Added, []string{"new"}) || !slices.Equal(u.Removed, []string{"old"}) ||
		!slices.Equal(u.Altered, []string{"other"}) || !slices.Equal(u.Kept, []string{"same"}) {
		t.Errorf("the receipt is %+v", u)
	}
	if got := e.must("dev", "").Title; got != "two" {
		t.Errorf("title = %q", got)
	}
	for name, wasm := range map[string][]byte{
		"a refused view":        shows(`{"blocks":[{"key":"x","type":"poem"}]}`),
		"a fault":               shows(`{"fault":{"code":"internal","message":"no"}}`),
		"a trap":                newAsm(`{}`).body(0, opUnreachable).bytes(manifest("t.dev", "dev")),
		"half a file":           shows(`{"title":"three"}`)[:60],
		"what is not asked for": newAsm(`{}`).imported("oriel:input", "keys").bytes(manifest("t.dev", "dev")),
	} {
		e.put("dev", wasm)
		if u := update(); u.Err == nil {
			t.Errorf("%s: the receipt is %+v", name, u)
		}
		if got := e.must("dev", "").Title; got != "two" {
			t.Errorf("%s: title = %q, want the last good one", name, got)
		}
	}
	e.put("dev", shows(`{"title":"three"}`))
	if u := update(); u.Err != nil || e.must("dev", "").Title != "three" {
		t.Errorf("the receipt is %+v", u)
	}
}

// W21: a module on trial serves interpreted at once; its compiled code
// takes over later, and calls do not notice.
func TestTrialServesInterpretedFirst(t *testing.T) {
	var mu sync.Mutex // guards traces
	var traces []Trace
	e := newEnv(t, func(c *Config) {
		c.CacheDir, c.Trial = t.TempDir(), c.Dirs[0]
		c.Trace = func(tr Trace) {
			mu.Lock()
			defer mu.Unlock()
			traces = append(traces, tr)
		}
	}, map[string][]byte{"probe": probe(t, probeManifest())})
	e.Warm(t.Context())
	last := func() Trace {
		mu.Lock()
		defer mu.Unlock()
		return traces[len(traces)-1]
	}
	e.must("probe", "")
	if tr := last(); !tr.Interpreted || tr.Function != "translate" || tr.Adapter.ID != probeID || tr.Err != nil || len(tr.Output) == 0 || tr.Took == 0 {
		t.Errorf("the first call went %+v", tr)
	}
	eventually(t, "the compiled code serves", func() bool {
		e.must("probe", "")
		return !last().Interpreted
	})
	if i := e.info(probeID); i.State != StateRunning {
		t.Errorf("after that it is %+v", i)
	}
}

// The trace of an invoke holds what the host was asked and what it said.
func TestTraceHoldsHostCalls(t *testing.T) {
	var got Trace
	e := newEnv(t, func(c *Config) {
		grantAll("t.calls")(c)
		c.Trace = func(tr Trace) { got = tr }
	}, map[string][]byte{"calls": calling("oriel:tree", "observe", "{}").bytes(manifest("t.calls", "calls", hostabi.CapTree))})
	if _, err := e.act("calls", "any", observing); err != nil {
		t.Fatal(err)
	}
	if got.Function != "invoke" || got.Action != "any" || len(got.HostCalls) != 1 {
		t.Fatalf("the trace is %+v", got)
	}
	c := got.HostCalls[0]
	if c.Function.Name != "observe" || string(c.Request) != "{}" || len(c.Reply) != len(observe("probe", "")) || c.Fault != nil {
		t.Errorf("the host call is %+v", c)
	}
	if _, err := e.act("calls", "any", nil); err != nil {
		t.Fatal(err)
	}
	if f := got.HostCalls[0].Fault; f == nil || f.Code != hostabi.CodeUnsupported {
		t.Errorf("the refused host call is %+v", got.HostCalls[0])
	}
}

// calling is a module whose invoke calls a host function and returns an empty
// outcome.
func calling(module, name, request string) *asm {
	a := newAsm("{}"+request).imported(module, name)
	a.body(0, result(2)...)
	body := slices.Concat([]byte{opI32Const}, sleb(dataAt+2), []byte{opI32Const}, sleb(int64(len(request))), []byte{opCall, 0, opDrop}, result(2))
	a.funcs = append(a.funcs, asmFunc{name: "invoke", export: "oriel_invoke", typ: typeEntry, body: body})
	return a
}

// C34: fifty new versions, by rename, in place, half-written first, and with the
// same size and time: the next call shows each.
func TestFiftyUpdates(t *testing.T) {
	e := newEnv(t, func(c *Config) { c.Trial = c.Dirs[0] }, map[string][]byte{"dev": shows(`{"title":"00"}`)})
	path := e.dir + "/dev.wasm"
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	e.must("dev", "")
	for i := range 50 {
		title := fmt.Sprintf("%02d", i+1)
		wasm := shows(`{"title":"` + title + `"}`)
		switch i % 4 {
		case 0: // by rename
			e.put("next.tmp", wasm)
			err = os.Rename(e.dir+"/next.tmp.wasm", path)
		case 1: // in place
			e.put("dev", wasm)
		case 2: // half-written first
			e.put("dev", wasm[:len(wasm)/2])
			if list, err := e.Update(t.Context()); err != nil || len(list) != 1 || list[0].Err == nil {
				t.Fatalf("half of it: %+v, %v", list, err)
			}
			if got := e.must("dev", "").Title; got != fmt.Sprintf("%02d", i) {
				t.Fatalf("with half of %s the title is %s", title, got)
			}
			e.put("dev", wasm)
		case 3: // the same size and time
			e.put("dev", wasm)
			err = os.Chtimes(path, st.ModTime(), st.ModTime())
		}
		if err != nil {
			t.Fatal(err)
		}
		list, err := e.Update(t.Context())
		if err != nil || len(list) != 1 || list[0].Err != nil || list[0].Digest != digest(wasm) {
			t.Fatalf("%s: the receipt is %+v, %v", title, list, err)
		}
		if got := e.must("dev", "").Title; got != title {
			t.Fatalf("title = %s, want %s", got, title)
		}
	}
	if n := strings.Count(fmt.Sprint(e.List()), "t.dev"); n == 0 {
		t.Error("it is not listed any more")
	}
}

// An adapter on trial has what it asks for, and wins its application's windows
// against one that would come first.
func TestTrialIsGrantedAndPreferred(t *testing.T) {
	trial := t.TempDir()
	if err := os.WriteFile(trial+"/mine.wasm", newAsm(`{"title":"mine"}`).bytes(manifest("t.mine", "app", hostabi.CapKV)), 0o600); err != nil {
		t.Fatal(err)
	}
	e := newEnv(t, func(c *Config) { c.Trial, c.Dirs = trial, append(c.Dirs, trial) }, map[string][]byte{
		"first":   newAsm(`{"title":"first"}`).bytes(manifest("t.a", "app", hostabi.CapKV)),
		"generic": matching("t.generic", hostabi.Match{}),
	})
	if got := e.must("app", "").Title; got != "mine" {
		t.Errorf("the window is shown by %q", got)
	}
	if got := e.Match(window("other", "").Window).ID; got != "t.generic" {
		t.Errorf("a window that it does not claim is that of %s", got)
	}
	if mine, first := e.info("t.mine"), e.info("t.a"); len(mine.Granted) != 1 || len(first.Granted) != 0 {
		t.Errorf("granted are %v to the one on trial and %v to the other", mine.Granted, first.Granted)
	}
}
