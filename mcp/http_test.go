package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"oriel.dev/oriel/bridge"
)

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`

// httpRequest makes a request as a well-behaved client would.
func httpRequest(ctx context.Context, method, url, version, session, body string) *http.Request {
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	r.Header.Set("Authorization", "Bearer "+testToken)
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(versionHeader, version)
	if session != "" {
		r.Header.Set(sessionHeader, session)
	}
	return r
}

// newSession makes a session by hand.
func newSession(t testing.TB, url string) string {
	t.Helper()
	res, err := http.DefaultClient.Do(httpRequest(t.Context(), "POST", url, "2025-11-25", "", initialize))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, _ := io.ReadAll(res.Body)
	id := res.Header.Get(sessionHeader)
	if id == "" || !strings.Contains(string(body), `"protocolVersion":"2025-11-25"`) {
		t.Fatalf("initialize: %s %s", res.Status, body)
	}
	return id
}

func TestAdmission(t *testing.T) { // C45
	s := newServer(t, oneEditor(), func(c *Config) {
		c.Hosts, c.Origins = []string{"desk.example"}, []string{"https://studio.example"}
	})
	ts := httptest.NewServer(s.Handler())
	defer ts.Close()
	port := ts.URL[strings.LastIndex(ts.URL, ":"):]
	cases := []struct {
		name, host, origin, auth string
		want                     int
		says                     string
	}{
		{"good", "", "", "Bearer " + testToken, 0, ""},
		{"scheme in lower case", "", "", "bearer " + testToken, 0, ""},
		{"no token", "", "", "", 401, "oriel token"},
		{"wrong token", "", "", "Bearer x" + testToken, 401, "oriel token"},
		{"empty token", "", "", "Bearer ", 401, "Bearer <token>"},
		{"other scheme", "", "", "Basic " + testToken, 401, "Bearer <token>"},
		{"localhost", "localhost" + port, "", "Bearer " + testToken, 0, ""},
		{"IPv6", "[::1]" + port, "", "Bearer " + testToken, 0, ""},
		{"configured host", "Desk.example:80", "", "Bearer " + testToken, 0, ""},
		{"rebound name", "evil.example" + port, "", "Bearer " + testToken, 403, "evil.example"},
		{"name that begins well", "127.0.0.1.evil.example", "", "Bearer " + testToken, 403, "Host"},
		{"own origin", "", "http://127.0.0.1" + port, "Bearer " + testToken, 0, ""},
		{"other port of the same host", "", "http://127.0.0.1:1", "Bearer " + testToken, 403, "pages of"},
		{"configured origin", "", "https://studio.example", "Bearer " + testToken, 0, ""},
		{"foreign origin", "", "https://evil.example", "Bearer " + testToken, 403, "evil.example"},
		{"opaque origin", "", "null", "Bearer " + testToken, 403, "null"},
		{"foreign origin that names us", "", "https://evil.example/http://127.0.0.1" + port, "Bearer " + testToken, 403, "evil.example"},
	}
	// One face is asked for by each revision, and one that there is not.
	for path, version := range map[string]string{
		"/mcp": "2025-11-25", "/mcp?tools=fixed": "2026-07-28", "/mcp/bridge": "2026-07-28", "/mcp/app/mousepad": "2025-11-25", "/mcp/none": "2026-07-28",
	} {
		for _, method := range []string{"GET", "POST", "DELETE", "PUT", "OPTIONS", "HEAD"} {
			for _, c := range cases {
				r := httpRequest(t.Context(), method, ts.URL+path, version, "", "{}")
				r.Host = c.host
				r.Header.Del("Authorization")
				if c.auth != "" {
					r.Header.Set("Authorization", c.auth)
				}
				if c.origin != "" {
					r.Header.Set("Origin", c.origin)
				}
				res, err := http.DefaultTransport.RoundTrip(r)
				if err != nil {
					t.Fatal(err)
				}
				body, _ := io.ReadAll(res.Body)
				res.Body.Close()
				refused := res.StatusCode == 401 || res.StatusCode == 403
				if refused != (c.want != 0) || (refused && res.StatusCode != c.want) {
					t.Errorf("%s %s %s: %s, want %d", path, method, c.name, res.Status, c.want)
				}
				if method != "HEAD" && !strings.Contains(string(body), c.says) {
					t.Errorf("%s %s: says %q", method, c.name, body)
				}
				if strings.Contains(string(body), testToken) || strings.Contains(string(body), "/run/user") {
					t.Errorf("%s %s: the answer contains the token or where it is", method, c.name)
				}
			}
		}
	}
}

func TestNoTokenAdmitsNobody(t *testing.T) {
	ts := httptest.NewServer(newServer(t, oneEditor(), func(c *Config) { c.Token = "" }).Handler())
	defer ts.Close()
	r := httpRequest(t.Context(), "POST", ts.URL+"/mcp", "2025-11-25", "", initialize)
	r.Header.Set("Authorization", "Bearer ")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("answered %s", res.Status)
	}
}

func TestBodyLimit(t *testing.T) {
	ts := httptest.NewServer(newServer(t, oneEditor()).Handler())
	defer ts.Close()
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		res, err := http.DefaultClient.Do(httpRequest(t.Context(), "POST", ts.URL+"/mcp", version, "", `{"x":"`+strings.Repeat("x", maxBody)+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("%s: %s", version, res.Status)
		}
	}
}

