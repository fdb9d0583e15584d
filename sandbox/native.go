package sandbox

import (
	"context"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"oriel.dev/oriel/hostabi"
)

// nativeProgram is a module of [hostabi.ABI], on the bare engine.
type nativeProgram struct {
	rt   wazero.Runtime
	code wazero.CompiledModule
}

// newNative compiles a module and links what it may import.
func newNative(ctx context.Context, wasm []byte, cfg wazero.RuntimeConfig) (program, error) {
	rt := wazero.NewRuntimeWithConfig(ctx, cfg)
	code, err := rt.CompileModule(ctx, wasm)
	if err != nil {
		return nil, err
	}
	return &nativeProgram{rt, code}, linkNative(ctx, rt)
}

// linkNative gives the guest WASI without any file, and every function of the
// contract. Whether a function may be used is decided by the host, call by call.
func linkNative(ctx context.Context, rt wazero.Runtime) error {
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, rt); err != nil {
		return fmt.Errorf("linking WASI: %w", err)
	}
	i32 := api.ValueTypeI32
	modules := map[string]wazero.HostModuleBuilder{}
	for i, f := range hostabi.Functions {
		name := string(f.Capability)
		if modules[name] == nil {
			modules[name] = rt.NewHostModuleBuilder(name)
		}
		fn := api.GoModuleFunc(func(ctx context.Context, mod api.Module, stack []uint64) {
			stack[0] = api.EncodeU32(bodyOf(ctx).hostCall(ctx, mod, uint16(i), api.DecodeU32(stack[0]), api.DecodeU32(stack[1])))
		})
		modules[name].NewFunctionBuilder().WithGoModuleFunction(fn, []api.ValueType{i32, i32}, []api.ValueType{i32}).Export(f.Name)
	}
	take := api.GoModuleFunc(func(ctx context.Context, mod api.Module, stack []uint64) {
		bodyOf(ctx).take(mod, api.DecodeU32(stack[0]), api.DecodeU32(stack[1]))
	})
	modules[hostabi.HostModule] = rt.NewHostModuleBuilder(hostabi.HostModule)
	modules[hostabi.HostModule].NewFunctionBuilder().WithGoModuleFunction(take, []api.ValueType{i32, i32}, nil).Export("take")
	for name, b := range modules {
		if _, err := b.Instantiate(ctx); err != nil {
			return fmt.Errorf("linking %s: %w", name, err)
		}
	}
	return nil
}

type bodyKey struct{}

// bodyOf returns the body that a host function was called from.
func bodyOf(ctx context.Context) *nativeBody { return ctx.Value(bodyKey{}).(*nativeBody) }

// nativeBody is an instance whose memory the runner reads and writes in place.
type nativeBody struct {
	slot  int
	mod   api.Module
	alloc api.Function
	entry api.Function
	reply []byte // of the last host function, until the guest takes it
}

func (p *nativeProgram) start(ctx context.Context, slot int, cfg wazero.ModuleConfig) (body, error) {
	b := &nativeBody{slot: slot}
	mod, err := p.rt.InstantiateModule(context.WithValue(ctx, bodyKey{}, b), p.code, cfg)
	if err != nil {
		return nil, err
	}
	b.mod, b.alloc, b.entry = mod, mod.ExportedFunction("oriel_alloc"), mod.ExportedFunction(entries[slot])
	if b.alloc == nil || b.entry == nil || mod.Memory() == nil {
		b.close(ctx)
		return nil, fmt.Errorf("the module does not export memory, oriel_alloc and %s", entries[slot])
	}
	return b, nil
}

func (b *nativeBody) close(ctx context.Context) {
	b.mod.Close(ctx) // the memory is free in any case
}

// run returns the output in place.
func (b *nativeBody) run(ctx context.Context, input []byte, most int) ([]byte, error) {
	ctx, b.reply = context.WithValue(ctx, bodyKey{}, b), nil
	res, err := b.alloc.Call(ctx, uint64(len(input)))
	if err != nil {
		return nil, err
	}
	mem := b.mod.Memory()
	ptr := api.DecodeU32(res[0])
	if !mem.Write(ptr, input) {
		return nil, fmt.Errorf("oriel_alloc(%d) returned %d, which is not in the adapter's memory", len(input), ptr)
	}
	if res, err = b.entry.Call(ctx, uint64(ptr), uint64(len(input))); err != nil {
		return nil, err
	}
	at, n := uint32(res[0]>>32), uint32(res[0])
	if err := outputFault(b.slot, int(n), most); err != nil {
		return nil, err
	}
	out, ok := mem.Read(at, n)
	if !ok {
		return nil, fmt.Errorf("%s returned %d bytes at %d, which are not in the adapter's memory", entries[b.slot], n, at)
	}
	return out, nil
}

// hostCall has the host carry out a function and returns the reply's length.
func (b *nativeBody) hostCall(ctx context.Context, mod api.Module, fn uint16, ptr, n uint32) uint32 {
	req, ok := mod.Memory().Read(ptr, n)
	if !ok {
		panic(fmt.Errorf("a request of %d bytes at %d is not in the adapter's memory", n, ptr))
	}
	b.reply = instanceOf(ctx).hostCall(fn, req)
	return uint32(len(b.reply))
}

// take copies the last reply to the guest.
func (b *nativeBody) take(mod api.Module, ptr, room uint32) {
	room = min(room, uint32(len(b.reply)))
	if !mod.Memory().Write(ptr, b.reply[:room]) {
		panic(fmt.Errorf("a reply of %d bytes taken to %d does not fit the adapter's memory", room, ptr))
	}
	b.reply = nil
}
