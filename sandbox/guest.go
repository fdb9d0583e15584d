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
	"github.com/tetratelabs/wazero/experimental"

	"oriel.dev/oriel/hostabi"
)

// The files in an adapter's directory of the cache.
const (
	moduleFile = "module.wasm"
	codeDir    = "code"
)

// guest is the adapter within a runner: its compiled code and its instances.
type guest struct {
	program program
	host    *frameWriter
	load    load
	slots   [slots]*instance
	heap    uint64 // the runner's own after the last collection; serve's alone
}

// program is an adapter's compiled code, under one version of the contract.
type program interface {
	// start makes an instance for the slot. The context has an [instanceKey].
	start(ctx context.Context, slot int, cfg wazero.ModuleConfig) (body, error)
}

// body is a started instance of a program.
type body interface {
	// run passes the input to the guest and returns its output, which is valid
	// until the body is used again.
	run(ctx context.Context, input []byte, most int) ([]byte, error)
	close(ctx context.Context)
}

// instance is one of the two places where the adapter runs. All but replies is
// used by its own goroutine alone.
type instance struct {
	g       *guest
	slot    int
	replies chan []byte // from the reader of frames; holds the one that the guest waits for
	stderr  tail

	body body   // nil until needed, and after a trap
	call uint32 // the call being served, 0 for none
}

// errCode says that the compiled code is missing or of no use; the host builds
// it anew.
var errCode = errors.New("the module's code")

// errStart says that a call failed before the adapter's function was reached.
var errStart = errors.New("starting the adapter")

// newGuest compiles the module in dir, or loads its code from the cache there, or
// makes it ready to be interpreted.
func newGuest(ctx context.Context, dir string, l load, host *frameWriter) (*guest, error) {
	wasm, err := readModule(filepath.Join(dir, moduleFile), l.Digest)
	if err != nil {
		return nil, err
	}
	cfg := wazero.NewRuntimeConfigInterpreter()
	if !l.Interpret {
		cache, err := wazero.NewCompilationCacheWithDir(filepath.Join(dir, codeDir))
		if err != nil {
			return nil, fmt.Errorf("%w: opening it: %w", errCode, err)
		}
		cfg = wazero.NewRuntimeConfigCompiler().WithCompilationCache(cache)
	}
	cfg = cfg.WithDebugInfoEnabled(false).WithMemoryLimitPages(l.MemoryPages)
	g := &guest{host: host, load: l}
	for i := range g.slots {
		g.slots[i] = &instance{g: g, slot: i, replies: make(chan []byte, 1)}
	}
	compile := newNative
	if l.ABI == hostabi.ABIExtism {
		compile = newExtism
	}
	if g.program, err = compile(ctx, wasm, cfg); err != nil {
		return nil, fmt.Errorf("%w: %w", errCode, err)
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
	in.body, err = in.g.program.start(experimental.WithMemoryAllocator(ctx, guestMemory), in.slot, cfg)
	return err
}

// entries are the exports that serve the two slots.
var entries = [slots]string{"oriel_translate", "oriel_invoke"}

// drop ends the instance and gives its memory back.
func (in *instance) drop(ctx context.Context) {
	if in.body != nil {
		in.body.close(ctx)
	}
	in.body = nil
}

// serve carries out one call and answers it. The answer's bytes are the guest's
// own memory, so they are sent before anything else happens to it. It reports
// whether the instance was dropped.
func (in *instance) serve(f frame) (dropped bool, err error) {
	ctx := context.WithValue(context.Background(), instanceKey{}, in)
	in.stderr.reset()
	stage := "call"
	out, err := func() ([]byte, error) {
		if in.body == nil {
			if err := in.start(ctx); err != nil {
				stage = "start"
				return nil, err
			}
		}
		in.call = f.call
		defer func() { in.call = 0 }()
		return in.body.run(ctx, f.payload, in.g.load.View)
	}()
	if err == nil {
		return false, in.g.host.write(kindResult, f.call, out)
	}
	if errors.Is(err, errStart) {
		stage = "start"
	}
	t := in.trap(stage, err)
	in.drop(ctx)
	b, err := json.Marshal(t)
	if err != nil {
		return true, err
	}
	return true, in.g.host.write(kindTrap, f.call, b)
}

// outputFault says what is wrong with an output's length, or nil.
func outputFault(slot, n, most int) error {
	switch {
	case n == 0:
		return fmt.Errorf("%s returned nothing", entries[slot])
	case n > most:
		return fmt.Errorf("%s returned %d bytes; the limit is %d", entries[slot], n, most)
	}
	return nil
}

// hostCall passes a request to the host and waits for the reply.
func (in *instance) hostCall(fn uint16, req []byte) []byte {
	switch {
	case in.call == 0:
		return refuse(hostabi.CodeUnavailable, "host functions can be called only from translate and invoke, not while the adapter starts")
	case len(req) > in.g.load.Request:
		return refuse(hostabi.CodeInvalid, fmt.Sprintf("the request has %d bytes, %d are allowed; ask for less at a time", len(req), in.g.load.Request))
	}
	var head [2]byte
	binary.LittleEndian.PutUint16(head[:], fn)
	if err := in.g.host.write(kindHostCall, in.call, head[:], req); err != nil {
		panic(fmt.Errorf("asking the host: %w", err))
	}
	return <-in.replies
}

// refuse replies to a host call without asking the host.
func refuse(code hostabi.Code, message string) []byte {
	return appendRefusal(nil, &hostabi.Fault{Code: code, Message: message})
}