// blocking makes acts wait for the end of their context. It tells of the start and
// of the end of each.
func blocking(f *fakeBridge) (started, ended chan struct{}) {
	started, ended = make(chan struct{}, 100), make(chan struct{}, 100)
	f.effect = func(ctx context.Context, _ bridge.Request) (*bridge.Result, error) {
		started <- struct{}{}
		<-ctx.Done()
		ended <- struct{}{}
		return nil, ctx.Err()
	}
	return started, ended
}

const callClose = `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"w1__close","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`

func TestAbortedPostCancels(t *testing.T) { // B25
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			f := oneEditor()
			started, ended := blocking(f)
			ts := httptest.NewServer(newServer(t, f).Handler())
			defer ts.Close()
			session, body := "", callClose
			if version < modern {
				session = newSession(t, ts.URL+"/mcp")
				body = `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"w1__close"}}`
			}
			ctx, abort := context.WithCancel(t.Context())
			r := httpRequest(ctx, "POST", ts.URL+"/mcp", version, session, body)
			r.Header.Set("Mcp-Method", "tools/call")
			r.Header.Set("Mcp-Name", "w1__close")
			answered := make(chan error, 1)
			go func() {
				res, err := http.DefaultClient.Do(r)
				if err == nil {
					_, err = io.ReadAll(res.Body)
					res.Body.Close()
				}
				answered <- err
			}()
			wait(t, started, "the act")
			abort()
			wait(t, ended, "the end of the act")
			wait(t, answered, "the client's end")
		})
	}
}

func TestDeleteCancels(t *testing.T) {
	f := oneEditor()
	started, ended := blocking(f)
	s := newServer(t, f)
	ts := httptest.NewServer(s.Handler())
	defer ts.Close()
	session, other := newSession(t, ts.URL+"/mcp"), newSession(t, ts.URL+"/mcp")
	post := func(session string) {
		res, err := http.DefaultClient.Do(httpRequest(t.Context(), "POST", ts.URL+"/mcp", "2025-11-25", session, `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"w1__close"}}`))
		if err == nil {
			res.Body.Close()
		}
	}
	go post(session)
	wait(t, started, "the act")
	go post(other)
	wait(t, started, "the act of the other session")
	res, err := http.DefaultClient.Do(httpRequest(t.Context(), "DELETE", ts.URL+"/mcp", "2025-11-25", session, ""))
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	wait(t, ended, "the end of the act")
	if res.StatusCode != http.StatusNoContent {
		t.Errorf("DELETE: %s", res.Status)
	}
	none(t, ended, "the end of another session's act")
	res, err = http.DefaultClient.Do(httpRequest(t.Context(), "POST", ts.URL+"/mcp", "2025-11-25", session, initialize))
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusNotFound {
		t.Errorf("the ended session answers %s", res.Status)
	}
	s.Close() // else the test server waits for the other act
}

