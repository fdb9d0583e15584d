package mcp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// runtimeFolder is a folder as the host's socket needs one.
func runtimeFolder(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestRelayCopiesWholeLinesOnly(t *testing.T) { // C31
	client, host := socketPair(t)
	var out bytes.Buffer
	done := make(chan error, 1)
	go func() { done <- Relay(t.Context(), strings.NewReader("one\ntwo without an end"), &out, client) }()
	const want = "one\ntwo without an end\n" + farewell + "\n"
	got := make([]byte, len(want))
	if _, err := io.ReadFull(host, got); err != nil || string(got) != want {
		t.Errorf("the host got %q, %v", got, err)
	}
	io.WriteString(host, "answer\nhalf a mess") // seen by the relay's output
	host.Close()
	if err := wait(t, done, "the relay's end"); err != nil {
		t.Error(err)
	}
	if out.String() != "answer\n" {
		t.Errorf("stdout got %q", out.String())
	}
}

func TestRelayEndsWithTheHost(t *testing.T) {
	client, host := socketPair(t)
	stdin, keep := io.Pipe()
	defer keep.Close()
	done := make(chan error, 1)
	go func() { done <- Relay(t.Context(), stdin, io.Discard, client) }()
	host.Close()
	if err := wait(t, done, "the relay's end"); !errors.Is(err, ErrHostGone) {
		t.Errorf("ended with %v", err)
	}
}

func TestRelayEndsWithTheClient(t *testing.T) { // C32
	for _, what := range []string{"stdout", "context"} {
		t.Run(what, func(t *testing.T) {
			client, host := socketPair(t)
			stdin, keep := io.Pipe()
			defer keep.Close()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var stdout io.Writer = io.Discard
			if what == "stdout" {
				r, w := io.Pipe()
				r.Close()
				stdout = w
			}
			done := make(chan error, 1)
			go func() { done <- Relay(ctx, stdin, stdout, client) }()
			switch what {
			case "stdout":
				io.WriteString(host, "{}\n") // the relay cannot pass it on
			case "context":
				cancel()
			}
			err := wait(t, done, "the relay's end")
			if err == nil || errors.Is(err, ErrHostGone) {
				t.Errorf("ended with %v", err)
			}
		})
	}
}

func TestOneHost(t *testing.T) { // C42
	path := filepath.Join(runtimeFolder(t), "host.sock")
	if err := os.WriteFile(path, nil, 0o600); err != nil { // left behind by a host that was killed
		t.Fatal(err)
	}
	ln, err := Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(path); !errors.Is(err, ErrHostRuns) {
		t.Errorf("a second host: %v", err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket: %v %v", info, err)
	}
	ln.Close()
	if _, err := Dial(t.Context(), path); err == nil {
		t.Error("a closed host was reached")
	}
	ln, err = Listen(path)
	if err != nil {
		t.Fatalf("the next host: %v", err)
	}
	ln.Close()
	open := t.TempDir()
	if err := os.Chmod(open, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(filepath.Join(open, "host.sock")); err == nil || !strings.Contains(err.Error(), "chmod 700") {
		t.Errorf("a folder open to others: %v", err)
	}
	if _, err := Listen(filepath.Join(open, "missing", "host.sock")); err == nil {
		t.Error("a folder that is missing was taken")
	}
}

func TestTwoRelaysShareOneHost(t *testing.T) { // C32, C42
	f := oneEditor()
	s := newServer(t, f)
	path := filepath.Join(runtimeFolder(t), "host.sock")
	ln, err := Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	const linger = 500 * time.Millisecond
	ended := make(chan struct{})
	go func() { defer close(ended); s.ServeSocket(t.Context(), ln, linger) }()

	attach := func() (*sdk.ClientSession, *events, <-chan error) {
		conn, err := Dial(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		stdin, toRelay := io.Pipe()
		fromRelay, stdout := io.Pipe()
		done := make(chan error, 1)
		go func() {
			done <- Relay(t.Context(), stdin, stdout, conn)
			stdout.Close()
		}()
		e := newEvents()
		cs, err := e.client().Connect(t.Context(), &sdk.IOTransport{Reader: fromRelay, Writer: toRelay}, nil)
		if err != nil {
			t.Fatal(err)
		}
		listen(t, f, cs, e)
		return cs, e, done
	}
	one, oneEvents, oneDone := attach()
	two, twoEvents, twoDone := attach()
	settle(oneEvents)
	f.publish(editor(60))
	wait(t, oneEvents.updated, "the first client's notification")
	wait(t, twoEvents.updated, "the second client's notification")
	call(t, one, "w1__close", nil)
	call(t, two, "w1__close", nil)
	if r := f.acts(); len(r) != 2 || !strings.Contains(r[0].Client, "(stdio pid ") {
		t.Errorf("acts: %+v", r)
	}
	// A client that ends closes both pipes, and which first is its own affair.
	clientEnded := func(err error) bool { return err == nil || strings.HasPrefix(err.Error(), "writing to the client") }
	one.Close()
	if err := wait(t, oneDone, "the first relay's end"); !clientEnded(err) {
		t.Error(err)
	}
	select {
	case <-ended:
		t.Fatal("the host ended although a client is left")
	case <-time.After(2 * linger):
	}
	two.Close()
	if err := wait(t, twoDone, "the second relay's end"); !clientEnded(err) {
		t.Error(err)
	}
	begin := time.Now()
	wait(t, ended, "the host's end with its last client")
	t.Logf("the host ended %v after its last client", time.Since(begin))
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket is left behind: %v", err)
	}
}

func TestSocketWithoutLingerStays(t *testing.T) {
	s := newServer(t, oneEditor())
	path := filepath.Join(runtimeFolder(t), "host.sock")
	ln, err := Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); s.ServeSocket(ctx, ln, 0) }()
	for range 2 {
		conn, err := Dial(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		newWire(t, conn).ask(initialize)
		conn.Close()
	}
	conn, err := Dial(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	w := newWire(t, conn)
	w.ask(initialize)
	cancel()
	wait(t, ended, "the end of the socket")
	if _, open := <-w.lines; open {
		t.Error("the client's connection is still open")
	}
}

// TestRelayOfAHostThatHangs has a host that answers nothing to the farewell.
func TestRelayOfAHostThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, host := net.Pipe()
		go io.Copy(io.Discard, host) // ends with the relay
		begin := time.Now()
		if err := Relay(t.Context(), strings.NewReader("{}\n"), io.Discard, client); err != nil {
			t.Error(err)
		}
		if d := time.Since(begin); d != relayLinger {
			t.Errorf("ended after %v, want %v", d, relayLinger)
		}
		host.Close()
	})
}
