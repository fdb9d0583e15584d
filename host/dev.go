package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"oriel.dev/oriel/hostabi/check"
	"oriel.dev/oriel/internal/authoring"
	"oriel.dev/oriel/sandbox"
)

// DevConfig says which adapter a host takes every change of.
type DevConfig struct {
	Path    string // its folder, or a module that something else builds
	Command string // builds it, see BuildAdapterWith
	// Again asks for a round although nothing has changed. It is never closed by
	// the host; nil asks for none.
	Again <-chan struct{}
	// Receipt is told of every round, one after the other.
	Receipt func(Receipt)
}

// Receipt says what came of one round of [Host.Dev]: the changed sources were
// built, checked, started and tried on the live windows, and serve now, or Err
// says at which of these it ended and what was there before serves.
type Receipt struct {
	At    time.Time // when the change was noticed
	Build time.Duration
	// Took is from the end of building to the new version serving.
	Took time.Duration
	// Update is what the sandbox says of it; its Digest is "" if the module is the
	// same as before.
	sandbox.Update
}

// PrepareDev puts an adapter on trial in a host to be: in a folder that is made
// and is to be removed with remove.
func PrepareDev(cfg *Config) (remove func() error, err error) {
	dir, err := os.MkdirTemp("", "oriel-dev-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for the adapter: %w", err)
	}
	cfg.Sandbox.Trial, cfg.Sandbox.Dirs = dir, append([]string{dir}, cfg.Sandbox.Dirs...)
	return func() error { return os.RemoveAll(dir) }, nil
}

// Dev builds the adapter and takes every change over until ctx ends, in a host
// that [PrepareDev] has prepared and that serves meanwhile. A broken build, or one
// that fails on the live windows, leaves the last good one serving. It waits for
// everything that it started.
func (h *Host) Dev(ctx context.Context, d DevConfig) error {
	changed := make(chan struct{}, 1) // a token: something changed since the last round began
	watching, stop := context.WithCancel(ctx)
	defer stop()
	var group sync.WaitGroup
	var watchErr error
	group.Go(func() {
		defer stop()
		watchErr = authoring.Watch(watching, d.Path, func() {
			select {
			case changed <- struct{}{}:
			default:
			}
		})
	})
	for {
		select {
		case <-watching.Done():
			group.Wait()
			return watchErr
		case <-changed:
		case <-d.Again:
		}
		if r := h.round(watching, d); watching.Err() == nil {
			d.Receipt(r)
		}
	}
}

// round is one way from the sources to a version that serves.
func (h *Host) round(ctx context.Context, d DevConfig) (r Receipt) {
	r.At = time.Now()
	file := filepath.Join(h.cfg.Sandbox.Trial, trialFile)
	r.Err = place(ctx, d, file)
	r.Build = time.Since(r.At)
	if r.Err != nil {
		return r
	}
	began := time.Now()
	updates, err := h.reload(ctx)
	r.Took, r.Err = time.Since(began), err
	for _, u := range updates {
		if u.File == file {
			r.Update = u
		}
	}
	return r
}

// place builds the module, or checks one that is built, and puts it to the file in
// one step.
func place(ctx context.Context, d DevConfig, file string) error {
	st, err := os.Stat(d.Path)
	if err != nil {
		return fmt.Errorf("opening the adapter: %w", err)
	}
	if st.IsDir() {
		_, err := BuildAdapterWith(ctx, d.Path, d.Command, file)
		return err
	}
	wasm, err := os.ReadFile(d.Path)
	if err != nil {
		return fmt.Errorf("reading the adapter: %w", err)
	}
	if _, err := check.Module(wasm); err != nil {
		return err
	}
	next := file + ".next" // of what was checked: the original may change meanwhile
	if err := errors.Join(os.WriteFile(next, wasm, 0o600), os.Rename(next, file)); err != nil {
		return fmt.Errorf("installing the adapter: %w", err)
	}
	return nil
}

// Write tells a person of the round, in one line if it went well.
func (r Receipt) Write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s ", r.At.Format(time.TimeOnly))
	switch {
	case r.Err != nil:
		fmt.Fprintf(&b, "not taken over; what served before serves on (build %s)\n  %s\n", ms(r.Build), strings.ReplaceAll(r.Err.Error(), "\n", "\n  "))
	case r.Digest == "":
		fmt.Fprintf(&b, "built the same module as before (build %s)\n", ms(r.Build))
	default:
		windows := "windows"
		if r.Windows == 1 {
			windows = "window"
		}
		fmt.Fprintf(&b, "%s %s %s, %d KB: build %s, load %s, start %s, probe %s on %d %s", r.Digest[:12], r.ID, r.Version, r.Size>>10,
			ms(r.Build), ms(r.Load), ms(r.Start), ms(r.Probe), r.Windows, windows)
		for _, list := range []struct {
			mark  string
			names []string
		}{{"+", r.Added}, {"-", r.Removed}, {"~", r.Altered}} {
			for _, name := range list.names {
				b.WriteString("; tool " + list.mark + name)
			}
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func ms(d time.Duration) string { return fmt.Sprintf("%d ms", d.Milliseconds()) }
