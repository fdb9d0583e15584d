//go:build desktop

package linux

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/desktoptest"
	"oriel.dev/oriel/tree"
)

// ask returns a context for one call.
func ask(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func (e *realEnv) observe(t testing.TB, id desktop.WindowID) desktop.Observation {
	t.Helper()
	o, err := e.d.Tree.Observe(ask(t), id)
	if err != nil {
		t.Fatalf("observing window %d: %v", id, err)
	}
	return o
}

// find waits for an element.
func (e *realEnv) find(t *testing.T, id desktop.WindowID, what string, wanted func(tree.Node) bool) (tree.Node, desktop.Observation) {
	t.Helper()
	var o desktop.Observation
	i := -1
	for end := time.Now().Add(10 * time.Second); i < 0 && time.Now().Before(end); {
		o = e.observe(t, id)
		i = slices.IndexFunc(o.Tree.Nodes, wanted)
	}
	if i < 0 {
		t.Fatalf("window %q has no %s:\n%s", o.Window.Title, what, outline(o.Tree))
	}
	return o.Tree.Nodes[i], o
}

// outline writes a tree for a person.
func outline(tr *tree.Tree) string {
	var b strings.Builder
	depth := make([]int, len(tr.Nodes))
	for i, n := range tr.Nodes {
		if n.Parent >= 0 {
			depth[i] = depth[n.Parent] + 1
		}
		fmt.Fprintf(&b, "%s%v %q", strings.Repeat("  ", depth[i]), n.Role, n.Name)
		if n.Text != "" {
			fmt.Fprintf(&b, " text %q", n.Text)
		}
		fmt.Fprintf(&b, " %v on %d, %d actions %v\n", n.Bounds, n.Surface, len(n.Actions), n.States.Names())
	}
	return b.String() + tr.Why
}

func named(role tree.Role, name string) func(tree.Node) bool {
	return func(n tree.Node) bool { return n.Role == role && strings.HasPrefix(n.Name, name) }
}

func editable(n tree.Node) bool {
	return n.Ifaces.Has(tree.IfaceEditableText) && n.States.Has(tree.StateEditable)
}

// pixel returns the middle of an element on the screen.
func pixel(o desktop.Observation, n tree.Node) desktop.Point {
	origin := o.Tree.Window.Bounds
	if n.Surface > 0 {
		origin = o.Tree.Window.Surfaces[n.Surface-1].Bounds
	}
	x, y := n.Bounds.Center()
	return desktop.Point{X: origin.X + x, Y: origin.Y + y}
}

func (e *realEnv) act(t *testing.T, id desktop.WindowID, n tree.Node, d desktop.Deed) {
	t.Helper()
	begun := time.Now()
	if err := e.d.Tree.Act(ask(t), id, n.ID, d); err != nil {
		t.Fatalf("acting on %v %q: %v", n.Role, n.Name, err)
	}
	if took := time.Since(begun); took > 250*time.Millisecond {
		t.Errorf("acting on %v %q took %v", n.Role, n.Name, took)
	}
}

func (e *realEnv) click(t *testing.T, id desktop.WindowID, p desktop.Point) {
	t.Helper()
	if err := e.d.Input.Click(ask(t), desktop.Target{Window: id}, p, desktop.Left, 1, 0); err != nil {
		t.Fatalf("clicking %v: %v", p, err)
	}
}

// copied returns what an application puts on the clipboard when its user
// copies: the application's own word for what it shows.
func (e *realEnv) copied(t *testing.T, xid string) string {
	t.Helper()
	e.xdo(t, "windowactivate", "--sync", xid)
	e.xdo(t, "key", "ctrl+c")
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "xclip", "-o", "-selection", "clipboard", "-t", "UTF8_STRING")
	cmd.Env = e.v.Env()
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return string(out)
}

