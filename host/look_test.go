package host

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"oriel.dev/oriel/desktop/linux/virtual"
	"oriel.dev/oriel/mcp"
)

func defaultVirtual(t *testing.T) *virtual.Config {
	t.Helper()
	return &virtual.Config{Width: 800, Height: 600}
}

// answer plays a host at the other end of a connection: each request with an id
// gets what replies holds for its method.
func answer(t *testing.T, replies map[string]string) net.Conn {
	t.Helper()
	ours, theirs := net.Pipe()
	done := make(chan struct{})
	t.Cleanup(func() { ours.Close(); <-done })
	go func() {
		defer close(done)
		defer theirs.Close()
		in := bufio.NewScanner(theirs)
		for in.Scan() {
			var m struct {
				ID     *int   `json:"id"`
				Method string `json:"method"`
			}
			if err := json.Unmarshal(in.Bytes(), &m); err != nil {
				t.Error(err)
				return
			}
			if m.ID == nil {
				continue
			}
			reply, ok := replies[m.Method]
			if !ok {
				return
			}
			fmt.Fprintf(theirs, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\",\"params\":{}}\n{\"jsonrpc\":\"2.0\",\"id\":%d,%s}\n", *m.ID, reply)
		}
	}()
	return ours
}

func TestReadOver(t *testing.T) {
	const hello = `"result":{}`
	for _, c := range []struct{ name, reply, want, err string }{
		{"good", `"result":{"structuredContent":{"message":"x","result":{"windows":[]}}}`, `{"windows":[]}`, ""},
		{"refused", `"result":{"isError":true,"structuredContent":{"message":"the desktop is lost"}}`, "", "the desktop is lost"},
		{"protocol error", `"error":{"code":-32602,"message":"unknown tool"}`, "", "unknown tool"},
		{"nonsense", `"result":7`, "", "asking the running host"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := readOver(t.Context(), answer(t, map[string]string{"initialize": hello, "tools/call": c.reply}))
			if string(got) != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("got %s, %v", got, err)
			}
		})
	}
	if _, err := readOver(t.Context(), answer(t, map[string]string{"initialize": hello})); err == nil || !strings.Contains(err.Error(), "start it again") {
		t.Errorf("a host that goes: %v", err)
	}
}

// C42: who joins starts a host if there is none, and is told why one did not start.
func TestC42Join(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "x.sock")
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	sh := func(script string) *exec.Cmd { return exec.Command("sh", "-c", script) }

	if _, err := Join(t.Context(), socket, sh("echo oriel: no luck today >&2; exit 1"), log); err == nil || err.Error() != "no luck today" {
		t.Errorf("a host that fails: %v", err)
	}
	if _, err := Join(t.Context(), socket, sh("exit 9"), log); err == nil || !strings.Contains(err.Error(), "exit status 9") {
		t.Errorf("a host that fails in silence: %v", err)
	}
	if _, err := Join(t.Context(), socket, exec.Command(filepath.Join(dir, "none")), log); err == nil {
		t.Error("a program that does not exist starts")
	}

	l, err := mcp.Listen(socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	conn, err := Join(t.Context(), socket, sh("exit 9"), log)
	if err != nil {
		t.Fatalf("a host runs, and yet: %v", err)
	}
	conn.Close()
}

func TestJoinPages(t *testing.T) {
	all, next, err := joinPages(nil, json.RawMessage(`{"state":"a","next":"w2","windows":[{"id":"w1"},{"id":"w2"}]}`))
	if err != nil || next != "w2" {
		t.Fatalf("%s, %q, %v", all, next, err)
	}
	if all, next, err = joinPages(all, json.RawMessage(`{"state":"b","windows":[{"id":"w3"}]}`)); err != nil || next != "" || string(all) != `{"state":"b","windows":[{"id":"w1"},{"id":"w2"},{"id":"w3"}]}` {
		t.Errorf("%s, %q, %v", all, next, err)
	}
	for _, bad := range []string{`[]`, `{"next":7}`, `{"next":"w1"}`, `{"next":"w1","windows":7}`} {
		if _, _, err := joinPages(nil, json.RawMessage(bad)); err == nil {
			t.Errorf("%s is a page", bad)
		}
	}
}
