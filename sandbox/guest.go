package sandbox

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"oriel.dev/oriel/hostabi"
)

// The files in an adapter's directory of the cache.
const (
	moduleFile = "module.wasm"
	codeDir    = "code"
)

// guest is the adapter within a runner: its compiled code and its instances.
type guest struct {
	rt    wazero.Runtime
	code  wazero.CompiledModule
	host  *frameWriter
	load  load
	slots [slots]*instance
	heap  uint64 // the runner's own after the last collection; serve's alone
}

// instance is one of the two places where the adapter runs. All but replies is
// used by its own goroutine alone.
type instance struct {
	g       *guest
	slot    int
	replies chan []byte // from the reader of frames; holds the one that the guest waits for
	stderr  tail

	mod   api.Module // nil until needed, and after a trap
	alloc api.Function
	entry api.Function
	call  uint32 // the call being served, 0 for none
	reply []byte // of the last host function, until the guest takes it
}

// errCode says that the compiled code is missing or of no use; the host builds
// it anew.
var errCode = errors.New("the module's code")

// newGuest compiles the module in dir, or loads its code from the cache there.
func newGuest(ctx context.Context, dir string, l load, host *frameWriter) (*guest, error) {
	wasm, err := readModule(filepath.Join(dir, moduleFile), l.Digest)
	if err != nil {
		return nil, err
	}
	cache, err := wazero.NewCompilationCacheWithDir(filepath.Join(dir, codeDir))
	if err != nil {
		return nil, fmt.Errorf("%w: opening it: %w", errCode, err)
	}
	g := &guest{host: host, load: l}
	cfg := wazero.NewRuntimeConfigCompiler().WithCompilationCache(cache).WithDebugInfoEnabled(false).
		WithMemoryLimitPages(l.MemoryPages)
	g.rt = wazero.NewRuntimeWithConfig(ctx, cfg)
	if g.code, err = g.rt.CompileModule(ctx, wasm); err != nil {
		return nil, fmt.Errorf("%w: %w", errCode, err)
	}
	for i := range g.slots {
		g.slots[i] = &instance{g: g, slot: i, replies: make(chan []byte, 1)}
	}
	return g, nil
}

// readModule reads the module and makes sure that it is the one meant.
func readModule(path, want string) ([]byte, error) {
	wasm, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%w: reading the module: %w", errCode, err)
	}
	if got := digest(wasm); got != want {
		return nil, fmt.Errorf("%w: the module's digest is %s instead of %s", errCode, got, want)
	}
	return wasm, nil
}

// link gives the guest WASI without any file, and every function of the
// contract. Whether a function may be used is decided by the host, call by call.
func (g *guest) link(ctx context.Context) error {
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, g.rt); err != nil {
		return fmt.Errorf("linking WASI: %w", err)
	}
	i32 := api.ValueTypeI32
	modules := map[string]wazero.HostModuleBuilder{}
	for i, f := range hostabi.Functions {
		name := string(f.Capability)
		if modules[name] == nil {
			modules[name] = g.rt.NewHostModuleBuilder(name)
		}
		fn := api.GoModuleFunc(func(ctx context.Context, mod api.Module, stack []uint64) {
			stack[0] = api.EncodeU32(instanceOf(ctx).hostCall(mod, uint16(i), api.DecodeU32(stack[0]), api.DecodeU32(stack[1])))
		})
		modules[name].NewFunctionBuilder().WithGoModuleFunction(fn, []api.ValueType{i32, i32}, []api.ValueType{i32}).Export(f.Name)
	}
	take := api.GoModuleFunc(func(ctx context.Context, mod api.Module, stack []uint64) {
		instanceOf(ctx).take(mod, api.DecodeU32(stack[0]), api.DecodeU32(stack[1]))
	})
	modules[hostabi.HostModule] = g.rt.NewHostModuleBuilder(hostabi.HostModule)
	modules[hostabi.HostModule].NewFunctionBuilder().WithGoModuleFunction(take, []api.ValueType{i32, i32}, nil).Export("take")
	for name, b := range modules {
		if _, err := b.Instantiate(ctx); err != nil {
			return fmt.Errorf("linking %s: %w", name, err)
		}
	}
	return nil
}

type instanceKey struct{}

// instanceOf returns the instance that a host function was called from.
func instanceOf(ctx context.Context) *instance { return ctx.Value(instanceKey{}).(*instance) }

