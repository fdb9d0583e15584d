package mcp

import (
	"bufio"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"oriel.dev/oriel/bridge"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// wire is a client that speaks raw lines.
type wire struct {
	t     testing.TB
	conn  io.ReadWriter
	lines chan string // closed when the server ends
}

func newWire(t testing.TB, conn io.ReadWriteCloser) *wire {
	w := &wire{t: t, conn: conn, lines: make(chan string)}
	t.Cleanup(func() { conn.Close() })
	go func() {
		defer close(w.lines)
		r := bufio.NewReader(conn)
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			select {
			case w.lines <- strings.TrimSuffix(line, "\n"):
			case <-t.Context().Done():
				return
			}
		}
	}()
	return w
}

func (w *wire) send(line string) {
	w.t.Helper()
	if _, err := io.WriteString(w.conn, line+"\n"); err != nil {
		w.t.Fatal(err)
	}
}

func (w *wire) next() string {
	w.t.Helper()
	select {
	case line, ok := <-w.lines:
		if !ok {
			w.t.Fatal("the server ended the connection")
		}
		return line
	case <-time.After(10 * time.Second):
		w.t.Fatal("no line from the server")
	}
	return ""
}

// ask sends a request and returns what came up to its answer.
func (w *wire) ask(line string) []string {
	w.t.Helper()
	w.send(line)
	var got []string
	for {
		got = append(got, w.next())
		var m struct{ ID any }
		if err := json.Unmarshal([]byte(got[len(got)-1]), &m); err != nil {
			w.t.Fatalf("not a message: %q", got[len(got)-1])
		}
		if m.ID != nil {
			return got
		}
	}
}

// desktops are what a transcript can publish by name.
var desktops = map[string][]*bridge.Window{
	"edited": {editor(43)},
	"asking": {editor(43, blockedBy("w2")), dialog()},
	"empty":  nil,
}

// TestWire plays each transcript of testdata/wire. A line of "script" is a message
// to the server; or "publish <desktop> **", after which one message is awaited for
// each star; or "open <message>" for a request that is acknowledged and stays open.
// "server" is what came from the server.
func TestWire(t *testing.T) { // B01, B03, B04, B20, B22, B29, B30
	files, err := filepath.Glob("testdata/wire/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			arc, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := play(t, string(arc.Files[0].Data))
			if *update {
				arc.Files = append(arc.Files[:1], txtar.File{Name: "server", Data: []byte(got)})
				if err := os.WriteFile(file, txtar.Format(arc), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want := string(arc.Files[1].Data); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func play(t *testing.T, script string) string {
	f := oneEditor()
	s := newServer(t, f)
	client, server := socketPair(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := s.ServeConn(t.Context(), server, "wire"); err != nil {
			t.Error(err)
		}
	}()
	t.Cleanup(func() { <-done })
	w := newWire(t, client)
	var out strings.Builder
	for line := range strings.Lines(script) {
		line = strings.TrimSpace(line)
		switch words := strings.Fields(line); {
		case line == "" || line[0] == '#':
		case words[0] == "publish":
			f.publish(desktops[words[1]]...)
			for range len(words[2]) {
				out.WriteString(w.next() + "\n")
			}
		case words[0] == "open":
			w.send(strings.TrimPrefix(line, "open "))
			out.WriteString(w.next() + "\n")
		case strings.Contains(line, `"id":`):
			for _, answer := range w.ask(line) {
				out.WriteString(answer + "\n")
			}
		default:
			w.send(line)
		}
	}
	return out.String()
}
