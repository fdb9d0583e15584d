package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/desktoptest"
	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/tree"
)

func code(t *testing.T, err error) Code {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v (%T), want one of the six codes", err, err)
	}
	if e.Message == "" {
		t.Errorf("%s has no message", e.Code)
	}
	return e.Code
}

// B10, B13: what stands in app://windows.
func TestSnapshotText(t *testing.T) {
	r := newRig(t)
	r.open("Form")
	r.run()
	want := `{"operableWindowIds":["w1"],"windows":[{"id":"w1","app":"editor","title":"Form","modal":false,"ownerId":null,` +
		`"version":1,"summary":"A form.","blocks":[{"type":"fields","id":"b1","items":[{"label":"Name","value":""},` +
		`{"label":"Password","value":"","sensitive":true}]}]}]}`
	if got := string(r.bridge.Snapshot().JSON()); got != want {
		t.Errorf("app://windows is\n%s\nwant\n%s", got, want)
	}
}

// B32: no windows is a state like any other.
func TestEmptyDesktop(t *testing.T) {
	r := newRig(t).run()
	if got, want := string(r.bridge.Snapshot().JSON()), `{"operableWindowIds":[],"windows":[]}`; got != want {
		t.Errorf("app://windows is %s, want %s", got, want)
	}
}

// B11: the version rises with the content and with nothing else.
func TestVersionFollowsContent(t *testing.T) {
	r := newRig(t)
	id := r.open("Form")
	r.run()
	r.desk.Update(id, func(w *desktop.Window) { w.Bounds.X += 50 })
	r.desk.Edit(id, func(tr *tree.Tree) { tr.Nodes[1].Text = "human" })
	s := r.await("the human's edit", func(s *Snapshot) bool { return strings.Contains(string(s.JSON()), "human") })
	if v := s.Windows[0].Version; v != 2 {
		t.Errorf("version %d after a move and one edit, want 2", v)
	}
	seq := s.Seq
	r.desk.Touch(id)
	if _, err := r.act("w1", "press", nil); err != nil {
		t.Fatal(err)
	}
	if s := r.bridge.Snapshot(); s.Windows[0].Version != 2 || s.Seq != seq {
		t.Errorf("version %d, seq %d after looks that found nothing new; want 2, %d", s.Windows[0].Version, s.Seq, seq)
	}
}

// B20: a confirmed act is in the published state before it is answered.
func TestActIsPublishedBeforeItIsAnswered(t *testing.T) {
	r := newRig(t)
	id := r.open("Form")
	r.run()
	res, err := r.act("w1", "set_field", map[string]any{"field": "Name", "value": "Ada"})
	if err != nil {
		t.Fatal(err)
	}
	w := r.bridge.Snapshot().Window("w1")
	if res.Effect != hostabi.Confirmed || res.Version != w.Version || !slices.Equal(res.Changed, []string{"b1"}) {
		t.Errorf("result %+v; the window is at version %d", res, w.Version)
	}
	if _, own, _ := r.desk.Window(id); own.Nodes[1].Text != "Ada" {
		t.Errorf("the application holds %q", own.Nodes[1].Text)
	}
	if !strings.Contains(string(w.JSON()), `"Ada"`) {
		t.Errorf("the published window does not show the effect: %s", w.JSON())
	}
	rec := r.log.last(t)
	if rec.Outcome != "ok" || rec.Window != "w1" || rec.Tool != "set_field" || rec.Client != "test" || rec.App != "editor" {
		t.Errorf("audit record %+v", rec)
	}
}