func file(t *testing.T, e *realEnv, name, text string) string {
	t.Helper()
	path := filepath.Join(e.v.Home(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(string(text), "\n")
}

func TestOneActOnEachToolkit(t *testing.T) {
	e := startReal(t)
	t.Run("GTK4", func(t *testing.T) { actGTK4(t, e) })
	t.Run("Qt5", func(t *testing.T) { actQt5(t, e) })
	t.Run("Chromium", func(t *testing.T) { actChromium(t, e) })
}

func actGTK4(t *testing.T, e *realEnv) {
	p := e.start(t, "gnome-calculator")
	for _, key := range []string{"7", "8"} {
		n, _ := e.find(t, p.win.ID, "key "+key, named(tree.RoleButton, key))
		e.act(t, p.win.ID, n, desktop.Deed{Kind: desktop.DoAction})
	}
	xid := e.xid(t, p)
	desktoptest.Wait(t, "78 on the display", func() bool { return e.copied(t, xid) == "78" })
	o := e.observe(t, p.win.ID)
	if o.Window.App.Toolkit != "gtk4" || o.Window.App.Process != "gnome-calculator" || o.Window.App.Name != "org.gnome.calculator" {
		t.Errorf("the application reads %+v", o.Window.App)
	}
}

func actQt5(t *testing.T, e *realEnv) {
	path := file(t, e, "qt.txt", "before")
	p := e.start(t, "featherpad", "--standalone", path)
	n, o := e.find(t, p.win.ID, "editable text", func(n tree.Node) bool { return editable(n) && n.Text == "before" })
	e.act(t, p.win.ID, n, desktop.Deed{Kind: desktop.SetText, Text: "nachher 我们"})
	e.save(t, e.xid(t, p))
	desktoptest.Wait(t, "the saved text", func() bool { return read(t, path) == "nachher 我们" })
	if o.Window.App.Toolkit != "qt5" || o.Window.App.Name != "featherpad" {
		t.Errorf("the application reads %+v", o.Window.App)
	}
}

const page = `<!doctype html><title>start</title><h1>Page</h1>
<label>Name <input id=n></label>
<button onclick="document.title='pressed '+document.getElementById('n').value">Press me</button>`

func (e *realEnv) chromium(t *testing.T, args ...string) program {
	t.Helper()
	path := file(t, e, "page.html", page)
	args = append([]string{
		"--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage", "--window-position=100,60", "--window-size=900,700",
		"--user-data-dir=" + filepath.Join(e.v.Home(), "chromium"),
	}, args...)
	p := e.launch(t, "chromium", append(args, "file://"+path)...)
	p.win = e.await(t, "chromium", func(w desktop.Window) bool { return strings.HasPrefix(w.Title, "start") })
	return p
}

func actChromium(t *testing.T, e *realEnv) {
	p := e.chromium(t, "--force-renderer-accessibility")
	n, o := e.find(t, p.win.ID, "button", named(tree.RoleButton, "Press me"))
	entry := slices.IndexFunc(o.Tree.Nodes, func(n tree.Node) bool { return n.Role == tree.RoleEntry && n.Name == "Name" })
	if entry < 0 {
		t.Fatalf("the page has no entry:\n%s", outline(o.Tree))
	}
	e.xdo(t, "windowactivate", "--sync", e.xdo(t, "search", "--name", "^start"))
	e.click(t, p.win.ID, pixel(o, o.Tree.Nodes[entry]))
	if err := e.d.Input.Type(ask(t), desktop.Target{Window: p.win.ID}, "typed"); err != nil {
		t.Fatal(err)
	}
	e.find(t, p.win.ID, "typed text", func(n tree.Node) bool { return n.Role == tree.RoleEntry && n.Text == "typed" })
	e.act(t, p.win.ID, n, desktop.Deed{Kind: desktop.DoAction})
	e.await(t, "the page's title", func(w desktop.Window) bool { return w.ID == p.win.ID && strings.HasPrefix(w.Title, "pressed typed") })
	if o.Window.App.Toolkit != "chromium" || o.Window.App.Name != "chromium" {
		t.Errorf("the application reads %+v", o.Window.App)
	}
}

func TestC03_MovedGTK4WindowIsHitWhereItIs(t *testing.T) {
	e := startReal(t)
	p := e.start(t, "gnome-calculator")
	xid := e.xid(t, p)
	e.xdo(t, "windowactivate", "--sync", xid)
	e.xdo(t, "windowmove", "--sync", xid, "300", "200")
	at := e.place(t, xid)
	e.await(t, "the move", func(w desktop.Window) bool { return w.ID == p.win.ID && w.Bounds == at })
	var want strings.Builder
	for _, key := range []string{"7", "5", "3", "0", "9", "1"} {
		n, o := e.find(t, p.win.ID, "key "+key, func(n tree.Node) bool { return named(tree.RoleButton, key)(n) && n.HasBounds })
		e.click(t, p.win.ID, pixel(o, n))
		want.WriteString(key)
	}
	desktoptest.Wait(t, want.String()+" on the display", func() bool { return e.copied(t, xid) == want.String() })
}

func TestC11_ChromiumWithoutAccessibilityIsSaidToBeOff(t *testing.T) {
	e := startReal(t)
	p := e.chromium(t, "--disable-renderer-accessibility")
	o := e.observe(t, p.win.ID)
	if !strings.Contains(o.Tree.Why, "--force-renderer-accessibility") {
		t.Errorf("the window without accessibility says %q:\n%s", o.Tree.Why, outline(o.Tree))
	}
}

func TestC12_C13_DialogWithItsOwnLoop(t *testing.T) {
	e := startReal(t)
	t.Run("Qt5", func(t *testing.T) {
		p := e.start(t, "featherpad", "--standalone", file(t, e, "a.txt", "text"))
		open, _ := e.find(t, p.win.ID, "Open", func(n tree.Node) bool { return strings.HasPrefix(n.Name, "Open") && len(n.Actions) > 0 })
		dialogOpens(t, e, p, open)
	})
	t.Run("GTK3", func(t *testing.T) {
		p := e.start(t, "mousepad", "--disable-server", file(t, e, "b.txt", "text"))
		e.openMenu(t, p, "alt+s")
		open, _ := e.find(t, p.win.ID, "Go to", func(n tree.Node) bool { return strings.HasPrefix(n.Name, "Go to") && len(n.Actions) > 0 })
		dialogOpens(t, e, p, open)
	})
}

// dialogOpens acts on what opens a dialog, and closes the dialog by hand.
func dialogOpens(t *testing.T, e *realEnv, p program, open tree.Node) {
	e.act(t, p.win.ID, open, desktop.Deed{Kind: desktop.DoAction})
	dialog := e.await(t, "the dialog", func(w desktop.Window) bool {
		return w.App.PID == p.pid() && w.ID != p.win.ID && w.Modal && w.Accessible
	})
	if dialog.Owner != p.win.ID {
		t.Errorf("the dialog's owner is %d, want %d", dialog.Owner, p.win.ID)
	}
	e.find(t, dialog.ID, "button", func(n tree.Node) bool { return n.Role == tree.RoleButton })
	if len(e.observe(t, p.win.ID).Window.Popups) > 0 {
		e.xdo(t, "key", "Escape") // GTK3 leaves the menu open that was acted on
		e.await(t, "the menu to be gone", func(w desktop.Window) bool { return w.ID == p.win.ID && len(w.Popups) == 0 })
	}
	begun := time.Now()
	e.xdo(t, "key", "Escape")
	desktoptest.Wait(t, "the dialog to be gone", func() bool {
		ws, err := e.d.Windows.List(ask(t))
		return err == nil && !slices.ContainsFunc(ws, func(w desktop.Window) bool { return w.ID == dialog.ID })
	})
	if took := time.Since(begun); took > time.Second {
		t.Errorf("the dialog was gone %v after it was closed by hand", took)
	}
	e.observe(t, p.win.ID)
}

func TestC14_MenuIsSeenAndChosenFrom(t *testing.T) {
	e := startReal(t)
	t.Run("GTK3", func(t *testing.T) {
		p := e.start(t, "mousepad", "--disable-server", file(t, e, "menu.txt", "text"))
		e.openMenu(t, p, "alt+s")
		chooseByClick(t, e, p, "Go to")
	})
	t.Run("Qt5", func(t *testing.T) {
		p := e.start(t, "featherpad", "--standalone", file(t, e, "menu2.txt", "text"))
		e.openMenu(t, p, "alt+f")
		chooseByClick(t, e, p, "Open")
	})
	t.Run("GTK4", func(t *testing.T) {
		p := e.start(t, "gnome-calculator")
		menu, _ := e.find(t, p.win.ID, "menu button", named(tree.RoleButton, "Primary menu"))
		e.act(t, p.win.ID, menu, desktop.Deed{Kind: desktop.DoAction})
		chooseByClick(t, e, p, "About")
	})
}

// openMenu opens a menu by its key, as a user does who looks whether it opened.
func (e *realEnv) openMenu(t *testing.T, p program, key string) {
	t.Helper()
	for range 5 {
		e.xdo(t, "windowactivate", "--sync", e.xid(t, p))
		e.xdo(t, "key", key)
		for end := time.Now().Add(time.Second); time.Now().Before(end); {
			ws, err := e.d.Windows.List(ask(t))
			if err == nil && slices.ContainsFunc(ws, func(w desktop.Window) bool { return w.ID == p.win.ID && len(w.Popups) > 0 }) {
				return
			}
		}
		e.xdo(t, "key", "Escape")
	}
	t.Fatalf("the menu did not open by %s", key)
}

// chooseByClick clicks an item of an open menu that opens a dialog.
func chooseByClick(t *testing.T, e *realEnv, p program, item string) {
	t.Helper()
	n, o := e.find(t, p.win.ID, "menu item "+item, func(n tree.Node) bool {
		return strings.Contains(n.Name, item) && n.Surface > 0 && n.HasBounds && len(n.Actions) > 0
	})
	surface := o.Tree.Window.Surfaces[n.Surface-1].Bounds
	if at := pixel(o, n); !surface.Contains(at.X, at.Y) {
		t.Errorf("the item's middle %v is not in its popup %v", at, surface)
	}
	e.click(t, p.win.ID, pixel(o, n))
	e.await(t, "what the item opens", func(w desktop.Window) bool { return w.App.PID == p.pid() && w.ID != p.win.ID })
}

func TestC16_TwentyWindowsAreGoneWithinASecond(t *testing.T) {
	e := startReal(t)
	var ps []program
	for i := range 20 {
		ps = append(ps, e.launch(t, "zenity", "--info", fmt.Sprintf("--text=number %d", i)))
	}
	var ws []desktop.Window
	desktoptest.Wait(t, "twenty windows", func() bool {
		ws, _ = e.d.Windows.List(ask(t))
		return len(ws) == 20
	})
	for _, p := range ps {
		p.signal(t, syscall.SIGKILL)
	}
	for _, p := range ps {
		<-p.ended
	}
	begun := time.Now()
	desktoptest.Wait(t, "no window", func() bool {
		ws, err := e.d.Windows.List(ask(t))
		return err == nil && len(ws) == 0
	})
	if took := time.Since(begun); took > time.Second {
		t.Errorf("the windows were gone after %v", took)
	}
	if _, err := e.d.Tree.Observe(ask(t), ws[3].ID); !errors.Is(err, desktop.ErrGone) {
		t.Errorf("observing a closed window: %v, want ErrGone", err)
	}
}

func TestFreshObservationHoldsWhatWasDoneByHand(t *testing.T) {
	e := startReal(t)
	ed := e.Editor(t)
	want, slowest := "", time.Duration(0)
	for i := range 50 {
		c := string(rune('a' + i%26))
		ed.Input(t, c)
		want += c
		begun := time.Now()
		if _, err := e.d.Watch.Barrier(ask(t), ed.Window); err != nil {
			t.Fatal(err)
		}
		o := e.observe(t, ed.Window)
		slowest = max(slowest, time.Since(begun))
		k := slices.IndexFunc(o.Tree.Nodes, editable)
		if k < 0 || o.Tree.Nodes[k].Text != want {
			t.Fatalf("after change %d the observation lacks it:\n%s", i, outline(o.Tree))
		}
	}
	desktoptest.Wait(t, "the saved text", func() bool { return ed.Holds(t) == want })
	t.Logf("barrier and observation took at most %v", slowest)
}

func TestC44_ModalBlocksTheWindowsThatItBlocks(t *testing.T) {
	e := startReal(t)
	t.Run("OneGroup", func(t *testing.T) {
		first := e.start(t, "gnome-calculator")
		e.xdo(t, "windowactivate", "--sync", e.xidOf(t, first.win.ID))
		e.xdo(t, "key", "ctrl+n")
		second := e.another(t, first)
		menu, _ := e.find(t, first.win.ID, "menu button", named(tree.RoleButton, "Primary menu"))
		e.act(t, first.win.ID, menu, desktop.Deed{Kind: desktop.DoAction})
		item, o := e.find(t, first.win.ID, "menu item", func(n tree.Node) bool {
			return strings.HasPrefix(n.Name, "Preferences") && n.Surface > 0 && n.HasBounds
		})
		e.click(t, first.win.ID, pixel(o, item))
		e.await(t, "the dialog", func(w desktop.Window) bool { return w.Modal && w.Owner == first.win.ID })
		e.together(t, first.win.ID, second.ID, true)
		e.xdo(t, "windowactivate", "--sync", e.xidOf(t, second.ID))
		e.xdo(t, "type", "123")
		if got := e.copied(t, e.xidOf(t, second.ID)); got != "" {
			t.Errorf("the window that is said to be blocked took %q", got)
		}
	})
	t.Run("GroupsOfItsOwn", func(t *testing.T) {
		one, two := file(t, e, "one.txt", ""), file(t, e, "two.txt", "")
		first := e.start(t, "mousepad", one)
		e.launch(t, "mousepad", "--opening-mode=window", two)
		second := e.another(t, first)
		e.xdo(t, "windowactivate", "--sync", e.xidOf(t, first.win.ID))
		e.xdo(t, "key", "ctrl+l")
		e.await(t, "the dialog", func(w desktop.Window) bool { return w.Modal && w.Owner == first.win.ID })
		e.together(t, first.win.ID, second.ID, false)
		e.xdo(t, "windowactivate", "--sync", e.xidOf(t, second.ID))
		e.xdo(t, "type", "123")
		e.xdo(t, "key", "ctrl+s")
		desktoptest.Wait(t, "the window that is said to be operable to take input", func() bool { return read(t, two) == "123" })
	})
}

// another waits for a second window of an application.
func (e *realEnv) another(t *testing.T, p program) desktop.Window {
	t.Helper()
	return e.await(t, "a second window", func(w desktop.Window) bool {
		return w.App.PID == p.pid() && w.ID != p.win.ID && w.Accessible
	})
}

// xidOf returns the X window of a window.
func (e *realEnv) xidOf(t *testing.T, id desktop.WindowID) string {
	t.Helper()
	g, err := e.d.Windows.(windows).j.x.Windows().Geometry(ask(t), id)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(g.XID)
}

func (e *realEnv) together(t *testing.T, a, b desktop.WindowID, want bool) {
	t.Helper()
	ws, err := e.d.Windows.List(ask(t))
	if err != nil {
		t.Fatal(err)
	}
	group := map[desktop.WindowID]uint64{}
	for _, w := range ws {
		group[w.ID] = w.Group
	}
	if got := group[a] != 0 && group[a] == group[b]; got != want {
		t.Errorf("the groups are %d and %d; blocked together: %v, want %v", group[a], group[b], got, want)
	}
}

func TestWindowsThatLookAlikeAreNotMixedUp(t *testing.T) {
	e := startReal(t)
	first := e.start(t, "gnome-calculator")
	e.xdo(t, "windowactivate", "--sync", e.xidOf(t, first.win.ID))
	e.xdo(t, "key", "ctrl+n")
	second := e.another(t, first)
	// Pairs that are made wrong on purpose: the focus must set them right.
	a := e.d.Windows.(windows).j.apps
	a.mu.Lock()
	one, two := a.windows[first.win.ID], a.windows[second.ID]
	one.pair, two.pair = two.pair, one.pair
	a.mu.Unlock()
	display := func(id desktop.WindowID) string {
		o := e.observe(t, id)
		i := slices.IndexFunc(o.Tree.Nodes, editable)
		if i < 0 {
			t.Fatal(outline(o.Tree))
		}
		return o.Tree.Nodes[i].Text
	}
	// GTK4 reports the focus of an application's first window alone, so that one
	// has to have it once.
	for _, w := range []desktop.Window{second, first.win} {
		e.xdo(t, "windowactivate", "--sync", e.xidOf(t, w.ID))
		e.xdo(t, "type", strings.Repeat(fmt.Sprint(w.ID), 3))
	}
	read := func(w desktop.Window) bool { return display(w.ID) == strings.Repeat(fmt.Sprint(w.ID), 3) }
	desktoptest.Wait(t, "each window to read what was typed into it", func() bool { return read(first.win) && read(second) })
}

func TestC23_PasswordIsNeverRead(t *testing.T) {
	e := startReal(t)
	p := e.start(t, "zenity", "--password", "--title=Secret")
	e.xdo(t, "windowactivate", "--sync", e.xid(t, p))
	e.xdo(t, "type", "hunter2")
	n, o := e.find(t, p.win.ID, "password of seven characters", func(n tree.Node) bool {
		return n.Role == tree.RolePassword && n.TextInfo != nil && n.TextInfo.Length == 7
	})
	if !n.Sensitive || strings.Trim(n.Text, "•") != "" || strings.Contains(fmt.Sprint(o.Tree.Nodes), "hunter2") {
		t.Errorf("the password reads %+v", n)
	}
	if text, err := e.d.Tree.Text(ask(t), p.win.ID, n.ID, 0, 100); err == nil && strings.Trim(text, "•") != "" {
		t.Errorf("the password's text reads %q", text)
	}
}
