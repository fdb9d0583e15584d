package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"oriel.dev/oriel/mcp"
)

// ErrHostRuns says that another host serves the desktop already.
var ErrHostRuns = mcp.ErrHostRuns

const (
	// joinPatience is how long a host may take to start; a virtual desktop on a
	// loaded machine needs seconds.
	joinPatience = 40 * time.Second
	joinPause    = 20 * time.Millisecond
	// ExitHostRuns is the exit code of a host that found another one.
	ExitHostRuns = 3
)

// Join connects to the host at a socket. If there is none it runs start, a
// command that becomes one and outlives this program, with its errors going to
// the file log, and waits for it.
func Join(ctx context.Context, socket string, start *exec.Cmd, log *os.File) (net.Conn, error) {
	if conn, err := mcp.Dial(ctx, socket); err == nil {
		return conn, nil
	}
	from, err := log.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, fmt.Errorf("starting a host: %w", err)
	}
	start.Stdin, start.Stdout, start.Stderr = nil, log, log
	start.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // a Ctrl-C at the client is not for the host
	if err := start.Start(); err != nil {
		return nil, fmt.Errorf("starting a host: %w", err)
	}
	ended := make(chan error, 1) // written once by the goroutine that reaps the host
	go func() { ended <- start.Wait() }()
	ctx, cancel := context.WithTimeout(ctx, joinPatience)
	defer cancel()
	tick := time.NewTicker(joinPause)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			if start.ProcessState.ExitCode() != ExitHostRuns {
				if words := said(log, from); words != "" {
					return nil, errors.New(words)
				}
				return nil, fmt.Errorf("starting a host: %w", err)
			}
			ended = nil // another one was quicker: its socket comes
		case <-tick.C:
			if conn, err := mcp.Dial(ctx, socket); err == nil {
				return conn, nil
			}
		case <-ctx.Done():
			return nil, fmt.Errorf("waiting for the host that was started: %w; its log is %s", ctx.Err(), log.Name())
		}
	}
}

// said returns what a host wrote to the log from an offset on, without its name.
func said(log *os.File, from int64) string {
	b, err := io.ReadAll(io.NewSectionReader(log, from, 16<<10))
	if err != nil {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], "oriel: ")
	}
	return strings.Join(lines, "\n")
}

// Relay joins a client on stdin and stdout to the host at the other end of conn.
// It returns nil when the client has ended.
func Relay(ctx context.Context, stdin io.Reader, stdout io.Writer, conn net.Conn) error {
	err := mcp.Relay(ctx, stdin, stdout, conn)
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
