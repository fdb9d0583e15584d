package bridge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"oriel.dev/oriel/audit"
	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/guard"
	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/hostabi/check"
)

// Act carries out one action of a window, one act at a time for all clients. It
// checks against a fresh look at the window, in this order: the window exists,
// is operable, has the action available, has the expected version, the arguments
// are valid. It returns when the effect is in the published state. The error is
// an *Error if the act was refused, in which case nothing was done, or the
// context's if the client gave up before its turn.
func (b *Bridge) Act(ctx context.Context, r Request) (*Result, error) {
	secrets := b.secrets(r)
	rec := &audit.Record{Client: r.Client, Tool: r.Action, Window: r.Window, Args: audit.MaskJSON(r.Args, secrets)}
	var res *Result
	err := b.cfg.Guard.Do(ctx, rec, func(ctx context.Context, h *guard.Hands) error {
		var err error
		res, err = b.perform(ctx, r, rec, h)
		res, err = mask(res, secrets), maskError(err, secrets)
		if res != nil {
			rec.Message = res.Message
		}
		return err
	})
	switch {
	case res != nil && errors.Is(err, guard.ErrUnrecorded):
		b.cfg.Log.Error("an act is in the audit log without its outcome", "err", err)
		res.Message = joinSentences(res.Message, "Its outcome could not be recorded: "+plain(err.Error())+".")
	case err != nil && errors.Is(err, guard.ErrUnrecorded):
		return nil, unrecorded(err)
	case err != nil:
		return nil, err
	}
	return res, nil
}

// unrecorded keeps a refusal that could not be recorded, which is harmless, and
// makes one of anything else.
func unrecorded(err error) error {
	var refused *Error
	if errors.As(err, &refused) {
		return refused
	}
	return &Error{Code: ActionNotAvailable, Reason: "unrecorded", Message: plain(err.Error()) + ". Nothing was done."}
}

// act is one act under way.
type act struct {
	b          *Bridge
	id         desktop.WindowID
	app        *app
	before     *Window
	view       view               // that the act was checked against
	generation desktop.Generation // of that view
	windows    map[desktop.WindowID]bool
	expected   *int64 // Request.ExpectedVersion
	hands      *guard.Hands
}

func (b *Bridge) perform(ctx context.Context, r Request, rec *audit.Record, h *guard.Hands) (*Result, error) {
	admit := b.admit
	if r.App != "" {
		admit, rec.App = b.admitApp, r.App
	}
	a, action, err := admit(ctx, r)
	if ctx.Err() != nil {
		return nil, ctx.Err() // nothing was done, and nobody waits to hear why
	}
	if a != nil {
		rec.Window, rec.App, rec.Adapter = a.before.ID, a.app.handle, a.view.adapter.ID
	}
	if err != nil {
		b.publishNow()
		return nil, err
	}
	a.hands, a.expected = h, r.ExpectedVersion
	args := string(r.Args)
	if args == "" {
		args = "{}"
	}
	lease := newLease(a)
	out, err := b.cfg.Adapters.Invoke(ctx, a.view.adapter, hostabi.Call{Action: action.Name, Args: args, Observation: a.view.encoded}, lease)
	acted := lease.end()
	if err == nil {
		err = check.Outcome(out, action.Action)
	}
	if err == nil && out.Fault != nil {
		err = out.Fault
	}
	if stale := lease.stale.Load(); stale != nil && !acted {
		return nil, stale
	}
	if ctx.Err() != nil && !acted {
		return nil, ctx.Err()
	}
	if err != nil && !acted {
		return nil, refusal(err)
	}
	res := b.conclude(ctx, a, action, out, err)
	if res.App = r.App; r.App != "" {
		res.Version, res.Changed = 0, nil
	}
	return res, nil
}

// admit takes a fresh look and makes the checks.
func (b *Bridge) admit(ctx context.Context, r Request) (*act, *Action, error) {
	a, err := b.freshAct(ctx, r.Window)
	if err != nil {
		return nil, nil, err
	}
	w := a.before
	if !w.Operable {
		return a, nil, b.blocked(w)
	}
	i := slices.IndexFunc(w.Actions, func(x Action) bool { return x.Name == r.Action })
	if i < 0 {
		return a, nil, &Error{Code: ActionNotAvailable, Message: fmt.Sprintf("Window %s (%q) has no action %q. It has: %s.", w.ID, w.Title, r.Action, actionNames(w))}
	}
	action := &w.Actions[i]
	if action.Unavailable != "" {
		return a, nil, &Error{Code: ActionNotAvailable, Message: fmt.Sprintf("%s is not available now: %s", r.Action, action.Unavailable)}
	}
	if r.ExpectedVersion != nil && *r.ExpectedVersion != w.Version && !action.ReadOnly {
		return a, nil, staleState(w, *r.ExpectedVersion)
	}
	if faults := check.Args(action.Input, r.Args); len(faults) > 0 {
		return a, nil, validation(faults)
	}
	return a, action, nil
}

