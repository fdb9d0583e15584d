package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"oriel.dev/oriel/bridge"
	"oriel.dev/oriel/hostabi"
)

// readText reads app://windows.
func readText(t testing.TB, cs *sdk.ClientSession) string {
	t.Helper()
	res, err := cs.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: windowsURI})
	if err != nil {
		t.Fatal(err)
	}
	return res.Contents[0].Text
}

// TestReconnectResynchronises cuts a client off while the desktop changes: one
// read on a new connection says all.
func TestReconnectResynchronises(t *testing.T) { // B05
	for _, tr := range transports {
		t.Run(tr.name, func(t *testing.T) {
			f := oneEditor()
			s := newServer(t, f)
			lost := newEvents()
			var cut func()
			var cs *sdk.ClientSession
			if tr.http {
				ts := httptest.NewServer(s.Handler())
				t.Cleanup(ts.Close)
				var err error
				cs, err = lost.client().Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: ts.URL + "/mcp", HTTPClient: authorized(), MaxRetries: -1}, &sdk.ClientSessionOptions{ProtocolVersion: tr.version})
				if err != nil {
					t.Fatal(err)
				}
				cut = ts.CloseClientConnections
			} else {
				transport := pipe(t, s, Face{}).(*sdk.IOTransport)
				var err error
				cs, err = lost.client().Connect(t.Context(), transport, &sdk.ClientSessionOptions{ProtocolVersion: tr.version})
				if err != nil {
					t.Fatal(err)
				}
				cut = func() { transport.Reader.Close() }
			}
			listen(t, f, cs, lost)
			cut()
			f.publish(editor(50, blockedBy("w2")), dialog())
			f.publish(editor(51), window("w3", "Report", 1, with(closeIt)))

			e := newEvents()
			again := connect(t, s, e, tr.version, tr.http)
			if err := again.Subscribe(t.Context(), &sdk.SubscribeParams{URI: windowsURI}); err != nil {
				t.Fatal(err)
			}
			if got, want := readText(t, again), string(f.Snapshot().JSON()); got != want {
				t.Errorf("read %s\nwant %s", got, want)
			}
			if names := toolNames(t, again); !slices.Contains(names, "w3__close") || slices.Contains(names, "w2__dont_save") {
				t.Errorf("tools: %v", names)
			}
			listen(t, f, again, e)
			if _, err := cs.ListTools(t.Context(), nil); err == nil && !tr.http {
				t.Error("the connection that was cut still answers")
			}
		})
	}
}

// TestStreamReconnects cuts the stream of a session that lives on. The client opens
// another one, and is told what it missed.
func TestStreamReconnects(t *testing.T) { // B05, B31
	f := oneEditor()
	s := newServer(t, f)
	ts := httptest.NewServer(s.Handler())
	t.Cleanup(ts.Close)
	e := newEvents()
	cs, err := e.client().Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: ts.URL + "/mcp", HTTPClient: authorized()}, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cs.Close() })
	listen(t, f, cs, e)
	for v := range int64(3) {
		ts.CloseClientConnections()
		f.publish(editor(100 + v))
		// A notification that was on its way when the stream was cut may be lost
		// with it, so the desktop goes on changing, as desktops do.
		for next, told := int64(1000), false; !told; next++ {
			select {
			case <-e.updated:
				told = true
			case <-time.After(time.Second):
				f.publish(editor(next + v*100))
			}
			if next > 1030 {
				t.Fatal("the client was told nothing any more")
			}
		}
		if got, want := readText(t, cs), string(f.Snapshot().JSON()); got != want {
			t.Errorf("read %s\nwant %s", got, want)
		}
	}
}

