//go:build wz

package main

import (
	"context"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"oriel.dev/oriel/hostabi"
)

func cpu() time.Duration { var r syscall.Rusage; syscall.Getrusage(0, &r); return time.Duration(r.Utime.Nano()+r.Stime.Nano()) }

func TestWasm(t *testing.T) {
	ctx := context.Background()
	rt := wazero.NewRuntime(ctx)
	wasi_snapshot_preview1.MustInstantiate(ctx, rt)
	mods := map[string]wazero.HostModuleBuilder{}
	add := func(m, f string, p int) {
		b, ok := mods[m]
		if !ok { b = rt.NewHostModuleBuilder(m); mods[m] = b }
		types := []api.ValueType{api.ValueTypeI32, api.ValueTypeI32}
		res := []api.ValueType{api.ValueTypeI32}
		if p == 0 { res = nil }
		mods[m] = b.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(context.Context, api.Module, []uint64) {}), types, res).Export(f)
	}
	wasm, _ := os.ReadFile(os.Getenv("WASM"))
	cm, err := rt.CompileModule(ctx, wasm)
	if err != nil { t.Fatal(err) }
	for _, f := range cm.ImportedFunctions() {
		m, n, _ := f.Import()
		if m == "wasi_snapshot_preview1" { continue }
		add(m, n, len(f.ResultTypes()))
	}
	for _, b := range mods { if _, err := b.Instantiate(ctx); err != nil { t.Fatal(err) } }
	mod, err := rt.InstantiateModule(ctx, cm, wazero.NewModuleConfig().WithStartFunctions("_initialize").WithStderr(os.Stderr))
	if err != nil { t.Fatal(err) }
	obs := manyNodes()
	call := func() []byte {
		r, err := mod.ExportedFunction("oriel_alloc").Call(ctx, uint64(len(obs)))
		if err != nil { t.Fatal(err) }
		mod.Memory().Write(uint32(r[0]), obs)
		r, err = mod.ExportedFunction("oriel_translate").Call(ctx, r[0], uint64(len(obs)))
		if err != nil { t.Fatal(err) }
		b, _ := mod.Memory().Read(uint32(r[0]>>32), uint32(r[0]))
		return b
	}
	v, err := hostabi.ParseView(call())
	if err != nil { t.Fatal(err) }
	t.Log(v.Summary)
	for range 10 { call() }
	const n = 200
	c, w := cpu(), time.Now()
	best := time.Hour
	for range n { s := time.Now(); call(); best = min(best, time.Since(s)) }
	t.Logf("cpu %v wall %v best %v mem %d KB", (cpu()-c)/n, time.Since(w)/n, best, mod.Memory().Size()>>10)
}
