package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"
)

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
	a.active--
	a.restLaterLocked()
}

// restLaterLocked starts the idle clock if there is a runner without work.
func (a *adapter) restLaterLocked() {
	if a.active > 0 || a.p == nil || a.retired {
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
	a.cancel()
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
		a.restLaterLocked() // who asked may have given up
	}
	a.mu.Unlock()
	close(st.done)
}

// start starts a runner, compiling the module first if its code is not in the
// cache. Code that turns out to be of no use is compiled anew, once.
func (a *adapter) start(ctx context.Context) (*process, Confined, error) {
	fresh := false
	if valid := a.s.cache.valid(a.digest); !valid && a.trial {
		return a.startInterpreted(ctx)
	} else if !valid {
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
		Digest: a.digest, ABI: a.man.ABI, MemoryPages: uint32(a.limits.Memory >> 16), View: a.limits.View, Request: maxRequest,
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
	p, err := spawn(s.threads, slices.Concat(s.cfg.Runner, []string{stage, dir}), s.background)
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
		if _, ended := errors.AsType[*endedError](err); ended && slices.Contains([]int{0, exitFault}, p.exitCode()) {
			err = &hostError{err}
		}
		return nil, r.Confined, err
	}
	return p, r.Confined, nil
}

// prepare marks an adapter whose code is not in the cache, and is waited for, as
// compiling.
func (a *adapter) prepare() bool {
	if a.trial || a.s.cache.sealed(a.digest) {
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
	dir, err := a.place()
	if dir != "" {
		defer os.RemoveAll(dir) // trimmed later
	}
	if err != nil {
		return err
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

// place puts the module into a private directory of the cache.
func (a *adapter) place() (dir string, err error) {
	wasm, err := readFile(a.file, a.s.limits.Module)
	if err != nil {
		return "", &hostError{fmt.Errorf("reading its file again: %w", err)}
	}
	if digest(wasm) != a.digest {
		return "", &hostError{fmt.Errorf("%s was changed since it was loaded; have it reloaded", a.file)}
	}
	if dir, err = a.s.cache.begin(a.digest, wasm); err != nil {
		err = &hostError{err}
	}
	return dir, err
}
