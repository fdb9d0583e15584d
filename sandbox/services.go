package sandbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/hostabi/check"
	"oriel.dev/oriel/tree"
)

// lease is an adapter's permission to call host functions, for one call. Its end
// is the end of the context that every host call gets.
type lease struct {
	a           *adapter
	slot        int
	observation []byte // of the window of the call
	services    Services
	told        map[uint16]bool // the functions that Refused was told of; an instance asks one thing at a time
}

// call carries out one host function and returns the reply's bytes.
func (l *lease) call(ctx context.Context, number uint16, request []byte) []byte {
	reply, fault := l.dispatch(ctx, number, request)
	if fault != nil {
		return appendRefusal(nil, fault)
	}
	out := make([]byte, 0, 1+len(reply))
	return append(append(out, replyOK), reply...)
}

func (l *lease) dispatch(ctx context.Context, number uint16, request []byte) ([]byte, *hostabi.Fault) {
	if int(number) >= len(hostabi.Functions) {
		return nil, &hostabi.Fault{Code: hostabi.CodeUnsupported, Message: fmt.Sprintf("host function %d does not exist", number)}
	}
	f := hostabi.Functions[number]
	fault := l.refusal(f)
	if fault == nil {
		fault = l.outside(f, request)
	}
	if fault == nil && f.Capability == hostabi.CapKV && f.Name == "set" {
		fault = l.a.full(ctx, f, request)
	}
	if fault != nil {
		if l.a.s.cfg.Refused != nil && !l.told[number] {
			l.told[number] = true
			l.a.s.cfg.Refused(l.a.man.ID, f, fault.Message)
		}
		return nil, fault
	}
	if ctx.Err() != nil {
		return nil, &hostabi.Fault{Code: hostabi.CodeTimeout, Message: "the call is over; return"}
	}
	switch f.Capability {
	case hostabi.CapLog:
		return nil, l.a.log(ctx, request)
	case hostabi.CapKV:
		return l.a.kv(ctx, f, request)
	}
	if l.services == nil {
		return nil, &hostabi.Fault{Code: hostabi.CodeUnsupported, Message: fmt.Sprintf("%s %s cannot be used here", f.Capability, f.Name)}
	}
	return l.services.Call(ctx, f, request)
}

// refusal says why the adapter may not call f, or nil.
func (l *lease) refusal(f hostabi.Function) *hostabi.Fault {
	a, message := l.a, ""
	pixels := f.Capability == hostabi.CapCapture || f.Capability == hostabi.CapOCR
	switch {
	case !a.asks(f.Capability):
		message = fmt.Sprintf("%s is not in the manifest of %s; its author has to ask for it there, with a reason", f.Capability, a.man.ID)
	case a.granted[f.Capability] == nil:
		message = grantHint(a.man.ID, f.Capability)
	case l.slot == slotTranslate && !f.Translate:
		message = fmt.Sprintf("%s %s cannot be used in translate, which only looks at its observation; use it in invoke", f.Capability, f.Name)
	case l.slot == slotTranslate && pixels && !a.ref.Pixels:
		message = fmt.Sprintf("%s %s can be used in translate only by an adapter whose manifest says needs = [%q]", f.Capability, f.Name, check.NeedsPixels)
	default:
		return nil
	}
	return &hostabi.Fault{Code: hostabi.CodeDenied, Capability: f.Capability, Message: message}
}

// outside refuses what lies outside of what the manifest asks for, or of what is
// granted.
func (l *lease) outside(f hostabi.Function, request []byte) *hostabi.Fault {
	a, asked := l.a, l.a.asked[f.Capability]
	refuse := func(what, scope, cure string) *hostabi.Fault {
		return &hostabi.Fault{Code: hostabi.CodeDenied, Capability: f.Capability, Message: fmt.Sprintf("%s %s: %s is outside of the scope %q, %s", f.Capability, f.Name, what, scope, cure)}
	}
	if what := asked.Outside(f, request, l.window); what != "" {
		return refuse(what, asked.Text, fmt.Sprintf("which is all that the manifest of %s asks for; its author has to widen it there", a.man.ID))
	}
	var first *hostabi.Fault
	for _, given := range a.granted[f.Capability] {
		what := given.Outside(f, request, l.window)
		if what == "" {
			return nil
		}
		if first == nil {
			first = refuse(what, given.Text, fmt.Sprintf("which is all that is granted to %s; to allow it, widen it in scopes of the [[adapters.grant]] with id = %q in config.toml and restart oriel", a.man.ID, a.man.ID))
		}
	}
	return first
}

// window is that of the call; one that cannot be read is nobody's.
func (l *lease) window() tree.Window {
	r, err := tree.NewReader(l.observation)
	if err != nil {
		return tree.Window{}
	}
	return r.Window()
}

