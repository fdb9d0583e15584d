package mcp

import (
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"oriel.dev/oriel/bridge"
)

// listen subscribes and waits until notifications of both kinds arrive, since a
// client opens its streams in the background. What arrives first may speak of
// earlier changes; a change and its undoing that come together are told to nobody.
func listen(t testing.TB, f *fakeBridge, cs *sdk.ClientSession, e *events) {
	t.Helper()
	if err := cs.Subscribe(t.Context(), &sdk.SubscribeParams{URI: windowsURI}); err != nil {
		t.Fatal(err)
	}
	before := f.Snapshot().Windows
	for i := range 50 {
		f.publish(append(before[:len(before):len(before)], window(fmt.Sprintf("w90%d", i), "Ping", 1, with(closeIt)))...)
		if !bothArrive(e) {
			continue
		}
		f.publish(before...)
		if bothArrive(e) {
			settle(e)
			return
		}
	}
	t.Fatal("the client never listened")
}

// bothArrive waits for a while for a notification of each kind.
func bothArrive(e *events) bool {
	updated, tools := false, false
	deadline := time.After(5 * patience)
	for !updated || !tools {
		select {
		case <-e.updated:
			updated = true
		case <-e.tools:
			tools = true
		case <-deadline:
			return false
		}
	}
	return true
}

// settle drops the notifications that are still on their way.
func settle(e *events) {
	for {
		select {
		case <-e.updated:
		case <-e.tools:
		case <-time.After(2 * patience):
			return
		}
	}
}

func TestNotifications(t *testing.T) { // B29, B30, B31
	type step struct {
		what           string
		windows        []*bridge.Window
		updated, tools bool
	}
	first, renamed := editor(42), editor(42, func(w *bridge.Window) { w.Title = "*Untitled 1 - Mousepad" })
	unavailable := editor(43, func(w *bridge.Window) { w.Title, w.Actions[0].Unavailable = "*Untitled 1 - Mousepad", "read only" })
	steps := []step{
		{"content changed", []*bridge.Window{editor(43)}, true, false},
		{"title changed", []*bridge.Window{editor(43, func(w *bridge.Window) { w.Title = renamed.Title })}, true, false},
		{"published without a change", []*bridge.Window{editor(43, func(w *bridge.Window) { w.Title = renamed.Title })}, false, false},
		{"an action became unavailable", []*bridge.Window{unavailable}, false, true},
		{"a modal opened", []*bridge.Window{editor(44, blockedBy("w2")), dialog()}, true, true},
		{"the modal closed", []*bridge.Window{first}, true, true},
		{"every window closed", nil, true, true},
	}
	eachTransport(t, func() *fakeBridge { return newFake(first) }, func(t *testing.T, f *fakeBridge, cs *sdk.ClientSession, e *events) {
		listen(t, f, cs, e)
		for _, s := range steps {
			f.publish(s.windows...)
			if s.updated {
				wait(t, e.updated, s.what+": resources/updated")
				res, err := cs.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: windowsURI})
				if err != nil || res.Contents[0].Text != string(f.Snapshot().JSON()) {
					t.Errorf("%s: the read that followed is old", s.what)
				}
			}
			if s.tools {
				wait(t, e.tools, s.what+": tools/list_changed")
			}
			none(t, e.updated, s.what+": a resources/updated too many")
			none(t, e.tools, s.what+": a tools/list_changed too many")
		}
	})
}

func TestNoNotificationWithoutSubscription(t *testing.T) { // B29
	f := oneEditor()
	s := newServer(t, f)
	e, other := newEvents(), newEvents()
	cs := connect(t, s, e, "2025-11-25", false)
	listen(t, f, cs, e)
	connect(t, s, other, "2025-11-25", false)
	f.publish(editor(50))
	wait(t, e.updated, "the subscriber's notification")
	none(t, other.updated, "a notification without a subscription")
	if err := cs.Unsubscribe(t.Context(), &sdk.UnsubscribeParams{URI: windowsURI}); err != nil {
		t.Fatal(err)
	}
	f.publish(editor(51))
	none(t, e.updated, "a notification after unsubscribing")
	if err := cs.Subscribe(t.Context(), &sdk.SubscribeParams{URI: "app://other"}); err == nil {
		t.Error("a subscription to what does not exist was taken")
	}
}

