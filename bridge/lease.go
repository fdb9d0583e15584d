package bridge

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/guard"
	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/tree"
)

// Bounds of what one host function may be asked for, since the host does the work.
const (
	maxNotches = 200
	maxSought  = 1_000_000 // pixels of a picture to look for
)

// lease is what an adapter may do during one invoke: what it was granted, on the
// window of the act and its popups, until the act ends.
type lease struct {
	act    *act
	target desktop.Target
	stale  atomic.Pointer[Error] // the window changed between the check and the first deed
	over   atomic.Bool
	acted  atomic.Bool   // something that may have had an effect was sent
	seen   atomic.Uint64 // desktop.Generation of the newest observation given out
}

func newLease(a *act) *lease {
	l := &lease{act: a, target: desktop.Target{Window: a.id}}
	l.seen.Store(uint64(a.generation))
	return l
}

// end closes the lease and reports whether anything may have had an effect.
func (l *lease) end() (acted bool) {
	l.over.Store(true)
	return l.acted.Load()
}

// service carries out one host function.
type service func(l *lease, ctx context.Context, request []byte) ([]byte, error)

// services is the one table of host functions that the bridge carries out. The
// sandbox keeps oriel:kv and oriel:log to itself.
var services = map[hostabi.Capability]map[string]service{
	hostabi.CapTree: {
		"observe": (*lease).observe, "children": (*lease).children, "cells": (*lease).cells, "text": (*lease).text,
	},
	hostabi.CapA11y: {
		"action": (*lease).action, "set_text": (*lease).setText, "set_value": (*lease).setValue,
		"select": (*lease).selectChild, "select_text": (*lease).selectText, "focus": (*lease).focus, "scroll_to": (*lease).scrollTo,
	},
	hostabi.CapWindow: {"close": (*lease).closeWindow, "activate": (*lease).activate},
	hostabi.CapInput: {
		"move": (*lease).move, "click": (*lease).click, "drag": (*lease).drag, "scroll": (*lease).scroll,
		"keys": (*lease).keys, "text": (*lease).typeText,
	},
	hostabi.CapCapture:   {"window": (*lease).capture, "find": (*lease).find},
	hostabi.CapOCR:       {"text": (*lease).ocr},
	hostabi.CapClipboard: {"types": (*lease).clipTypes, "read": (*lease).clipRead, "write": (*lease).clipWrite},
	hostabi.CapWait:      {"change": (*lease).wait},
}

// Call implements Services.
func (l *lease) Call(ctx context.Context, f hostabi.Function, request []byte) ([]byte, *hostabi.Fault) {
	serve := services[f.Capability][f.Name]
	if serve == nil {
		return nil, &hostabi.Fault{Code: hostabi.CodeUnsupported, Capability: f.Capability, Message: fmt.Sprintf("%s %s is not offered by this host", f.Capability, f.Name)}
	}
	if l.over.Load() {
		return nil, &hostabi.Fault{Code: hostabi.CodeDenied, Capability: f.Capability, Message: "the action is over; nothing can be done in its name any more"}
	}
	if acts(f) && !l.acted.Load() {
		if f := l.unchanged(ctx); f != nil {
			return nil, f
		}
	}
	reply, err := serve(l, ctx, request)
	if err != nil {
		return nil, fault(f, err)
	}
	return reply, nil
}

// acts reports whether a function may have an effect.
func acts(f hostabi.Function) bool {
	switch f.Capability {
	case hostabi.CapA11y, hostabi.CapWindow, hostabi.CapInput:
		return true
	case hostabi.CapClipboard:
		return f.Name == "write"
	}
	return false
}

// unchanged makes sure, before the first deed of an act that expects a version,
// that the window is still at it: an adapter may have taken its time since the
// check, and the user wins.
func (l *lease) unchanged(ctx context.Context) *hostabi.Fault {
	if l.act.expected == nil {
		return nil
	}
	b := l.act.b
	err := b.fresh(ctx, l.act.id)
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.entries[l.act.id]
	switch {
	case e == nil:
		return &hostabi.Fault{Code: hostabi.CodeGone, Message: "the window has just closed"}
	case err != nil:
		return fault(hostabi.Function{Capability: hostabi.CapTree, Name: "observe"}, err)
	}
	if w := b.windowLocked(e, b.judgeLocked()[l.act.id]); w.Version != l.act.before.Version {
		l.stale.Store(staleState(w, l.act.before.Version))
		return &hostabi.Fault{Code: hostabi.CodeUnavailable, Message: "the window has changed since the action was checked; nothing was done"}
	}
	return nil
}

