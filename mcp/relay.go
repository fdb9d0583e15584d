package mcp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync/atomic"
	"time"
)

// ErrHostGone says that the host ended the connection before the client did.
var ErrHostGone = errors.New("the host has ended the connection; start it again")

// relayLinger is how long a relay waits for the last answers of the host after
// its client has ended.
const relayLinger = 3 * time.Second

// Relay joins a client on stdin and stdout to the host at the other end of conn,
// and closes conn. It copies whole lines only, so that nothing but messages ever
// reaches stdout. It returns nil when the client has ended and [ErrHostGone] when
// the host has. A read of stdin that is under way then ends only with stdin
// itself, so the caller is expected to exit.
func Relay(ctx context.Context, stdin io.Reader, stdout io.Writer, conn net.Conn) error {
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	var clientEnded atomic.Bool
	go func() {
		if err := copyLines(conn, stdin, true); err != nil {
			return // the host has gone; the other direction says so
		}
		clientEnded.Store(true)
		if c, ok := conn.(interface{ CloseWrite() error }); ok {
			_ = c.CloseWrite() // fails only if the connection is already gone
		}
		_ = conn.SetReadDeadline(time.Now().Add(relayLinger))
	}()
	err := copyLines(stdout, conn, false)
	switch we, failed := errors.AsType[*writeError](err); {
	case clientEnded.Load():
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case failed:
		return fmt.Errorf("writing to the client: %w", we.error)
	}
	return ErrHostGone
}

// writeError tells a failed write from a failed read.
type writeError struct{ error }

// copyLines copies whole lines until from ends. A last line that lacks its end is
// completed or dropped.
func copyLines(to io.Writer, from io.Reader, complete bool) error {
	r := bufio.NewReaderSize(from, 64<<10)
	for {
		line, err := r.ReadBytes('\n')
		if err != nil && complete && len(line) > 0 {
			line = append(line, '\n')
		}
		if len(line) > 0 && line[len(line)-1] == '\n' {
			if _, err := to.Write(line); err != nil {
				return &writeError{err}
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
