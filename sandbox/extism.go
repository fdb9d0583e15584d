package sandbox

import (
	"context"
	"errors"
	"fmt"
	"strings"

	extism "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero"

	"oriel.dev/oriel/hostabi"
)

// extismProgram is a module of [hostabi.ABIExtism]. Extism gives it no host, no
// path, no variable and no configuration; what it may do it does by the host
// functions of the contract.
type extismProgram struct{ compiled *extism.CompiledPlugin }

// newExtism compiles a module and links what it may import.
func newExtism(ctx context.Context, wasm []byte, cfg wazero.RuntimeConfig) (program, error) {
	// Extism drops what guests log unless the process has a level. At info it
	// says nothing of its own.
	extism.SetLogLevel(extism.LogLevelInfo)
	functions := make([]extism.HostFunction, len(hostabi.Functions))
	for i, f := range hostabi.Functions {
		functions[i] = extism.NewHostFunctionWithStack(f.Name, extismCall(uint16(i)), []extism.ValueType{extism.ValueTypePTR}, []extism.ValueType{extism.ValueTypePTR})
		functions[i].SetNamespace(string(f.Capability))
	}
	compiled, err := extism.NewCompiledPlugin(ctx, extism.Manifest{
		Wasm:   []extism.Wasm{extism.WasmData{Data: wasm, Name: "main"}},
		Memory: &extism.ManifestMemory{}, // no variables, no answers from the network
	}, extism.PluginConfig{RuntimeConfig: cfg, EnableWasi: true}, functions)
	if err != nil {
		return nil, err
	}
	return &extismProgram{compiled}, nil
}

// extismCall makes a host function: the block at the offset it is called with is
// the request, that at the offset it returns is the reply.
func extismCall(fn uint16) extism.HostFunctionStackCallback {
	return func(ctx context.Context, p *extism.CurrentPlugin, stack []uint64) {
		in := instanceOf(ctx)
		n, err := p.LengthWithContext(ctx, stack[0])
		switch {
		case err != nil:
			panic(fmt.Errorf("reading a request: %w", err))
		case n == 0:
			panic(fmt.Errorf("the request at offset %d is no block of Extism's memory", stack[0]))
		case n > uint64(in.g.load.Request):
			n = uint64(in.g.load.Request) + 1 // enough to be refused
		}
		req, ok := p.Memory().Read(uint32(stack[0]), uint32(n))
		if !ok {
			panic(fmt.Errorf("a request of %d bytes at offset %d is not in Extism's memory", n, stack[0]))
		}
		if stack[0], err = p.WriteBytes(in.hostCall(fn, req)); err != nil {
			panic(fmt.Errorf("writing a reply: %w", err))
		}
	}
}

// extismBody is an instance of the module with a memory of Extism's beside its
// own.
type extismBody struct {
	slot    int
	plugin  *extism.Plugin
	started bool // Extism initialises the guest at its first call
}

func (p *extismProgram) start(ctx context.Context, slot int, cfg wazero.ModuleConfig) (body, error) {
	plugin, err := p.compiled.Instance(ctx, extism.PluginInstanceConfig{ModuleConfig: cfg})
	if err != nil {
		return nil, err
	}
	in := instanceOf(ctx)
	plugin.SetLogger(func(level extism.LogLevel, text string) { in.logLine(level, text) })
	return &extismBody{slot: slot, plugin: plugin}, nil
}

func (b *extismBody) close(ctx context.Context) {
	b.plugin.CloseWithContext(ctx) // the memory is free in any case
}

// run copies the input and the output.
func (b *extismBody) run(ctx context.Context, input []byte, most int) ([]byte, error) {
	code, out, err := b.plugin.CallWithContext(ctx, entries[b.slot], input)
	switch {
	case err != nil && !b.started && strings.HasPrefix(err.Error(), "failed to initialize runtime: "):
		return nil, fmt.Errorf("%w: %w", errStart, err)
	case err != nil && err.Error() == "module is closed":
		return nil, errors.New("the adapter ended itself in the call before")
	case err != nil:
		return nil, err
	case code != 0:
		return nil, fmt.Errorf("%s returned %d; it returns 0 and puts a fault into its output", entries[b.slot], code)
	}
	b.started = true
	return out, outputFault(b.slot, len(out), most)
}

// logFunction is the number of oriel:log write.
var logFunction = func() uint16 {
	for i, f := range hostabi.Functions {
		if f.Capability == hostabi.CapLog {
			return uint16(i)
		}
	}
	return uint16(len(hostabi.Functions)) // refused as unknown
}()

// logLine has the host write what the guest logs by Extism's own functions.
func (in *instance) logLine(level extism.LogLevel, text string) {
	name := "info"
	switch level {
	case extism.LogLevelWarn:
		name = "warn"
	case extism.LogLevelError:
		name = "error"
	}
	in.hostCall(logFunction, hostabi.Append(nil, &hostabi.LogRequest{Level: name, Text: text[:min(len(text), maxLine)]})) // a refusal is the host's to note
}
