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
	// ReadyFD is the descriptor at which a host that was started for a client
	// says that it serves.
	ReadyFD = 3
	// ExitHostRuns is the exit code of a host that found another one.
	ExitHostRuns = 3
)

// Join connects to the host at a socket. If there is none it runs start, a
// command that becomes one and outlives this program, with what it prints going
// to the file log, and waits until it says at its descriptor [ReadyFD] that it
// serves.
func Join(ctx context.Context, socket string, start *exec.Cmd, log *os.File) (net.Conn, error) {
	if conn, err := mcp.Dial(ctx, socket); err == nil {
		return conn, nil
	}
	from, err := log.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, fmt.Errorf("starting a host: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, joinPatience)
	defer cancel()
	ready, err := launch(start, log)
	if err != nil {
		return nil, fmt.Errorf("starting a host: %w", err)
	}
	defer ready.Close()
	defer context.AfterFunc(ctx, func() { ready.Close() })()
	if _, err := ready.Read(make([]byte, 1)); err == nil {
		return mcp.Dial(ctx, socket)
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("waiting for the host that was started: %w; its log is %s", ctx.Err(), log.Name())
	}
	// It has closed its end, so it has died or is about to.
	err = start.Wait()
	if start.ProcessState.ExitCode() == ExitHostRuns { // another one was quicker
		return mcp.Dial(ctx, socket)
	}
	if words := said(log, from); words != "" {
		return nil, errors.New(words)
	}
	return nil, fmt.Errorf("starting a host: %w", err)
}

// launch starts a host and returns where it says that it serves.
func launch(start *exec.Cmd, log *os.File) (ready *os.File, err error) {
	ready, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer w.Close()
	start.Stdin, start.Stdout, start.Stderr = nil, log, log
	start.ExtraFiles = []*os.File{w}                       // ReadyFD
	start.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // a Ctrl-C at the client is not for the host
	if err := start.Start(); err != nil {
		return nil, errors.Join(err, ready.Close())
	}
	return ready, nil
}

// SayReady tells the program that started this host that it serves.
func SayReady() error {
	f := os.NewFile(ReadyFD, "ready")
	if f == nil {
		return errors.New("saying that the host is ready: nobody has started it as a client's; leave out --linger")
	}
	_, err := f.Write([]byte{1})
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("saying that the host is ready: %w", err)
	}
	return nil
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

// Face says what a client is shown: "all" (or "") or "bridge", or one application.
func Face(name, app, tools string) (mcp.Face, error) {
	face := mcp.Face{Bridge: name == "bridge", App: app, Tools: tools}
	switch {
	case name != "" && name != "all" && name != "bridge":
		return face, fmt.Errorf("--face is %q: choose all or bridge, or one application with --app", name)
	case face.Bridge && app != "":
		return face, errors.New("--app shows one application alone; leave out --face")
	}
	return mcp.ParseFace(face.String())
}

// Relay joins a client on stdin and stdout to a face of the host at the other end
// of conn. It returns nil when the client has ended.
func Relay(ctx context.Context, stdin io.Reader, stdout io.Writer, conn net.Conn, face mcp.Face) error {
	if err := mcp.Greet(conn, face); err != nil {
		return errors.Join(err, conn.Close())
	}
	err := mcp.Relay(ctx, stdin, stdout, conn)
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