// freshAct finds the window and takes a fresh look at it and at the list of
// windows.
func (b *Bridge) freshAct(ctx context.Context, id string) (*act, error) {
	if err := b.relist(ctx); err != nil {
		return nil, &Error{Code: ActionTimeout, Reason: "desktop_lost", Message: err.Error() + ". Nothing was done."}
	}
	wid, ok := b.find(id)
	if !ok {
		return nil, &Error{Code: WindowNotFound, Message: fmt.Sprintf("There is no window %s (any more). Read app://windows for the windows that are open.", id)}
	}
	err := b.fresh(ctx, wid)
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.entries[wid]
	if e == nil || errors.Is(err, desktop.ErrGone) {
		return nil, &Error{Code: WindowNotFound, Message: fmt.Sprintf("Window %s has just closed. Read app://windows for the windows that are open.", id)}
	}
	e.app.acts++
	a := &act{b: b, id: wid, app: e.app, view: e.seen, generation: e.seenGen, windows: map[desktop.WindowID]bool{}}
	a.before = b.windowLocked(e, b.judgeLocked()[wid])
	for w := range b.entries {
		a.windows[w] = true
	}
	if a.before.Operable && (err != nil || e.trouble.err != nil) {
		return a, b.notReadable(a.before, errors.Join(err, e.trouble.err))
	}
	return a, nil
}

// notReadable says why nothing can be done to a window that could not be looked
// at.
func (b *Bridge) notReadable(w *Window, err error) *Error {
	var adapter *adapterError
	if errors.As(err, &adapter) {
		return &Error{Code: ActionNotAvailable, Reason: "adapter_failed", Message: fmt.Sprintf("Window %s cannot be operated: %v. Nothing was done.", w.ID, err)}
	}
	return &Error{Code: ActionTimeout, Reason: "app_not_answering", Message: fmt.Sprintf("The application of window %s (%q) is not answering. Nothing was done. Try again when it does.", w.ID, w.Title)}
}

func staleState(w *Window, expected int64) *Error {
	return &Error{
		Code: StaleState, CurrentVersion: w.Version,
		Message: fmt.Sprintf("Window %s has changed: it is at version %d, not %d. Read app://windows again and decide anew.", w.ID, w.Version, expected),
	}
}

func (b *Bridge) blocked(w *Window) *Error {
	s := b.Snapshot()
	msg := fmt.Sprintf("Window %s (%q) is blocked by a dialog.", w.ID, w.Title)
	if by := s.Window(w.BlockedBy); by != nil {
		msg = fmt.Sprintf("Window %s (%q) is blocked by %s (%q). Answer that one first.", w.ID, w.Title, by.ID, by.Title)
	}
	return &Error{Code: BlockedByModal, Message: msg}
}

func (b *Bridge) find(id string) (desktop.WindowID, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for wid, e := range b.entries {
		if e.id == id {
			return wid, true
		}
	}
	return 0, false
}

func actionNames(w *Window) string {
	var names []string
	for _, a := range w.Actions {
		if a.Unavailable == "" {
			names = append(names, a.Name)
		}
	}
	if names == nil {
		return "none at present"
	}
	return strings.Join(names, ", ")
}

// fresh returns when the entry's view is of a look that began after this call,
// or is as good as that: nothing has touched the window since the look.
func (b *Bridge) fresh(ctx context.Context, id desktop.WindowID) error {
	ctx, cancel := context.WithTimeout(ctx, b.cfg.Look)
	defer cancel()
	gen, err := b.cfg.Desktop.Watch.Barrier(ctx, id)
	if err != nil {
		return err
	}
	b.mu.Lock()
	e := b.entries[id]
	if e == nil {
		b.mu.Unlock()
		return desktop.ErrGone
	}
	if e.seenGen >= gen && e.looks > 0 && e.trouble.err == nil {
		b.mu.Unlock()
		return nil
	}
	looks := e.looks
	e.touch(0)
	for {
		wait := b.waitLocked()
		b.mu.Unlock()
		select {
		case <-ctx.Done():
			return fmt.Errorf("looking at the window: %w", desktop.ErrNotAnswering)
		case <-wait:
		}
		b.mu.Lock()
		switch {
		case b.entries[id] != e:
			b.mu.Unlock()
			return desktop.ErrGone
		case e.looks > looks && e.trouble.err != nil:
			defer b.mu.Unlock()
			return e.trouble.err
		case e.looks > looks && e.seenGen >= gen:
			b.mu.Unlock()
			return nil
		case e.looks > looks: // that look had begun before the barrier
			looks = e.looks
			e.touch(0)
		}
	}
}

// refusal maps an adapter's fault, or the failure of the adapter itself, to the
// protocol's codes. Nothing has been done.
func refusal(err error) *Error {
	var f *hostabi.Fault
	if !errors.As(err, &f) {
		return &Error{Code: ActionNotAvailable, Reason: "adapter_failed", Message: plain(err.Error()) + ". Nothing was done."}
	}
	msg := plain(f.Message)
	switch f.Code {
	case hostabi.CodeInvalid:
		e := validation(f.Fields)
		if msg != "" {
			e.Message = msg
		}
		return e
	case hostabi.CodeTimeout:
		return &Error{Code: ActionTimeout, Reason: "app_not_answering", Message: msg}
	case hostabi.CodeInternal:
		return &Error{Code: ActionNotAvailable, Reason: "adapter_failed", Message: msg}
	case hostabi.CodeUnavailable:
		return &Error{Code: ActionNotAvailable, Message: msg}
	}
	return &Error{Code: ActionNotAvailable, Reason: string(f.Code), Message: msg}
}

func validation(faults []hostabi.FieldFault) *Error {
	e := &Error{Code: ValidationFailed, Fields: []FieldError{}}
	var parts []string
	for _, f := range faults {
		e.Fields = append(e.Fields, FieldError{f.Field, plain(f.Error)})
		parts = append(parts, f.Field+": "+plain(f.Error))
	}
	e.Message = "The arguments are not valid: " + strings.Join(parts, "; ") + "."
	return e
}

// actTime bounds what an act does besides the adapter's own time.
const actTime = 5 * time.Second
