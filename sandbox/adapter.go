package sandbox

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/hostabi/check"
)

// patience is how many failures in a row of one function set an adapter aside.
const patience = 3

// adapter is one loaded version of an adapter and its runner, if it has one.
type adapter struct {
	// Fixed at creation.
	s       *Sandbox
	file    string
	digest  string
	size    int64
	man     *hostabi.Manifest
	invokes bool                                 // it exports oriel_invoke
	trial   bool                                 // it is under development, see Config.Trial
	asked   map[hostabi.Capability]check.Scope   // by the manifest
	granted map[hostabi.Capability][]check.Scope // by the administrator: any of them is enough
	matches []match
	limits  Limits
	ref     Ref
	// turns hold one token each; who puts it there has that instance of the
	// runner for itself.
	turns [slots]chan struct{}
	// ctx ends with retire; what is prepared for later calls belongs to it.
	ctx    context.Context
	cancel context.CancelFunc

	lines allowance // of log lines

	mu       sync.Mutex // guards all below
	p        *process   // the runner, nil if there is none
	starting *starting  // a start under way, nil if there is none
	active   int        // calls under way
	idle     *time.Timer
	fails    [slots]int // failures in a row
	state    State
	message  string
	confined *Confined
	retired  bool // no runner starts any more
}

// starting is a start that several calls may wait for.
type starting struct {
	done chan struct{} // closed when p and err are set
	p    *process
	err  error
}

// newAdapter makes an adapter of what check found in its module.
func newAdapter(s *Sandbox, file string, info *check.Info) (*adapter, error) {
	m := info.Manifest
	a := &adapter{
		s: s, file: file, digest: info.Digest, size: int64(info.Size), man: m,
		trial: s.cfg.Trial != "" && filepath.Dir(file) == filepath.Clean(s.cfg.Trial), invokes: info.Invokes(), state: StateReady,
		asked: map[hostabi.Capability]check.Scope{}, granted: map[hostabi.Capability][]check.Scope{}, limits: s.limits.tighten(m.Limits),
		ref: Ref{ID: m.ID, Name: m.Name, Version: m.Version, Digest: info.Digest, Pixels: slices.Contains(m.Needs, check.NeedsPixels)},
	}
	a.ctx, a.cancel = context.WithCancel(s.ctx)
	for i := range a.turns {
		a.turns[i] = make(chan struct{}, 1)
	}
	var err error
	for _, p := range m.Permissions {
		if a.asked[p.Capability], err = check.ParseScope(p.Capability, p.Scope); err != nil {
			return a, err
		}
		if a.trial {
			a.granted[p.Capability] = []check.Scope{a.asked[p.Capability]}
		}
	}
	for _, g := range s.cfg.Grants {
		if !g.Names(m.ID, a.digest) {
			continue
		}
		for _, c := range g.Capabilities {
			scope, err := check.ParseScope(c, g.Scopes[c])
			if err != nil {
				return a, err
			}
			a.granted[c] = append(a.granted[c], scope)
		}
	}
	for _, m := range m.Match {
		ready, err := newMatch(m)
		if err != nil {
			return a, err
		}
		a.matches = append(a.matches, ready)
	}
	return a, nil
}

