package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// host is the program under show, on the desktop of $DISPLAY or on one of its own.
type host struct {
	program string
	cmd     *exec.Cmd
	dir     string // its private folder
	url     string
	desktop []string // the environment of applications on its desktop
	apps    []*exec.Cmd
}

// startTime is how long the host may take to name its address, which includes
// starting a desktop.
const startTime = time.Minute

func startHost(ctx context.Context, program, adapters, dir string) (*host, error) {
	program, err := filepath.Abs(program)
	if err != nil {
		return nil, err
	}
	h := &host{program: program, dir: dir}
	args := []string{"serve", "--listen", "127.0.0.1:0", "--adapters", adapters}
	if os.Getenv("DISPLAY") == "" {
		args = append(args, "--virtual")
	}
	fmt.Printf("$ oriel %s\n", strings.Join(args, " "))
	h.cmd = exec.CommandContext(ctx, program, args...)
	h.cmd.Cancel = func() error { return h.cmd.Process.Signal(os.Interrupt) }
	h.cmd.Env = h.env()
	h.cmd.Stderr = os.Stderr
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := h.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the host: %w; build it first, with: make build", err)
	}
	if err := h.awaitAddress(out); err != nil {
		return nil, errors.Join(err, h.stop())
	}
	return h, nil
}

// env keeps the files of the demonstration out of the user's.
func (h *host) env() []string {
	return append(os.Environ(), "ORIEL_DIRS_STATE="+filepath.Join(h.dir, "state"), "ORIEL_DIRS_RUNTIME="+filepath.Join(h.dir, "run"))
}

// awaitAddress reads what the host prints until it has said where it listens, and
// lets it go on printing into nothing.
func (h *host) awaitAddress(out io.Reader) error {
	found := make(chan string, 1)
	go func() {
		defer close(found)
		for s := bufio.NewScanner(out); s.Scan(); {
			if i := strings.Index(s.Text(), "http://"); i >= 0 && len(found) == 0 && h.url == "" {
				found <- strings.Fields(s.Text()[i:])[0]
			}
		}
	}()
	select {
	case url, ok := <-found:
		if !ok {
			return errors.New("the host ended before it served; what it said is above")
		}
		h.url = url
	case <-time.After(startTime):
		return fmt.Errorf("the host did not serve within %v", startTime)
	}
	return h.readDesktop()
}

// readDesktop learns how to start an application on the host's desktop.
func (h *host) readDesktop() error {
	h.desktop = os.Environ()
	if os.Getenv("DISPLAY") != "" {
		return nil
	}
	out, err := exec.Command("sh", "-c", ". "+filepath.Join(h.dir, "run", "virtual.env")+" && env").Output()
	if err != nil {
		return fmt.Errorf("reading the environment of the host's desktop: %w", err)
	}
	h.desktop = strings.Split(strings.TrimSpace(string(out)), "\n")
	return nil
}

// launch starts an application on the host's desktop.
func (h *host) launch(name string, args ...string) error {
	fmt.Printf("$ %s %s\n", name, strings.Join(args, " "))
	cmd := exec.Command(name, args...)
	cmd.Env = h.desktop
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting %s: %w; install it with: apt-get install %s", name, err, name)
	}
	h.apps = append(h.apps, cmd)
	return nil
}

// picture has the host take a picture of the desktop.
func (h *host) picture(ctx context.Context, file string) error {
	cmd := exec.CommandContext(ctx, h.program, "windows", "--picture", file)
	cmd.Env = h.env()
	if os.Getenv("DISPLAY") == "" {
		cmd.Args = append(cmd.Args, "--virtual")
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("taking a picture: %w: %s", err, out)
	}
	return nil
}

// stopTime is how long the host may take to take everything down.
const stopTime = 10 * time.Second

func (h *host) stop() error {
	for _, app := range h.apps {
		_ = app.Process.Kill() // it may have ended by itself
		_ = app.Wait()
	}
	_ = h.cmd.Process.Signal(os.Interrupt)
	ended := make(chan error, 1)
	go func() { ended <- h.cmd.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-time.After(stopTime):
		return errors.Join(fmt.Errorf("the host did not end within %v", stopTime), h.cmd.Process.Kill())
	}
}