// fault maps what a desktop refused to the adapter's codes.
func fault(f hostabi.Function, err error) *hostabi.Fault {
	var own *hostabi.Fault
	if errors.As(err, &own) {
		return own
	}
	code := hostabi.CodeInternal
	for _, m := range []struct {
		err  error
		code hostabi.Code
	}{
		{desktop.ErrUnsupported, hostabi.CodeUnsupported},
		{desktop.ErrGone, hostabi.CodeGone},
		{desktop.ErrNotAnswering, hostabi.CodeTimeout},
		{context.DeadlineExceeded, hostabi.CodeTimeout},
		{desktop.ErrNoFocus, hostabi.CodeNoFocus},
		{desktop.ErrCovered, hostabi.CodeCovered},
		{desktop.ErrOutside, hostabi.CodeCovered},
		{desktop.ErrGrabbed, hostabi.CodeUnavailable},
		{desktop.ErrRefused, hostabi.CodeUnavailable},
		{guard.ErrDangerous, hostabi.CodeDenied},
		{desktop.ErrDisconnected, hostabi.CodeTimeout},
		{guard.ErrUnrecorded, hostabi.CodeUnavailable},
	} {
		if errors.Is(err, m.err) {
			code = m.code
			break
		}
	}
	out := &hostabi.Fault{Code: code, Message: fmt.Sprintf("%s %s: %v", f.Capability, f.Name, err)}
	if code == hostabi.CodeDenied {
		out.Capability = f.Capability
	}
	return out
}

// ask reads a request.
func ask(request []byte, m hostabi.Message) error {
	if len(request) == 0 {
		return nil
	}
	if err := hostabi.Read(request, m); err != nil {
		return &hostabi.Fault{Code: hostabi.CodeInvalid, Message: err.Error()}
	}
	return nil
}

func encodeTree(t *tree.Tree, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return tree.Append(nil, t), nil
}

func (l *lease) observe(ctx context.Context, request []byte) ([]byte, error) {
	if err := ask(request, &hostabi.Nothing{}); err != nil {
		return nil, err
	}
	b := l.act.b
	if err := b.fresh(ctx, l.act.id); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.entries[l.act.id]
	if e == nil {
		return nil, desktop.ErrGone
	}
	l.seen.Store(uint64(e.seenGen))
	return e.seen.encoded, nil
}

func (l *lease) children(ctx context.Context, request []byte) ([]byte, error) {
	var r hostabi.ChildrenRequest
	if err := ask(request, &r); err != nil {
		return nil, err
	}
	return encodeTree(l.tree().Children(ctx, l.act.id, r.ID, r.Offset, min(r.N, 1000)))
}

func (l *lease) cells(ctx context.Context, request []byte) ([]byte, error) {
	var r hostabi.CellsRequest
	if err := ask(request, &r); err != nil {
		return nil, err
	}
	if r.Rows < 0 || r.Columns < 0 || int64(r.Rows)*int64(r.Columns) > 10_000 {
		return nil, &hostabi.Fault{Code: hostabi.CodeInvalid, Message: "at most 10000 cells can be read at a time", Fields: []hostabi.FieldFault{{Field: "rows", Error: "too many"}}}
	}
	return encodeTree(l.tree().Cells(ctx, l.act.id, r.ID, r.Row, r.Column, r.Rows, r.Columns))
}

func (l *lease) text(ctx context.Context, request []byte) ([]byte, error) {
	var r hostabi.TextRequest
	if err := ask(request, &r); err != nil {
		return nil, err
	}
	s, err := l.tree().Text(ctx, l.act.id, r.ID, r.From, r.N)
	return []byte(s), err
}

func (l *lease) tree() desktop.Tree { return l.act.b.cfg.Desktop.Tree }

// deed does one act by accessibility. A deed that was refused had no effect.
func (l *lease) deed(ctx context.Context, id tree.NodeID, d desktop.Deed) ([]byte, error) {
	return l.sent(l.act.hands.Act(ctx, l.act.id, id, d))
}

// sent notes that something may have had an effect, unless it was refused whole.
func (l *lease) sent(err error) ([]byte, error) {
	if err == nil || errors.Is(err, desktop.ErrInterrupted) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		l.acted.Store(true)
	}
	return nil, err
}

func (l *lease) action(ctx context.Context, request []byte) ([]byte, error) {
	var r hostabi.ActionRequest
	if err := ask(request, &r); err != nil {
		return nil, err
	}
	return l.deed(ctx, r.ID, desktop.Deed{Kind: desktop.DoAction, Number: int64(r.Number)})
}

func (l *lease) setText(ctx context.Context, request []byte) ([]byte, error) {
	var r hostabi.SetTextRequest
	if err := ask(request, &r); err != nil {
		return nil, err
	}
	if r.Insert {
		return l.deed(ctx, r.ID, desktop.Deed{Kind: desktop.InsertText, Number: r.At, Text: r.Text})
	}
	return l.deed(ctx, r.ID, desktop.Deed{Kind: desktop.SetText, Text: r.Text})
}