// info describes the adapter.
func (a *adapter) info() Info {
	info := Info{
		ID: a.man.ID, Name: a.man.Name, Version: a.man.Version, Description: a.man.Description, Digest: a.digest, File: a.file,
		Asked: a.man.Permissions, Matches: a.man.Match,
	}
	var missing []hostabi.Capability
	for _, p := range a.man.Permissions {
		if a.granted[p.Capability] != nil {
			info.Granted = append(info.Granted, p.Capability)
		} else {
			missing = append(missing, p.Capability)
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	info.State, info.Message, info.Confined = a.state, a.message, a.confined
	if a.state == StateReady && a.p != nil && a.p.alive() {
		info.State = StateRunning
	}
	if info.Message == "" && len(missing) > 0 {
		info.Message = grantHint(a.man.ID, missing...)
	}
	return info
}

func (a *adapter) setMessage(m string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.message = m
}

// recovered forgets what was wrong with a changed file that is as before again.
func (a *adapter) recovered() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.state == StateReady {
		a.message = ""
	}
}

// absent says, for the reader of a window, why the adapter does not serve the
// windows that it claims; "" if it does.
func (a *adapter) absent() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.state == StateCompiling && a.p == nil: // one that runs already need not be waited for
		return fmt.Sprintf("the adapter %q (%s %s) is being compiled; its view follows", a.man.Name, a.man.ID, a.man.Version)
	case a.state == StateAside:
		return fmt.Sprintf("the adapter %q (%s %s) is set aside because it keeps failing; replace its file, or restart oriel to try it again; the last failure: %s",
			a.man.Name, a.man.ID, a.man.Version, a.message)
	}
	return ""
}

// translate makes a view. A call that was lost to the end of the runner, and not
// by its own fault, is made once more: translate has no effects.
func (a *adapter) translate(ctx context.Context, observation []byte, sv Services) (*hostabi.View, error) {
	x := a.exchange(slotTranslate, observation, observation, sv)
	x.limit = a.limits.Translate
	out, err := a.traced(ctx, x, 2, Trace{Observation: observation})
	if err != nil {
		return nil, err
	}
	view, err := hostabi.ParseView(out)
	if err != nil {
		if o, e := hostabi.ParseOutcome(out); e == nil && o.Fault != nil {
			a.worked(slotTranslate)
			return nil, fmt.Errorf("the adapter %s cannot show this window: %w", a.man.ID, o.Fault)
		}
	} else {
		err = check.View(view)
	}
	if err != nil {
		return nil, a.failed(x, err)
	}
	a.worked(slotTranslate)
	return view, nil
}

// invoke carries out an action, never twice. Whether the result fits the
// action's schema is for the caller to check, who has the schema.
func (a *adapter) invoke(ctx context.Context, call hostabi.Call, sv Services) (*hostabi.Outcome, error) {
	if !a.invokes {
		return &hostabi.Outcome{Fault: &hostabi.Fault{Code: hostabi.CodeUnavailable, Message: fmt.Sprintf("the adapter %s has no actions", a.man.ID)}}, nil
	}
	x := a.exchange(slotInvoke, hostabi.AppendCall(nil, &call), call.Observation, sv)
	x.limit = a.limits.Invoke
	out, err := a.traced(ctx, x, 1, Trace{Observation: call.Observation, Action: call.Action, Args: call.Args})
	if err != nil {
		return nil, err
	}
	outcome, err := hostabi.ParseOutcome(out)
	if err != nil {
		return nil, a.failed(x, err)
	}
	a.worked(slotInvoke)
	return outcome, nil
}

// runnerMemory is what a runner may need beside its instances' memories: its own
// heap, the compiled code, two of the engine's largest call stacks.
const runnerMemory = 256 << 20

var functions = [slots]string{"translate", "invoke"}

// exchange prepares a call with its input on the window that an observation is of.
func (a *adapter) exchange(slot int, input, observation []byte, sv Services) exchange {
	l := &lease{a: a, slot: slot, observation: observation, services: sv, told: map[uint16]bool{}}
	return exchange{
		slot: slot, kind: kindCall, input: input, total: a.limits.Total,
		memory: slots*a.limits.Memory + runnerMemory, calls: a.limits.HostCalls, host: l.call, background: a.s.background,
	}
}

