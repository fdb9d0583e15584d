package mcp

import (
	"bytes"
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
	gets     atomic.Bool // a GET came over it
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
	if bytes.HasPrefix(b[:n], []byte("GET ")) {
		c.gets.Store(true)
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

func TestStalledStreamHoldsUpNobody(t *testing.T) { // C33
	f := oneEditor()
	s := newServer(t, f, func(c *Config) { c.WriteTimeout = time.Second })
	ln := &stuckListener{}
	ts := httptest.NewUnstartedServer(s.Handler())
	ln.Listener, ts.Listener = ts.Listener, ln
	ts.Start()
	defer ts.Close()
	attach := func(e *events) *sdk.ClientSession {
		transport := &sdk.StreamableClientTransport{Endpoint: ts.URL + "/mcp", HTTPClient: &http.Client{Transport: ownConns{new(http.Transport)}}, MaxRetries: -1}
		cs, err := e.client().Connect(t.Context(), transport, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
		if err != nil {
			t.Fatal(err)
		}
		listen(t, f, cs, e)
		return cs
	}
	bad := newEvents()
	attach(bad)
	var stuck []*stuckConn
	ln.mu.Lock()
	for _, c := range ln.conns {
		if c.gets.Load() {
			c.stuck.Store(true)
			stuck = append(stuck, c)
		}
	}
	ln.mu.Unlock()
	if len(stuck) == 0 {
		t.Fatal("the first client has no stream")
	}
	good := newEvents()
	defer attach(good).Close()
	settle(bad)
	worst := time.Duration(0)
	for v := range int64(10) {
		begin := time.Now()
		f.publish(editor(1000 + v))
		wait(t, good.updated, "the healthy client's notification")
		worst = max(worst, time.Since(begin))
	}
	if worst > s.cfg.WriteTimeout/2 {
		t.Errorf("the healthy client waited %v", worst)
	}
	t.Logf("the healthy client waited %v at most", worst)
	for _, c := range stuck {
		wait(t, c.closed, "the end of the stalled connection")
	}
	if n := len(bad.updated); n != 0 {
		t.Errorf("the stalled client got %d notifications", n)
	}
}

// ownConns sends the token and keeps a client's connections apart from others'.
type ownConns struct{ *http.Transport }

func (o ownConns) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+testToken)
	return o.Transport.RoundTrip(r)
}