func TestVanishedClientCancels(t *testing.T) { // B25
	f := oneEditor()
	started, ended := blocking(f)
	s := newServer(t, f)
	client, server := socketPair(t)
	served := make(chan error, 1)
	go func() { served <- s.ServeConn(t.Context(), server, "wire") }()
	w := newWire(t, client)
	w.ask(initialize)
	w.send(`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"w1__close"}}`)
	wait(t, started, "the act")
	client.Close()
	wait(t, ended, "the end of the act")
	if err := wait(t, served, "the end of the connection"); err != nil {
		t.Error(err)
	}
}

func TestCancelNotification(t *testing.T) { // B25
	eachTransport(t, oneEditor, func(t *testing.T, f *fakeBridge, cs *sdk.ClientSession, _ *events) {
		started, ended := blocking(f)
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-started
			cancel()
		}()
		if _, err := cs.CallTool(ctx, &sdk.CallToolParams{Name: "w1__close"}); err == nil {
			t.Error("the cancelled call was answered")
		}
		wait(t, ended, "the end of the act")
	})
}

func TestCloseEndsEverything(t *testing.T) {
	f := oneEditor()
	started, ended := blocking(f)
	s, err := New(Config{Bridge: f, Token: testToken})
	if err != nil {
		t.Fatal(err)
	}
	ts := httptest.NewServer(s.Handler())
	defer ts.Close()
	e := newEvents()
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		cs, err := e.client().Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: ts.URL + "/mcp", HTTPClient: authorized(), MaxRetries: -1}, &sdk.ClientSessionOptions{ProtocolVersion: version})
		if err != nil {
			t.Fatal(err)
		}
		defer cs.Close()
		listen(t, f, cs, e)
		go cs.CallTool(t.Context(), &sdk.CallToolParams{Name: "w1__close"}) // it is cut off
		wait(t, started, "the act")
	}
	client, server := socketPair(t)
	served := make(chan error, 1)
	go func() { served <- s.ServeConn(t.Context(), server, "wire") }()
	newWire(t, client).ask(initialize)

	closed := make(chan struct{})
	go func() { s.Close(); close(closed) }()
	wait(t, closed, "the end of Close")
	wait(t, ended, "the end of an act")
	wait(t, ended, "the end of the other act")
	if err := wait(t, served, "the end of the connection"); err != nil {
		t.Error(err)
	}
	s.Close() // again
	f.publish()
	res, err := http.DefaultClient.Do(httpRequest(t.Context(), "POST", ts.URL+"/mcp", "2025-11-25", "", initialize))
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("the closed server answers %s", res.Status)
	}
}

func TestIdleSessions(t *testing.T) {
	f := oneEditor()
	s := newServer(t, f, func(c *Config) { c.IdleTimeout = 400 * time.Millisecond })
	ts := httptest.NewServer(s.Handler())
	defer ts.Close()
	e := newEvents()
	listening, err := e.client().Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: ts.URL + "/mcp", HTTPClient: authorized()}, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	defer listening.Close()
	listen(t, f, listening, e)
	idle := newSession(t, ts.URL+"/mcp")
	deadline := time.Now().Add(10 * time.Second)
	for status := 0; status != http.StatusNotFound; {
		if time.Now().After(deadline) {
			t.Fatalf("the idle session lives: %d", status)
		}
		time.Sleep(s.cfg.IdleTimeout * 3 / 2) // each look is a use
		res, err := http.DefaultClient.Do(httpRequest(t.Context(), "POST", ts.URL+"/mcp", "2025-11-25", idle, `{"jsonrpc":"2.0","id":2,"method":"ping"}`))
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		status = res.StatusCode
	}
	f.publish(editor(77))
	wait(t, e.updated, "the notification of the session that only listens")
}

