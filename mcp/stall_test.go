package mcp

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// stuckListener makes connections whose writes can be made to wait as if the
// other end did not read.
type stuckListener struct {
	net.Listener
	mu    sync.Mutex
	conns []*stuckConn // guarded by mu
}

type stuckConn struct {
	net.Conn
	stuck    atomic.Bool
	deadline atomic.Pointer[time.Time]
	closed   chan struct{}
	once     sync.Once
	streams  atomic.Bool // a request for notifications came over it
}

func (l *stuckListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	sc := &stuckConn{Conn: c, closed: make(chan struct{})}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conns = append(l.conns, sc)
	return sc, nil
}

func (c *stuckConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if bytes.HasPrefix(b[:n], []byte("GET ")) || bytes.Contains(b[:n], []byte(methodListen)) {
		c.streams.Store(true)
	}
	return n, err
}

func (c *stuckConn) SetWriteDeadline(t time.Time) error {
	c.deadline.Store(&t)
	return c.Conn.SetWriteDeadline(t)
}

func (c *stuckConn) SetDeadline(t time.Time) error {
	c.deadline.Store(&t)
	return c.Conn.SetDeadline(t)
}

func (c *stuckConn) Write(b []byte) (int, error) {
	if !c.stuck.Load() {
		return c.Conn.Write(b)
	}
	var expired <-chan time.Time
	if d := c.deadline.Load(); d != nil && !d.IsZero() {
		expired = time.After(time.Until(*d))
	}
	select {
	case <-expired:
		return 0, os.ErrDeadlineExceeded
	case <-c.closed:
		return 0, net.ErrClosed
	}
}

func (c *stuckConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}

// stall makes the streams of all clients so far wait as if nobody read them.
func (l *stuckListener) stall() (stuck []*stuckConn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.conns {
		if c.streams.Load() {
			c.stuck.Store(true)
			stuck = append(stuck, c)
		}
	}
	return stuck
}

// stalled is how many subscribers at once do not read.
const stalled = 5

// TestStalledStreamsHoldUpNobody gives the stalled streams more time than the
// healthy client has, so that one which is waited for is noticed.
func TestStalledStreamsHoldUpNobody(t *testing.T) { // C33
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			f := oneEditor()
			attach, ln := stallable(t, f, version, time.Minute)
			for range stalled {
				attach(newEvents())
			}
			if n := len(ln.stall()); n < stalled {
				t.Fatalf("%d clients have %d streams", stalled, n)
			}
			good := newEvents()
			attach(good)
			for v := range int64(10) {
				f.publish(editor(1000+v), window(fmt.Sprintf("w%d", 50+v), "More", 1, with(closeIt)))
				wait(t, good.updated, "the healthy client's notification")
				wait(t, good.tools, "the healthy client's other notification")
			}
		})
	}
}

func TestStalledStreamsEnd(t *testing.T) { // C33
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			f := oneEditor()
			attach, ln := stallable(t, f, version, 500*time.Millisecond)
			for range stalled {
				attach(newEvents())
			}
			stuck := ln.stall()
			f.publish(editor(1000), window("w50", "More", 1, with(closeIt)))
			for i, c := range stuck {
				wait(t, c.closed, fmt.Sprintf("the end of stalled connection %d of %d", i, len(stuck)))
			}
		})
	}
}

// stallable serves HTTP clients whose streams can be stalled.
func stallable(t *testing.T, f *fakeBridge, version string, timeout time.Duration) (attach func(*events), ln *stuckListener) {
	s := newServer(t, f, func(c *Config) { c.WriteTimeout = timeout })
	ln = &stuckListener{}
	ts := httptest.NewUnstartedServer(s.Handler())
	ln.Listener, ts.Listener = ts.Listener, ln
	ts.Start()
	t.Cleanup(func() {
		ts.CloseClientConnections()
		s.Close()
		ts.Close()
	})
	return func(e *events) {
		t.Helper()
		transport := &sdk.StreamableClientTransport{Endpoint: ts.URL + "/mcp", HTTPClient: &http.Client{Transport: ownConns{new(http.Transport)}}, MaxRetries: -1}
		cs, err := e.client().Connect(t.Context(), transport, &sdk.ClientSessionOptions{ProtocolVersion: version})
		if err != nil {
			t.Fatal(err)
		}
		listen(t, f, cs, e)
	}, ln
}

// ownConns sends the token and keeps a client's connections apart from others'.
type ownConns struct{ *http.Transport }

func (o ownConns) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+testToken)
	return o.Transport.RoundTrip(r)
}