func TestCoalescing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := oneEditor()
		s := newServer(t, f)
		e := newEvents()
		here, there := sdk.NewInMemoryTransports()
		if _, err := front(t, s, Face{}).sdk.Connect(t.Context(), there, nil); err != nil {
			t.Fatal(err)
		}
		cs, err := e.client().Connect(t.Context(), here, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
		if err != nil {
			t.Fatal(err)
		}
		defer cs.Close()
		if err := cs.Subscribe(t.Context(), &sdk.SubscribeParams{URI: windowsURI}); err != nil {
			t.Fatal(err)
		}

		begin := time.Now()
		f.publish(editor(43))
		<-e.updated
		if d := time.Since(begin); d != quiet {
			t.Errorf("one change was told after %v, want %v", d, quiet)
		}

		// A change every 5 ms never leaves the quiet time, and is told all the same.
		for v := range int64(200) {
			f.publish(editor(100 + v))
			time.Sleep(5 * time.Millisecond)
		}
		time.Sleep(2 * patience)
		if n := len(e.updated); n < 9 || n > 12 {
			t.Errorf("%d notifications in one second of changes, want about 10", n)
		}
		for len(e.updated) > 0 {
			<-e.updated
		}

		// What is as it was has not changed.
		f.publish(editor(299, func(w *bridge.Window) { w.Title = "other" }))
		f.publish(editor(299))
		time.Sleep(2 * patience)
		if n := len(e.updated) + len(e.tools); n != 0 {
			t.Errorf("%d notifications without a change", n)
		}
	})
}

func TestOutboxHoldsOneOfEachKind(t *testing.T) {
	var waiting []notification
	for range 100 {
		waiting = replace(waiting, notification{method: methodUpdated})
		waiting = replace(waiting, notification{method: methodToolsChanged})
	}
	if len(waiting) != 2 || waiting[0].method == waiting[1].method {
		t.Errorf("%d notifications wait", len(waiting))
	}
}

// subscriptions are how raw clients of each revision ask for notifications.
var subscriptions = map[string][]string{
	"2025-11-25": {initialize, initialized, `{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"app://windows"}}`},
	"2026-07-28": {`{"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["app://windows"]},` + clientMeta + `}}`},
}

// stalledPipes subscribes on connections that nobody reads any more. Their ends
// come on done.
func stalledPipes(t *testing.T, s *Server, version string) (done <-chan error) {
	t.Helper()
	ended := make(chan error, stalled)
	var served sync.WaitGroup
	t.Cleanup(served.Wait)
	for range stalled {
		client, server := net.Pipe() // unbuffered: what is not read blocks at once
		served.Go(func() { ended <- s.ServeConn(t.Context(), server, "stalled") })
		w := newWire(t, client)
		for _, line := range subscriptions[version] {
			if w.send(line); strings.Contains(line, `"id":`) {
				w.next()
			}
		}
		// One line more is read, and kept: nothing takes it.
	}
	return ended
}

func TestStalledPipesHoldUpNobody(t *testing.T) { // C33
	for version := range subscriptions {
		t.Run(version, func(t *testing.T) {
			f := oneEditor()
			s := newServer(t, f, func(c *Config) { c.WriteTimeout = time.Minute })
			e := newEvents()
			listen(t, f, connect(t, s, e, version, false), e)
			stalledPipes(t, s, version)
			for v := range int64(10) {
				f.publish(editor(1000+v), window(fmt.Sprintf("w%d", 50+v), "More", 1, with(closeIt)))
				wait(t, e.updated, "the healthy client's notification")
				wait(t, e.tools, "the healthy client's other notification")
			}
		})
	}
}

func TestStalledPipesEnd(t *testing.T) { // C33
	for version := range subscriptions {
		t.Run(version, func(t *testing.T) {
			f := oneEditor()
			s := newServer(t, f, func(c *Config) { c.WriteTimeout = 200 * time.Millisecond })
			done := stalledPipes(t, s, version)
			// One is taken by the reader, the next waits for it.
			f.publish(editor(1000))
			f.publish(editor(1001), window("w50", "More", 1, with(closeIt)))
			for range stalled {
				if err := wait(t, done, "the end of a stalled connection"); err == nil || !strings.Contains(err.Error(), "did not read") {
					t.Errorf("a stalled connection ended with %v", err)
				}
			}
		})
	}
}
