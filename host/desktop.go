package host

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/linux"
	"oriel.dev/oriel/desktop/linux/virtual"
	"oriel.dev/oriel/desktop/robot"
	"oriel.dev/oriel/desktop/watchdog"
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
		name = "display" + strings.NewReplacer("/", "_", ":", "-").Replace(plainDisplay(d.Display))
	}
	return filepath.Join(runtimeDir, name+".sock")
}

var spelled = regexp.MustCompile(`^(?:unix)?(:[0-9]+)(?:\.[0-9]+)?$`)

// plainDisplay gives the spellings of one local display, :0, :0.0 and unix:0, one
// form.
func plainDisplay(display string) string {
	if m := spelled.FindStringSubmatch(display); m != nil {
		return m[1]
	}
	return display
}

// connection is the desktop that is open now.
type connection struct {
	cfg             Desktop
	watchdog, robot []string // as in Config
	log             *slog.Logger

	mu   sync.Mutex // guards the following fields
	desk *desktop.Desktop
	own  *virtual.Desktop // nil unless Config.Virtual
	bot  *robot.Robot     // nil unless robot
	dog  *watchdog.Dog    // nil unless watchdog
}

// open opens the desktop, after closing the connection that was lost. A desktop of
// our own whose server still runs goes on: what is open on it is somebody's work.
func (c *connection) open(ctx context.Context) (*desktop.Desktop, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.disconnectLocked(); err != nil {
		c.log.Warn("closing the connection to the lost desktop", "err", err)
	}
	lc := linux.Config{Display: c.cfg.Display, SessionBus: c.cfg.SessionBus, Log: c.log}
	started := false
	if c.cfg.Virtual != nil {
		var err error
		if started, err = c.startLocked(ctx); err != nil {
			return nil, err
		}
		lc.Display, lc.SessionBus = c.own.Display(), c.own.SessionBus()
	}
	desk, err := linux.Open(ctx, lc)
	if err != nil {
		return nil, err
	}
	c.desk = desk
	if err := c.chooseInput(ctx, lc.Display); err != nil {
		return nil, err
	}
	if started {
		return desk, c.launch()
	}
	return desk, nil
}

// startLocked starts a desktop of our own, unless one is there whose server runs.
func (c *connection) startLocked(ctx context.Context) (started bool, err error) {
	if c.own != nil && c.own.ServerAlive() {
		return false, nil
	}
	if c.own != nil {
		if err := c.own.Close(); err != nil {
			c.log.Warn("closing the lost desktop", "err", err)
		}
		c.own = nil
	}
	own, err := virtual.Start(ctx, *c.cfg.Virtual)
	if err != nil {
		return false, err
	}
	c.own = own
	return true, nil
}

// chooseInput puts the robot backend in place, if it is wanted, and has the
// watchdog know of the input that holds keys.
func (c *connection) chooseInput(ctx context.Context, display string) error {
	if len(c.robot) > 0 {
		bot, err := startRobot(ctx, c.robot, display)
		if err != nil {
			return err
		}
		c.bot, c.desk.Input, c.desk.Capture = bot, bot, bot
		c.desk.Watch = robotWatch{c.desk.Watch, bot, display}
	}
	if len(c.watchdog) > 0 {
		c.dog = watchdog.New(append(slices.Clone(c.watchdog), display))
		c.desk.Input = c.dog.Guard(c.desk.Input)
	}
	return nil
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
	err := c.disconnectLocked()
	if c.own != nil {
		err = errors.Join(err, c.own.Close())
		c.own = nil
	}
	return err
}

// disconnectLocked ends what speaks to the desktop, and leaves the desktop.
func (c *connection) disconnectLocked() error {
	var errs []error
	if c.desk != nil {
		errs = append(errs, c.desk.Close())
		c.desk = nil
	}
	if c.bot != nil {
		errs = append(errs, c.bot.Close())
		c.bot = nil
	}
	if c.dog != nil { // after what may hold keys
		errs = append(errs, c.dog.Close())
		c.dog = nil
	}
	return errors.Join(errs...)
}