// grantHint says that a capability is not granted, and how to grant it.
func grantHint(id string, c ...hostabi.Capability) string {
	var list strings.Builder
	for i, c := range c {
		if i > 0 {
			list.WriteString(", ")
		}
		list.WriteString(fmt.Sprintf("%q", c))
	}
	return fmt.Sprintf("%s is not granted to %s; to allow it, put it into capabilities = [%s] of the [[adapters.grant]] with id = %q in config.toml and restart oriel", list.String(), id, list.String(), id)
}

// asks reports whether the manifest asks for the capability.
func (a *adapter) asks(c hostabi.Capability) bool {
	_, asks := a.asked[c]
	return asks
}

// maxLine is how much of a log line is kept, in bytes.
const maxLine = 4 << 10

// log writes a line of the adapter's to the host's log.
func (a *adapter) log(ctx context.Context, request []byte) *hostabi.Fault {
	var r hostabi.LogRequest
	if err := hostabi.Read(request, &r); err != nil {
		return invalid(err)
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(r.Level)); err != nil {
		return &hostabi.Fault{
			Code: hostabi.CodeInvalid, Message: `the level must be "debug", "info", "warn" or "error"`,
			Fields: []hostabi.FieldFault{{Field: "level", Error: "unknown"}},
		}
	}
	ok, dropped := a.lines.take(time.Now(), a.limits.LogLines)
	if dropped > 0 {
		a.s.cfg.Log.Warn("log lines of an adapter were dropped", "adapter", a.man.ID, "lines", dropped)
	}
	if ok {
		text := r.Text[:min(len(r.Text), maxLine)]
		a.s.cfg.Log.Log(ctx, level, check.Line(text), "adapter", a.man.ID, "version", a.man.Version)
	}
	return nil
}

// full refuses to keep a value with which the adapter's values would be larger
// than its scope. Only one call at a time stores, so nothing comes in between.
func (a *adapter) full(ctx context.Context, f hostabi.Function, request []byte) *hostabi.Fault {
	var r hostabi.KVSetRequest
	if a.s.cfg.KV == nil || hostabi.Read(request, &r) != nil {
		return nil // who carries it out says so
	}
	var granted int64
	for _, g := range a.granted[f.Capability] {
		granted = max(granted, g.Bytes)
	}
	used, err := a.s.cfg.KV.Used(ctx, a.man.ID, r.Key)
	if err != nil {
		return internal(err)
	}
	if total, room := used+int64(len(r.Key)+len(r.Data)), min(a.asked[f.Capability].Bytes, granted); total > room {
		return &hostabi.Fault{Code: hostabi.CodeDenied, Capability: f.Capability, Message: fmt.Sprintf(
			"oriel:kv set: with this value the values of %s would have %d bytes, where it may keep %d; delete something first, or have the scope widened", a.man.ID, total, room)}
	}
	return nil
}

// kv carries out a function of oriel:kv.
func (a *adapter) kv(ctx context.Context, f hostabi.Function, request []byte) ([]byte, *hostabi.Fault) {
	store := a.s.cfg.KV
	if store == nil {
		return nil, &hostabi.Fault{Code: hostabi.CodeUnsupported, Message: "this host keeps no values for adapters; it runs without a store"}
	}
	var err error
	if f.Name == "set" {
		var r hostabi.KVSetRequest
		if err := hostabi.Read(request, &r); err != nil {
			return nil, invalid(err)
		}
		err = store.Set(ctx, a.man.ID, r.Key, r.Data)
		return nil, internal(err)
	}
	var r hostabi.KVRequest
	if err := hostabi.Read(request, &r); err != nil {
		return nil, invalid(err)
	}
	if f.Name == "delete" {
		return nil, internal(store.Delete(ctx, a.man.ID, r.Key))
	}
	value, found, err := store.Get(ctx, a.man.ID, r.Key)
	if err == nil && !found {
		return nil, &hostabi.Fault{Code: hostabi.CodeGone, Message: fmt.Sprintf("no value is kept under %q", r.Key)}
	}
	return value, internal(err)
}

func invalid(err error) *hostabi.Fault {
	return &hostabi.Fault{Code: hostabi.CodeInvalid, Message: err.Error()}
}

func internal(err error) *hostabi.Fault {
	if err == nil {
		return nil
	}
	if f, ok := errors.AsType[*hostabi.Fault](err); ok {
		return f
	}
	return &hostabi.Fault{Code: hostabi.CodeInternal, Message: err.Error()}
}

// allowance lets so many lines a second through.
type allowance struct {
	mu      sync.Mutex // guards all below
	second  int64
	used    int
	dropped int
}

// take asks for one line. When a second ends it reports how many lines were
// dropped in it.
func (l *allowance) take(now time.Time, perSecond int) (ok bool, dropped int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := now.Unix(); s != l.second {
		l.second, l.used, dropped, l.dropped = s, 0, l.dropped, 0
	}
	if l.used++; l.used > perSecond {
		l.dropped++
		return false, dropped
	}
	return true, dropped
}
