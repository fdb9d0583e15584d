//go:build linux

package sandbox

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/tree"
)

// largeWindow is a window with n nodes: rows of cells with names, some entries.
func largeWindow(app string, n int) *tree.Tree {
	w := window(app, "nodes")
	w.Window.Toolkit = "gtk3"
	node := func(parent int32, role tree.Role, name string) int32 {
		id := int32(len(w.Nodes))
		w.Nodes = append(w.Nodes, tree.Node{
			ID: tree.NodeID(id + 1), Parent: parent, Subtree: 1, Role: role, States: tree.StateEnabled | tree.StateShowing | tree.StateVisible,
			Ifaces: tree.IfaceAction | tree.IfaceComponent, Bounds: tree.Rect{X: 10, Y: 20 * id, W: 100, H: 20}, HasBounds: true, Name: name,
			ChildrenTotal: -1, Actions: []tree.Action{{Name: "click", Description: "Clicks the " + role.String()}},
			Attributes: []tree.Attribute{{Key: "toolkit", Value: "gtk"}},
		})
		for up := parent; up >= 0; up = w.Nodes[up].Parent {
			w.Nodes[up].Subtree++
		}
		if parent >= 0 {
			w.Nodes[parent].ChildrenCount++
		}
		return id
	}
	root := node(-1, tree.RoleWindow, "A large window")
	for len(w.Nodes) < n {
		row := node(root, tree.RoleTableRow, fmt.Sprintf("Row %d", len(w.Nodes)))
		for i := 0; i < 7 && len(w.Nodes) < n; i++ {
			node(row, tree.RoleTableCell, fmt.Sprintf("Cell number %d of a row", i))
		}
		if len(w.Nodes) < n {
			e := node(row, tree.RoleEntry, fmt.Sprintf("Field %d", len(w.Nodes)))
			w.Nodes[e].Text = "some text that a user has typed"
			w.Nodes[e].TextInfo = &tree.TextInfo{Length: 31, Caret: -1, SelStart: -1, SelEnd: -1}
		}
	}
	return w
}

