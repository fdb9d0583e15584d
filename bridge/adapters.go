package bridge

import (
	"context"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/tree"
)

// Adapters is what the bridge asks of the sandbox.
type Adapters interface {
	// Match names the adapter for a window. There is always one.
	Match(w tree.Window) Adapter
	// Translate has an adapter make a view of an encoded observation. It is
	// pure: the same bytes give the same view. The error is a *hostabi.Fault if
	// the adapter or a limit is the cause.
	Translate(ctx context.Context, a Adapter, observation []byte, s Services) (*hostabi.View, error)
	// Invoke has an adapter carry out one action. Only while it runs may the
	// adapter use s. The error is for faults of the adapter itself; a refusal
	// is in the Outcome.
	Invoke(ctx context.Context, a Adapter, call hostabi.Call, s Services) (*hostabi.Outcome, error)
	// Changed is sent to (never closed) when the answer of Match may differ from before.
	Changed() <-chan struct{}
}

// Adapter names one loaded version of an adapter.
type Adapter struct {
	ID, Name, Version string
	Digest            string // of the module; part of the key of every cached view
	Pixels            bool   // translate reads the frame
	// Notice is for the window's reader when it is not served by the adapter
	// that claims it, and says why; else "".
	Notice string
}

// Services carries out the host functions that an adapter calls. The sandbox
// has already checked that the capability is granted; the bridge confines the
// deed to the window of the lease.
type Services interface {
	Call(ctx context.Context, f hostabi.Function, request []byte) ([]byte, *hostabi.Fault)
}
