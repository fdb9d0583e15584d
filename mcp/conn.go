package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// ServeConn serves one client that speaks newline-delimited JSON-RPC over conn,
// until the client ends it, ctx ends or the server closes. It closes conn. When
// the client is gone its running calls are cancelled. The name says how the client
// is connected; it goes to the audit log.
func (s *Server) ServeConn(ctx context.Context, conn io.ReadWriteCloser, name string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	out := &boundedConn{ReadWriteCloser: conn, timeout: s.cfg.WriteTimeout}
	session, err := s.sdk.Connect(withPeer(ctx, peer{name, ctx}), &sdk.IOTransport{Reader: io.NopCloser(conn), Writer: out}, nil)
	if err != nil {
		conn.Close()
		return fmt.Errorf("connecting client %s: %w", name, err)
	}
	// Closing the connection ends the SDK's reading, and with it the session.
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	err = session.Wait()
	if out.stalled.Load() {
		return fmt.Errorf("serving client %s: it did not read for %v", name, s.cfg.WriteTimeout)
	}
	if err == nil || ctx.Err() != nil || isGone(err) {
		return nil
	}
	return fmt.Errorf("serving client %s: %w", name, err)
}

// isGone tells a client that left from one that broke the protocol.
func isGone(err error) bool {
	for _, gone := range []error{io.EOF, io.ErrClosedPipe, net.ErrClosed, syscall.EPIPE, syscall.ECONNRESET} {
		if errors.Is(err, gone) {
			return true
		}
	}
	return false
}

// boundedConn bounds the time that a write may wait for the other end, where the
// connection can do so. A message of which a part was written cannot be mended,
// so the connection is then closed.
type boundedConn struct {
	io.ReadWriteCloser
	timeout time.Duration
	stalled atomic.Bool // a write ran out of time
}

// Write writes all of b or closes the connection.
func (c *boundedConn) Write(b []byte) (int, error) {
	if d, ok := c.ReadWriteCloser.(interface{ SetWriteDeadline(time.Time) error }); ok {
		// A connection that knows no deadline says so; the write then waits.
		_ = d.SetWriteDeadline(time.Now().Add(c.timeout))
	}
	n, err := c.ReadWriteCloser.Write(b)
	if err != nil {
		if errors.Is(err, os.ErrDeadlineExceeded) {
			c.stalled.Store(true)
		}
		c.Close()
	}
	return n, err
}
