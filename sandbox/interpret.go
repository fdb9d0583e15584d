package sandbox

import (
	"context"
	"errors"
	"os"
	"time"
)

const (
	// interpretedPatience is how many times as long an interpreted guest may take
	// as a compiled one.
	interpretedPatience = 20
	// promoteDelay is how long an interpreted version must have lasted to be
	// compiled: while its author writes, the next one comes first.
	promoteDelay = time.Second
)

// startInterpreted starts a runner without compiled code, and has it replaced by
// one with it later.
func (a *adapter) startInterpreted(ctx context.Context) (*process, Confined, error) {
	dir, err := a.place()
	if dir != "" {
		defer os.RemoveAll(dir) // trimmed later
	}
	if err != nil {
		return nil, Confined{}, err
	}
	l := a.load()
	l.Interpret = true
	p, c, err := a.s.run(ctx, stageServe, dir, l, exchange{
		limit: a.limits.Start * interpretedPatience, memory: slots*a.limits.Memory + runnerMemory,
	})
	if err != nil {
		return nil, c, a.faultIn(ctx, "start", err)
	}
	p.interpreted = true
	a.s.background(func() { a.promote(p) })
	return p, c, nil
}

// promote compiles the module and puts a runner with its code in the place of
// one that interprets it. If that does not work the interpreted one goes on.
func (a *adapter) promote(p *process) {
	delay := time.NewTimer(promoteDelay)
	defer delay.Stop()
	select {
	case <-delay.C:
	case <-a.ctx.Done():
		return
	}
	err := a.build(a.ctx)
	var q *process
	var c Confined
	if err == nil {
		q, c, err = a.launch(a.ctx)
	}
	if err != nil {
		if a.ctx.Err() == nil {
			a.s.cfg.Log.Warn("an adapter stays interpreted", "adapter", a.man.ID, "err", err)
		}
		return
	}
	for i := range a.turns { // no call is under way now
		select {
		case a.turns[i] <- struct{}{}:
			defer func() { <-a.turns[i] }()
		case <-a.ctx.Done():
			q.end(errClosed)
			return
		}
	}
	a.mu.Lock()
	replaced := a.p == p && !a.retired
	if replaced {
		a.p, a.confined = q, &c
	}
	a.mu.Unlock()
	if !replaced {
		q.end(errClosed)
		return
	}
	p.end(errors.New("its compiled code has taken over"))
}
