// Package virtual starts a desktop of its own: an X server without a screen
// (Xvfb), a session bus, the accessibility bus and a window manager. The host
// serves it where there is no display, and the tests run on it.
//
// Everything it starts lives in a private folder and ends with [Desktop.Close],
// or with the process that started it.
package virtual

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// startTimeout bounds each step of the start; a loaded machine needs seconds
// where an idle one needs 0.4.
const startTimeout = 20 * time.Second

// Config says what kind of desktop to start. The zero value is 1920×1080 under
// openbox.
type Config struct {
	Width, Height int
	// WindowManager is the command of the window manager; nil means openbox, an
	// empty non-nil slice means none.
	WindowManager []string
	// Log receives what the daemons print; nil drops it.
	Log io.Writer
}

// Desktop is a running virtual desktop.
type Desktop struct {
	display string
	dir     string
	env     []string
	log     io.Writer
	mark    string // "KEY=value" in the environment of every process of this desktop

	reaper  *exec.Cmd      // cleans up if this process dies first
	parting io.WriteCloser // its standard input

	spawn chan func() // run on the thread that parents all children; closed by Close
	done  chan struct{}

	mu     sync.Mutex // guards procs and closed
	procs  []*process
	closed bool
}

// Start brings the desktop up. It returns when windows can be mapped, are
// managed, and applications find the accessibility bus switched on.
func Start(ctx context.Context, cfg Config) (*Desktop, error) {
	if err := needed(cfg); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "oriel-desktop-")
	if err != nil {
		return nil, fmt.Errorf("making the virtual desktop's folder: %w", err)
	}
	d := &Desktop{dir: dir, log: cfg.Log, mark: "ORIEL_VIRTUAL=" + filepath.Base(dir), spawn: make(chan func()), done: make(chan struct{})}
	if d.log == nil {
		d.log = io.Discard
	}
	go d.parent()
	if err := d.startReaper(); err != nil {
		d.Close()
		return nil, fmt.Errorf("starting a virtual desktop: %w", err)
	}
	if err := d.start(ctx, cfg); err != nil {
		d.Close()
		return nil, fmt.Errorf("starting a virtual desktop: %w", err)
	}
	return d, nil
}

// needed tells all missing programs at once, with the packages that bring them.
func needed(cfg Config) error {
	programs := map[string]string{"Xvfb": "xvfb", "dbus-daemon": "dbus", busLauncher: "at-spi2-core"}
	if cfg.WindowManager == nil {
		programs["openbox"] = "openbox"
	}
	var missing []string
	for program, pkg := range programs {
		if _, err := exec.LookPath(program); err != nil {
			missing = append(missing, pkg)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	slices.Sort(missing)
	return fmt.Errorf("starting a virtual desktop: programs are missing; install them with: apt-get install %s", strings.Join(missing, " "))
}

const busLauncher = "/usr/libexec/at-spi-bus-launcher"

func (d *Desktop) start(ctx context.Context, cfg Config) error {
	for _, sub := range []string{"run", "home"} {
		if err := os.Mkdir(filepath.Join(d.dir, sub), 0o700); err != nil {
			return err
		}
	}
	if err := d.startX(ctx, cfg); err != nil {
		return err
	}
	d.env = d.environment()
	if err := d.startBuses(ctx); err != nil {
		return err
	}
	return d.startWindowManager(ctx, cfg)
}

// startX lets the server choose a free display number and tell it by a pipe.
func (d *Desktop) startX(ctx context.Context, cfg Config) error {
	w, h := cfg.Width, cfg.Height
	if w == 0 || h == 0 {
		w, h = 1920, 1080
	}
	r, pw, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	cmd := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", fmt.Sprintf("%dx%dx24", w, h),
		"-nolisten", "tcp", "-noreset", "+extension", "RANDR", "+extension", "XTEST", "+extension", "Composite", "-dpi", "96")
	cmd.Env = append(os.Environ(), d.mark)
	cmd.ExtraFiles = []*os.File{pw}
	// Without a parent-death signal: the reaper lets it remove its files.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	_, err = d.run(cmd)
	pw.Close()
	if err != nil {
		return err
	}
	if err := r.SetReadDeadline(deadline(ctx)); err != nil {
		return err
	}
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		return fmt.Errorf("waiting for Xvfb to name its display: %w", err)
	}
	d.display = ":" + strings.TrimSpace(line)
	return d.onlyThisUser()
}

// Values of the X protocol's ChangeHosts request.
const (
	hostInsert        = 0
	hostDelete        = 1
	serverInterpreted = 5   // a family whose addresses are a kind and a value
	localClients      = 252 // a family without addresses
)