// B22, B23: the codes, in the fixed order of the checks, and nothing is done.
func TestRefusals(t *testing.T) {
	stale := int64(77)
	for _, tt := range []struct {
		name string
		req  Request
		want Code
	}{
		{"no such window", Request{Window: "w99", Action: "nothing", ExpectedVersion: &stale}, WindowNotFound},
		{"blocked comes before all else", Request{Window: "w1", Action: "nothing", ExpectedVersion: &stale}, BlockedByModal},
		{"available comes before the version", Request{Window: "w2", Action: "nothing", ExpectedVersion: &stale}, ActionNotAvailable},
		{"not available now", Request{Window: "w2", Action: "undo"}, ActionNotAvailable},
		{"the version comes before the arguments", Request{Window: "w2", Action: "set_field", Args: json.RawMessage(`{}`), ExpectedVersion: &stale}, StaleState},
		{"the arguments", Request{Window: "w2", Action: "set_field", Args: json.RawMessage(`{"field":3}`)}, ValidationFailed},
		{"the application's own validation", Request{Window: "w2", Action: "set_field", Args: json.RawMessage(`{"field":"Nope","value":""}`)}, ValidationFailed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			owner := r.open("Form")
			r.open("Dialog", modalOf(owner))
			r.run()
			before := r.bridge.Snapshot()
			_, err := r.bridge.Act(t.Context(), tt.req)
			if got := code(t, err); got != tt.want {
				t.Errorf("code %s, want %s (%v)", got, tt.want, err)
			}
			if r.bridge.Snapshot() != before {
				t.Error("the refusal changed the state")
			}
			for _, call := range r.desk.Calls() {
				if call == "Act" || call == "Close" {
					t.Errorf("the refusal touched the desktop: %s", call)
				}
			}
			if rec := r.log.last(t); rec.Outcome != string(tt.want) {
				t.Errorf("the audit log says %q", rec.Outcome)
			}
		})
	}
}

func TestRefusalsCarryTheirFields(t *testing.T) {
	r := newRig(t)
	r.open("Form")
	r.run()
	old := int64(5)
	_, err := r.bridge.Act(t.Context(), Request{Window: "w1", Action: "press", ExpectedVersion: &old})
	var e *Error
	if !errors.As(err, &e) || e.CurrentVersion != 1 {
		t.Errorf("stale_state without the current version: %+v", e)
	}
	_, err = r.act("w1", "set_field", map[string]any{"field": "Name"})
	if !errors.As(err, &e) || len(e.Fields) != 1 || e.Fields[0].Field != "value" {
		t.Errorf("validation_failed names %+v, want value", e.Fields)
	}
}

// B23: a person's edit that no event has announced yet makes the act stale.
func TestTheUserWins(t *testing.T) {
	r := newRig(t)
	id := r.open("Form")
	r.run()
	for range 20 {
		v := r.bridge.Snapshot().Window("w1").Version
		r.desk.Edit(id, func(tr *tree.Tree) { tr.Nodes[1].Text += "x" })
		_, err := r.bridge.Act(t.Context(), Request{Window: "w1", Action: "set_field", Args: json.RawMessage(`{"field":"Name","value":"agent"}`), ExpectedVersion: &v})
		if code(t, err) != StaleState {
			t.Fatalf("the act was not refused: %v", err)
		}
	}
	if _, own, _ := r.desk.Window(id); own.Nodes[1].Text != strings.Repeat("x", 20) {
		t.Errorf("the human's text became %q", own.Nodes[1].Text)
	}
}

// B23: a person types while the adapter is still thinking: the first deed is not
// done any more.
func TestTheUserWinsOverASlowAdapter(t *testing.T) {
	r := newRig(t)
	id := r.open("Form")
	r.run()
	v := r.bridge.Snapshot().Window("w1").Version
	r.plugin.invoke = func(call hostabi.Call, s Services) (*hostabi.Outcome, error) {
		r.desk.Edit(id, func(tr *tree.Tree) { tr.Nodes[1].Text = "human" })
		node, _ := r.desk.Find(id, tree.RoleEntry, "Name")
		_, f := s.Call(t.Context(), hostabi.Function{Capability: hostabi.CapA11y, Name: "set_text"}, hostabi.Append(nil, &hostabi.SetTextRequest{ID: node, Text: "agent"}))
		return &hostabi.Outcome{Fault: f}, nil
	}
	req := Request{Window: "w1", Action: "set_field", Args: json.RawMessage(`{"field":"Name","value":"agent"}`), ExpectedVersion: &v}
	_, err := r.bridge.Act(t.Context(), req)
	var e *Error
	if !errors.As(err, &e) || e.Code != StaleState || e.CurrentVersion != v+1 {
		t.Errorf("the act gave %v", err)
	}
	if _, own, _ := r.desk.Window(id); own.Nodes[1].Text != "human" {
		t.Errorf("the application holds %q", own.Nodes[1].Text)
	}
}

