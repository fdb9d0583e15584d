package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"oriel.dev/oriel/bridge"
	"oriel.dev/oriel/hostabi"
)

// fakeBridge is a bridge whose desktop is what the test publishes. Its Act makes
// the bridge's checks in the bridge's order and then does what the test says.
type fakeBridge struct {
	// effect carries out an act that passed the checks; nil confirms it.
	effect func(context.Context, bridge.Request) (*bridge.Result, error)

	mu       sync.Mutex // guards what follows
	snap     *bridge.Snapshot
	watchers map[int]func(old, new *bridge.Snapshot)
	next     int
	requests []bridge.Request
}

func newFake(windows ...*bridge.Window) *fakeBridge {
	return &fakeBridge{snap: bridge.NewSnapshot(1, windows), watchers: map[int]func(old, new *bridge.Snapshot){}}
}

func (f *fakeBridge) Snapshot() *bridge.Snapshot {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.snap
}

func (f *fakeBridge) Notify(w func(old, new *bridge.Snapshot)) func() {
	f.mu.Lock()
	defer f.mu.Unlock()
	id := f.next
	f.next++
	f.watchers[id] = w
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.watchers, id)
	}
}

// publish replaces the desktop.
func (f *fakeBridge) publish(windows ...*bridge.Window) {
	f.mu.Lock()
	defer f.mu.Unlock()
	old := f.snap
	f.snap = bridge.NewSnapshot(old.Seq+1, windows)
	for _, w := range f.watchers {
		w(old, f.snap)
	}
}

func (f *fakeBridge) acts() []bridge.Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.requests)
}

func (f *fakeBridge) Act(ctx context.Context, r bridge.Request) (*bridge.Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f.mu.Lock()
	f.requests = append(f.requests, r)
	snap := f.snap
	f.mu.Unlock()
	if r.App != "" {
		return f.actOfApp(ctx, r, snap)
	}
	w := snap.Window(r.Window)
	if w == nil {
		return nil, &bridge.Error{Code: bridge.WindowNotFound, Message: "window " + r.Window + " is closed; read app://windows again"}
	}
	if !w.Operable {
		return nil, &bridge.Error{Code: bridge.BlockedByModal, Message: r.Window + " is blocked by " + w.BlockedBy + "; answer that first"}
	}
	i := slices.IndexFunc(w.Actions, func(a bridge.Action) bool { return a.Name == r.Action && a.Unavailable == "" })
	if i < 0 {
		return nil, &bridge.Error{Code: bridge.ActionNotAvailable, Message: r.Action + " is not available now; read the window again"}
	}
	if r.ExpectedVersion != nil && *r.ExpectedVersion != w.Version {
		return nil, &bridge.Error{Code: bridge.StaleState, Message: "the window has changed; read it again", CurrentVersion: w.Version}
	}
	if f.effect != nil {
		return f.effect(ctx, r)
	}
	return &bridge.Result{Message: "Did " + r.Action + ".", Effect: hostabi.Confirmed, Version: w.Version + 1, Changed: []string{"b1"}}, nil
}

// actOfApp is Act for an action of an application.
func (f *fakeBridge) actOfApp(ctx context.Context, r bridge.Request, snap *bridge.Snapshot) (*bridge.Result, error) {
	a := snap.App(r.App)
	if a == nil {
		return nil, &bridge.Error{Code: bridge.WindowNotFound, Message: "no application " + r.App + " runs"}
	}
	for _, w := range snap.Windows {
		if w.App == r.App && w.Modal && w.OwnerID == "" {
			return nil, &bridge.Error{Code: bridge.BlockedByModal, Message: r.App + " is blocked by " + w.ID}
		}
	}
	if !slices.ContainsFunc(a.Actions, func(x bridge.Action) bool { return x.Name == r.Action }) {
		return nil, &bridge.Error{Code: bridge.ActionNotAvailable, Message: r.App + " has no " + r.Action}
	}
	if f.effect != nil {
		return f.effect(ctx, r)
	}
	return &bridge.Result{App: r.App, Message: "Did " + r.Action + ".", Effect: hostabi.Confirmed}, nil
}

// window makes an operable window; the functions change it.
func window(id, title string, version int64, change ...func(*bridge.Window)) *bridge.Window {
	w := &bridge.Window{
		ID: id, App: "mousepad", Title: title, Version: version, Summary: "A document of 2 lines.", Operable: true,
		Blocks: []bridge.Block{{ID: "b1", Block: hostabi.Block{Type: hostabi.Text, Text: "hello"}}},
	}
	for _, c := range change {
		c(w)
	}
	return w
}

func blockedBy(id string) func(*bridge.Window) {
	return func(w *bridge.Window) { w.Operable, w.BlockedBy = false, id }
}

func modalOn(owner string) func(*bridge.Window) {
	return func(w *bridge.Window) { w.Modal, w.OwnerID = true, owner }
}

// with adds an action.
func with(a hostabi.Action) func(*bridge.Window) {
	return func(w *bridge.Window) {
		input := `{"type":"object","properties":{}}`
		if a.Input != "" {
			input = a.Input
		}
		var schema map[string]any
		if json.Unmarshal([]byte(input), &schema) != nil {
			panic("bad schema in a test")
		}
		if !a.ReadOnly {
			schema["properties"].(map[string]any)["expectedVersion"] = map[string]any{"type": "integer"}
		}
		w.Actions = append(w.Actions, bridge.Action{
			Action: a, Tool: w.ID + "__" + a.Name, InputSchema: encode(schema), OutputSchema: actOutput,
		})
	}
}

