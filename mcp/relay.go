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

const (
	// relayLinger is how long a relay waits for the host to end the connection
	// after its client has asked its last.
	relayLinger = lastAnswers + 3*time.Second
	// readerLook is how often it then looks whether anybody still reads.
	readerLook = 100 * time.Millisecond
)

// errNoReader says that what would be written has no reader any more.
var errNoReader = errors.New("its end of the pipe is closed")

// Relay joins a client on stdin and stdout to the host at the other end of conn,
// and closes conn. It copies whole lines only, so that nothing but messages ever
// reaches stdout. A client that closes its stdin still gets the answers to what it
// asked, for as long as it reads them. Relay returns nil when such a client has
// all of them and [ErrHostGone] when the host ended first. A read of stdin that is
// under way then ends only with stdin itself, so the caller is expected to exit.
func Relay(ctx context.Context, stdin io.Reader, stdout io.Writer, conn net.Conn) error {
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	ended := make(chan struct{})
	defer close(ended)
	var clientEnded, clientGone atomic.Bool
	go func() {
		if err := copyLines(conn, stdin, true); err != nil {
			return // the host has gone; the other direction says so
		}
		clientEnded.Store(true)
		if !sayFarewell(conn, stdout, ended) {
			clientGone.Store(true)
			conn.Close()
		}
	}()
	err := copyLines(stdout, conn, false)
	switch we, failed := errors.AsType[*writeError](err); {
	case clientGone.Load():
		return fmt.Errorf("writing to the client: %w", errNoReader)
	case ctx.Err() != nil:
		return ctx.Err()
	case failed:
		return fmt.Errorf("writing to the client: %w", we.error)
	case clientEnded.Load():
		return nil
	}
	return ErrHostGone
}

// sayFarewell asks the host for its last answers and watches, until the relay has
// ended, that somebody reads them; it reports whether that was so. The host takes
// the end of the connection for that of the client and cancels its calls.
func sayFarewell(conn net.Conn, stdout io.Writer, ended <-chan struct{}) (read bool) {
	if hungUp(stdout) {
		return false
	}
	// Neither fails unless the connection is gone already.
	_, _ = io.WriteString(conn, farewell+"\n")
	_ = conn.SetReadDeadline(time.Now().Add(relayLinger))
	look := time.NewTicker(readerLook)
	defer look.Stop()
	for {
		select {
		case <-ended:
			return true
		case <-look.C:
			if hungUp(stdout) {
				return false
			}
		}
	}
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