// B23, C08: while an application answers only in part, what is shown is old, and an
// act based on it is not carried out over what a person typed meanwhile.
func TestPartialLookIsNotFresh(t *testing.T) {
	r := newRig(t)
	id := r.open("Form")
	r.run()
	v := r.bridge.Snapshot().Window("w1").Version
	r.desk.Edit(id, func(tr *tree.Tree) { tr.Partial, tr.Why, tr.Nodes[1].Text = true, "slow", "human" })
	_, err := r.bridge.Act(t.Context(), Request{Window: "w1", Action: "set_field", Args: json.RawMessage(`{"field":"Name","value":"agent"}`), ExpectedVersion: &v})
	if c := code(t, err); c != ActionTimeout && c != StaleState {
		t.Errorf("the act gave %v", err)
	}
	if _, own, _ := r.desk.Window(id); own.Nodes[1].Text != "human" {
		t.Errorf("the application holds %q", own.Nodes[1].Text)
	}
}

// B25, C32: an act that is cancelled before it did anything is recorded as cancelled;
// one that was cancelled after its deed is honest about that.
func TestCancelledAct(t *testing.T) {
	for _, late := range []bool{false, true} {
		r := newRig(t)
		id := r.open("Form")
		r.run()
		node, _ := r.desk.Find(id, tree.RoleEntry, "Name")
		ctx, cancel := context.WithCancel(t.Context())
		r.plugin.invoke = func(_ hostabi.Call, s Services) (*hostabi.Outcome, error) {
			if late {
				_, f := s.Call(ctx, hostabi.Function{Capability: hostabi.CapA11y, Name: "set_text"}, hostabi.Append(nil, &hostabi.SetTextRequest{ID: node, Text: "done"}))
				if f != nil {
					t.Error(f)
				}
			}
			cancel()
			return nil, ctx.Err()
		}
		res, err := r.bridge.Act(ctx, Request{Window: "w1", Action: "press"})
		if late {
			if err != nil || res.Effect != hostabi.Unconfirmed || r.log.last(t).Outcome != "ok" {
				t.Errorf("after a deed: %+v, %v, recorded as %q", res, err, r.log.last(t).Outcome)
			}
		} else if !errors.Is(err, context.Canceled) || r.log.last(t).Outcome != "cancelled" {
			t.Errorf("before any deed: %v, recorded as %q", err, r.log.last(t).Outcome)
		}
	}
}

// C12: an act that opens a dialog with a loop of its own returns at once, names
// the dialog, and the dialog can be read. C13: the owner is operable again when a
// person closes it.
func TestDialogOpensAndCloses(t *testing.T) {
	r := newRig(t)
	id := r.open("Form")
	button, _ := r.desk.Find(id, tree.RoleButton, "Go")
	forever := make(chan struct{})
	t.Cleanup(func() { close(forever) })
	var dialog atomic.Uint64
	r.desk.Bind(button, 0, func() {
		dialog.Store(uint64(r.open("Really?", modalOf(id))))
		<-forever
	})
	r.run()
	begin := time.Now()
	res, err := r.act("w1", "press", nil)
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begin); took > 2*time.Second {
		t.Errorf("the call took %v", took)
	}
	if !slices.Equal(res.OpenedWindowIDs, []string{"w2"}) || res.Effect != hostabi.Confirmed {
		t.Errorf("result %+v, want w2 opened", res)
	}
	s := r.bridge.Snapshot()
	if !slices.Equal(s.Operable, []string{"w2"}) || s.Window("w2").OwnerID != "w1" || len(s.Window("w2").Blocks) == 0 {
		t.Errorf("the state is %s", s.JSON())
	}
	r.desk.CloseWindow(desktop.WindowID(dialog.Load()))
	r.await("the owner is operable again", func(s *Snapshot) bool { return slices.Equal(s.Operable, []string{"w1"}) })
}

// C17: a window that closed since, and one that closes by the act.
func TestClosing(t *testing.T) {
	r := newRig(t)
	r.open("Form")
	r.open("Other")
	r.run()
	res, err := r.act("w2", "close", nil)
	if err != nil {
		t.Fatal(err)
	}
	if res.Effect != hostabi.Confirmed || r.bridge.Snapshot().Window("w2") != nil {
		t.Errorf("result %+v, state %s", res, r.bridge.Snapshot().JSON())
	}
	_, err = r.act("w2", "close", nil)
	if code(t, err) != WindowNotFound {
		t.Errorf("a closed window gives %v", err)
	}
	r.open("Third")
	s := r.await("the third window", func(s *Snapshot) bool { return len(s.Windows) == 2 })
	if s.Windows[1].ID != "w3" { // B12: never reused
		t.Errorf("the third window is %s, want w3", s.Windows[1].ID)
	}
}

