package authoring

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"oriel.dev/oriel/hostabi"
)

// Replay has the adapter carry out a recorded action, the host answering as it
// did, and returns the first difference to the recording, "" if there is none.
func (a *Adapter) Replay(ctx context.Context, s *Session) (difference string, err error) {
	outcome, difference, err := a.replay(ctx, s)
	if err != nil || difference != "" {
		return difference, err
	}
	want, got := indented(s.Outcome), indented(outcome)
	if want == got {
		return "", nil
	}
	return fmt.Sprintf("all %d host calls were as recorded, but the outcome differs\n%s", len(s.Calls), Diff(want, got)), nil
}

func (a *Adapter) replay(ctx context.Context, s *Session) (outcome []byte, difference string, err error) {
	observation, err := parseTree(s.Observation)
	if err != nil {
		return nil, "", fmt.Errorf("reading the recorded observation: %w", err)
	}
	a.player.begin(s.Calls)
	out, err := a.box.Invoke(ctx, a.ref(), hostabi.Call{Action: s.Action, Args: string(s.Args), Observation: observation}, a.player)
	if difference := a.player.end(); difference != "" {
		return nil, difference, nil
	}
	if err != nil {
		return nil, "", err
	}
	return hostabi.AppendOutcome(nil, out), "", nil
}

// testSession judges one recorded session; with update its outcome is written
// anew, if the host calls are as recorded.
func (a *Adapter) testSession(ctx context.Context, file string, update bool) (Verdict, error) {
	v := Verdict{File: file}
	s, err := ReadSession(file)
	if err != nil {
		v.Problem = err.Error()
		return v, nil
	}
	outcome, difference, err := a.replay(ctx, s)
	switch {
	case ctx.Err() != nil:
		return v, ctx.Err()
	case err != nil:
		v.Problem = err.Error()
	case difference != "":
		v.Problem = difference + "; if the adapter is right, record the action again with: oriel adapter record"
	case indented(outcome) == indented(s.Outcome):
	case update:
		s.Outcome, v.Updated = outcome, true
		return v, s.Write(file)
	default:
		v.Problem = "the outcome differs; if it is right, write it with --update\n" + Diff(indented(s.Outcome), indented(outcome))
	}
	return v, nil
}

// indented is JSON in one form, whatever its blanks and the order of members.
func indented(text []byte) string {
	var v any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return string(text)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if e.Encode(v) != nil {
		return string(text)
	}
	return b.String()
}

// player answers host functions as they were answered before. It is also the
// store of the adapter's values.
type player struct {
	mu    sync.Mutex // guards all below: a call may come from any goroutine of the sandbox
	calls []SessionCall
	next  int
	wrong string // the first difference
}

func (p *player) begin(calls []SessionCall) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls, p.next, p.wrong = calls, 0, ""
}

// end returns the first difference, "" if every call was made.
func (p *player) end() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.wrong == "" && p.next < len(p.calls) {
		c := p.calls[p.next]
		p.wrong = fmt.Sprintf("host call %d of the recording was not made: %s %s", p.next+1, c.Function, short(c.Request))
	}
	return p.wrong
}

// Call answers the next call, if it is as recorded.
func (p *player) Call(_ context.Context, f hostabi.Function, request []byte) ([]byte, *hostabi.Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	name := functionName(f)
	if p.wrong == "" {
		switch {
		case p.next == len(p.calls):
			p.wrong = fmt.Sprintf("host call %d is not in the recording: %s %s", p.next+1, name, short(request))
		case p.calls[p.next].Function != name || indented(p.calls[p.next].Request) != indented(request):
			c := p.calls[p.next]
			p.wrong = fmt.Sprintf("host call %d differs\n- %s %s\n+ %s %s", p.next+1, c.Function, short(c.Request), name, short(request))
		}
	}
	if p.wrong != "" {
		return nil, &hostabi.Fault{Code: hostabi.CodeInternal, Message: "the recording goes on otherwise"}
	}
	c := p.calls[p.next]
	p.next++
	reply, fault, err := c.answer()
	if err != nil {
		p.wrong = fmt.Sprintf("host call %d cannot be read: %v", p.next, err)
		return nil, &hostabi.Fault{Code: hostabi.CodeInternal, Message: p.wrong}
	}
	return reply, fault
}

// shortest is how much of a request is shown.
const shortest = 300

func short(request []byte) string {
	if len(request) <= shortest {
		return string(request)
	}
	return string(request[:shortest]) + "…"
}

// The functions of oriel:kv do not reach the services, so the player is their
// store as well.

func kv(name string) hostabi.Function {
	f, _ := hostabi.Lookup(string(hostabi.CapKV), name)
	return f
}

// Get answers oriel:kv get.
func (p *player) Get(ctx context.Context, _, key string) ([]byte, bool, error) {
	value, fault := p.Call(ctx, kv("get"), hostabi.Append(nil, &hostabi.KVRequest{Key: key}))
	if fault != nil && fault.Code == hostabi.CodeGone {
		return nil, false, nil
	}
	return value, fault == nil, failed(fault)
}

// Set answers oriel:kv set.
func (p *player) Set(ctx context.Context, _, key string, value []byte) error {
	_, fault := p.Call(ctx, kv("set"), hostabi.Append(nil, &hostabi.KVSetRequest{Key: key, Data: value}))
	return failed(fault)
}

// Delete answers oriel:kv delete.
func (p *player) Delete(ctx context.Context, _, key string) error {
	_, fault := p.Call(ctx, kv("delete"), hostabi.Append(nil, &hostabi.KVRequest{Key: key}))
	return failed(fault)
}

// Used is not a function of its own: whether a value fits was recorded with set.
func (p *player) Used(context.Context, string, string) (int64, error) { return 0, nil }

func failed(f *hostabi.Fault) error {
	if f == nil {
		return nil
	}
	return f
}
