package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"oriel.dev/oriel/desktop/atspi"
	"oriel.dev/oriel/desktop/robot"
	"oriel.dev/oriel/desktop/x11"
	"oriel.dev/oriel/sandbox"
)

// Verdict is how a [Check] ended.
type Verdict string

// The verdicts. With OK or Warn the host works, with Fail it does not.
const (
	OK   Verdict = "ok"
	Warn Verdict = "warn" // something is missing that somebody may miss
	Fail Verdict = "fail"
)

// Check is one thing that the doctor looked at.
type Check struct {
	Name    string  `json:"name"`
	Verdict Verdict `json:"verdict"`
	Found   string  `json:"found"` // what there is
	// Means says what follows from it and Do what to do; both are empty if all
	// is well.
	Means string `json:"means,omitempty"`
	Do    string `json:"do,omitempty"`
	// More are single findings, such as each adapter.
	More []string `json:"more,omitempty"`
}

// DoctorConfig is what the doctor needs to know of the settings.
type DoctorConfig struct {
	Display    string // as in the settings; "" is $DISPLAY
	SessionBus string // "" is that of the environment
	Virtual    bool   // the host would start a desktop of its own
	Robot      bool   // the robot backend would play input and capture
	Listen     string
	Folders    map[string]string // by what they are for: "state", …
	TokenFile  string
	Socket     string // of the host of this display
	Adapters   sandbox.Config
	Getenv     func(string) string
}

// doctorPatience bounds each check.
const doctorPatience = 5 * time.Second

// doctor is the configuration and the ways to look, which tests replace.
type doctor struct {
	DoctorConfig
	probe    func(ctx context.Context, display string, extensions []string) (x11.Facts, error)
	enabled  func(ctx context.Context, sessionBus string) (atspi.Status, error)
	apps     func(ctx context.Context, sessionBus string) ([]atspi.App, error)
	lookPath func(string) (string, error)
	output   func(ctx context.Context, name string, args ...string) ([]byte, error)
	running  func(ctx context.Context, socket string) bool
	portFree func(ctx context.Context, addr string) error
	confined func() sandbox.Confined
	list     func(ctx context.Context, cfg sandbox.Config) ([]sandbox.Info, error)
}

// Examine looks at everything that the host needs and returns what it found, in
// the order in which a person should read it. It changes nothing.
func Examine(ctx context.Context, cfg DoctorConfig) []Check {
	if cfg.Getenv == nil {
		cfg.Getenv = os.Getenv
	}
	d := &doctor{
		DoctorConfig: cfg,
		probe:        x11.Probe, enabled: atspi.Enabled, apps: accessibleApps,
		lookPath: exec.LookPath, running: hostRuns, portFree: portFree,
		confined: sandbox.Confinement, list: ListAdapters,
		output: func(ctx context.Context, name string, args ...string) ([]byte, error) {
			return exec.CommandContext(ctx, name, args...).CombinedOutput()
		},
	}
	return d.examine(ctx)
}

func (d *doctor) examine(ctx context.Context) []Check {
	var out []Check
	for _, look := range []func(context.Context) []Check{
		d.display, d.backend, d.accessibility, d.files, d.host, d.port, d.runners, d.adapterFiles, d.ocr,
	} {
		ctx, cancel := context.WithTimeout(ctx, doctorPatience)
		out = append(out, look(ctx)...)
		cancel()
	}
	return out
}

// Worst returns the worst verdict of the checks.
func Worst(checks []Check) Verdict {
	worst := OK
	for _, c := range checks {
		if c.Verdict == Fail || c.Verdict == Warn && worst == OK {
			worst = c.Verdict
		}
	}
	return worst
}

// WriteChecks writes the checks for a person to read.
func WriteChecks(w io.Writer, checks []Check) error {
	var b strings.Builder
	width := 0
	for _, c := range checks {
		width = max(width, len(c.Name))
	}
	count := map[Verdict]int{}
	for _, c := range checks {
		count[c.Verdict]++
		fmt.Fprintf(&b, "%-4s  %-*s  %s\n", c.Verdict, width, c.Name, c.Found)
		indent := strings.Repeat(" ", 4+2+width+2)
		for _, m := range c.More {
			fmt.Fprintf(&b, "%s- %s\n", indent, m)
		}
		if c.Means != "" {
			fmt.Fprintf(&b, "%s%s\n", indent, c.Means)
		}
		if c.Do != "" {
			fmt.Fprintf(&b, "%s→ %s\n", indent, c.Do)
		}
	}
	fmt.Fprintf(&b, "\n%d ok, %d to know about, %d to mend\n", count[OK], count[Warn], count[Fail])
	_, err := io.WriteString(w, b.String())
	return err
}