func BenchmarkTranslate2000Nodes(b *testing.B) {
	e := newEnv(b, grantAll(probeID), map[string][]byte{"probe": probe(b, probeManifest())})
	w := largeWindow("probe", 2000)
	input := tree.Append(nil, w)
	ref := e.Match(w.Window)
	if v, err := e.Translate(b.Context(), ref, input, nil); err != nil || len(v.Blocks) != 2 {
		b.Fatal(v, err)
	}
	b.SetBytes(int64(len(input)))
	for b.Loop() {
		if _, err := e.Translate(b.Context(), ref, input, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(anonymousMemory(e.runnerPID(probeID)))/(1<<20), "MB-anon")
}

// BenchmarkHostCall is one round trip of a host function.
func BenchmarkHostCall(b *testing.B) {
	e := newEnv(b, grantAll(probeID), map[string][]byte{"probe": probe(b, probeManifest())})
	const n = 1000
	for b.Loop() {
		if _, err := e.act("probe", fmt.Sprintf("call %d", n), observing); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/hostcall")
}

// BenchmarkBareHostCall is one round trip of a host function, from a guest that
// does nothing else.
func BenchmarkBareHostCall(b *testing.B) {
	const n = 1000
	m := manifest("dev.oriel.test.asm", "asm", hostabi.CapTree)
	a := withImports(m, newAsm(fine), "oriel:tree observe", func(a *asm) []byte {
		again := slices.Concat(i32(2048), i32(2048), []byte{0x28, 2, 0}, i32(1), []byte{0x6a, 0x22, 2, 0x36, 2, 0, opLocalGet, 2}, i32(n), []byte{0x48, 0x0d, 0})
		return slices.Concat(i32(2048), i32(0), []byte{0x36, 2, 0, opLoop, voidBlock}, a.asks(0, "{}"), again, []byte{opEnd})
	})
	for i := range a.funcs {
		a.funcs[i].locals = []byte{1, 1, 0x7f}
	}
	e := newEnv(b, grantAll(m.ID), map[string][]byte{"asm": a.bytes(m)})
	for b.Loop() {
		if _, err := e.act("asm", "x", observing); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/hostcall")
}

// BenchmarkEmptyCall is a translate of nothing.
func BenchmarkEmptyCall(b *testing.B) {
	e := newEnv(b, nil, map[string][]byte{"asm": newAsm(`{"title":"x"}`).bytes(manifest("dev.oriel.test.asm", "asm"))})
	ref := e.Match(window("asm", "").Window)
	in := observe("asm", "")
	e.must("asm", "")
	for b.Loop() {
		if _, err := e.Translate(b.Context(), ref, in, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkStart is from the need of a runner to its first answer, from the
// cache.
func BenchmarkStart(b *testing.B) {
	e := newEnv(b, grantAll(probeID), map[string][]byte{"probe": probe(b, probeManifest())})
	e.must("probe", "x")
	a := e.set.Load().adapters[0]
	for b.Loop() {
		b.StopTimer()
		a.mu.Lock()
		p := a.p
		a.p = nil
		a.mu.Unlock()
		p.end(context.Canceled)
		b.StartTimer()
		e.must("probe", "x")
	}
}

// BenchmarkCompile is the compilation of a Go guest in its one-shot runner.
func BenchmarkCompile(b *testing.B) {
	e := newEnv(b, func(c *Config) { c.CacheDir = b.TempDir() }, map[string][]byte{"probe": probe(b, probeManifest())})
	a := e.set.Load().adapters[0]
	for b.Loop() {
		e.cache.discard(a.digest)
		if err := a.build(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMemory reports a runner's anonymous memory, fresh and after work.
func BenchmarkMemory(b *testing.B) {
	e := newEnv(b, grantAll(probeID), map[string][]byte{"probe": probe(b, probeManifest())})
	w := largeWindow("probe", 2000)
	input, ref := tree.Append(nil, w), e.Match(w.Window)
	for b.Loop() {
		e.must("probe", "x")
		fresh := anonymousMemory(e.runnerPID(probeID))
		for range 200 {
			if _, err := e.Translate(b.Context(), ref, input, nil); err != nil {
				b.Fatal(err)
			}
			if _, err := e.Invoke(b.Context(), ref, hostabi.Call{Action: "x", Observation: input}, nil); err != nil {
				b.Fatal(err)
			}
		}
		time.Sleep(5 * idleDelay) // the state after the pause is what is measured
		b.ReportMetric(float64(fresh)/(1<<20), "MB-fresh")
		b.ReportMetric(float64(anonymousMemory(e.runnerPID(probeID)))/(1<<20), "MB-worked")
	}
}

// contractInputs are observations of three sizes, all of which the hello adapter
// walks without showing their texts.
func contractInputs() map[string][]byte {
	texts := func(n int) []byte { return encode(entry("nodes", strings.Repeat("x", n))) }
	return map[string][]byte{"1KB": texts(1 << 10), "100KB": texts(100 << 10), "2000nodes": encode(largeWindow("hello", 2000))}
}

// BenchmarkContracts compares oriel/1 with extism/1 by the same adapter: the
// engine's call alone, and a translate through the pipe.
func BenchmarkContracts(b *testing.B) {
	for _, size := range []string{"1KB", "100KB", "2000nodes"} {
		input := contractInputs()[size]
		for _, folder := range []string{"native", "extism"} {
			m := helloManifest(contracts[folder])
			wasm := guestOf(b, "hello/"+folder, m)
			b.Run(size+"/engine/"+folder, func(b *testing.B) { benchEngine(b, m.ABI, wasm, input) })
			b.Run(size+"/pipe/"+folder, func(b *testing.B) {
				e := newEnv(b, grantAll(m.ID), map[string][]byte{"hello": wasm})
				ref := e.Match(window("hello", "").Window)
				b.SetBytes(int64(len(input)))
				for b.Loop() {
					if _, err := e.Translate(b.Context(), ref, input, nil); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// benchEngine calls the adapter within this process.
func benchEngine(b *testing.B, abi string, wasm, input []byte) {
	dir, err := testCache()
	if err != nil {
		b.Fatal(err)
	}
	dir = filepath.Join(dir, "bench-"+digest(wasm))
	if err := os.MkdirAll(filepath.Join(dir, codeDir), 0o700); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, moduleFile), wasm, 0o600); err != nil {
		b.Fatal(err)
	}
	g, err := newGuest(b.Context(), dir, load{Digest: digest(wasm), ABI: abi, MemoryPages: 1024, View: 256 << 10, Request: maxRequest}, nil)
	if err != nil {
		b.Fatal(err)
	}
	in := g.slots[slotTranslate]
	ctx := context.WithValue(b.Context(), instanceKey{}, in)
	if err := in.start(ctx); err != nil {
		b.Fatal(err)
	}
	defer in.drop(ctx)
	if out, err := in.body.run(ctx, input, 256<<10); err != nil || !strings.Contains(string(out), `"title":"nodes"`) {
		b.Fatalf("%s, %v", out, err)
	}
	b.SetBytes(int64(len(input)))
	for b.Loop() {
		if _, err := in.body.run(ctx, input, 256<<10); err != nil {
			b.Fatal(err)
		}
	}
}
