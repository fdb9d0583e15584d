package mcp

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"oriel.dev/oriel/bridge"
	"oriel.dev/oriel/hostabi"
)

// tables makes desktops of windows with so many tables of ten rows each.
func tables(windows, blocks int) *fakeBridge {
	var all []*bridge.Window
	for i := range windows {
		all = append(all, window(fmt.Sprintf("w%d", i+1), "Document - Application", 40, with(setText), with(loadText), with(closeIt), func(w *bridge.Window) {
			for j := range blocks {
				b := bridge.Block{ID: fmt.Sprintf("b%d", j), Block: hostabi.Block{Type: hostabi.Table, Columns: []string{"Name", "Size", "Changed"}}}
				for k := range 10 {
					b.Rows = append(b.Rows, []hostabi.Scalar{fmt.Sprintf("file-%d.txt", k), int64(k * 1000), "2026-11-30 21:00"})
				}
				w.Blocks = append(w.Blocks, b)
			}
		}))
	}
	return newFake(all...)
}

// percentile returns what a part of the times does not exceed, in milliseconds.
func percentile(times []time.Duration, part float64) float64 {
	slices.Sort(times)
	return times[min(int(part*float64(len(times))), len(times)-1)].Seconds() * 1000
}

// relayed serves a client through a relay and a socket, as stdio clients are.
func relayed(b testing.TB, s *Server) sdk.Transport {
	conn, err := Dial(b.Context(), serveSocket(b, s))
	if err != nil {
		b.Fatal(err)
	}
	stdin, toRelay := io.Pipe()
	fromRelay, stdout := io.Pipe()
	go func() {
		_ = Relay(b.Context(), stdin, stdout, conn) // ends with the client
		stdout.Close()
	}()
	return &sdk.IOTransport{Reader: fromRelay, Writer: toRelay}
}

// echo serves a tool that answers the same at once, with nothing of ours around it.
func echo(b testing.TB, answer *sdk.CallToolResult, overHTTP bool) sdk.Transport {
	server := sdk.NewServer(&sdk.Implementation{Name: "echo", Version: "1"}, nil)
	server.AddTool(&sdk.Tool{Name: "echo", InputSchema: stubSchema, OutputSchema: readOutput}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		again := *answer
		return &again, nil
	})
	if !overHTTP {
		client, served := socketPair(b)
		if _, err := server.Connect(b.Context(), &sdk.IOTransport{Reader: served, Writer: served}, nil); err != nil {
			b.Fatal(err)
		}
		return &sdk.IOTransport{Reader: client, Writer: client}
	}
	newer, older := newHandlers(server)
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(versionHeader) >= modern {
			newer.ServeHTTP(w, r)
			return
		}
		older.ServeHTTP(w, r)
	}))
	b.Cleanup(ts.Close)
	return &sdk.StreamableClientTransport{Endpoint: ts.URL}
}

// BenchmarkReadBesideEcho calls desktop_read of a small desktop and, in turn with
// it, a bare tool of the SDK that answers the same.
func BenchmarkReadBesideEcho(b *testing.B) {
	for _, tr := range transports {
		b.Run(tr.name, func(b *testing.B) {
			f := tables(4, 5)
			s := newServer(b, f)
			join := func(t sdk.Transport) *sdk.ClientSession {
				cs, err := newEvents().client().Connect(b.Context(), t, &sdk.ClientSessionOptions{ProtocolVersion: tr.version})
				if err != nil {
					b.Fatal(err)
				}
				b.Cleanup(func() { cs.Close() })
				return cs
			}
			var ours *sdk.ClientSession
			if tr.http {
				ts := httptest.NewServer(s.Handler())
				b.Cleanup(ts.Close)
				ours = join(&sdk.StreamableClientTransport{Endpoint: ts.URL + "/mcp", HTTPClient: authorized()})
			} else {
				ours = join(relayed(b, s))
			}
			answer, _ := call(b, ours, readTool, nil)
			theirs := join(echo(b, answer, tr.http))
			var read, bare []time.Duration
			timed := func(cs *sdk.ClientSession, tool string) time.Duration {
				begin := time.Now()
				if _, err := cs.CallTool(b.Context(), &sdk.CallToolParams{Name: tool}); err != nil {
					b.Fatal(err)
				}
				return time.Since(begin)
			}
			for b.Loop() {
				read = append(read, timed(ours, readTool))
				bare = append(bare, timed(theirs, "echo"))
			}
			b.ReportMetric(float64(len(f.Snapshot().JSON())), "snapshot-bytes")
			b.ReportMetric(percentile(read, 0.5), "read-p50-ms")
			b.ReportMetric(percentile(bare, 0.5), "echo-p50-ms")
			b.ReportMetric(percentile(read, 0.5)/percentile(bare, 0.5), "ratio")
		})
	}
}

