package host

import (
	"context"

	"oriel.dev/oriel/bridge"
	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/mcp"
	"oriel.dev/oriel/sandbox"
	"oriel.dev/oriel/tree"
)

// adapters shows the sandbox to the bridge. The two describe an adapter by types
// of their own, so that neither knows the other.
type adapters struct{ *sandbox.Sandbox }

func (a adapters) Match(w tree.Window) bridge.Adapter { return bridge.Adapter(a.Sandbox.Match(w)) }

func (a adapters) Translate(ctx context.Context, ref bridge.Adapter, observation []byte, s bridge.Services) (*hostabi.View, error) {
	return a.Sandbox.Translate(ctx, sandbox.Ref(ref), observation, s)
}

func (a adapters) Invoke(ctx context.Context, ref bridge.Adapter, call hostabi.Call, s bridge.Services) (*hostabi.Outcome, error) {
	return a.Sandbox.Invoke(ctx, sandbox.Ref(ref), call, s)
}

// Interface guards: the one place where both sides are seen.
var (
	_ bridge.Adapters = adapters{}
	_ mcp.Bridge      = (*live)(nil)
)
