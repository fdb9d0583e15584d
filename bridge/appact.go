package bridge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"oriel.dev/oriel/audit"
	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/guard"
	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/hostabi/check"
)

// admitApp makes the checks of an application's own action, and finds the window
// whose adapter carries it out: the oldest that takes input and offers it, by a
// fresh look.
func (b *Bridge) admitApp(ctx context.Context, r Request) (*act, *Action, error) {
	if err := b.relist(ctx); err != nil {
		return nil, nil, &Error{Code: ActionTimeout, Reason: "desktop_lost", Message: err.Error() + ". Nothing was done."}
	}
	windows, err := b.windowsOf(r.App)
	if err != nil {
		return nil, nil, err
	}
	refusal := &Error{Code: ActionNotAvailable, Message: fmt.Sprintf("The application %s has no action %q.", r.App, r.Action)}
	for _, w := range windows {
		if !offers(w, r.Action) {
			continue
		}
		a, err := b.freshAct(ctx, w.ID)
		if err != nil {
			refusal = keep(refusal, err)
			continue
		}
		i := slices.IndexFunc(a.before.AppActions, func(x Action) bool { return x.Name == r.Action })
		switch {
		case !a.before.Operable:
			refusal = b.blocked(a.before)
			continue
		case i < 0:
			continue
		case a.before.AppActions[i].Unavailable != "":
			refusal.Message = fmt.Sprintf("%s is not available now: %s", r.Action, a.before.AppActions[i].Unavailable)
			continue
		}
		action := &a.before.AppActions[i]
		if faults := check.Args(action.Input, r.Args); len(faults) > 0 {
			return a, nil, validation(faults)
		}
		return a, action, nil
	}
	return nil, nil, refusal
}

func offers(w *Window, action string) bool {
	return slices.ContainsFunc(w.AppActions, func(x Action) bool { return x.Name == action })
}

// keep returns err if it is one of ours, else before.
func keep(before *Error, err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return before
}

// windowsOf returns the windows of an application, oldest first, unless it does
// not run or a dialog blocks all of it.
func (b *Bridge) windowsOf(handle string) ([]*Window, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var own []*Window
	for _, w := range b.windowsLocked() {
		if w.App != handle {
			continue
		}
		if w.Modal && w.OwnerID == "" {
			return nil, &Error{Code: BlockedByModal, Message: fmt.Sprintf("The application %s is blocked by %s (%q). Answer that one first.", handle, w.ID, w.Title)}
		}
		own = append(own, w)
	}
	if own == nil {
		return nil, &Error{Code: WindowNotFound, Message: fmt.Sprintf("No application %s runs (any more). Read again which ones do.", handle)}
	}
	return own, nil
}

// launchTime is how long a started application may take to show a window, and
// againTime how long one that runs already, which may do no more than raise its own.
const (
	launchTime = 15 * time.Second
	againTime  = 5 * time.Second
)

// Launch has start begin a program, as an act like any other, and then waits for a
// window of it that was not there before. The wait has no effect of its own, so
// that others act meanwhile. The name says what is started.
func (b *Bridge) Launch(ctx context.Context, client, name string, start func(context.Context) error) (*Result, error) {
	rec := &audit.Record{Client: client, Tool: "desktop_launch", App: name}
	var before present
	limit := launchTime
	err := b.cfg.Guard.Do(ctx, rec, func(ctx context.Context, _ *guard.Hands) error {
		if err := b.relist(ctx); err != nil {
			return &Error{Code: ActionTimeout, Reason: "desktop_lost", Message: err.Error() + ". Nothing was started."}
		}
		before = b.present(name)
		if b.Snapshot().App(name) != nil {
			limit = againTime
		}
		if err := start(ctx); err != nil {
			return &Error{Code: ActionNotAvailable, Reason: "not_started", Message: plain(err.Error()) + ". Nothing was started."}
		}
		rec.Message = "Started " + name + "."
		return nil
	})
	if err != nil {
		return nil, err
	}
	res := &Result{App: name, Effect: hostabi.Confirmed, Message: "Started " + name + "."}
	if res.OpenedWindowIDs = b.awaitNew(ctx, before, limit); len(res.OpenedWindowIDs) == 0 {
		res.Effect = hostabi.Unconfirmed
		res.Message = fmt.Sprintf("%s was started but has shown no new window within %v. Read app://windows again.", name, limit)
	}
	return res, nil
}

// present is what was there before a program was started.
type present struct {
	windows map[desktop.WindowID]bool
	// acts are how many acts each application had seen, without the one that is
	// started: what opens in one that sees another act meanwhile is of that act.
	acts map[desktop.AppID]int
}

func (b *Bridge) present(name string) present {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := present{map[desktop.WindowID]bool{}, map[desktop.AppID]int{}}
	for id, e := range b.entries {
		out.windows[id] = true
		if e.app.handle != HandleOf(name) {
			out.acts[e.app.id] = e.app.acts
		}
	}
	return out
}

// awaitNew waits for a window that was not there before, and until it can be read.
// Something was started by now, so that it does not end with the caller, but with
// the bridge.
func (b *Bridge) awaitNew(ctx context.Context, before present, limit time.Duration) []string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	for ctx.Err() == nil {
		if err := b.relist(ctx); err != nil {
			return nil
		}
		if opened := b.readOpened(ctx, b.newWindows(before)); len(opened) > 0 {
			return opened
		}
		b.pause(ctx, apart)
	}
	return nil
}

// newWindows returns the windows that opened since, but for those that another act
// may have opened.
func (b *Bridge) newWindows(before present) []desktop.WindowID {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(b.order), func(id desktop.WindowID) bool {
		a := b.entries[id].app
		acts, ran := before.acts[a.id]
		return before.windows[id] || ran && a.acts != acts
	})
}