// BenchmarkNotifyMany changes the desktop and takes the time until the last of 64
// subscribers has been told.
func BenchmarkNotifyMany(b *testing.B) {
	const clients = 64
	f := typicalDesktop()
	s := newServer(b, f)
	ts := httptest.NewServer(s.Handler())
	b.Cleanup(ts.Close)
	var all []*events
	for i := range clients {
		e, tr := newEvents(), transports[i%len(transports)]
		transport := sdk.Transport(&sdk.StreamableClientTransport{Endpoint: ts.URL + "/mcp", HTTPClient: &http.Client{Transport: ownConns{new(http.Transport)}}})
		if !tr.http {
			transport = pipe(b, s, Face{})
		}
		cs, err := e.client().Connect(b.Context(), transport, &sdk.ClientSessionOptions{ProtocolVersion: tr.version})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { cs.Close() })
		listen(b, f, cs, e)
		all = append(all, e)
	}
	for _, e := range all {
		settle(e)
	}
	windows := f.Snapshot().Windows
	version := int64(1000)
	var times []time.Duration
	for b.Loop() {
		version++
		changed := *windows[0]
		changed.Version = version
		begin := time.Now()
		f.publish(append([]*bridge.Window{&changed}, windows[1:]...)...)
		for i, e := range all {
			wait(b, e.updated, fmt.Sprintf("the notification of client %d", i))
		}
		times = append(times, time.Since(begin))
	}
	b.ReportMetric(percentile(times, 0.5), "p50-ms")
	b.ReportMetric(percentile(times, 0.99), "p99-ms")
}

// heap returns the bytes that are in use after a collection.
func heap() uint64 {
	runtime.GC()
	runtime.GC() // what had a finalizer goes with the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}

// subscriber is a session of a raw HTTP client: it costs the test's process
// little, so that what remains is the server's.
type subscriber struct {
	id     string
	stream *http.Response
}

// idleSessions opens sessions that subscribe, listen and do nothing.
func idleSessions(t testing.TB, url string, client *http.Client, n int) []subscriber {
	t.Helper()
	all := make([]subscriber, n)
	var wg sync.WaitGroup
	slots := make(chan struct{}, 16)
	for i := range all {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			post := func(session, body string) *http.Response {
				res, err := client.Do(httpRequest(t.Context(), "POST", url, "2025-11-25", session, body))
				if err != nil {
					t.Error(err)
					return nil
				}
				_, _ = io.Copy(io.Discard, res.Body) // only the header matters
				res.Body.Close()
				return res
			}
			if res := post("", initialize); res != nil {
				all[i].id = res.Header.Get(sessionHeader)
			}
			post(all[i].id, initialized)
			post(all[i].id, `{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"app://windows"}}`)
			res, err := client.Do(httpRequest(t.Context(), "GET", url, "2025-11-25", all[i].id, ""))
			if err != nil {
				t.Error(err)
				return
			}
			all[i].stream = res
		})
	}
	wg.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return all
}

// BenchmarkIdleSessions opens 500 sessions with a stream each. What is counted
// holds the client's end of the connections too.
func BenchmarkIdleSessions(b *testing.B) {
	const sessions = 500
	for b.Loop() {
		s := newServer(b, typicalDesktop())
		ts := httptest.NewServer(s.Handler())
		client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}}
		before, goroutines := heap(), runtime.NumGoroutine()
		all := idleSessions(b, ts.URL+"/mcp", client, sessions)
		b.ReportMetric(float64(heap()-before)/sessions, "B/session")
		b.ReportMetric(float64(runtime.NumGoroutine()-goroutines)/sessions, "goroutines/session")
		for _, c := range all {
			c.stream.Body.Close()
		}
		s.Close()
		ts.Close()
	}
}

