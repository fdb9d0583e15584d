//go:build desktop

package host

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"oriel.dev/oriel/bridge"
	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/mcp"
)

// samples starts the four applications that the figures speak of.
func (r *rig) samples() {
	r.Helper()
	r.launch("mousepad")
	r.launch("gnome-calculator")
	r.launch("featherpad")
	r.launch("zenity", "--entry", "--title=Question", "--text=Name")
}

func (r *rig) awaitSamples() {
	r.Helper()
	for _, name := range []string{"mousepad", "calculator", "featherpad", "zenity"} {
		r.windowOf(name)
	}
}

// median reports the middle of durations under a unit of its own, since the mean
// of a noisy machine says little.
func median(b *testing.B, all []time.Duration) {
	slices.Sort(all)
	b.ReportMetric(float64(all[len(all)/2].Microseconds())/1000, "ms/median")
	b.ReportMetric(float64(all[len(all)*95/100].Microseconds())/1000, "ms/p95")
}

// The snapshot of four applications from nothing: from connecting to the desktop
// until all have been looked at and translated.
func BenchmarkFirstSnapshot(b *testing.B) {
	r := newRig(b)
	r.samples()
	r.serve()
	r.awaitSamples()
	var all []time.Duration
	for b.Loop() {
		begin := time.Now()
		br, err := r.host.connectAgain(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		ctx, cancel := context.WithCancel(b.Context())
		done := make(chan error, 1)
		go func() { done <- br.Run(ctx) }()
		if err := br.Ready(ctx); err != nil {
			b.Fatal(err)
		}
		all = append(all, time.Since(begin))
		if n := len(br.Snapshot().Windows); n != 4 {
			b.Fatalf("%d windows: %s", n, br.Snapshot().JSON())
		}
		cancel()
		<-done
	}
	median(b, all)
}

// connectAgain opens the desktop a second time, beside the one that is served.
func (h *Host) connectAgain(ctx context.Context) (*bridge.Bridge, error) {
	second := &Host{cfg: h.cfg, log: h.log, audit: h.audit, sandbox: h.sandbox, ids: h.ids}
	second.conn = &connection{cfg: h.cfg.Desktop, log: h.log}
	go func() {
		<-ctx.Done()
		_ = second.conn.close()
	}()
	return second.connect(ctx, 0)
}

// client connects a client of the protocol over the socket, as stdio clients are
// relayed.
func (r *rig) client(opts *sdk.ClientOptions) *sdk.ClientSession {
	r.Helper()
	conn, err := mcp.Dial(r.Context(), SocketPath(r.host.cfg.RuntimeDir, r.host.cfg.Desktop))
	if err != nil {
		r.Fatal(err)
	}
	c := sdk.NewClient(&sdk.Implementation{Name: "bench", Version: "1"}, opts)
	s, err := c.Connect(r.Context(), &sdk.IOTransport{Reader: conn, Writer: conn}, nil)
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { _ = s.Close() })
	return s
}

// A person presses a key; the client is told that the resource changed.
func BenchmarkChangeToNotification(b *testing.B) {
	r := newRig(b)
	r.launch("mousepad")
	r.serve()
	w := r.windowOf("mousepad")
	told := make(chan struct{}, 100)
	s := r.client(&sdk.ClientOptions{ResourceUpdatedHandler: func(context.Context, *sdk.ResourceUpdatedNotificationRequest) { told <- struct{}{} }})
	if err := s.Subscribe(b.Context(), &sdk.SubscribeParams{URI: "app://windows"}); err != nil {
		b.Fatal(err)
	}
	input := r.host.conn.desk.Input
	r.tool("xdotool", "search", "--class", "mousepad", "windowactivate", "--sync")
	var all []time.Duration
	for b.Loop() {
		version := r.host.Snapshot().Window(w.ID).Version
		for len(told) > 0 {
			<-told
		}
		begin := time.Now()
		if err := input.Keys(b.Context(), desktop.Target{}, []desktop.Chord{{Key: "a"}}); err != nil {
			b.Fatal(err)
		}
		for r.host.Snapshot().Window(w.ID).Version == version {
			<-told
		}
		all = append(all, time.Since(begin))
	}
	median(b, all)
}