// C07: a hung application is marked and refused, others answer, and it comes back.
func TestHungApplication(t *testing.T) {
	r := newRig(t)
	hung := r.open("Form")
	r.open("Other", func(w *desktop.Window) { w.App = desktop.App{ID: 2, Name: "Other"} })
	r.run()
	r.desk.Hang(1)
	r.desk.Edit(hung, func(tr *tree.Tree) { tr.Nodes[1].Text = "late" })
	_, err := r.act("w1", "press", nil)
	if code(t, err) != ActionTimeout {
		t.Errorf("acting on a hung application gives %v", err)
	}
	if _, err := r.act("w2", "set_field", map[string]any{"field": "Name", "value": "fine"}); err != nil {
		t.Errorf("the other application suffers: %v", err)
	}
	s := r.await("the hung window is marked", func(s *Snapshot) bool {
		return strings.Contains(string(s.Window("w1").JSON()), "not answering")
	})
	if s.Window("w1").Blocks[0].Type != hostabi.Fields {
		t.Error("its last view was dropped")
	}
	r.desk.Resume(1)
	r.await("it recovers", func(s *Snapshot) bool {
		text := string(s.Window("w1").JSON())
		return strings.Contains(text, "late") && !strings.Contains(text, "not answering")
	})
}

// An adapter that fails is said to have failed; its window stays, and nothing is
// done through it.
func TestFailingAdapter(t *testing.T) {
	r := newRig(t)
	id := r.open("Form")
	r.plugin.fail = errors.New(`trap in translate: unreachable`)
	r.run()
	w := r.window("Form")
	if !strings.Contains(string(w.JSON()), `adapter \"dev.oriel.test\"`) {
		t.Errorf("the window does not say so: %s", w.JSON())
	}
	_, err := r.act(w.ID, "press", nil)
	var e *Error
	if !errors.As(err, &e) || e.Code != ActionNotAvailable || e.Reason != "adapter_failed" {
		t.Errorf("acting gives %v", err)
	}
	r.plugin.mu.Lock()
	r.plugin.fail = nil
	r.plugin.mu.Unlock()
	r.plugin.changed <- struct{}{}
	r.await("the mended adapter serves", func(s *Snapshot) bool { return len(s.Window(w.ID).Actions) > 0 })
	_ = id
}

// B15, C23: the value of a sensitive field reaches neither state nor audit log.
func TestSecretsAreMasked(t *testing.T) {
	r := newRig(t)
	id := r.open("Form")
	r.run()
	res, err := r.act("w1", "set_field", map[string]any{"field": "Password", "value": "hunter2"})
	if err != nil {
		t.Fatal(err)
	}
	if _, own, _ := r.desk.Window(id); own.Nodes[2].Text != "hunter2" {
		t.Errorf("the application holds %q", own.Nodes[2].Text)
	}
	out, err := json.Marshal([]any{res, r.log.last(t), string(r.bridge.Snapshot().JSON())})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(out), "hunter2") {
		t.Errorf("the secret is in %s", out)
	}
	if !strings.Contains(string(out), masked) {
		t.Errorf("nothing is masked in %s", out)
	}
}

// B15, C23: a secret given under a wrong name, wrapped in an object, or to a window
// that has gone, is in no answer and in no record either.
func TestMisplacedSecrets(t *testing.T) {
	for _, tt := range []struct {
		window string
		args   map[string]any
	}{
		{"w1", map[string]any{"field": "Pasword", "value": "hunter2"}},
		{"w1", map[string]any{"field": "Password", "value": map[string]any{"a": "hunter2"}}},
		{"w1", map[string]any{"value": "hunter2"}},
		{"w9", map[string]any{"field": "Password", "value": "hunter2"}},
	} {
		r := newRig(t)
		r.open("Form")
		r.run()
		res, err := r.act(tt.window, "set_field", tt.args)
		var e *Error
		errors.As(err, &e)
		all, merr := json.Marshal([]any{res, e, r.log.last(t)})
		if merr != nil {
			t.Fatal(merr)
		}
		if strings.Contains(string(all), "hunter2") {
			t.Errorf("%v: the secret travels: %s", tt.args, all)
		}
	}
}