// onlyThisUser lets no other user of the machine connect to the display: by default
// a server without an authority file admits them all.
func (d *Desktop) onlyThisUser() error {
	x, err := xgb.NewConnDisplay(d.display)
	if err != nil {
		return fmt.Errorf("connecting to %s: %w", d.display, err)
	}
	defer x.Close()
	me := fmt.Sprintf("localuser\x00#%d", os.Getuid())
	if err := xproto.ChangeHostsChecked(x, hostInsert, serverInterpreted, uint16(len(me)), []byte(me)).Check(); err != nil {
		return fmt.Errorf("closing the display to other users: %w", err)
	}
	admitted, err := xproto.ListHosts(x).Reply()
	if err != nil {
		return fmt.Errorf("closing the display to other users: %w", err)
	}
	// The server's blanket admission of local clients is not listed.
	for _, h := range append(admitted.Hosts, xproto.Host{Family: localClients}) {
		if h.Family == serverInterpreted && string(h.Address) == me {
			continue
		}
		if err := xproto.ChangeHostsChecked(x, hostDelete, h.Family, uint16(len(h.Address)), h.Address).Check(); err != nil {
			return fmt.Errorf("closing the display to other users: %w", err)
		}
	}
	return nil
}

func deadline(ctx context.Context) time.Time {
	t := time.Now().Add(startTimeout)
	if c, ok := ctx.Deadline(); ok && c.Before(t) {
		return c
	}
	return t
}

// environment is what an application on this desktop sees. Toolkits are told to
// use X11, to load their accessibility bridges and to keep their settings in
// memory, so that one run does not colour the next.
func (d *Desktop) environment() []string {
	drop := []string{"WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "AT_SPI_BUS_ADDRESS", "SESSION_MANAGER"}
	var env []string
	for _, kv := range os.Environ() {
		key, _, _ := strings.Cut(kv, "=")
		if !slices.Contains(drop, key) {
			env = append(env, kv)
		}
	}
	return append(env, d.mark,
		"DISPLAY="+d.display,
		"DBUS_SESSION_BUS_ADDRESS="+d.SessionBus(),
		"XDG_RUNTIME_DIR="+filepath.Join(d.dir, "run"),
		"HOME="+d.Home(),
		"XDG_CONFIG_HOME="+filepath.Join(d.Home(), ".config"),
		"XDG_CACHE_HOME="+filepath.Join(d.Home(), ".cache"),
		"XDG_DATA_HOME="+filepath.Join(d.Home(), ".local/share"),
		"XDG_SESSION_TYPE=x11", "GDK_BACKEND=x11", "QT_QPA_PLATFORM=xcb", "SAL_USE_VCLPLUGIN=gtk3",
		"GTK_MODULES=gail:atk-bridge", "NO_AT_BRIDGE=0", "GTK_A11Y=atspi",
		"QT_ACCESSIBILITY=1", "QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1", "ACCESSIBILITY_ENABLED=1",
		"GTK_USE_PORTAL=0", "GIO_USE_VFS=local", "GSETTINGS_BACKEND=memory",
		"LIBGL_ALWAYS_SOFTWARE=1", "GSK_RENDERER=cairo", "LANG=C.UTF-8", "LC_ALL=C.UTF-8",
	)
}

// startBuses starts the session bus and the accessibility bus and switches
// accessibility on, which is ours to do on a desktop that we started.
func (d *Desktop) startBuses(ctx context.Context) error {
	cmd := exec.Command("dbus-daemon", "--session", "--nofork", "--nopidfile", "--address="+d.SessionBus())
	cmd.Env = d.env
	if _, err := d.run(cmd); err != nil {
		return err
	}
	var conn *dbus.Conn
	err := await(ctx, "the session bus", func() (err error) {
		conn, err = dbus.Connect(d.SessionBus())
		return err
	})
	if err != nil {
		return err
	}
	defer conn.Close()
	cmd = exec.Command(busLauncher, "--launch-immediately")
	cmd.Env = d.env
	if _, err := d.run(cmd); err != nil {
		return err
	}
	bus := conn.Object("org.a11y.Bus", "/org/a11y/bus")
	return await(ctx, "the accessibility bus", func() error {
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		for _, property := range []string{"IsEnabled", "ScreenReaderEnabled"} {
			err := bus.CallWithContext(ctx, "org.freedesktop.DBus.Properties.Set", 0, "org.a11y.Status", property, dbus.MakeVariant(true)).Err
			if err != nil {
				return err
			}
		}
		return bus.CallWithContext(ctx, "org.a11y.Bus.GetAddress", 0).Err
	})
}

func (d *Desktop) startWindowManager(ctx context.Context, cfg Config) error {
	argv := cfg.WindowManager
	if argv == nil {
		argv = []string{"openbox", "--sm-disable"}
	}
	if len(argv) == 0 {
		return nil
	}
	cmd := d.Command(argv[0], argv[1:]...)
	if _, err := d.run(cmd); err != nil {
		return err
	}
	xgb.Logger.SetOutput(io.Discard)
	x, err := xgb.NewConnDisplay(d.display)
	if err != nil {
		return fmt.Errorf("connecting to %s: %w", d.display, err)
	}
	defer x.Close()
	root := xproto.Setup(x).DefaultScreen(x).Root
	name := "_NET_SUPPORTING_WM_CHECK"
	atom, err := xproto.InternAtom(x, false, uint16(len(name)), name).Reply()
	if err != nil {
		return err
	}
	err = await(ctx, "the window manager", func() error {
		p, err := xproto.GetProperty(x, false, root, atom.Atom, xproto.AtomWindow, 0, 1).Reply()
		if err == nil && p.ValueLen == 0 {
			err = errors.New("it has not announced itself")
		}
		return err
	})
	if err != nil {
		return err
	}
	return await(ctx, "the window manager to manage windows", func() error { return tryWindow(x, root) })
}

// tryWindow maps a window and looks whether it gets managed soon. Openbox
// announces itself first and for some milliseconds swallows the wish to be
// mapped, so that a window of that moment never appears.
func tryWindow(x *xgb.Conn, root xproto.Window) error {
	w, err := xproto.NewWindowId(x)
	if err != nil {
		return err
	}
	err = xproto.CreateWindowChecked(x, 0, w, root, 0, 0, 1, 1, 0, xproto.WindowClassInputOutput, 0, 0, nil).Check()
	if err != nil {
		return err
	}
	defer func() { _ = xproto.DestroyWindowChecked(x, w).Check() }()
	if err := xproto.MapWindowChecked(x, w).Check(); err != nil {
		return err
	}
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(100 * time.Millisecond); time.Now().Before(end); <-tick.C {
		a, err := xproto.GetWindowAttributes(x, w).Reply()
		if err != nil {
			return err
		}
		if a.MapState != xproto.MapStateUnmapped {
			return nil
		}
	}
	return errors.New("a new window was not mapped")
}

// await calls ready until it succeeds, the context ends or the start times out.
func await(ctx context.Context, what string, ready func() error) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		err := ready()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w (last: %w)", what, ctx.Err(), err)
		case <-tick.C:
		}
	}
}