// One client reads the whole state over the socket.
func BenchmarkResourceRead(b *testing.B) {
	r := newRig(b)
	r.samples()
	r.serve()
	r.awaitSamples()
	s := r.client(nil)
	var all []time.Duration
	for b.Loop() {
		begin := time.Now()
		if _, err := s.ReadResource(b.Context(), &sdk.ReadResourceParams{URI: "app://windows"}); err != nil {
			b.Fatal(err)
		}
		all = append(all, time.Since(begin))
	}
	median(b, all)
	b.ReportMetric(float64(len(r.host.Snapshot().JSON())), "bytes")
}

// A text field is set by accessibility: from the call to the settled answer.
func BenchmarkSetField(b *testing.B) {
	for _, tt := range []struct{ toolkit, app, action, text string }{
		{"gtk3", "mousepad", "set_text", "text"}, {"gtk4", "gnome-text-editor", "set_field", "field"}, {"qt5", "featherpad", "set_field", "field"},
	} {
		b.Run(tt.toolkit, func(b *testing.B) {
			r := newRig(b)
			r.launch(tt.app)
			r.serve()
			w := r.windowOf(strings.TrimPrefix(strings.ReplaceAll(tt.app, "-", ""), "gnome"))
			var all []time.Duration
			n := 0
			for b.Loop() {
				n++
				args := map[string]any{"text": strconv.Itoa(n)}
				if tt.action == "set_field" {
					args = map[string]any{"field": firstField(r, w.ID), "value": strconv.Itoa(n)}
				}
				begin := time.Now()
				res, err := r.act(w.ID, tt.action, args)
				if err != nil {
					b.Fatal(err)
				}
				all = append(all, time.Since(begin))
				if res.Effect != hostabi.Confirmed {
					b.Fatalf("effect %s: %s", res.Effect, res.Message)
				}
			}
			median(b, all)
		})
	}
}

// An act is refused: from the call to the answer, the fresh look at a window that
// has not changed included. The dialog is mousepad's, so that its owner is blocked.
func BenchmarkRefusedAct(b *testing.B) {
	r := newRig(b)
	r.launch("mousepad")
	r.serve()
	owner := r.windowOf("mousepad")
	dialog := r.must(owner.ID, "choose_menu", map[string]any{"menu": "File", "item": "Save As..."}).OpenedWindowIDs[0]
	old := int64(0)
	for _, tt := range []struct {
		name, window, action string
		expected             *int64
		want                 bridge.Code
	}{
		{"blocked", owner.ID, "set_text", nil, bridge.BlockedByModal},
		{"stale", dialog, "cancel", &old, bridge.StaleState},
	} {
		b.Run(tt.name, func(b *testing.B) {
			r.TB = b
			var all []time.Duration
			for b.Loop() {
				begin := time.Now()
				_, err := r.host.live.Act(b.Context(), bridge.Request{
					Client: "bench", Window: tt.window, Action: tt.action, Args: []byte(`{}`), ExpectedVersion: tt.expected,
				})
				all = append(all, time.Since(begin))
				var e *bridge.Error
				if !errors.As(err, &e) || e.Code != tt.want {
					b.Fatalf("%v, want %s", err, tt.want)
				}
			}
			median(b, all)
		})
	}
}

// firstField is the first choice of set_field, once the window has it: an
// application may show its window before what is in it.
func firstField(r *rig, id string) (name string) {
	r.Helper()
	r.await("a field to set", func() bool {
		w := r.host.Snapshot().Window(id)
		if w == nil {
			return false
		}
		i := slices.IndexFunc(w.Actions, func(a bridge.Action) bool { return a.Name == "set_field" && a.Unavailable == "" })
		if i < 0 {
			return false
		}
		_, rest, _ := strings.Cut(string(w.Actions[i].InputSchema), `"enum":["`)
		name, _, _ = strings.Cut(rest, `"`)
		return name != ""
	})
	return name
}

// oriel returns the program as `make build` leaves it.
func oriel(t testing.TB) string {
	t.Helper()
	path, err := filepath.Abs("../bin/oriel")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%v: build it first, with: make build", err)
	}
	return path
}

