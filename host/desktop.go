package host

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/linux"
	"oriel.dev/oriel/desktop/linux/virtual"
)

// Desktop says which desktop to serve.
type Desktop struct {
	// Display is the X display of a desktop that is there; SessionBus its
	// session bus, "" for that of the environment.
	Display, SessionBus string
	// Virtual, if not nil, starts a desktop of the host's own instead, and Launch
	// are the commands of the applications to start on it.
	Virtual *virtual.Config
	Launch  [][]string
}

// SocketPath is where the host of a desktop is joined. There is one host for a
// display, and one for a desktop of the host's own.
func SocketPath(runtimeDir string, d Desktop) string {
	name := "virtual"
	if d.Virtual == nil {
		name = "display" + strings.NewReplacer("/", "_", ":", "-").Replace(d.Display)
	}
	return filepath.Join(runtimeDir, name+".sock")
}

// connection is the desktop that is open now.
type connection struct {
	cfg Desktop
	log *slog.Logger

	mu   sync.Mutex // guards the following fields
	desk *desktop.Desktop
	own  *virtual.Desktop // nil unless Config.Virtual
}

// open opens the desktop, after closing the one that was open.
func (c *connection) open(ctx context.Context) (*desktop.Desktop, error) {
	if err := c.close(); err != nil {
		c.log.Warn("closing the lost desktop", "err", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	lc := linux.Config{Display: c.cfg.Display, SessionBus: c.cfg.SessionBus, Log: c.log}
	if c.cfg.Virtual != nil {
		own, err := virtual.Start(ctx, *c.cfg.Virtual)
		if err != nil {
			return nil, err
		}
		c.own = own
		lc.Display, lc.SessionBus = own.Display(), own.SessionBus()
	}
	desk, err := linux.Open(ctx, lc)
	if err != nil {
		return nil, err
	}
	c.desk = desk
	return desk, c.launch()
}

// launch starts the applications of a desktop of our own. One that is missing is
// said to be, and the others start.
func (c *connection) launch() error {
	if c.own == nil {
		return nil
	}
	for _, argv := range c.cfg.Launch {
		if _, err := exec.LookPath(argv[0]); err != nil {
			c.log.Warn("an application is not installed", "application", argv[0], "next", "apt-get install "+argv[0])
			continue
		}
		if _, err := c.own.Launch(c.own.Command(argv[0], argv[1:]...)); err != nil {
			return fmt.Errorf("launching %s: %w", argv[0], err)
		}
	}
	return nil
}

func (c *connection) display() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.own != nil {
		return c.own.Display()
	}
	return c.cfg.Display
}

func (c *connection) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var errs []error
	if c.desk != nil {
		errs = append(errs, c.desk.Close())
		c.desk = nil
	}
	if c.own != nil {
		errs = append(errs, c.own.Close())
		c.own = nil
	}
	return errors.Join(errs...)
}