func TestNotificationBeforeTheStream(t *testing.T) {
	f := oneEditor()
	s := newServer(t, f)
	ts := httptest.NewServer(s.Handler())
	defer ts.Close()
	session := newSession(t, ts.URL+"/mcp")
	res, err := http.DefaultClient.Do(httpRequest(t.Context(), "POST", ts.URL+"/mcp", "2025-11-25", session, `{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"app://windows"}}`))
	if err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, res.Body) // only the end matters
	res.Body.Close()
	f.publish(editor(50), window("w50", "More", 1, with(closeIt)))
	sessions := front(t, s, Face{}).sessions
	missed := func() int {
		sessions.mu.Lock()
		defer sessions.mu.Unlock()
		return len(sessions.byID[session].missed)
	}
	for deadline := time.Now().Add(10 * time.Second); missed() != 2; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d notifications are kept for the session", missed())
		}
	}
	res, err = http.DefaultClient.Do(httpRequest(t.Context(), "GET", ts.URL+"/mcp", "2025-11-25", session, ""))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	lines := make(chan string, 100)
	go func() {
		for sc := bufio.NewScanner(res.Body); sc.Scan(); {
			if data, ok := strings.CutPrefix(sc.Text(), "data: "); ok {
				lines <- data
			}
		}
	}()
	got := wait(t, lines, "what the session missed") + wait(t, lines, "the other thing it missed")
	if !strings.Contains(got, methodUpdated) || !strings.Contains(got, methodToolsChanged) {
		t.Errorf("missed: %s", got)
	}
	none(t, lines, "a notification too many")
}

func TestFiftySessions(t *testing.T) { // B06
	f := oneEditor()
	s := newServer(t, f)
	ts := httptest.NewServer(s.Handler())
	defer ts.Close()
	var all []*events
	var open []*sdk.ClientSession
	for i := range 50 {
		version := []string{"2025-11-25", "2026-07-28"}[i%2]
		e := newEvents()
		cs, err := e.client().Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: ts.URL + "/mcp", HTTPClient: authorized()}, &sdk.ClientSessionOptions{ProtocolVersion: version})
		if err != nil {
			t.Fatal(err)
		}
		if err := cs.Subscribe(t.Context(), &sdk.SubscribeParams{URI: windowsURI}); err != nil {
			t.Fatal(err)
		}
		all, open = append(all, e), append(open, cs)
	}
	listen(t, f, open[49], all[49]) // the last to come is there, so the others are
	for _, e := range all {
		settle(e)
		break
	}
	for _, e := range all {
		for len(e.updated) > 0 {
			<-e.updated
		}
	}
	begin := time.Now()
	f.publish(editor(1000))
	for i, e := range all {
		wait(t, e.updated, fmt.Sprintf("the notification of client %d", i))
	}
	t.Logf("50 clients had it after %v", time.Since(begin))
	for _, cs := range open {
		cs.Close()
	}
	deadline := time.Now().Add(10 * time.Second)
	for n := -1; n != 0; {
		n = 0
		for range front(t, s, Face{}).sdk.Sessions() {
			n++
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d sessions are left", n)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestClientHeaderCannotNameARequest(t *testing.T) {
	f := oneEditor()
	ts := httptest.NewServer(newServer(t, f).Handler())
	defer ts.Close()
	session := newSession(t, ts.URL+"/mcp")
	r := httpRequest(t.Context(), "POST", ts.URL+"/mcp", "2025-11-25", session, `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"w1__load_text"}}`)
	r.Header.Set(requestHeader, "1")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(res.Body)
	res.Body.Close()
	var m struct{ Result *json.RawMessage }
	_, data, _ := strings.Cut(string(body), "data: ")
	if err := json.Unmarshal([]byte(data), &m); err != nil || m.Result == nil {
		t.Errorf("answered %s", body)
	}
}