// extensions are those of the X server that the host uses, and what is missed
// without each. Only the first is needed.
var extensions = []struct{ name, without string }{
	{"XTEST", "the pointer and the keyboard cannot be used"},
	{"MIT-SHM", "pictures are taken slowly"},
	{"Composite", "covered windows cannot be pictured"},
	{"XFIXES", "redrawn pixels are not noticed"},
	{"DAMAGE", "changes of applications without accessibility are not noticed"},
	{"RANDR", "several monitors are taken for one"},
}

const waylandMeans = "Wayland shows programs neither the windows of others nor their pixels, and takes no input from them"

func (d *doctor) display(ctx context.Context) []Check {
	c := Check{Name: "display", Verdict: OK}
	name := d.Display
	if name == "" {
		name = d.Getenv("DISPLAY")
	}
	wayland := d.Getenv("WAYLAND_DISPLAY") != "" || d.Getenv("XDG_SESSION_TYPE") == "wayland"
	switch {
	case d.Virtual:
		return []Check{d.virtualTools()}
	case name == "" && wayland:
		c.Verdict, c.Found = Fail, "this is a Wayland session without Xwayland"
		c.Means, c.Do = waylandMeans, "log in to an X11 (Xorg) session, or run `oriel serve --virtual`"
		return []Check{c}
	case name == "":
		c.Verdict, c.Found = Fail, "there is no display: DISPLAY is not set"
		c.Means, c.Do = "there is nothing to serve", "run this inside a desktop session, name one with --display, or run `oriel serve --virtual`"
		return []Check{c}
	}
	names := make([]string, 0, len(extensions))
	for _, e := range extensions {
		names = append(names, e.name)
	}
	f, err := d.probe(ctx, name, names)
	if err != nil {
		c.Verdict, c.Found = Fail, err.Error()
		c.Means, c.Do = "there is nothing to serve", "check DISPLAY and XAUTHORITY, or run `oriel serve --virtual`"
		return []Check{c}
	}
	c.Found = fmt.Sprintf("%s, %d×%d, %s", name, f.Width, f.Height, f.Vendor)
	if wayland {
		c.Verdict = Warn
		c.Found += ", in a Wayland session"
		c.Means = waylandMeans + "; only applications that run under Xwayland are served"
		c.Do = "log in to an X11 (Xorg) session, or start applications with GDK_BACKEND=x11 QT_QPA_PLATFORM=xcb"
	}
	return []Check{c, checkExtensions(f), checkManager(f)}
}

// backend speaks up only for the backend that is not the usual one.
func (d *doctor) backend(context.Context) []Check {
	if !d.Robot {
		return nil
	}
	c := Check{Name: "backend", Verdict: Warn, Found: "robot, by desktop.backend"}
	c.Means = "input that is meant for one window, and pictures of one window, are refused"
	c.Do = `set desktop.backend = "x11", unless it is to be compared with robot`
	if !robot.Available {
		c.Verdict, c.Found = Fail, "robot, by desktop.backend, and this program was built without cgo"
		c.Means, c.Do = "the host does not start", `set desktop.backend = "x11", or build the program with CGO_ENABLED=1`
	}
	return []Check{c}
}

func checkExtensions(f x11.Facts) Check {
	c := Check{Name: "X extensions", Verdict: OK}
	var has []string
	for i, e := range extensions {
		if f.Extensions[e.name] {
			has = append(has, e.name)
			continue
		}
		c.More = append(c.More, "without "+e.name+" "+e.without)
		c.Do = "start the X server with its usual extensions"
		if i == 0 {
			c.Verdict = Fail
		} else if c.Verdict == OK {
			c.Verdict = Warn
		}
	}
	c.Found = strings.Join(has, ", ")
	if c.Found == "" {
		c.Found = "none of those that are used"
	}
	return c
}

func checkManager(f x11.Facts) Check {
	c := Check{Name: "window manager", Verdict: OK, Found: f.Manager}
	switch f.Manager {
	case "":
		c.Verdict, c.Found = Fail, "there is none"
		c.Means, c.Do = "windows can be neither listed, raised nor closed", "start one: apt install openbox, then run openbox in the session"
	case "?":
		c.Found = "one that does not say its name"
	}
	return c
}