// TestFiveHundredSessions opens 500 sessions, tells each of a change, and ends a
// part by DELETE and the others by the idle time: none of them leaves anything.
func TestFiveHundredSessions(t *testing.T) { // B06, C33
	const sessions = 500
	f := oneEditor()
	s := newServer(t, f, func(c *Config) { c.IdleTimeout = 5 * time.Second })
	ts := httptest.NewServer(s.Handler())
	defer ts.Close()
	all := front(t, s, Face{})
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}}
	defer client.CloseIdleConnections()
	goroutines := runtime.NumGoroutine()
	subscribers := idleSessions(t, ts.URL+"/mcp", client, sessions)
	f.publish(editor(100), window("w2", "New", 1, with(closeIt)))
	told := make(chan error, sessions)
	for _, c := range subscribers {
		go func() { told <- hear(c.stream.Body, methodUpdated) }()
	}
	for range subscribers {
		if err := wait(t, told, "a notification"); err != nil {
			t.Fatal(err)
		}
	}
	for i, c := range subscribers {
		c.stream.Body.Close()
		if i%2 == 0 {
			continue // as a client that was killed
		}
		res, err := client.Do(httpRequest(t.Context(), "DELETE", ts.URL+"/mcp", "2025-11-25", c.id, ""))
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
	}
	eventually(t, func() string {
		client.CloseIdleConnections()
		living := 0
		for range all.sdk.Sessions() {
			living++
		}
		all.sessions.mu.Lock()
		known, requests := len(all.sessions.byID), len(all.sessions.requests)
		all.sessions.mu.Unlock()
		all.outbox.mu.Lock()
		pending, hears := len(all.outbox.pending), len(all.outbox.told)
		all.outbox.mu.Unlock()
		left := runtime.NumGoroutine() - goroutines
		if living+known+requests+pending+hears == 0 && left <= 5 {
			return ""
		}
		return fmt.Sprintf("%d sessions, %d known, %d requests, %d outboxes, %d told and %d goroutines are left", living, known, requests, pending, hears, left)
	})
}

// thirtyWindows is a full desktop: each window shows a form of six fields, a list
// and a text of some lines.
func thirtyWindows() *fakeBridge {
	windows := crowd(30, strings.Repeat("A line of a document as people write them.\n", 8))
	for _, w := range windows {
		form := bridge.Block{ID: "b2", Block: hostabi.Block{Type: hostabi.Fields}}
		list := bridge.Block{ID: "b3", Block: hostabi.Block{Type: hostabi.List}}
		for i := range 6 {
			form.Items = append(form.Items, hostabi.Field{Label: fmt.Sprintf("Setting %d", i), Value: "a value of it"})
			list.List = append(list.List, fmt.Sprintf("Entry number %d", i))
		}
		w.Blocks = append(w.Blocks, form, list)
	}
	return newFake(windows...)
}

func TestThirtyWindowsAreSmall(t *testing.T) {
	if n := len(thirtyWindows().Snapshot().JSON()); n > 50_000 {
		t.Errorf("the snapshot of 30 windows has %d bytes, want 50,000 at most", n)
	}
}

// BenchmarkThirtyWindows reads the resource of a full desktop.
func BenchmarkThirtyWindows(b *testing.B) {
	for _, tr := range transports {
		b.Run(tr.name, func(b *testing.B) {
			f := thirtyWindows()
			cs := connect(b, newServer(b, f), newEvents(), tr.version, tr.http)
			var times []time.Duration
			for b.Loop() {
				begin := time.Now()
				if _, err := cs.ReadResource(b.Context(), &sdk.ReadResourceParams{URI: windowsURI}); err != nil {
					b.Fatal(err)
				}
				times = append(times, time.Since(begin))
			}
			b.ReportMetric(float64(len(f.Snapshot().JSON())), "snapshot-bytes")
			b.ReportMetric(percentile(times, 0.5), "p50-ms")
			b.ReportMetric(percentile(times, 0.99), "p99-ms")
		})
	}
}
