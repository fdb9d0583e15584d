package host

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"oriel.dev/oriel/desktop/atspi"
	"oriel.dev/oriel/desktop/linux/virtual"
	"oriel.dev/oriel/internal/config"
	"oriel.dev/oriel/internal/store"
)

// ErrNoDisplay is returned where there is no desktop to serve.
var ErrNoDisplay = errors.New("there is no display")

// ChooseDesktop says which desktop the settings and the environment mean.
func ChooseDesktop(c *config.Config, getenv func(string) string) (Desktop, error) {
	display := c.Desktop.Display
	if display == "" {
		display = getenv("DISPLAY")
	}
	switch {
	case c.Desktop.Virtual == config.VirtualAlways, c.Desktop.Virtual == config.VirtualAuto && display == "":
		w, h, err := config.ParseSize(c.Desktop.VirtualSize)
		return Desktop{Virtual: &virtual.Config{Width: w, Height: h}}, err
	case display != "":
		return Desktop{Display: display}, nil
	case getenv("WAYLAND_DISPLAY") != "":
		return Desktop{}, fmt.Errorf("%w: this is a Wayland session without Xwayland, and %s; "+
			"log in to an X11 (Xorg) session, or serve a desktop of your own with --virtual", ErrNoDisplay, waylandMeans)
	}
	return Desktop{}, fmt.Errorf("%w: DISPLAY is not set; run this inside a desktop session, name one with --display, "+
		"or serve a desktop of your own with --virtual", ErrNoDisplay)
}

// FindDesktop is ChooseDesktop for a program that joins a host: where nothing is
// chosen and no display is there, it means the virtual desktop that runs.
func FindDesktop(ctx context.Context, c *config.Config, getenv func(string) string) (Desktop, error) {
	d, err := ChooseDesktop(c, getenv)
	if !errors.Is(err, ErrNoDisplay) {
		return d, err
	}
	own := Desktop{Virtual: &virtual.Config{}}
	if hostRuns(ctx, SocketPath(c.Dirs.Runtime, own)) {
		return own, nil
	}
	return d, err
}

// StoredSettings are the settings that the database in a folder keeps. Without
// a database there are none.
func StoredSettings(ctx context.Context, stateDir string) (map[string]string, error) {
	path := databasePath(stateDir)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	s, err := store.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	settings, err := s.Settings(ctx)
	return settings, errors.Join(err, s.Close())
}

func databasePath(stateDir string) string { return filepath.Join(stateDir, "oriel.db") }

// EnableAccessibility switches accessibility on in a desktop session and returns
// how to put back what was there.
func EnableAccessibility(ctx context.Context, d Desktop) (restore func(context.Context) error, err error) {
	if d.Virtual != nil { // there it is on from the start
		return func(context.Context) error { return nil }, nil
	}
	return atspi.Enable(ctx, d.SessionBus)
}

// envPath is where a host writes how programs start on its own desktop.
func envPath(runtimeDir string) string { return filepath.Join(runtimeDir, "virtual.env") }

// PublishEnv writes the environment of the host's own desktop into a file for
// shells to read, and returns its path: "" if the desktop is not the host's own.
func (h *Host) PublishEnv() (string, error) {
	h.conn.mu.Lock()
	own := h.conn.own
	h.conn.mu.Unlock()
	if own == nil {
		return "", nil
	}
	inherited := map[string]bool{}
	for _, kv := range os.Environ() {
		inherited[kv] = true
	}
	var b strings.Builder
	for _, kv := range own.Env() {
		if name, value, _ := strings.Cut(kv, "="); !inherited[kv] {
			fmt.Fprintf(&b, "export %s=%s\n", name, shellWord(value))
		}
	}
	path := envPath(h.cfg.RuntimeDir)
	text := b.String()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return "", fmt.Errorf("writing the environment of the desktop: %w", err)
	}
	h.env.Store(&text)
	return path, nil
}

// WithdrawEnv removes what PublishEnv wrote, unless another host has written since.
func (h *Host) WithdrawEnv() {
	path := envPath(h.cfg.RuntimeDir)
	text := h.env.Load()
	now, err := os.ReadFile(path)
	if text != nil && err == nil && string(now) == *text {
		_ = os.Remove(path) // a file that stays names a desktop that is gone
	}
}

// displayOf is the X display of a desktop; a running host's own is found in the
// file that the host published.
func displayOf(runtimeDir string, d Desktop) (string, error) {
	if d.Virtual == nil {
		return d.Display, nil
	}
	b, err := os.ReadFile(envPath(runtimeDir))
	if err != nil {
		return "", fmt.Errorf("finding the display of the virtual desktop: %w; is `oriel serve --virtual` running?", err)
	}
	for line := range strings.Lines(string(b)) {
		if display, ok := strings.CutPrefix(strings.TrimSpace(line), "export DISPLAY="); ok {
			return display, nil
		}
	}
	return "", errors.New("finding the display of the virtual desktop: the host did not publish it; start the host again")
}