// do takes the turn of an instance and makes a call, at most tries times.
func (a *adapter) do(ctx context.Context, x exchange, tries int) ([]byte, error) {
	select {
	case a.turns[x.slot] <- struct{}{}:
		defer func() { <-a.turns[x.slot] }()
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		return nil, a.judge(ctx, x, ctx.Err())
	}
	a.enter()
	defer a.leave()
	limit := x.limit
	for {
		if why := a.refused(); why != nil {
			return nil, why
		}
		p, err := a.runner(ctx)
		if err != nil {
			return nil, a.judge(ctx, x, err)
		}
		if x.limit = limit; p.interpreted {
			x.limit *= interpretedPatience
		}
		out, err := p.call(ctx, x)
		if err == nil {
			return out, nil
		}
		tries--
		if _, ended := errors.AsType[*endedError](err); !ended || tries == 0 || ctx.Err() != nil || a.s.ctx.Err() != nil {
			return nil, a.judge(ctx, x, err)
		}
	}
}

// refused says why no call may be made now, or nil.
func (a *adapter) refused() error {
	a.mu.Lock()
	retired, aside := a.retired, a.state == StateAside
	a.mu.Unlock()
	switch {
	case retired:
		return &hostabi.Fault{Code: hostabi.CodeUnavailable, Message: fmt.Sprintf("the adapter %s was replaced meanwhile; look at the window again", a.man.ID)}
	case aside:
		return &hostabi.Fault{Code: hostabi.CodeUnavailable, Message: a.absent()}
	}
	return nil
}

// judge turns the error of a call into what the caller gets, and counts it if it
// is the adapter's fault.
func (a *adapter) judge(ctx context.Context, x exchange, err error) error {
	switch {
	case ctx.Err() != nil && a.absent() != "":
		return &hostabi.Fault{Code: hostabi.CodeTimeout, Message: a.absent()}
	case ctx.Err() != nil:
		return fmt.Errorf("waiting for the adapter %s: %w", a.man.ID, context.Cause(ctx))
	case a.s.ctx.Err() != nil:
		return errClosed
	}
	if h, ok := errors.AsType[*hostError](err); ok {
		return &hostabi.Fault{Code: hostabi.CodeInternal, Message: fmt.Sprintf("the adapter %s could not be started: %v", a.man.ID, h)}
	}
	return a.failed(x, err)
}

// hostError is a fault of the machine or the installation, not of an adapter.
type hostError struct{ err error }

func (e *hostError) Error() string { return e.err.Error() }
func (e *hostError) Unwrap() error { return e.err }

// describe makes a failure of an error in a function of the adapter.
func (a *adapter) describe(function string, err error) *Failure {
	f, ok := errors.AsType[*Failure](err)
	if !ok {
		f = &Failure{Adapter: a.man.ID, Version: a.man.Version, Function: function, Message: err.Error()}
	}
	if _, ok := errors.AsType[*limitError](err); ok {
		f.Limit = true
	}
	if t, ok := errors.AsType[*trapError](err); ok {
		f.Frames, f.Stderr = harmless(t.Frames), harmless(t.Stderr)
		if t.Stage == "start" {
			f.Function = "start"
		}
	}
	return f
}

// failed counts a failure and describes it.
func (a *adapter) failed(x exchange, err error) error {
	f := a.describe(functions[x.slot], err)
	if e, ok := errors.AsType[*endedError](err); ok && e.outside {
		return f
	}
	if a.s.cfg.Failed != nil {
		a.s.cfg.Failed(f)
	}
	a.mu.Lock()
	a.fails[x.slot]++
	a.message = f.Error()
	// Compiling again would take as long and end the same.
	aside := (a.fails[x.slot] >= patience || f.Function == "compile") && a.state != StateAside
	if aside {
		a.state = StateAside
	}
	p := a.p
	a.mu.Unlock()
	if aside {
		a.s.cfg.Log.Warn("an adapter is set aside", "adapter", a.man.ID, "version", a.man.Version, "last", f.Message)
		if p != nil {
			p.kill(errors.New("the adapter was set aside"))
		}
		a.s.notify()
	}
	return f
}

// worked ends a row of failures.
func (a *adapter) worked(slot int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.fails[slot] > 0 && a.state != StateAside {
		a.fails[slot], a.message = 0, ""
	}
}