// B15: an adapter that repeats a secret, in an answer or in a refusal, does not
// make it travel.
func TestTalkativeAdapter(t *testing.T) {
	for _, out := range []*hostabi.Outcome{
		{Effect: hostabi.Confirmed, Message: `Set it to "hunter2".`, Result: `{"now":"hunter2"}`},
		{Fault: &hostabi.Fault{Code: hostabi.CodeInvalid, Message: "hunter2 is too short", Fields: []hostabi.FieldFault{{Field: "value", Error: "hunter2 is too short"}}}},
	} {
		r := newRig(t)
		r.open("Form")
		r.run()
		r.plugin.invoke = func(hostabi.Call, Services) (*hostabi.Outcome, error) { return out, nil }
		res, err := r.act("w1", "set_field", map[string]any{"field": "Password", "value": "hunter2"})
		var e *Error
		errors.As(err, &e)
		all, merr := json.Marshal([]any{res, e, r.log.last(t)})
		if merr != nil {
			t.Fatal(merr)
		}
		if strings.Contains(string(all), "hunter2") || !strings.Contains(string(all), masked) {
			t.Errorf("the secret travels: %s", all)
		}
	}
}

// B25: acts are serial, and one whose client gave up is never carried out.
func TestActsAreSerial(t *testing.T) {
	r := newRig(t)
	r.open("Form")
	r.run()
	inside, go_ := make(chan struct{}), make(chan struct{})
	var running, most atomic.Int32
	r.plugin.invoke = func(hostabi.Call, Services) (*hostabi.Outcome, error) {
		most.Store(max(most.Load(), running.Add(1)))
		defer running.Add(-1)
		inside <- struct{}{}
		<-go_
		return &hostabi.Outcome{Effect: hostabi.Unchanged, Message: "ok"}, nil
	}
	first := make(chan error, 1)
	go func() { _, err := r.act("w1", "press", nil); first <- err }()
	<-inside
	ctx, cancel := context.WithCancel(t.Context())
	second := make(chan error, 1)
	go func() {
		_, err := r.bridge.Act(ctx, Request{Window: "w1", Action: "press"})
		second <- err
	}()
	cancel()
	if err := <-second; !errors.Is(err, context.Canceled) {
		t.Errorf("the abandoned act ended with %v", err)
	}
	close(go_)
	if err := <-first; err != nil {
		t.Error(err)
	}
	if most.Load() != 1 {
		t.Errorf("%d acts ran at once", most.Load())
	}
}

// A lease ends with its act.
func TestLeaseEnds(t *testing.T) {
	r := newRig(t)
	r.open("Form")
	r.run()
	var kept Services
	r.plugin.invoke = func(_ hostabi.Call, s Services) (*hostabi.Outcome, error) {
		kept = s
		return &hostabi.Outcome{Effect: hostabi.Unchanged}, nil
	}
	if _, err := r.act("w1", "press", nil); err != nil {
		t.Fatal(err)
	}
	_, f := kept.Call(t.Context(), hostabi.Function{Capability: hostabi.CapWindow, Name: "close"}, nil)
	if f == nil || f.Code != hostabi.CodeDenied {
		t.Errorf("after the act the lease answers %v", f)
	}
}

// The audit log cannot be written: nothing is done, and the client learns why.
func TestFullDisk(t *testing.T) {
	r := newRig(t)
	id := r.open("Form")
	r.run()
	r.log.mu.Lock()
	r.log.fail = errors.New("no space left on device")
	r.log.mu.Unlock()
	_, err := r.act("w1", "set_field", map[string]any{"field": "Name", "value": "x"})
	var e *Error
	if !errors.As(err, &e) || e.Code != ActionNotAvailable || !strings.Contains(e.Message, "no space left") {
		t.Errorf("the act gave %v", err)
	}
	if _, own, _ := r.desk.Window(id); own.Nodes[1].Text != "" {
		t.Errorf("the application holds %q", own.Nodes[1].Text)
	}
}

// B20: an act without a visible effect is honest about it.
func TestUnconfirmed(t *testing.T) {
	r := newRig(t)
	r.open("Form")
	r.run()
	res, err := r.act("w1", "press", nil) // Go does nothing
	if err != nil {
		t.Fatal(err)
	}
	if res.Effect != hostabi.Unconfirmed || !strings.Contains(res.Message, "not confirmed") {
		t.Errorf("result %+v", res)
	}
}

