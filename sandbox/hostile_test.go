//go:build linux

package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/hostabi/check"
)

// ending is what becomes of an escape.
type ending int

const (
	notLoaded  ending = iota // refused by the bytes, before anything is compiled
	stopped                  // a failure that names it; the instance is never used again
	turnedDown               // the host function answers a refusal, and that is noted
	idle                     // it does what it wants and nothing comes of it
)

// escape is one attempt of a hostile adapter.
type escape struct {
	name string
	ends ending
	want string // in what is said of it
	act  bool   // by an action, instead of at a look
	// alone has it tried by a host of its own, with a limit that a slow machine
	// would make others run into.
	alone func(l *Limits)
	make  func(m *hostabi.Manifest) []byte
}

const fine = `{"title":"fine"}`

// made makes a module of code before a fine view, with imports.
func made(imports string, code func(a *asm) []byte) func(*hostabi.Manifest) []byte {
	return func(m *hostabi.Manifest) []byte { return withImports(m, newAsm(fine), imports, code).bytes(m) }
}

// withImports adds imports ("module name, module name"), asks for what they need
// and puts code in front of translate, and of invoke, which is added.
func withImports(m *hostabi.Manifest, a *asm, imports string, code func(a *asm) []byte) *asm {
	for i := range strings.SplitSeq(imports, ", ") {
		module, name, _ := strings.Cut(i, " ")
		if i != "" {
			a.imported(module, name)
		}
		f, known := hostabi.Lookup(module, name)
		if known && !slices.ContainsFunc(m.Permissions, func(p hostabi.Permission) bool { return p.Capability == f.Capability }) {
			m.Permissions = append(m.Permissions, hostabi.Permission{Capability: f.Capability, Reason: "it is hostile"})
		}
	}
	if code == nil {
		return a
	}
	attempt := code(a)
	a.before(0, attempt...)
	at, n := a.words(`{"message":"fine"}`)
	a.add(asmFunc{name: "invoke", export: "oriel_invoke", typ: typeEntry, body: slices.Concat(attempt, i64(at<<32|n))})
	return a
}

// code is code that needs nothing of its module.
func code(parts ...[]byte) func(*asm) []byte {
	return func(*asm) []byte { return slices.Concat(parts...) }
}

// asking is code that asks the first import for something.
func asking(request string) func(*asm) []byte {
	return func(a *asm) []byte { return a.asks(0, request) }
}

// extismMade is made for a module of extism/1.
func extismMade(before func(a *asm)) func(*hostabi.Manifest) []byte {
	return func(m *hostabi.Manifest) []byte {
		m.ABI = hostabi.ABIExtism
		a := extismView(fine)
		before(a)
		return a.bytes(m)
	}
}

// forged changes the JSON of a fine module's manifest.
func forged(from, to string) func(*hostabi.Manifest) []byte {
	return func(m *hostabi.Manifest) []byte {
		wasm, err := check.Embed(newAsm(fine).bytes(m), bytes.Replace(manifestJSON(m), []byte(from), []byte(to), 1))
		if err != nil {
			panic(err)
		}
		return wasm
	}
}

// shaped changes a fine module before it is assembled.
func shaped(change func(a *asm)) func(*hostabi.Manifest) []byte {
	return func(m *hostabi.Manifest) []byte {
		a := newAsm(fine)
		change(a)
		return a.bytes(m)
	}
}

// returns makes translate return an output of n bytes at a place.
func returns(at, n int64) func(*hostabi.Manifest) []byte {
	return shaped(func(a *asm) { a.body(0, i64(int64(uint64(at)<<32|uint64(n)))...) })
}

var endless = []byte{opLoop, voidBlock, opBr, 0, opEnd}

func TestC38HostileAdaptersBesideHealthyOnes(t *testing.T) { // C37, C38, C39, W09–W17
	escapes := slices.Concat(forgeries, imports, shapes, outputs, takers, askers, extismEscapes)
	modules, alone := map[string][]byte{}, map[string][]byte{}
	for i, h := range escapes {
		m := manifest(fmt.Sprintf("t.hostile-%d", i), fmt.Sprintf("hostile-%d", i))
		if strings.HasSuffix(h.want, "longer than 500ms") || strings.HasSuffix(h.want, "longer than 1s") {
			m.Limits = hostabi.Limits{TranslateMS: 500, InvokeMS: 1000}
		}
		file := m.ID // it may claim another
		if wasm := h.make(m); h.alone == nil {
			modules[file] = wasm
		} else {
			alone[file] = wasm
		}
	}
	const healthy = 5
	for i := range healthy {
		m := manifest(fmt.Sprintf("t.healthy-%d", i), fmt.Sprintf("healthy-%d", i))
		modules[m.ID] = newAsm(fine).bytes(m)
	}
	rec := &records{}
	set := func(c *Config) {
		c.Refused, c.Failed, c.KV = rec.refused, rec.failed, &mapKV{m: map[string][]byte{"t.other/secret": []byte("x")}}
		c.Limits.Translate, c.Limits.HostCalls = 20*time.Second, 200
		for i, h := range escapes {
			if h.ends != turnedDown || strings.HasSuffix(h.name, granted) {
				c.Grants = append(c.Grants, Grant{ID: fmt.Sprintf("t.hostile-%d", i), Capabilities: every()})
			}
		}
	}
	e := newEnv(t, set, modules)
	stop := e.keepHealthy(healthy)
	for i, h := range escapes {
		t.Run(h.name, func(t *testing.T) {
			if h.alone != nil {
				id := fmt.Sprintf("t.hostile-%d", i)
				own := newEnv(t, func(c *Config) {
					set(c)
					h.alone(&c.Limits)
				}, map[string][]byte{id: alone[id]})
				own.tryEscape(h, i, rec)
				return
			}
			sub := *e
			sub.t = t
			sub.tryEscape(h, i, rec)
		})
	}
	stop()
	if len(escapes) < 100 {
		t.Errorf("%d escapes are tried", len(escapes))
	}
}

