package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// tap keeps the answers as they came, since a client library fills in what is
// missing and drops what it does not know.
type tap struct {
	timeout time.Duration // for an answer to begin; fixed at creation

	// mu guards what follows.
	mu      sync.Mutex
	pending map[string]string          // method by the id of the request
	last    map[string]json.RawMessage // the last result by method

	// streams is closed when the stream for notifications was answered, which
	// over HTTP comes some time after the handshake.
	streams chan struct{}
	opened  sync.Once
}

func newTap(timeout time.Duration) *tap {
	return &tap{timeout: timeout, pending: map[string]string{}, last: map[string]json.RawMessage{}, streams: make(chan struct{})}
}

func (t *tap) streaming() { t.opened.Do(func() { close(t.streams) }) }

// sent notes a message to the server, received one from it.
func (t *tap) sent(message []byte) {
	var m struct {
		ID     json.RawMessage
		Method string
	}
	if json.Unmarshal(message, &m) != nil || len(m.ID) == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pending[string(m.ID)] = m.Method
}

func (t *tap) received(message []byte) {
	var m struct{ ID, Result json.RawMessage }
	if json.Unmarshal(message, &m) != nil || len(m.ID) == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if method, ok := t.pending[string(m.ID)]; ok && m.Result != nil {
		delete(t.pending, string(m.ID))
		t.last[method] = bytes.Clone(m.Result)
	}
}

// result is the last answer to a method, forgotten at once.
func (t *tap) result(method string) json.RawMessage {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.last[method]
	delete(t.last, method)
	return r
}

type tappedConn struct {
	sdk.Connection
	tap *tap
}

// Read implements [sdk.Connection].
func (c *tappedConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if err == nil {
		if data, err := jsonrpc.EncodeMessage(m); err == nil {
			c.tap.received(data)
		}
	}
	return m, err
}

// Write implements [sdk.Connection].
func (c *tappedConn) Write(ctx context.Context, m jsonrpc.Message) error {
	if data, err := jsonrpc.EncodeMessage(m); err == nil {
		c.tap.sent(data)
	}
	return c.Connection.Write(ctx, m)
}

// httpTap taps a client's HTTP traffic and adds the token.
type httpTap struct {
	tap   *tap
	token string
	next  *http.Transport
}

// RoundTrip implements [http.RoundTripper].
func (h *httpTap) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	if h.token != "" {
		req.Header.Set("Authorization", "Bearer "+h.token)
	}
	if req.Body != nil {
		body, err := io.ReadAll(req.Body)
		_ = req.Body.Close()
		if err != nil {
			return nil, err
		}
		h.tap.sent(body)
		req.Body = io.NopCloser(bytes.NewReader(body))
	}
	resp, err := h.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if req.Method == http.MethodGet {
		h.tap.streaming()
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	resp.Body = &tappedBody{ReadCloser: resp.Body, tap: h.tap, events: kind == "text/event-stream"}
	return resp, nil
}

// CloseIdleConnections lets the client close what it holds.
func (h *httpTap) CloseIdleConnections() { h.next.CloseIdleConnections() }

// tappedBody notes the messages of a body before its reader sees their end.
type tappedBody struct {
	io.ReadCloser
	tap    *tap
	events bool   // the body is a stream of events
	buf    []byte // what is not yet a whole body or line
	data   []byte // of the event under way
}

// Read implements [io.Reader].
func (b *tappedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.buf = append(b.buf, p[:n]...)
	if !b.events {
		if bytes.HasSuffix(bytes.TrimSpace(b.buf), []byte("}")) && json.Valid(b.buf) {
			b.tap.received(b.buf)
		}
		return n, err
	}
	for {
		line, rest, ok := bytes.Cut(b.buf, []byte("\n"))
		if !ok {
			return n, err
		}
		b.line(bytes.TrimSuffix(line, []byte("\r")))
		b.buf = rest
	}
}

func (b *tappedBody) line(line []byte) {
	if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
		b.data = append(append(b.data, data...), '\n')
	}
	if len(line) == 0 { // the end of an event
		b.tap.received(b.data)
		b.data = nil
	}
}
