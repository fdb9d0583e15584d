package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
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
	man     *hostabi.Manifest
	invokes bool // it exports oriel_invoke
	granted map[hostabi.Capability]bool
	room    int64 // bytes that oriel:kv may hold
	matches []match
	limits  Limits
	ref     Ref
	// turns hold one token each; who puts it there has that instance of the
	// runner for itself.
	turns [slots]chan struct{}

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
		s: s, file: file, digest: info.Digest, man: m, invokes: info.Invokes(), state: StateReady,
		granted: map[hostabi.Capability]bool{}, limits: s.limits.tighten(m.Limits),
		ref: Ref{ID: m.ID, Name: m.Name, Version: m.Version, Digest: info.Digest, Pixels: slices.Contains(m.Needs, check.NeedsPixels)},
	}
	for i := range a.turns {
		a.turns[i] = make(chan struct{}, 1)
	}
	for _, g := range s.cfg.Grants {
		if (g.Digest == "" && g.ID == "") || (g.Digest != "" && g.Digest != a.digest) || (g.ID != "" && g.ID != m.ID) {
			continue
		}
		for _, c := range g.Capabilities {
			a.granted[c] = true
		}
	}
	for _, p := range m.Permissions {
		if p.Capability == hostabi.CapKV {
			scope, err := check.ParseScope(p.Capability, p.Scope)
			if err != nil {
				return a, err
			}
			a.room = scope.Bytes
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
		if a.granted[p.Capability] {
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
	switch a.state {
	case StateCompiling:
		return fmt.Sprintf("the adapter %q (%s %s) is being compiled; its view follows", a.man.Name, a.man.ID, a.man.Version)
	case StateAside:
		return fmt.Sprintf("the adapter %q (%s %s) is set aside because it keeps failing; replace its file, or restart oriel to try it again; the last failure: %s",
			a.man.Name, a.man.ID, a.man.Version, a.message)
	}
	return ""
}

// translate makes a view. A call that was lost to the end of the runner, and not
// by its own fault, is made once more: translate has no effects.
func (a *adapter) translate(ctx context.Context, observation []byte, sv Services) (*hostabi.View, error) {
	x := a.exchange(slotTranslate, observation, sv)
	x.limit = a.limits.Translate
	out, err := a.do(ctx, x, 2)
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
	x := a.exchange(slotInvoke, hostabi.AppendCall(nil, &call), sv)
	x.limit = a.limits.Invoke
	out, err := a.do(ctx, x, 1)
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

func (a *adapter) exchange(slot int, input []byte, sv Services) exchange {
	l := &lease{a: a, slot: slot, services: sv, told: map[uint16]bool{}}
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
		return nil, ctx.Err()
	}
	a.enter()
	defer a.leave()
	for {
		if why := a.refused(); why != nil {
			return nil, why
		}
		p, err := a.runner(ctx)
		if err != nil {
			return nil, a.judge(ctx, x, err)
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
	if t, ok := errors.AsType[*trapError](err); ok {
		f.Frames, f.Stderr = t.Frames, t.Stderr
		if t.Stage == "start" {
			f.Function = "start"
		}
	}
	return f
}

// failed counts a failure and describes it.
func (a *adapter) failed(x exchange, err error) error {
	f := a.describe(functions[x.slot], err)
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

// enter and leave count the calls under way; the idle clock runs between them.
func (a *adapter) enter() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.active++
	if a.idle != nil {
		a.idle.Stop()
	}
}

func (a *adapter) leave() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.active--; a.active > 0 || a.p == nil {
		return
	}
	if a.idle == nil {
		a.idle = time.AfterFunc(a.limits.Idle, a.rest)
	} else {
		a.idle.Reset(a.limits.Idle)
	}
}

// rest ends a runner that has had no work for long.
func (a *adapter) rest() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.active == 0 && a.p != nil {
		a.p.kill(errors.New("it had nothing to do"))
		a.p = nil
	}
}

// retire ends the runner for good: at once if it has no work, else after it.
func (a *adapter) retire() {
	a.mu.Lock()
	a.retired = true
	if a.idle != nil {
		a.idle.Stop()
	}
	p := a.p
	a.mu.Unlock()
	if p == nil {
		return
	}
	for i := range a.turns {
		select {
		case a.turns[i] <- struct{}{}:
			defer func() { <-a.turns[i] }()
		case <-a.s.ctx.Done(): // all calls end
		}
	}
	p.end(errors.New("the adapter was replaced or the host closes"))
}

// probe starts a runner and reports whether that works.
func (a *adapter) probe(ctx context.Context) error {
	a.enter()
	defer a.leave()
	_, err := a.runner(ctx)
	return err
}

// runner returns the adapter's runner, starting one if there is none.
func (a *adapter) runner(ctx context.Context) (*process, error) {
	a.mu.Lock()
	if a.p != nil && a.p.alive() {
		defer a.mu.Unlock()
		return a.p, nil
	}
	st := a.starting
	if st == nil {
		st = &starting{done: make(chan struct{})}
		a.starting = st
		a.s.background(func() { a.startup(st) })
	}
	a.mu.Unlock()
	select {
	case <-st.done:
		return st.p, st.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// startup carries out a start for all who wait for it. It does not end with the
// call that asked first.
func (a *adapter) startup(st *starting) {
	p, c, err := a.start(a.s.ctx)
	a.mu.Lock()
	a.starting = nil
	if err == nil && a.retired {
		a.mu.Unlock()
		err = errClosed
		p.end(err)
		a.mu.Lock()
	}
	if st.err = err; err == nil {
		st.p, a.p, a.confined = p, p, &c
	}
	a.mu.Unlock()
	close(st.done)
}

// start starts a runner, compiling the module first if its code is not in the
// cache. Code that turns out to be of no use is compiled anew, once.
func (a *adapter) start(ctx context.Context) (*process, Confined, error) {
	fresh := false
	if !a.s.cache.valid(a.digest) {
		if err := a.build(ctx); err != nil {
			return nil, Confined{}, err
		}
		fresh = true
	}
	p, c, err := a.launch(ctx)
	t, trapped := errors.AsType[*trapError](err)
	if trapped && t.Stage == "code" && !fresh {
		a.s.cache.discard(a.digest)
		if err := a.build(ctx); err != nil {
			return nil, c, err
		}
		p, c, err = a.launch(ctx)
	}
	if err != nil {
		return nil, c, a.faultIn(ctx, "start", err)
	}
	a.s.cache.touch(a.digest)
	return p, c, nil
}

// faultIn describes an error of a stage, unless it is not the adapter's fault.
func (a *adapter) faultIn(ctx context.Context, stage string, err error) error {
	if _, ok := errors.AsType[*hostError](err); ok || ctx.Err() != nil {
		return err
	}
	return a.describe(stage, err)
}

// launch starts a serving runner from the cache.
func (a *adapter) launch(ctx context.Context) (*process, Confined, error) {
	return a.s.run(ctx, stageServe, a.s.cache.entry(a.digest), a.load(), exchange{
		limit: a.limits.Start, memory: slots*a.limits.Memory + runnerMemory,
	})
}

func (a *adapter) load() load {
	return load{
		Digest: a.digest, MemoryPages: uint32(a.limits.Memory >> 16), View: a.limits.View, Request: maxRequest,
		HeapMB: int(a.limits.CompileMemory >> 21),
	}
}

// run starts a runner of a stage and waits until it is ready.
func (s *Sandbox) run(ctx context.Context, stage, dir string, l load, x exchange) (*process, Confined, error) {
	b, err := json.Marshal(l)
	if err != nil {
		return nil, Confined{}, err
	}
	x.kind, x.input, x.total = kindLoad, b, x.limit
	began := time.Now()
	p, err := spawn(s.threads, slices.Concat(s.cfg.Runner, []string{stage, dir}))
	if err != nil {
		return nil, Confined{}, &hostError{err}
	}
	x.spent = time.Since(began)
	out, err := p.call(ctx, x)
	var r ready
	if err == nil {
		err = json.Unmarshal(out, &r)
	}
	if err != nil {
		p.end(err)
		if _, ended := errors.AsType[*endedError](err); ended && slices.Contains([]int{0, exitFault}, p.cmd.ProcessState.ExitCode()) {
			err = &hostError{err}
		}
		return nil, r.Confined, err
	}
	return p, r.Confined, nil
}

// prepare marks an adapter whose code is not in the cache as compiling.
func (a *adapter) prepare() bool {
	if a.s.cache.valid(a.digest) {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.state != StateReady {
		return false
	}
	a.state = StateCompiling
	return true
}

// finish ends what prepare began.
func (a *adapter) finish(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.state = StateReady
	if err != nil {
		a.message = err.Error()
	}
	if _, bad := errors.AsType[*Failure](err); bad {
		a.state = StateAside
	}
}

// build compiles the module in a one-shot process and publishes the code.
func (a *adapter) build(ctx context.Context) error {
	select {
	case a.s.compile <- struct{}{}:
		defer func() { <-a.s.compile }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if a.s.cache.valid(a.digest) { // by who had the turn before
		return nil
	}
	wasm, err := readFile(a.file, a.s.limits.Module)
	if err != nil {
		return &hostError{fmt.Errorf("reading its file again: %w", err)}
	}
	if digest(wasm) != a.digest {
		return &hostError{fmt.Errorf("%s was changed since it was loaded; have it reloaded", a.file)}
	}
	dir, err := a.s.cache.begin(a.digest, wasm)
	if dir != "" {
		defer os.RemoveAll(dir) //nolint:errcheck // trimmed later
	}
	if err != nil {
		return &hostError{err}
	}
	p, _, err := a.s.run(ctx, stageCompile, dir, a.load(), exchange{
		limit: a.limits.Compile, memory: a.limits.CompileMemory,
	})
	if err != nil {
		return a.faultIn(ctx, "compile", err)
	}
	limit := time.NewTimer(a.limits.Start)
	defer limit.Stop()
	select { // it ends by itself now
	case <-p.done:
	case <-limit.C:
		p.end(errors.New("it did not end after compiling"))
	}
	if err := a.s.cache.publish(a.digest, dir); err != nil {
		return &hostError{err}
	}
	return nil
}
