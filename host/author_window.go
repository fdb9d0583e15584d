package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"oriel.dev/oriel/bridge"
	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/mcp"
	"oriel.dev/oriel/sandbox"
	"oriel.dev/oriel/tree"
)

// LiveWindow is a window of the desktop, in the hands of an author. It is good
// for as long as [OnWindow] runs.
type LiveWindow struct {
	ID, Title   string
	Observation []byte // what its view was made from

	handle uint64
	h      *Host
	calls  *invokes
}

// invokes keeps the last invoke that was traced.
type invokes struct {
	mu   sync.Mutex // guards last
	last *sandbox.Trace
}

func (i *invokes) trace(t Trace) {
	if t.Call != nil && t.Call.Function == "invoke" {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.last = t.Call
	}
}

// OnWindow calls do with a window of the desktop, named by its id or a part of its
// title, as a host of its own sees it: one that runs is not disturbed. With the
// file of an adapter this is on trial there, granted what it asks for, and must
// take the window.
func OnWindow(ctx context.Context, cfg Config, name, adapter string, do func(ctx context.Context, w *LiveWindow) error) (err error) {
	name, err = titled(ctx, cfg, name)
	if err != nil {
		return err
	}
	if cfg.Desktop, err = beside(cfg); err != nil {
		return err
	}
	if adapter != "" {
		remove, err := PrepareDev(&cfg)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, remove()) }()
		if err := place(ctx, DevConfig{Path: adapter}, filepath.Join(cfg.Sandbox.Trial, trialFile)); err != nil {
			return err
		}
	}
	calls := &invokes{}
	cfg.Trace = calls.trace
	return aside(ctx, cfg, func(ctx context.Context, h *Host) error {
		w, err := h.await(ctx, func() (*LiveWindow, error) {
			w, err := h.find(name)
			if err == nil {
				err = h.takes(w, adapter)
			}
			return w, err
		})
		if err != nil {
			return err
		}
		w.calls = calls
		return do(ctx, w)
	})
}

// await looks until the window is found or readPatience is over: an application
// may be slow to answer, and an adapter to start.
func (h *Host) await(ctx context.Context, find func() (*LiveWindow, error)) (*LiveWindow, error) {
	patience := time.NewTimer(readPatience)
	defer patience.Stop()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		w, err := find()
		if err == nil || h.allSeen() {
			return w, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-patience.C:
			return nil, err
		case <-tick.C:
		}
	}
}

// allSeen reports whether there are windows and every one has its view.
func (h *Host) allSeen() bool {
	n := len(h.live.Snapshot().Windows)
	return n > 0 && len(h.live.bridge.Load().Seen()) >= n
}

// trialFile is the name of an adapter's module while it is on trial.
const trialFile = "adapter.wasm"

// titled turns the id that a running host gives a window into its title, since
// another host counts for itself. Any other name stays as it is.
func titled(ctx context.Context, cfg Config, name string) (string, error) {
	conn, err := mcp.Dial(ctx, SocketPath(cfg.RuntimeDir, cfg.Desktop))
	if err != nil {
		return name, nil //nolint:nilerr // no host runs
	}
	result, err := readOver(ctx, conn)
	if err != nil {
		return "", err
	}
	windows, err := readWindows(result)
	for _, w := range windows {
		if w.ID == name {
			return w.Title, err
		}
	}
	return name, err
}

func readWindows(result json.RawMessage) ([]readWindow, error) {
	var desk struct {
		Windows []readWindow `json:"windows"`
	}
	if err := json.Unmarshal(result, &desk); err != nil {
		return nil, fmt.Errorf("reading the host's answer: %w", err)
	}
	return desk.Windows, nil
}

// beside is the desktop as a second host opens it: that of a running host's own
// is one that is there.
func beside(cfg Config) (Desktop, error) {
	if cfg.Desktop.Virtual == nil {
		return cfg.Desktop, nil
	}
	display, err := displayOf(cfg.RuntimeDir, cfg.Desktop)
	if err != nil {
		return Desktop{}, err
	}
	d := Desktop{Display: display}
	text, err := os.ReadFile(envPath(cfg.RuntimeDir))
	if err != nil {
		return d, fmt.Errorf("finding the session of the virtual desktop: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		if bus, ok := strings.CutPrefix(strings.TrimSpace(line), "export DBUS_SESSION_BUS_ADDRESS="); ok {
			d.SessionBus = strings.Trim(bus, "'")
		}
	}
	return d, nil
}