// virtualTools checks for the programs of a desktop of our own.
func (d *doctor) virtualTools() Check {
	c := Check{Name: "virtual desktop", Verdict: OK}
	var missing []string
	for program, pkg := range map[string]string{"Xvfb": "xvfb", "dbus-daemon": "dbus", "openbox": "openbox"} {
		if _, err := d.lookPath(program); err != nil {
			missing = append(missing, pkg)
		}
	}
	if len(missing) == 0 {
		c.Found = "Xvfb, dbus-daemon and openbox are installed"
		return c
	}
	slices.Sort(missing)
	c.Verdict, c.Found = Fail, "not all of it is installed"
	c.Means, c.Do = "a desktop of our own cannot be started", "apt install "+strings.Join(missing, " ")+" at-spi2-core"
	return c
}

func (d *doctor) accessibility(ctx context.Context) []Check {
	if d.Virtual {
		return nil
	}
	c := Check{Name: "accessibility", Verdict: OK}
	st, err := d.enabled(ctx, d.SessionBus)
	if err != nil {
		c.Verdict, c.Found = Fail, err.Error()
		c.Means = "windows can be seen as pixels only: no texts, fields or buttons"
		c.Do = "install at-spi2-core, and run this inside the desktop session so that DBUS_SESSION_BUS_ADDRESS is set"
		return []Check{c}
	}
	const switchOn = "run `oriel serve --enable-accessibility`, or `gsettings set org.gnome.desktop.interface toolkit-accessibility true`; then start the applications again"
	switch {
	case !st.Enabled:
		c.Verdict, c.Found = Warn, "the bus runs, and accessibility is switched off"
		c.Means, c.Do = "applications that wait for it show their pixels only", switchOn
	case !st.ScreenReader:
		c.Found = "switched on; no screen reader is announced"
		c.Means = "Chromium, Electron and Firefox show what is in their pages only when one is"
		c.Do = "start those with --force-renderer-accessibility, or run `oriel serve --enable-accessibility`"
	default:
		c.Found = "switched on"
	}
	apps, err := d.apps(ctx, d.SessionBus)
	if err != nil {
		return []Check{c, {Name: "applications", Verdict: Warn, Found: err.Error(), Do: "restart at-spi-bus-launcher, or log in again"}}
	}
	return []Check{c, checkApps(apps)}
}

func checkApps(apps []atspi.App) Check {
	c := Check{Name: "applications", Verdict: OK, Found: fmt.Sprintf("%d are on the accessibility bus", len(apps))}
	for _, a := range apps {
		toolkit := a.Toolkit
		if toolkit == "" {
			toolkit = "unknown toolkit"
		}
		c.More = append(c.More, fmt.Sprintf("%s (%s, pid %d)", a.Name, toolkit, a.PID))
	}
	slices.Sort(c.More)
	return c
}

func (d *doctor) ocr(ctx context.Context) []Check {
	c := Check{Name: "text in pictures", Verdict: OK}
	if _, err := d.lookPath("tesseract"); err != nil {
		c.Verdict, c.Found = Warn, "tesseract is not installed"
		c.Means, c.Do = "adapters cannot read text in pictures (oriel:ocr)", "apt install tesseract-ocr, and tesseract-ocr-chi-sim and the like for other languages"
		return []Check{c}
	}
	out, err := d.output(ctx, "tesseract", "--list-langs")
	if err != nil {
		c.Verdict, c.Found, c.Do = Warn, fmt.Sprintf("tesseract does not run: %v", err), "run `tesseract --list-langs` to see why"
		return []Check{c}
	}
	_, list, _ := strings.Cut(string(out), "\n") // the first line is a heading
	langs := slices.DeleteFunc(strings.Fields(list), func(l string) bool { return l == "osd" })
	if len(langs) == 0 {
		c.Verdict, c.Found, c.Do = Warn, "tesseract has no language", "apt install tesseract-ocr-eng"
		return []Check{c}
	}
	c.Found = "tesseract with " + strings.Join(langs, ", ")
	return []Check{c}
}

// accessibleApps lists the applications on the accessibility bus.
func accessibleApps(ctx context.Context, sessionBus string) (apps []atspi.App, err error) {
	bus, err := atspi.Open(ctx, atspi.Config{SessionBus: sessionBus})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, bus.Close()) }()
	return bus.Apps(ctx)
}