// start makes the instance. Translate gets a frozen clock and no randomness, so
// that the same observation gives the same view.
func (in *instance) start(ctx context.Context) (err error) {
	defer func() { // a memory that cannot be had is a panic in the engine
		if p := recover(); p != nil {
			err = fmt.Errorf("starting the adapter: %v", p)
		}
	}()
	cfg := wazero.NewModuleConfig().WithName("").WithStderr(&in.stderr).WithStartFunctions("_initialize")
	if in.slot == slotInvoke {
		cfg = cfg.WithSysWalltime().WithSysNanotime().WithSysNanosleep().WithRandSource(rand.Reader)
	}
	mod, err := in.g.rt.InstantiateModule(experimental.WithMemoryAllocator(ctx, guestMemory), in.g.code, cfg)
	if err != nil {
		return err
	}
	in.mod, in.alloc, in.entry = mod, mod.ExportedFunction("oriel_alloc"), mod.ExportedFunction(entries[in.slot])
	if in.alloc == nil || in.entry == nil || mod.Memory() == nil {
		in.drop(ctx)
		return fmt.Errorf("the module does not export memory, oriel_alloc and %s", entries[in.slot])
	}
	return nil
}

// entries are the exports that serve the two slots.
var entries = [slots]string{"oriel_translate", "oriel_invoke"}

// drop ends the instance and gives its memory back.
func (in *instance) drop(ctx context.Context) {
	if in.mod != nil {
		in.mod.Close(ctx) // the memory is free in any case
	}
	in.mod, in.alloc, in.entry, in.reply = nil, nil, nil, nil
}

// serve carries out one call and answers it. The answer's bytes are the guest's
// own memory, so they are sent before anything else happens to it. It reports
// whether the instance was dropped.
func (in *instance) serve(f frame) (dropped bool, err error) {
	ctx := context.WithValue(context.Background(), instanceKey{}, in)
	in.stderr.reset()
	stage := "call"
	out, err := func() ([]byte, error) {
		if in.mod == nil {
			if err := in.start(ctx); err != nil {
				stage = "start"
				return nil, err
			}
		}
		in.call, in.reply = f.call, nil
		defer func() { in.call = 0 }()
		return in.run(ctx, f.payload)
	}()
	if err == nil {
		return false, in.g.host.write(kindResult, f.call, out)
	}
	t := in.trap(stage, err)
	in.drop(ctx)
	b, err := json.Marshal(t)
	if err != nil {
		return true, err
	}
	return true, in.g.host.write(kindTrap, f.call, b)
}

// run passes the input to the guest and returns its output in place.
func (in *instance) run(ctx context.Context, input []byte) ([]byte, error) {
	res, err := in.alloc.Call(ctx, uint64(len(input)))
	if err != nil {
		return nil, err
	}
	mem := in.mod.Memory()
	ptr := api.DecodeU32(res[0])
	if !mem.Write(ptr, input) {
		return nil, fmt.Errorf("oriel_alloc(%d) returned %d, which is not in the adapter's memory", len(input), ptr)
	}
	if res, err = in.entry.Call(ctx, uint64(ptr), uint64(len(input))); err != nil {
		return nil, err
	}
	at, n := uint32(res[0]>>32), uint32(res[0])
	switch out, ok := mem.Read(at, n); {
	case n == 0:
		return nil, fmt.Errorf("%s returned nothing", entries[in.slot])
	case int64(n) > int64(in.g.load.View):
		return nil, fmt.Errorf("%s returned %d bytes; the limit is %d", entries[in.slot], n, in.g.load.View)
	case !ok:
		return nil, fmt.Errorf("%s returned %d bytes at %d, which are not in the adapter's memory", entries[in.slot], n, at)
	default:
		return out, nil
	}
}

// hostCall passes a request to the host and waits for the reply. It returns the
// reply's length.
func (in *instance) hostCall(mod api.Module, fn uint16, ptr, n uint32) uint32 {
	req, ok := mod.Memory().Read(ptr, n)
	switch {
	case !ok:
		panic(fmt.Errorf("a request of %d bytes at %d is not in the adapter's memory", n, ptr))
	case in.call == 0:
		in.refuse(hostabi.CodeUnavailable, "host functions can be called only from translate and invoke, not while the adapter starts")
	case int64(n) > int64(in.g.load.Request):
		in.refuse(hostabi.CodeInvalid, fmt.Sprintf("the request has %d bytes, %d are allowed; ask for less at a time", n, in.g.load.Request))
	default:
		var head [2]byte
		binary.LittleEndian.PutUint16(head[:], fn)
		if err := in.g.host.write(kindHostCall, in.call, head[:], req); err != nil {
			panic(fmt.Errorf("asking the host: %w", err))
		}
		in.reply = <-in.replies
	}
	return uint32(len(in.reply))
}

// refuse replies to a host call without asking the host.
func (in *instance) refuse(code hostabi.Code, message string) {
	in.reply = appendRefusal(nil, &hostabi.Fault{Code: code, Message: message})
}

// take copies the last reply to the guest.
func (in *instance) take(mod api.Module, ptr, room uint32) {
	if int64(len(in.reply)) < int64(room) {
		room = uint32(len(in.reply))
	}
	if !mod.Memory().Write(ptr, in.reply[:room]) {
		panic(fmt.Errorf("a reply of %d bytes taken to %d does not fit the adapter's memory", room, ptr))
	}
	in.reply = nil
}