var setText = hostabi.Action{
	Name: "set_text", Title: "Replace the text", Description: "Replaces the whole text of the document.", Idempotent: true,
	Input: `{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}`,
}

var loadText = hostabi.Action{Name: "load_text", Title: "Load the text", ReadOnly: true, Idempotent: true}

var closeIt = hostabi.Action{Name: "close", Title: "Close", Destructive: true, OpenWorld: true}

// editor is the document window of most tests.
func editor(version int64, change ...func(*bridge.Window)) *bridge.Window {
	return window("w1", "Untitled 1 - Mousepad", version, append([]func(*bridge.Window){with(setText), with(loadText), with(closeIt)}, change...)...)
}

// dialog blocks the editor.
func dialog() *bridge.Window {
	return window("w2", "Save Changes", 1, modalOn("w1"), with(hostabi.Action{Name: "dont_save", Title: "Don't save", Destructive: true}))
}

const testToken = "t0ken-of-a-test"

func newServer(t testing.TB, b Bridge, change ...func(*Config)) *Server {
	t.Helper()
	cfg := Config{Bridge: b, Version: "1.2.3", Token: testToken}
	for _, c := range change {
		c(&cfg)
	}
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// front returns a face of the server; it is pinned for the whole test.
func front(t testing.TB, s *Server, key Face) *face {
	t.Helper()
	f, leave, err := s.enter(key)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(leave)
	return f
}

// events counts the notifications that a client got.
type events struct {
	updated chan string
	tools   chan struct{}
}

func newEvents() *events {
	return &events{make(chan string, 1000), make(chan struct{}, 1000)}
}

func (e *events) client() *sdk.Client {
	return sdk.NewClient(&sdk.Implementation{Name: "test", Version: "0.1"}, &sdk.ClientOptions{
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { e.tools <- struct{}{} },
		ResourceUpdatedHandler: func(_ context.Context, r *sdk.ResourceUpdatedNotificationRequest) { e.updated <- r.Params.URI },
	})
}

// bearer adds the token to every request.
type bearer struct{ token string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}

func authorized() *http.Client { return &http.Client{Transport: bearer{testToken}} }

// transports are the ways and revisions in which the tests connect.
var transports = []struct {
	name, version string
	http          bool
}{
	{"pipe 2025-11-25", "2025-11-25", false},
	{"pipe 2026-07-28", "2026-07-28", false},
	{"http 2025-11-25", "2025-11-25", true},
	{"http 2026-07-28", "2026-07-28", true},
}

// connect joins a client to the server.
func connect(t testing.TB, s *Server, e *events, version string, overHTTP bool) *sdk.ClientSession {
	t.Helper()
	return connectTo(t, s, Face{}, e, version, overHTTP)
}

// connectTo joins a client to a face.
func connectTo(t testing.TB, s *Server, key Face, e *events, version string, overHTTP bool) *sdk.ClientSession {
	t.Helper()
	var transport sdk.Transport
	if overHTTP {
		ts := httptest.NewServer(s.Handler())
		t.Cleanup(ts.Close)
		transport = &sdk.StreamableClientTransport{Endpoint: ts.URL + key.String(), HTTPClient: authorized()}
	} else {
		transport = pipe(t, s, key)
	}
	cs, err := e.client().Connect(t.Context(), transport, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cs.Close() })
	if got := cs.InitializeResult().ProtocolVersion; got != version {
		t.Fatalf("negotiated %s, want %s", got, version)
	}
	return cs
}

// pipe serves one connection over a unix socket pair and returns the client's end.
func pipe(t testing.TB, s *Server, key Face) sdk.Transport {
	t.Helper()
	client, server := socketPair(t)
	if err := Greet(client, key); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := s.ServeConn(context.Background(), server, "stdio pid 7"); err != nil {
			t.Error(err)
		}
	}()
	t.Cleanup(func() { client.Close(); <-done })
	return &sdk.IOTransport{Reader: client, Writer: client}
}

// wait fails the test unless something comes from c.
func wait[T any](t testing.TB, c <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(10 * time.Second):
		t.Fatalf("%s did not come", what)
		panic("unreachable")
	}
}

// none fails the test if something comes from c within the time that a
// notification may take.
func none[T any](t testing.TB, c <-chan T, what string) {
	t.Helper()
	select {
	case <-c:
		t.Fatalf("%s came", what)
	case <-time.After(3 * patience):
	}
}

// call calls a tool and returns the result with its structured content.
func call(t testing.TB, cs *sdk.ClientSession, name string, args any) (*sdk.CallToolResult, map[string]any) {
	t.Helper()
	res, err := cs.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	m, _ := res.StructuredContent.(map[string]any)
	if m == nil {
		t.Fatalf("%s answered without structured content: %+v", name, res)
	}
	return res, m
}

// eventually waits until wrong says nothing any more.
func eventually(t testing.TB, wrong func() string) {
	t.Helper()
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for end := time.Now().Add(30 * time.Second); ; <-look.C {
		said := wrong()
		if said == "" {
			return
		}
		if time.Now().After(end) {
			t.Fatal(said)
		}
	}
}

// hear reads a stream of events until one speaks of the word.
func hear(stream io.Reader, word string) error {
	for sc := bufio.NewScanner(stream); sc.Scan(); {
		if strings.Contains(sc.Text(), word) {
			return nil
		}
	}
	return fmt.Errorf("the stream ended before %s", word)
}
