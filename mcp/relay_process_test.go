package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"oriel.dev/oriel/bridge"
	"oriel.dev/oriel/hostabi"
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

const (
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	clientMeta  = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
)

// TestRelayOfAClientThatOnlyWrites asks everything at once and closes stdin, as a
// shell's printf does.
func TestRelayOfAClientThatOnlyWrites(t *testing.T) {
	const callTool = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"w1__close"}}`
	const readAll = `{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"app://windows"}}`
	newer := func(request string) string {
		return strings.Replace(request, `"params":{`, `"params":{`+clientMeta+",", 1)
	}
	for version, lines := range map[string][]string{
		"2025-11-25": {initialize, initialized, callTool, readAll},
		"2026-07-28": {newer(strings.Replace(callTool, `"id":2`, `"id":1`, 1)), newer(callTool), newer(readAll), newer(`{"jsonrpc":"2.0","id":4,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true}}}`)},
	} {
		t.Run(version, func(t *testing.T) {
			f := oneEditor()
			started, release := make(chan struct{}, 2), make(chan struct{})
			f.effect = func(ctx context.Context, _ bridge.Request) (*bridge.Result, error) {
				started <- struct{}{}
				select {
				case <-ctx.Done():
					return nil, ctx.Err()
				case <-release:
					return &bridge.Result{Message: "Closed.", Effect: hostabi.Confirmed}, nil
				}
			}
			p := startRelay(t, serveSocket(t, newServer(t, f)))
			if _, err := io.WriteString(p.stdin, strings.Join(lines, "\n")); err != nil { // the last line has no end
				t.Fatal(err)
			}
			p.stdin.Close()
			wait(t, started, "the act")
			close(release)
			out, err := io.ReadAll(p.stdout)
			if err != nil {
				t.Fatal(err)
			}
			answered := map[float64]string{}
			for line := range strings.Lines(string(out)) {
				var m struct {
					ID     float64
					Result json.RawMessage
				}
				if err := json.Unmarshal([]byte(line), &m); err != nil {
					t.Fatalf("%q: %v", line, err)
				}
				if m.Result != nil {
					answered[m.ID] = string(m.Result)
				}
			}
			if !strings.Contains(answered[2], "Closed.") || !strings.Contains(answered[3], windowsURI) || answered[1] == "" {
				t.Errorf("the client got\n%s", out)
			}
			if err := p.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestRelayOfAKilledClient closes both pipes while a call runs: what asked is gone,
// so nothing may go on for it.
func TestRelayOfAKilledClient(t *testing.T) { // B25, C32
	for _, first := range []string{"stdin", "stdout"} {
		t.Run(first+" first", func(t *testing.T) {
			f := oneEditor()
			started, ended := blocking(f)
			p := startRelay(t, serveSocket(t, newServer(t, f)))
			for _, line := range []string{initialize, initialized, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"w1__close"}}`} {
				if _, err := io.WriteString(p.stdin, line+"\n"); err != nil {
					t.Fatal(err)
				}
			}
			wait(t, started, "the act")
			if first == "stdin" {
				p.stdin.Close()
				p.stdout.Close()
			} else {
				p.stdout.Close()
				p.stdin.Close()
			}
			wait(t, ended, "the end of the act")
			if err := p.Wait(); err == nil {
				t.Error("the relay of a killed client ended well")
			}
		})
	}
}