// TestOneDesktopManyClients has a client on every transport at once.
func TestOneDesktopManyClients(t *testing.T) { // B06
	f := oneEditor()
	s := newServer(t, f)
	var clients []*sdk.ClientSession
	var all []*events
	for _, tr := range slices.Concat(transports, transports) {
		e := newEvents()
		cs := connect(t, s, e, tr.version, tr.http)
		listen(t, f, cs, e)
		clients, all = append(clients, cs), append(all, e)
	}
	for _, e := range all {
		settle(e)
	}
	// What one of them does, every one reads.
	f.effect = func(_ context.Context, r bridge.Request) (*bridge.Result, error) {
		f.publish(editor(100, func(w *bridge.Window) { w.Title = string(r.Args) }))
		return &bridge.Result{Message: "Set.", Effect: hostabi.Confirmed, Version: 100}, nil
	}
	call(t, clients[0], "w1__set_text", map[string]any{"text": "by the first"})
	for i, cs := range clients {
		wait(t, all[i].updated, fmt.Sprintf("the notification of client %d", i))
		if text := readText(t, cs); !strings.Contains(text, "by the first") {
			t.Errorf("client %d read %s", i, text)
		}
	}
	// A subscription belongs to its connection.
	for i := 0; i < len(clients); i += 2 {
		if err := clients[i].Unsubscribe(t.Context(), &sdk.UnsubscribeParams{URI: windowsURI}); err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range all {
		settle(e)
	}
	f.publish(editor(200))
	for i := 1; i < len(clients); i += 2 {
		wait(t, all[i].updated, fmt.Sprintf("the notification of client %d", i))
	}
	for i := 0; i < len(clients); i += 2 {
		none(t, all[i].updated, fmt.Sprintf("a notification of client %d, which has unsubscribed,", i))
	}
}

// TestNoReservedNames has an adapter call its actions as it likes.
func TestNoReservedNames(t *testing.T) { // B19
	names := []string{"close", "focus", "open", "switch_tab", "read", "act", "app", "desktop_read", "desktop_act", "desktop_launch", anyTool, "list", "w1", "initialize", "expectedVersion"}
	desktop := func() *fakeBridge {
		var actions []func(*bridge.Window)
		for _, name := range names {
			actions = append(actions, with(hostabi.Action{Name: name, Title: name}))
		}
		return newFake(window("w1", "Tabs", 42, actions...))
	}
	eachTransport(t, desktop, func(t *testing.T, f *fakeBridge, cs *sdk.ClientSession, _ *events) {
		listed := toolNames(t, cs)
		for _, name := range names {
			if !slices.Contains(listed, "w1__"+name) {
				t.Errorf("%s is not listed", name)
			}
			before := len(f.acts())
			res, m := call(t, cs, "w1__"+name, nil)
			viaAct, n := call(t, cs, actTool, map[string]any{"winId": "w1", "action": name})
			if res.IsError || viaAct.IsError {
				t.Errorf("%s: %v, %v", name, m, n)
			}
			for _, r := range f.acts()[before:] {
				if r.Window != "w1" || r.Action != name {
					t.Errorf("%s came as %s of %s", name, r.Action, r.Window)
				}
			}
		}
		if slices.Contains(listed, anyTool) {
			t.Errorf("the list shows %s", anyTool)
		}
	})
}

// seen returns the newest state that an answer speaks of: the versions of w1 that
// the test publishes are those of its title and of the id of its newest window.
func seen(t *testing.T, text, before, after string) int64 {
	_, rest, _ := strings.Cut(text, before)
	number, _, _ := strings.Cut(rest, after)
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		t.Errorf("no version between %q and %q in %.200s", before, after, text)
	}
	return n
}

// TestReadsAreNeverOld publishes without pause while clients of all transports and
// two faces read in every way. A read that begins after something was published, as
// each that follows a notification does, shows it or what came later.
func TestReadsAreNeverOld(t *testing.T) { // B31
	const last = 300
	state := func(v int64) []*bridge.Window {
		return []*bridge.Window{editor(v, func(w *bridge.Window) { w.Title = fmt.Sprintf("v%d.", v) }), window(fmt.Sprintf("w%d", 1000+v), "New", 1, with(closeIt))}
	}
	f := newFake(state(0)...)
	s := newServer(t, f)
	var published atomic.Int64
	var readers sync.WaitGroup
	for _, tr := range transports {
		for _, key := range []Face{{}, {App: "mousepad", Tools: ToolsBoth}} {
			e := newEvents()
			cs := connectTo(t, s, key, e, tr.version, tr.http)
			if err := cs.Subscribe(t.Context(), &sdk.SubscribeParams{URI: windowsURI}); err != nil {
				t.Fatal(err)
			}
			ways := map[string]func() (int64, error){
				"resources/read": func() (int64, error) {
					res, err := cs.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: windowsURI})
					if err != nil {
						return 0, err
					}
					return seen(t, res.Contents[0].Text, `"title":"v`, "."), nil
				},
				"desktop_read": func() (int64, error) {
					res, err := cs.CallTool(t.Context(), &sdk.CallToolParams{Name: readTool})
					if err != nil {
						return 0, err
					}
					text, err := json.Marshal(res.StructuredContent)
					return seen(t, string(text), `"title":"v`, "."), err
				},
				"tools/list": func() (int64, error) {
					res, err := cs.ListTools(t.Context(), nil)
					if err != nil {
						return 0, err
					}
					for _, tool := range res.Tools {
						if strings.HasPrefix(tool.Name, "w1") && strings.HasSuffix(tool.Name, "__close") && tool.Name != "w1__close" {
							return seen(t, tool.Name, "w", "__") - 1000, nil
						}
					}
					return 0, fmt.Errorf("no tool of the newest window")
				},
			}
			readers.Go(func() {
				for done := false; !done; {
					select {
					case <-e.updated:
					case <-e.tools:
					case <-time.After(10 * time.Millisecond):
					}
					done = published.Load() == last
					for name, read := range ways {
						floor := published.Load()
						got, err := read()
						if err != nil || got < floor {
							t.Errorf("%s %s: %s shows %d (%v) after %d was published", tr.name, key, name, got, err, floor)
							return
						}
					}
				}
			})
		}
	}
	pause := time.NewTicker(time.Millisecond)
	defer pause.Stop()
	for v := int64(1); v <= last; v++ {
		f.publish(state(v)...)
		published.Store(v)
		if v%3 == 0 {
			<-pause.C // let the readers come in between
		}
	}
	readers.Wait()
}
