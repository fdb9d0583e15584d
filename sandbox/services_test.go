//go:build linux

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"oriel.dev/oriel/hostabi"
)

// recorder notes what reaches the services and what is refused.
type recorder struct {
	mu      sync.Mutex // guards all below
	reached []string
	refused []string
	last    context.Context // to see that it ended
}

func (r *recorder) Call(ctx context.Context, f hostabi.Function, request []byte) ([]byte, *hostabi.Fault) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reached, r.last = append(r.reached, fmt.Sprintf("%s %s", f.Capability, f.Name)), ctx
	if string(request) != "{}" {
		return nil, &hostabi.Fault{Code: hostabi.CodeInternal, Message: "another request arrived"}
	}
	return nil, nil
}

func (r *recorder) refuse(_ string, f hostabi.Function, _ string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refused = append(r.refused, fmt.Sprintf("%s %s", f.Capability, f.Name))
}

// results reads the summary that the probe's command "all" makes.
func results(t *testing.T, summary string) map[string]string {
	t.Helper()
	out := map[string]string{}
	words := strings.Fields(summary)
	if len(words) != len(hostabi.Functions) {
		t.Fatalf("%d results in %q, want %d", len(words), summary, len(hostabi.Functions))
	}
	for i, w := range words {
		name, code, _ := strings.Cut(w, "=")
		if name != hostabi.Functions[i].Name {
			t.Fatalf("result %d is of %s, want %s: testdata/probe/imports.go is behind", i, name, hostabi.Functions[i].Name)
		}
		out[fmt.Sprintf("%s %s", hostabi.Functions[i].Capability, name)] = code
	}
	return out
}

func TestWithoutGrantsNothingSucceeds(t *testing.T) { // W09, W10, C37
	r := &recorder{}
	e := newEnv(t, func(c *Config) { c.Refused = r.refuse }, map[string][]byte{"probe": probe(t, probeManifest())})
	v, err := e.look("probe", "all", r)
	if err != nil {
		t.Fatal(err)
	}
	out, err := e.act("probe", "all", r)
	if err != nil {
		t.Fatal(err)
	}
	for _, summary := range []string{v.Summary, out.Message} {
		for f, code := range results(t, summary) {
			if code != string(hostabi.CodeDenied) {
				t.Errorf("%s: %s, want denied", f, code)
			}
		}
	}
	if len(r.reached) > 0 {
		t.Errorf("reached the services: %q", r.reached)
	}
	if want := 2 * len(hostabi.Functions); len(r.refused) != want {
		t.Errorf("%d refusals were told, want %d", len(r.refused), want)
	}
}

func TestARefusalNamesCapabilityAndCure(t *testing.T) { // W10
	e := newEnv(t, nil, map[string][]byte{"probe": probe(t, probeManifest())})
	out, err := e.act("probe", "call 1", observing)
	if err != nil {
		t.Fatal(err)
	}
	f := out.Fault
	if f == nil || f.Code != hostabi.CodeDenied || f.Capability != hostabi.CapTree {
		t.Fatalf("fault = %+v", f)
	}
	for _, want := range []string{"oriel:tree", probeID, "config.toml", "[[adapters.grant]]"} {
		if !strings.Contains(f.Message, want) {
			t.Errorf("the message lacks %q: %s", want, f.Message)
		}
	}
	if got := e.must("probe", "x").Title; got != "x" {
		t.Error("translate does not work without grants")
	}
}

func TestEachFunctionNeedsItsOwnCapability(t *testing.T) { // W07: one table, exhaustive
	for _, granted := range every() {
		r := &recorder{}
		e := newEnv(t, func(c *Config) {
			c.Grants, c.Refused = []Grant{{ID: probeID, Capabilities: []hostabi.Capability{granted}}}, r.refuse
		}, map[string][]byte{"probe": probe(t, probeManifest())})
		out, err := e.act("probe", "all", r)
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range hostabi.Functions {
			got := results(t, out.Message)[fmt.Sprintf("%s %s", f.Capability, f.Name)]
			if denied := got == string(hostabi.CodeDenied); denied == (f.Capability == granted) {
				t.Errorf("with %s granted, function %d (%s %s) answers %s", granted, i, f.Capability, f.Name, got)
			}
		}
		for _, f := range r.reached {
			if !strings.HasPrefix(f, string(granted)+" ") {
				t.Errorf("with %s granted, %s was reached", granted, f)
			}
		}
	}
}

