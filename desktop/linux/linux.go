// Package linux joins the window system and the accessibility bus of an X11
// desktop into one [desktop.Desktop].
//
// Neither side knows the other: the window system has windows, focus, pixels
// and input, the bus has elements. This package pairs each window with the
// element that stands for it, puts every element's bounds on the surface that
// shows it, counts the events of both sides as one generation per window, and
// keeps an application that does not answer from holding up the others.
//
// A desktop without an accessibility bus works as far as it can: its windows
// are listed and take input, their trees are empty and say why. The bus is
// looked for again, so one that starts later is found.
package linux

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/atspi"
	"oriel.dev/oriel/desktop/x11"
)

// Config says which desktop to open.
type Config struct {
	// Display is an X display name such as ":0"; "" means that of the
	// environment.
	Display string
	// SessionBus is the address of the session bus; "" means that of the
	// environment.
	SessionBus string
	// Applications are the folders of .desktop files, by falling precedence;
	// nil means those of the system.
	Applications []string
	// Log is told when the accessibility bus is lost and found; nil drops it.
	Log *slog.Logger
}

// joint is the desktop that Open returns.
type joint struct {
	cfg   Config
	log   *slog.Logger
	x     *x11.Display
	hints *hints
	names *names
	apps  *apps

	groups groups

	stop context.CancelFunc // ends keep
	kept sync.WaitGroup     // waits for keep
	once sync.Once
}

// Open connects to the desktop. Without a display it fails; without an
// accessibility bus it goes on.
func Open(ctx context.Context, cfg Config) (*desktop.Desktop, error) {
	j := &joint{cfg: cfg, log: cfg.Log, hints: newHints(), names: newNames(cfg.Applications), groups: groups{made: map[string]bool{}}}
	if j.log == nil {
		j.log = slog.New(slog.DiscardHandler)
	}
	x, err := x11.Open(ctx, x11.Config{Display: cfg.Display, Event: j.hints.window})
	if err != nil {
		return nil, err
	}
	j.x = x
	j.apps = newApps(j.hints)
	if err := j.connect(ctx); err != nil {
		j.log.Warn("no accessibility bus: windows have no content until there is one", "err", err)
	}
	keep, stop := context.WithCancel(context.WithoutCancel(ctx))
	j.stop = stop
	j.kept.Go(func() { j.keep(keep) })
	return &desktop.Desktop{
		Windows:   windows{j},
		Tree:      trees{j},
		Input:     x.Input(),
		Capture:   x.Capture(),
		Selection: x.Selection(),
		Watch:     watch{j},
		Close:     j.close,
	}, nil
}

func (j *joint) close() error {
	var err error
	j.once.Do(func() {
		j.stop()
		j.kept.Wait()
		err = errors.Join(j.apps.disconnect(), j.x.Close())
		j.hints.end(nil)
	})
	return err
}

// connect opens the accessibility bus.
func (j *joint) connect(ctx context.Context) error {
	bus, err := atspi.Open(ctx, atspi.Config{SessionBus: j.cfg.SessionBus, Event: j.apps.event})
	if err != nil {
		return err
	}
	j.apps.connect(bus)
	return nil
}

// How often a lost bus is looked for, and a silent application asked whether it
// answers again.
const (
	busPatience   = 2 * time.Second
	pingPatience  = 200 * time.Millisecond
	pingDeadline  = 500 * time.Millisecond
	openDeadline  = 5 * time.Second
	pairDeadline  = 250 * time.Millisecond
	pairAgain     = time.Second
	barrierWindow = 2 * time.Second
)

// keep pings the applications that did not answer, and looks for the bus while
// there is none. It ends with the desktop.
func (j *joint) keep(ctx context.Context) {
	tick := time.NewTicker(pingPatience)
	defer tick.Stop()
	var looked time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-j.apps.suspected:
		}
		j.apps.probe(ctx)
		if j.apps.connection() != nil || time.Since(looked) < busPatience {
			continue
		}
		if lost := j.apps.disconnect(); lost != nil {
			j.log.Warn("closing the lost accessibility bus", "err", lost)
		}
		open, cancel := context.WithTimeout(ctx, openDeadline)
		if err := j.connect(open); err == nil {
			j.log.Info("the accessibility bus is there")
		}
		cancel()
		looked = time.Now()
	}
}
