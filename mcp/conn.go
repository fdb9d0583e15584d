package mcp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// greeting begins the line by which a connection asks for another face than the
// zero one. It is no JSON, so that no message can be taken for it.
const greeting = "oriel "

// maxGreeting bounds that line.
const maxGreeting = 256

// Greet asks for a face, as the first thing on a connection to a host.
func Greet(conn io.Writer, key Face) error {
	if key == (Face{}) {
		return nil
	}
	if _, err := io.WriteString(conn, greeting+key.String()+"\n"); err != nil {
		return fmt.Errorf("greeting the host: %w", err)
	}
	return nil
}

// greeted reads the face that a client asks for.
func greeted(in *bufio.Reader) (Face, error) {
	first, err := in.Peek(1)
	if err != nil || first[0] != greeting[0] {
		return Face{}, nil // the SDK meets the error too
	}
	line, err := in.ReadSlice('\n')
	if err != nil || len(line) > maxGreeting {
		return Face{}, errors.New("the first line is neither a message nor a greeting")
	}
	target, ok := strings.CutPrefix(strings.TrimRight(string(line), "\r\n"), greeting)
	if !ok {
		return Face{}, errors.New("the first line is neither a message nor a greeting")
	}
	if greeting+target == farewell {
		return Face{}, io.EOF
	}
	return ParseFace(target)
}

// ServeConn serves one client that speaks newline-delimited JSON-RPC over conn,
// after a greeting if it wants another face than the zero one, until the client
// ends it, ctx ends or the server closes. It closes conn. When the client is gone
// its running calls are cancelled; one that says farewell first gets its answers.
// The name says how the client is connected; it goes to the audit log.
func (s *Server) ServeConn(ctx context.Context, conn io.ReadWriteCloser, name string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	// Closing the connection ends the reading of it, and with it the session.
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	in := bufio.NewReader(conn)
	key, err := greeted(in)
	if err != nil {
		conn.Close()
		if isGone(err) {
			return nil
		}
		return fmt.Errorf("connecting client %s: %w", name, err)
	}
	f, leave, err := s.enter(key)
	if err != nil {
		conn.Close()
		return fmt.Errorf("connecting client %s: %w", name, err)
	}
	defer leave()
	out := &boundedConn{ReadWriteCloser: conn, timeout: s.cfg.WriteTimeout}
	transport := &lineTransport{in: in, out: out}
	session, err := f.sdk.Connect(withPeer(ctx, peer{name, ctx}), transport, nil)
	if err != nil {
		conn.Close()
		return fmt.Errorf("connecting client %s: %w", name, err)
	}
	err = session.Wait()
	conn.Close()
	transport.served.Wait()
	if out.stalled.Load() {
		return fmt.Errorf("serving client %s: it did not read for %v", name, s.cfg.WriteTimeout)
	}
	if err == nil || ctx.Err() != nil || isGone(err) {
		return nil
	}
	return fmt.Errorf("serving client %s: %w", name, err)
}

// isGone tells a client that left from a connection that failed.
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
	mu      sync.Mutex  // keeps messages whole
}

// Write writes all of b or closes the connection.
func (c *boundedConn) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
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