func TestTranslateMayOnlyLook(t *testing.T) { // W04
	for _, pixels := range []bool{false, true} {
		m := probeManifest()
		if pixels {
			m.Needs = []string{"pixels"}
		}
		r := &recorder{}
		e := newEnv(t, grantAll(probeID), map[string][]byte{"probe": probe(t, m)})
		if got := e.Match(window("probe", "").Window).Pixels; got != pixels {
			t.Errorf("Pixels = %v, want %v", got, pixels)
		}
		v, err := e.look("probe", "all", r)
		if err != nil {
			t.Fatal(err)
		}
		for f, code := range results(t, v.Summary) {
			may := f == "oriel:log write" || pixels && (f == "oriel:capture window" || f == "oriel:ocr text")
			if denied := code == string(hostabi.CodeDenied); denied == may {
				t.Errorf("with pixels %v: %s answers %s", pixels, f, code)
			}
		}
	}
}

func TestTheLeaseEndsWithTheCall(t *testing.T) { // W12
	r := &recorder{}
	e := newEnv(t, grantAll(probeID), map[string][]byte{"probe": probe(t, probeManifest())})
	if _, err := e.act("probe", "all", r); err != nil {
		t.Fatal(err)
	}
	if r.last.Err() == nil {
		t.Error("the context of the host calls outlived the call")
	}
	l := &lease{a: e.set.Load().adapters[0], slot: slotInvoke, services: r, told: map[uint16]bool{}}
	before := len(r.reached)
	reply := l.call(r.last, 0, []byte("{}"))
	if reply[0] != replyFault || len(r.reached) != before {
		t.Errorf("a call after the end answers %q", reply)
	}
	if reply := l.call(t.Context(), 9999, nil); reply[0] != replyFault {
		t.Errorf("an unknown function answers %q", reply)
	}
}

// W11: what is asked for and granted holds within both scopes only; a refusal
// names the capability, the scope and the cure, and is noted. Grants of the same
// capability add up.
func TestW11Scopes(t *testing.T) {
	m := manifest("dev.oriel.test.hello", "hello", hostabi.CapTree, hostabi.CapKV, hostabi.CapLog)
	m.Permissions = append(m.Permissions, hostabi.Permission{Capability: hostabi.CapA11y, Scope: "app=hello app=other", Reason: "the test"})
	wasm := guestOf(t, "hello/native", m)
	for _, c := range []struct {
		name   string
		grants []Grant
		want   string // of the refusal, "" for none
	}{
		{"not narrowed", []Grant{{ID: m.ID, Capabilities: every()}}, ""},
		{"narrowed by the administrator", []Grant{{ID: m.ID, Capabilities: every(), Scopes: map[hostabi.Capability]string{hostabi.CapA11y: "app=gedit"}}}, `oriel:a11y set_text: a window of "hello" is outside of the scope "app=gedit", which is all that is granted to dev.oriel.test.hello; to allow it, widen it in scopes of the [[adapters.grant]] with id = "dev.oriel.test.hello" in config.toml and restart oriel`},
		{"two grants, one of them wide enough", []Grant{
			{ID: m.ID, Capabilities: every(), Scopes: map[hostabi.Capability]string{hostabi.CapA11y: "app=gedit"}},
			{ID: m.ID, Capabilities: []hostabi.Capability{hostabi.CapA11y}, Scopes: map[hostabi.Capability]string{hostabi.CapA11y: "app=HELLO"}},
		}, ""},
		{"a value too large for the grant", []Grant{{ID: m.ID, Capabilities: every(), Scopes: map[hostabi.Capability]string{hostabi.CapKV: "5B"}}}, `oriel:kv set: a value of 6 bytes with its key, where it may keep 5, is outside of the scope "5B"`},
	} {
		var noted []string
		e := newEnv(t, func(cfg *Config) {
			cfg.Grants, cfg.KV = c.grants, &mapKV{m: map[string][]byte{}}
			cfg.Refused = func(adapter string, f hostabi.Function, why string) {
				noted = append(noted, fmt.Sprintf("%s %s %s: %s", adapter, f.Capability, f.Name, why))
			}
		}, map[string][]byte{"hello": wasm})
		sv := services(func(context.Context, hostabi.Function, []byte) ([]byte, *hostabi.Fault) {
			return encode(entry("", "x")), nil
		})
		out, err := e.Invoke(t.Context(), e.Match(window("hello", "").Window), hostabi.Call{Action: "set_text", Args: `{"text":"x"}`, Observation: encode(entry("", "old"))}, sv)
		switch {
		case err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want == "" && (out.Fault != nil || noted != nil):
			t.Errorf("%s: %+v, noted %q", c.name, out.Fault, noted)
		case c.want != "" && (out.Fault == nil || out.Fault.Code != hostabi.CodeDenied || out.Fault.Capability == "" || !strings.Contains(out.Fault.Message, c.want)):
			t.Errorf("%s: %+v, want %s", c.name, out.Fault, c.want)
		case c.want != "" && (len(noted) != 1 || !strings.Contains(noted[0], c.want)):
			t.Errorf("%s: noted %q", c.name, noted)
		}
	}
	_, err := New(t.Context(), Config{
		Runner: []string{"x"}, CacheDir: t.TempDir(),
		Grants: []Grant{{ID: "a.b", Capabilities: every(), Scopes: map[hostabi.Capability]string{hostabi.CapKV: "much"}}},
	})
	if err == nil || !strings.Contains(err.Error(), `oriel:kv in the grant for a.b: "much" is no size`) {
		t.Errorf("a scope that cannot be read: %v", err)
	}
}