// find returns the one window with the id or with the name in its title.
func (h *Host) find(name string) (*LiveWindow, error) {
	snapshot := h.live.Snapshot()
	var found []*LiveWindow
	var all []string
	for _, s := range h.live.bridge.Load().Seen() {
		w := snapshot.Window(s.Window)
		if w == nil {
			continue
		}
		all = append(all, fmt.Sprintf("%s %q", w.ID, w.Title))
		live := &LiveWindow{ID: w.ID, Title: w.Title, Observation: s.Observation, handle: s.Handle, h: h}
		if w.ID == name || w.Title == name {
			return live, nil
		}
		if strings.Contains(strings.ToLower(w.Title), strings.ToLower(name)) {
			found = append(found, live)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(all) == 0:
		return nil, errors.New("no window is open on this desktop; start the application first")
	case len(found) == 0:
		return nil, fmt.Errorf("no window is called %q; there are %s", name, strings.Join(all, ", "))
	}
	return nil, fmt.Errorf("%d windows are called %q; name one by its id: %s", len(found), name, strings.Join(all, ", "))
}

// takes refuses a window that the adapter on trial does not serve.
func (h *Host) takes(w *LiveWindow, adapter string) error {
	if adapter == "" {
		return nil
	}
	seen := h.live.bridge.Load().Seen()
	serving := seen[slices.IndexFunc(seen, func(s bridge.Seen) bool { return s.Window == w.ID })].Adapter
	for _, i := range h.Adapters() {
		if filepath.Base(i.File) != trialFile || filepath.Dir(i.File) != h.cfg.Sandbox.Trial {
			continue
		}
		if i.ID == serving.ID && i.State != sandbox.StateBroken {
			return nil
		}
		r, err := tree.NewReader(w.Observation)
		if err != nil {
			return err
		}
		win := r.Window()
		why := i.Message
		if why == "" {
			why = fmt.Sprintf("none of its [[match]] takes a window with app = %q, role = %q, toolkit = %q and the title %q", win.App, win.Role, win.Toolkit, win.Title)
		}
		return fmt.Errorf("the window %s %q is shown by %s and not by %s: %s", w.ID, w.Title, serving.ID, i.ID, why)
	}
	return errors.New("the adapter was not loaded; oriel adapter inspect says why")
}

// Picture returns the window's pixels as a PNG.
func (w *LiveWindow) Picture(ctx context.Context) ([]byte, error) {
	w.h.conn.mu.Lock()
	desk := w.h.conn.desk
	w.h.conn.mu.Unlock()
	if desk == nil || desk.Capture == nil {
		return nil, fmt.Errorf("taking a picture of the window: %w", desktop.ErrUnsupported)
	}
	img, err := desk.Capture.Window(ctx, desktop.WindowID(w.handle))
	if err != nil {
		return nil, fmt.Errorf("taking a picture of the window: %w", err)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return nil, fmt.Errorf("encoding the picture: %w", err)
	}
	return b.Bytes(), nil
}

// Text shows the window as it is now, as oriel windows does.
func (w *LiveWindow) Text(ctx context.Context) (string, error) {
	conn, err := mcp.Dial(ctx, SocketPath(w.h.cfg.RuntimeDir, w.h.cfg.Desktop))
	if err != nil {
		return "", err
	}
	result, err := readOver(ctx, conn)
	if err != nil {
		return "", err
	}
	windows, err := readWindows(result)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for i := range windows {
		if windows[i].ID == w.ID {
			writeWindow(&b, &windows[i])
		}
	}
	if b.Len() == 0 {
		return fmt.Sprintf("The window %s is closed.\n", w.ID), nil
	}
	return b.String(), nil
}

// Acted is what came of an action, and the trace of the adapter's part in it; nil
// where it did not come so far.
type Acted struct {
	Action string
	Result *bridge.Result
	Trace  *sandbox.Trace
}

// Act carries out an action on the window, as a client would have it done.
func (w *LiveWindow) Act(ctx context.Context, action string, args json.RawMessage) (Acted, error) {
	out := Acted{Action: action}
	now := w.h.live.Snapshot().Window(w.ID)
	if now == nil {
		return out, fmt.Errorf("the window %s is closed; open it again", w.ID)
	}
	var err error
	out.Result, err = w.h.live.Act(ctx, bridge.Request{Client: "author", Window: w.ID, Action: action, Args: args, ExpectedVersion: &now.Version})
	w.calls.mu.Lock()
	defer w.calls.mu.Unlock()
	out.Trace = w.calls.last
	return out, err
}

// shown is how much of a request is shown, in bytes.
const shown = 100

// Write shows the host calls, with time and answer, and what came of them.
func (a Acted) Write(w io.Writer) error {
	var b strings.Builder
	if a.Trace != nil {
		for _, c := range a.Trace.HostCalls {
			answer := fmt.Sprintf("%d bytes", len(c.Reply))
			if c.Fault != nil {
				answer = string(c.Fault.Code) + ": " + c.Fault.Message
			}
			request := strings.ToValidUTF8(string(c.Request[:min(len(c.Request), shown)]), "")
			fmt.Fprintf(&b, "%7.1f ms  %s %s %s → %s\n", float64(c.Took.Microseconds())/1000, c.Function.Capability, c.Function.Name, request, answer)
		}
	}
	if a.Result != nil {
		fmt.Fprintf(&b, "%s: %s (%s)\n\n", a.Action, a.Result.Message, a.Result.Effect)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