func (l *lease) setValue(ctx context.Context, request []byte) ([]byte, error) {
	var r hostabi.SetValueRequest
	if err := ask(request, &r); err != nil {
		return nil, err
	}
	return l.deed(ctx, r.ID, desktop.Deed{Kind: desktop.SetValue, Float: r.Value})
}

func (l *lease) selectChild(ctx context.Context, request []byte) ([]byte, error) {
	var r hostabi.SelectRequest
	if err := ask(request, &r); err != nil {
		return nil, err
	}
	kind := desktop.Select
	if r.Deselect {
		kind = desktop.Deselect
	}
	return l.deed(ctx, r.ID, desktop.Deed{Kind: kind, Number: r.Child})
}

func (l *lease) selectText(ctx context.Context, request []byte) ([]byte, error) {
	var r hostabi.SelectTextRequest
	if err := ask(request, &r); err != nil {
		return nil, err
	}
	if r.Start == r.End {
		return l.deed(ctx, r.ID, desktop.Deed{Kind: desktop.SetCaret, Number: r.Start})
	}
	return l.deed(ctx, r.ID, desktop.Deed{Kind: desktop.SelectText, Number: r.Start, End: r.End})
}

func (l *lease) focus(ctx context.Context, request []byte) ([]byte, error) {
	return l.nodeDeed(ctx, request, desktop.Focus)
}

func (l *lease) scrollTo(ctx context.Context, request []byte) ([]byte, error) {
	return l.nodeDeed(ctx, request, desktop.ScrollTo)
}

func (l *lease) nodeDeed(ctx context.Context, request []byte, kind desktop.DeedKind) ([]byte, error) {
	var r hostabi.NodeRequest
	if err := ask(request, &r); err != nil {
		return nil, err
	}
	return l.deed(ctx, r.ID, desktop.Deed{Kind: kind})
}

func (l *lease) closeWindow(ctx context.Context, request []byte) ([]byte, error) {
	if err := ask(request, &hostabi.Nothing{}); err != nil {
		return nil, err
	}
	return l.sent(l.act.hands.Close(ctx, l.act.id))
}

func (l *lease) activate(ctx context.Context, request []byte) ([]byte, error) {
	if err := ask(request, &hostabi.Nothing{}); err != nil {
		return nil, err
	}
	return l.sent(l.act.hands.Activate(ctx, l.act.id))
}

func (l *lease) selection() (desktop.Selection, error) {
	if s := l.act.b.cfg.Desktop.Selection; s != nil {
		return s, nil
	}
	return nil, desktop.ErrUnsupported
}

func (l *lease) clipTypes(ctx context.Context, request []byte) ([]byte, error) {
	s, err := l.selection()
	if err == nil {
		err = ask(request, &hostabi.Nothing{})
	}
	if err != nil {
		return nil, err
	}
	types, err := s.Types(ctx)
	return hostabi.Append(nil, &hostabi.TypesReply{Types: types}), err
}

func (l *lease) clipRead(ctx context.Context, request []byte) ([]byte, error) {
	var r hostabi.ClipRequest
	s, err := l.selection()
	if err == nil {
		err = ask(request, &r)
	}
	if err != nil {
		return nil, err
	}
	return s.Read(ctx, r.Type)
}

func (l *lease) clipWrite(ctx context.Context, request []byte) ([]byte, error) {
	var r hostabi.ClipWriteRequest
	if err := ask(request, &r); err != nil {
		return nil, err
	}
	return l.sent(l.act.hands.WriteClipboard(ctx, map[string][]byte{r.Type: r.Data}))
}

// maxWait bounds one wait of an adapter; its invoke has a deadline besides.
const maxWait = 10 * time.Second

func (l *lease) wait(ctx context.Context, request []byte) ([]byte, error) {
	var r hostabi.WaitRequest
	if err := ask(request, &r); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, min(time.Duration(r.TimeoutMS)*time.Millisecond, maxWait))
	defer cancel()
	b, start := l.act.b, time.Now()
	reply := func(changed bool) ([]byte, error) {
		return hostabi.Append(nil, &hostabi.WaitReply{Changed: changed, WaitedMS: time.Since(start).Milliseconds()}), nil
	}
	for {
		gen, err := b.cfg.Desktop.Watch.Barrier(ctx, l.act.id)
		switch {
		case err == nil && uint64(gen) > l.seen.Load():
			return reply(true)
		case ctx.Err() != nil:
			return reply(false)
		case err != nil:
			return nil, err
		}
		b.pause(ctx, apart)
	}
}