// The program from its start to its first answer over HTTP, and the anonymous
// memory of host and runners once all four applications are served.
func BenchmarkServe(b *testing.B) {
	r := newRig(b)
	r.samples()
	r.serve()
	r.awaitSamples()
	exe := oriel(b)
	var starts []time.Duration
	var memory []float64
	for b.Loop() {
		cmd := r.desk.Command(exe, "serve", "--listen", "127.0.0.1:0", "--display", r.desk.Display())
		dir := b.TempDir()
		cmd.Env = append(cmd.Env, "ORIEL_DIRS_STATE="+dir+"/state", "ORIEL_DIRS_RUNTIME="+dir+"/run", "ORIEL_DIRS_CACHE="+cacheDir(b))
		url, took := startProgram(b, cmd)
		starts = append(starts, took)
		memory = append(memory, awaitMemory(b, cmd.Process.Pid, url, filepath.Join(dir, "state", "token")))
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	}
	median(b, starts)
	slices.Sort(memory)
	b.ReportMetric(memory[len(memory)/2], "MB/anonymous")
}

// startProgram starts a serving program and returns its URL once it answers.
func startProgram(b *testing.B, cmd *exec.Cmd) (url string, took time.Duration) {
	b.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if i := strings.Index(lines.Text(), "http://127.0.0.1:"); i >= 0 && url == "" {
			url = strings.Trim(strings.Fields(lines.Text()[i:])[0], `".,`)
			break
		}
	}
	if url == "" {
		b.Fatalf("the program ended without naming its address: %v", cmd.Wait())
	}
	go func() {
		for lines.Scan() { // let it go on writing
		}
	}()
	for {
		res, err := http.Get(url)
		if err == nil {
			res.Body.Close()
			return url, time.Since(begin)
		}
	}
}

// awaitMemory waits until the program serves four windows and returns its
// anonymous memory and that of its children, in MB.
func awaitMemory(b *testing.B, pid int, url, tokenFile string) float64 {
	b.Helper()
	token, err := os.ReadFile(tokenFile)
	if err != nil {
		b.Fatal(err)
	}
	c := sdk.NewClient(&sdk.Implementation{Name: "bench", Version: "1"}, nil)
	s, err := c.Connect(b.Context(), &sdk.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer(strings.TrimSpace(string(token)))}}, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for end := time.Now().Add(patience); ; {
		res, err := s.ReadResource(b.Context(), &sdk.ReadResourceParams{URI: "app://windows"})
		if err != nil {
			b.Fatal(err)
		}
		if strings.Count(res.Contents[0].Text, `"blocks"`) == 4 && strings.Contains(res.Contents[0].Text, "Untitled") {
			break
		}
		if time.Now().After(end) {
			b.Fatalf("four windows are not served: %s", res.Contents[0].Text)
		}
	}
	for end := time.Now().Add(patience); ; {
		sum, runners := anonymous(b, pid), 0
		stats, err := filepath.Glob("/proc/[0-9]*/stat")
		if err != nil {
			b.Fatal(err)
		}
		for _, path := range stats {
			stat, _ := os.ReadFile(path) // a process may end meanwhile
			var parent, child int
			_, rest, _ := strings.Cut(string(stat), ") ")
			fmt.Sscanf(rest, "%s %d", new(string), &parent)
			fmt.Sscanf(path, "/proc/%d/stat", &child)
			if parent == pid {
				sum += anonymous(b, child)
				runners++
			}
		}
		if runners == 4 {
			return sum
		}
		if time.Now().After(end) {
			b.Fatalf("%d runners have started, want one for each adapter", runners)
		}
	}
}

type bearer string

func (t bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(t))
	return http.DefaultTransport.RoundTrip(r)
}

// anonymous is the anonymous memory of a process, in MB.
func anonymous(b *testing.B, pid int) float64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0 // it has just ended
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "Anonymous:" {
			kb, _ := strconv.ParseFloat(f[1], 64)
			return kb / 1024
		}
	}
	b.Fatalf("process %d tells no anonymous memory", pid)
	return 0
}