// Display returns the X display, such as ":99".
func (d *Desktop) Display() string { return d.display }

// SessionBus returns the address of the session bus.
func (d *Desktop) SessionBus() string { return "unix:path=" + filepath.Join(d.dir, "run", "bus") }

// Home returns the folder that applications on this desktop take for the
// user's home. It goes with the desktop.
func (d *Desktop) Home() string { return filepath.Join(d.dir, "home") }

// Env returns the environment for a program on this desktop.
func (d *Desktop) Env() []string { return slices.Clone(d.env) }

// Command returns a command that has the desktop's environment. Start it with
// [Desktop.Launch], so that it ends with the desktop.
func (d *Desktop) Command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Env = d.Env()
	cmd.Dir = d.Home()
	return cmd
}

// Launch starts an application on the desktop. The returned channel is closed
// when it has ended.
func (d *Desktop) Launch(cmd *exec.Cmd) (ended <-chan struct{}, err error) {
	p, err := d.run(cmd)
	if err != nil {
		return nil, err
	}
	return p.done, nil
}

// KillServer ends the X server alone, as a crash does.
func (d *Desktop) KillServer() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.procs) > 0 { // it is started first
		_ = d.procs[0].cmd.Process.Kill()
	}
}

// ServerAlive reports whether the X server still runs. One that does not answer
// for a while runs, too.
func (d *Desktop) ServerAlive() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.procs) > 0 && !d.procs[0].ended()
}

// Close ends every process of the desktop, those that applications left behind
// included, and removes its folder. It may be called more than once.
func (d *Desktop) Close() error {
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return nil
	}
	d.closed = true
	procs := d.procs
	d.mu.Unlock()
	for i, p := range slices.Backward(procs) {
		if i == 0 {
			p.terminate() // the X server, which has files of its own to remove
		}
		p.killGroup()
		<-p.done
	}
	killMarked(d.mark)
	d.dismissReaper()
	close(d.spawn)
	<-d.done
	return os.RemoveAll(d.dir)
}