// mapKV is a KV in memory.
type mapKV struct {
	mu  sync.Mutex // guards m
	m   map[string][]byte
	err error
}

func (k *mapKV) Get(_ context.Context, adapter, key string) ([]byte, bool, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	v, ok := k.m[adapter+"/"+key]
	return v, ok, k.err
}

func (k *mapKV) Set(_ context.Context, adapter, key string, value []byte) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.m[adapter+"/"+key] = value
	return k.err
}

func (k *mapKV) Used(_ context.Context, adapter, but string) (n int64, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for key, value := range k.m {
		if own, ok := strings.CutPrefix(key, adapter+"/"); ok && own != but {
			n += int64(len(own) + len(value))
		}
	}
	return n, k.err
}

func (k *mapKV) Delete(_ context.Context, adapter, key string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.m, adapter+"/"+key)
	return k.err
}

func TestKV(t *testing.T) { // W07, W11
	kv := &mapKV{m: map[string][]byte{}}
	m := probeManifest()
	for i := range m.Permissions {
		if m.Permissions[i].Capability == hostabi.CapKV {
			m.Permissions[i].Scope = "20B"
		}
	}
	e := newEnv(t, func(c *Config) {
		grantAll(probeID)(c)
		c.KV = kv
	}, map[string][]byte{"probe": probe(t, m)})
	out, err := e.act("probe", "kv k", nil)
	if err != nil || out.Message != "value of k true false" {
		t.Errorf("%+v, %v", out, err)
	}
	out, err = e.act("probe", "kv longer", nil)
	if err != nil || out.Fault == nil || out.Fault.Code != hostabi.CodeDenied || !strings.Contains(out.Fault.Message, "where it may keep 20") {
		t.Errorf("beyond its scope: %+v, %v", out, err)
	}
	kv.m[probeID+"/old"] = make([]byte, 10)
	out, err = e.act("probe", "kv k", nil)
	if err != nil || out.Fault == nil || out.Fault.Code != hostabi.CodeDenied || !strings.Contains(out.Fault.Message, "would have 24 bytes, where it may keep 20") {
		t.Errorf("together beyond its scope: %+v, %v", out, err)
	}
	delete(kv.m, probeID+"/old")
	kv.err = errors.New("the disk is full")
	out, err = e.act("probe", "kv k", nil)
	if err != nil || out.Fault == nil || !strings.Contains(out.Fault.Message, "disk is full") {
		t.Errorf("with a broken store: %+v, %v", out, err)
	}
}

func TestNoStoreIsUnsupported(t *testing.T) {
	e := newEnv(t, grantAll(probeID), map[string][]byte{"probe": probe(t, probeManifest())})
	out, err := e.act("probe", "kv k", nil)
	if err != nil || out.Fault == nil || out.Fault.Code != hostabi.CodeUnsupported {
		t.Errorf("%+v, %v", out, err)
	}
}

func TestAnAdapterWithoutActions(t *testing.T) { // W03: optional exports are found by presence
	e := newEnv(t, nil, map[string][]byte{"asm": newAsm(`{"title":"x"}`).bytes(manifest("t.asm", "asm"))})
	out, err := e.act("asm", "press", nil)
	if err != nil || out.Fault == nil || out.Fault.Code != hostabi.CodeUnavailable {
		t.Errorf("%+v, %v", out, err)
	}
}

func TestGuestsSeeNothingOfTheMachine(t *testing.T) { // W04, W15
	e := newEnv(t, grantAll(probeID), map[string][]byte{"probe": probe(t, probeManifest())})
	first := e.must("probe", "clock").Summary
	if !strings.HasSuffix(first, " 1 0") && !strings.HasSuffix(first, " 0 0") {
		t.Errorf("clock, arguments, environment: %q", first)
	}
	// A fresh instance sees the same time: translate is pure.
	other := newEnv(t, grantAll(probeID), map[string][]byte{"probe": probe(t, probeManifest())})
	if got := other.must("probe", "clock").Summary; got != first {
		t.Errorf("another fresh instance reads %q, the first read %q", got, first)
	}
	for _, v := range []string{e.must("probe", "file").Summary} {
		if v == "<nil>" {
			t.Error("the guest could read a file")
		}
	}
	out, err := e.act("probe", "clock", nil)
	if err != nil || out.Message == first {
		t.Errorf("invoke has no clock: %+v, %v", out, err)
	}
}
