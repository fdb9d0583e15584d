package host

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"time"

	"oriel.dev/oriel/bridge"
)

// The words among the names of applications that may be started.
const (
	launchAny  = "*"    // every installed one
	launchAuto = "auto" // every installed one on a desktop of the host's own, none on another
)

// launcher starts installed applications on the desktop that is served, those
// that the configuration allows.
type launcher struct {
	allowed []string
	conn    *connection
	live    *live
	getenv  func(string) string
}

// Launchable returns the short names of what may be started, sorted: the last
// part of the name of the .desktop file, such as mousepad.
func (l *launcher) Launchable() []string {
	return slices.Sorted(maps.Keys(l.entries()))
}

func (l *launcher) entries() map[string]desktopEntry {
	every := slices.Contains(l.allowed, launchAny) || slices.Contains(l.allowed, launchAuto) && l.conn.cfg.Virtual != nil
	if !every && len(l.allowed) == 0 {
		return nil
	}
	all := installedEntries(l.getenv)
	maps.DeleteFunc(all, func(short string, e desktopEntry) bool {
		return !every && !slices.Contains(l.allowed, short) && !slices.Contains(l.allowed, e.id)
	})
	return all
}

// Launch starts an application and waits for its window.
func (l *launcher) Launch(ctx context.Context, client, app string) (*bridge.Result, error) {
	entry, ok := l.entries()[app]
	if !ok {
		return nil, &bridge.Error{Code: bridge.ActionNotAvailable, Reason: "denied", Message: fmt.Sprintf("%s is not installed, or desktop.launch in the settings does not allow it. Nothing was started.", app)}
	}
	return l.live.bridge.Load().Launch(ctx, client, app, func(ctx context.Context) error {
		return l.conn.start(ctx, entry.argv)
	})
}

// startTime bounds the start of a program, without its window.
const startTime = 5 * time.Second

// start starts a program on the desktop. On a desktop that is not the host's own
// it outlives the host, like one that a menu started.
func (c *connection) start(ctx context.Context, argv []string) error {
	c.mu.Lock()
	own := c.own
	c.mu.Unlock()
	if own != nil {
		_, err := own.Launch(own.Command(argv[0], argv[1:]...))
		return err
	}
	if c.cfg.Virtual != nil {
		return errors.New("there is no desktop at present")
	}
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "setsid", append([]string{"--fork"}, argv...)...)
	cmd.Env = append(os.Environ(), "DISPLAY="+c.cfg.Display)
	if c.cfg.SessionBus != "" {
		cmd.Env = append(cmd.Env, "DBUS_SESSION_BUS_ADDRESS="+c.cfg.SessionBus)
	}
	if home, err := os.UserHomeDir(); err == nil {
		cmd.Dir = home
	}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("starting %s: %w", argv[0], err)
	}
	return nil
}