// C25: the effect comes 200 ms after the act and in two steps.
func TestSettles(t *testing.T) {
	r := newRig(t)
	id := r.open("Form")
	button, _ := r.desk.Find(id, tree.RoleButton, "Go")
	r.desk.Bind(button, 0, func() {
		time.AfterFunc(200*time.Millisecond, func() {
			r.desk.Edit(id, func(tr *tree.Tree) { tr.Nodes[1].Text = "a" })
		})
		time.AfterFunc(250*time.Millisecond, func() {
			r.desk.Edit(id, func(tr *tree.Tree) { tr.Nodes[1].Text = "ab" })
		})
	})
	r.run()
	res, err := r.act("w1", "press", nil)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(r.bridge.Snapshot().Window("w1").JSON()); res.Effect != hostabi.Confirmed || !strings.Contains(text, `"ab"`) {
		t.Errorf("effect %s, window %s", res.Effect, text)
	}
}

// Whatever call to the desktop fails, the act ends with a truthful answer and the
// next one works.
func TestTheNthCallFails(t *testing.T) {
	for n := 1; n <= 12; n++ {
		r := newRig(t)
		id := r.open("Form")
		r.run()
		r.desk.FailAt(n, desktop.ErrNotAnswering)
		res, err := r.act("w1", "set_field", map[string]any{"field": "Name", "value": "one"})
		_, own, _ := r.desk.Window(id)
		did := own.Nodes[1].Text == "one"
		if err != nil && did {
			t.Errorf("call %d: refused (%v), but the application holds the text", n, err)
		}
		if err == nil && res.Effect == hostabi.Confirmed && !did {
			t.Errorf("call %d: confirmed, but the application does not hold the text", n)
		}
		desktoptest.Wait(t, "the next act to work", func() bool {
			_, err := r.act("w1", "set_field", map[string]any{"field": "Name", "value": "two"})
			return err == nil
		})
	}
}

// B29–B31: listeners are told in order, after the state can be read, and only of
// changes.
func TestNotify(t *testing.T) {
	r := newRig(t)
	id := r.open("Form")
	var seqs []uint64
	var wrong atomic.Int32
	cancel := r.bridge.Notify(func(old, new *Snapshot) {
		if new.Seq != old.Seq+1 || r.bridge.Snapshot() != new {
			wrong.Add(1)
		}
		seqs = append(seqs, new.Seq)
	})
	r.run()
	for i := range 5 {
		r.desk.Edit(id, func(tr *tree.Tree) { tr.Nodes[1].Text += "x" })
		r.await("the edit", func(s *Snapshot) bool { return s.Windows[0].Version == int64(i+2) })
	}
	cancel()
	if want := []uint64{1, 2, 3, 4, 5, 6}; !slices.Equal(seqs, want) || wrong.Load() > 0 {
		t.Errorf("told of %v, want %v; %d out of order", seqs, want, wrong.Load())
	}
}

// The desktop goes away: Run ends with the reason, the state says that nothing is
// there, acts are refused.
func TestDesktopLost(t *testing.T) {
	r := newRig(t)
	r.open("Form")
	done := make(chan error, 1)
	go func() { done <- r.bridge.Run(t.Context()) }()
	if err := r.bridge.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.desk.Disconnect(errors.New("X server died"))
	if err := <-done; err == nil || !strings.Contains(err.Error(), "lost") {
		t.Errorf("Run ended with %v", err)
	}
	if s := r.bridge.Snapshot(); len(s.Windows) != 0 {
		t.Errorf("the state still is %s", s.JSON())
	}
	_, err := r.act("w1", "press", nil)
	if code(t, err) != ActionTimeout {
		t.Errorf("acting gives %v", err)
	}
}

func TestHandleOf(t *testing.T) {
	for _, tt := range [][2]string{
		{"mousepad", "mousepad"},
		{"org.xfce.mousepad", "mousepad"},
		{"org.gnome.Calculator", "calculator"},
		{"python3.11", "python3-11"},
		{"Visual Studio Code", "visual-studio-code"},
		{"", "app"},
		{"日本", "app"},
		{"a.b.c.", "app"},
	} {
		if got := HandleOf(tt[0]); got != tt[1] {
			t.Errorf("HandleOf(%q) = %q, want %q", tt[0], got, tt[1])
		}
	}
}

// Two processes of one program are told apart.
func TestSecondProcessHasItsOwnHandle(t *testing.T) {
	r := newRig(t)
	r.open("One")
	r.open("Two", func(w *desktop.Window) { w.App = desktop.App{ID: 2, Name: "Editor"} })
	r.run()
	if a, b := r.window("One").App, r.window("Two").App; a != "editor" || b != "editor-2" {
		t.Errorf("handles %q and %q", a, b)
	}
}