// granted at the end of an escape's name says that the adapter was granted all it
// asks for.
const granted = "though granted"

// records is what the host notes of adapters, and what reaches the desktop.
type records struct {
	mu      sync.Mutex // guards all below
	noted   []string
	reached []string
}

func (r *records) note(s string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.noted = append(r.noted, s)
}

func (r *records) refused(adapter string, f hostabi.Function, why string) {
	r.note(fmt.Sprintf("%s: %s %s: %s", adapter, f.Capability, f.Name, why))
}

func (r *records) failed(f *Failure) { r.note(fmt.Sprintf("%s: %s", f.Adapter, f.Error())) }

// of returns what was noted of an adapter with the text in it.
func (r *records) of(adapter, text string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.noted, func(s string) bool {
		return (strings.HasPrefix(s, adapter+": ") || strings.Contains(s, "/"+adapter+": ")) && strings.Contains(s, text)
	})
}

func (r *records) Call(_ context.Context, f hostabi.Function, request []byte) ([]byte, *hostabi.Fault) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reached = append(r.reached, fmt.Sprintf("%s %s %s", f.Capability, f.Name, request[:min(len(request), 40)]))
	return nil, &hostabi.Fault{Code: hostabi.CodeGone, Message: "no such element"}
}

// tryEscape has the adapter try it and judges what came of it.
func (e *env) tryEscape(h escape, number int, rec *records) {
	id, app := fmt.Sprintf("t.hostile-%d", number), fmt.Sprintf("hostile-%d", number)
	rec.mu.Lock()
	rec.reached = nil
	rec.mu.Unlock()
	if h.ends == notLoaded {
		for _, i := range e.List() {
			if strings.HasSuffix(i.File, "/"+id+".wasm") && (i.State != StateBroken || !strings.Contains(i.Message, h.want)) {
				e.t.Errorf("it is %s: %s, want broken and %q", i.State, i.Message, h.want)
			}
		}
		if !rec.of(id+".wasm", h.want) {
			e.t.Errorf("nothing is noted of it with %q", h.want)
		}
		return
	}
	var title string
	var err error
	if h.act {
		var out *hostabi.Outcome
		if out, err = e.act(app, "try", rec); err == nil {
			title = out.Message
		}
	} else {
		var v *hostabi.View
		if v, err = e.look(app, "", rec); err == nil {
			title = v.Title
		}
	}
	if h.ends == stopped {
		f := failure(e.t, err)
		if !strings.Contains(f.Error(), h.want) || f.Adapter != id {
			e.t.Errorf("it failed with %v, want %q", f, h.want)
		}
		if !rec.of(id, h.want) {
			e.t.Errorf("nothing is noted of it with %q", h.want)
		}
		return
	}
	if err != nil || title != "fine" {
		e.t.Errorf("it shows %q, %v", title, err)
	}
	rec.mu.Lock()
	reached := slices.Clone(rec.reached)
	rec.mu.Unlock()
	switch {
	case h.ends == turnedDown && (len(reached) > 0 || !rec.of(id, h.want)):
		e.t.Errorf("reached the desktop: %q; nothing is noted with %q", reached, h.want)
	case h.ends == idle && !strings.HasPrefix(strings.Join(reached, "; "), h.want) || h.ends == idle && h.want == "" && len(reached) > 0:
		e.t.Errorf("reached the desktop: %q, want %q", reached, h.want)
	}
}

// keepHealthy has the healthy adapters answer all the time, until the function
// that it returns is called.
func (e *env) keepHealthy(n int) (stop func()) {
	e.t.Helper()
	ctx, cancel := context.WithCancel(e.t.Context())
	var all sync.WaitGroup
	counts, slowest := make([]int, n), make([]time.Duration, n)
	for i := range n {
		app := fmt.Sprintf("healthy-%d", i)
		if v, err := e.look(app, "", nil); err != nil || v.Title != "fine" {
			e.t.Fatalf("%s, undisturbed: %v", app, err)
		}
		all.Go(func() {
			tick := time.NewTicker(20 * time.Millisecond)
			defer tick.Stop()
			for ctx.Err() == nil {
				began := time.Now()
				v, err := e.look(app, "", nil)
				if err != nil || v.Title != "fine" {
					e.t.Errorf("%s, beside hostile ones: %v", app, err)
					return
				}
				counts[i]++
				slowest[i] = max(slowest[i], time.Since(began))
				select {
				case <-tick.C:
				case <-ctx.Done():
				}
			}
		})
	}
	return func() {
		cancel()
		all.Wait()
		e.t.Logf("the healthy adapters answered %v times, the slowest took %v", counts, slowest)
		for i := range n {
			if info := e.info(fmt.Sprintf("t.healthy-%d", i)); counts[i] == 0 || info.State != StateRunning || info.Message != "" {
				e.t.Errorf("a healthy adapter answered %d times and is %+v", counts[i], info)
			}
		}
	}
}
