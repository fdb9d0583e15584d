package mcp

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// relaySocket is the variable that makes the test binary a relay to a socket.
const relaySocket = "ORIEL_TEST_RELAY"

func TestMain(m *testing.M) {
	if path := os.Getenv(relaySocket); path != "" {
		os.Exit(relayMain(path))
	}
	os.Exit(m.Run())
}

func relayMain(path string) int {
	conn, err := Dial(context.Background(), path)
	if err == nil {
		err = Relay(context.Background(), os.Stdin, os.Stdout, conn)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// serveSocket serves a bridge on a socket and returns its path.
func serveSocket(t testing.TB, s *Server) string {
	t.Helper()
	path := filepath.Join(runtimeFolder(t), "host.sock")
	ln, err := Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); s.ServeSocket(ctx, ln, 0) }()
	t.Cleanup(func() { cancel(); <-ended })
	return path
}

// process is a running relay and the pipes to it.
type process struct {
	*exec.Cmd
	stdin  *os.File
	stdout *os.File
}

func (p process) Read(b []byte) (int, error)  { return p.stdout.Read(b) }
func (p process) Write(b []byte) (int, error) { return p.stdin.Write(b) }

// Close ends the relay as a client does, by closing its stdin.
func (p process) Close() error { p.stdin.Close(); return p.stdout.Close() }

func startRelay(t testing.TB, path string) process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), relaySocket+"="+path)
	cmd.Stderr = os.Stderr
	in, toRelay, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromRelay, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin, cmd.Stdout = in, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in.Close()
	out.Close()
	return process{cmd, toRelay, fromRelay}
}

func TestKilledRelayCancels(t *testing.T) { // C32
	f := oneEditor()
	started, ended := blocking(f)
	p := startRelay(t, serveSocket(t, newServer(t, f)))
	w := newWire(t, p)
	w.ask(initialize)
	w.send(`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"w1__close"}}`)
	wait(t, started, "the act")
	if err := p.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	wait(t, ended, "the end of the act")
	if err := p.Wait(); err == nil {
		t.Error("the killed relay ended well")
	}
}

func TestRelayProcess(t *testing.T) { // C31, C32
	s := newServer(t, oneEditor())
	p := startRelay(t, serveSocket(t, s))
	w := newWire(t, p)
	for id, answer := range w.ask(initialize) {
		if !strings.HasPrefix(answer, "{") {
			t.Errorf("line %d of stdout is no message: %q", id, answer)
		}
	}
	p.stdin.Close()
	if err := p.Wait(); err != nil {
		t.Errorf("the relay of a client that ended: %v", err)
	}

	p = startRelay(t, serveSocket(t, s))
	newWire(t, p).ask(initialize)
	s.Close()
	if err := p.Wait(); err == nil {
		t.Error("the relay of a host that ended reports success")
	}
}
