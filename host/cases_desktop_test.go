//go:build desktop

package host

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"oriel.dev/oriel/bridge"
	"oriel.dev/oriel/desktop/linux/virtual"
	"oriel.dev/oriel/hostabi"
)

// operable reports whether a window takes input by the published verdict.
func (r *rig) operable(id string) bool { return slices.Contains(r.host.Snapshot().Operable, id) }

// The main path on each toolkit: a text field is set by accessibility, and the
// application itself holds the text afterwards.
func TestSetFieldOnEachToolkit(t *testing.T) {
	r := newRig(t)
	out := filepath.Join(r.desk.Home(), "answer")
	r.launch("sh", "-c", "zenity --forms --title='Add friend' --text=x --add-entry=Name > "+out)
	r.launch("gnome-calculator")
	r.launch("featherpad")
	r.serve()

	w := r.window("Add friend")
	res := r.must(w.ID, "set_field", map[string]any{"field": "Name", "value": "Ada Lovelace"})
	if res.Effect != hostabi.Confirmed {
		t.Errorf("GTK 3: effect %s", res.Effect)
	}
	if res := r.must(w.ID, "press", map[string]any{"button": "OK"}); res.Effect != hostabi.Confirmed {
		t.Errorf("closing by its button: effect %s", res.Effect)
	}
	r.await("zenity's answer", func() bool { b, err := os.ReadFile(out); return err == nil && string(b) == "Ada Lovelace\n" })

	w = r.window("Calculator")
	r.must(w.ID, "calculate", map[string]any{"expression": "6*7"})
	if text := string(r.host.Snapshot().Window(w.ID).JSON()); !strings.Contains(text, `"42"`) {
		t.Errorf("GTK 4: the calculator shows %s", text)
	}

	w = r.window("Untitled")
	if res := r.must(w.ID, "set_text", map[string]any{"text": "Hello from afar"}); res.Effect != hostabi.Confirmed {
		t.Errorf("Qt 5: effect %s", res.Effect)
	}
	r.tool("xdotool", "search", "--name", "Untitled", "windowactivate", "--sync", "key", "ctrl+a", "ctrl+c")
	r.await("featherpad's own text on the clipboard", func() bool {
		text, err := r.desk.Command("xclip", "-o", "-selection", "clipboard").Output()
		return err == nil && string(text) == "Hello from afar"
	})
}

// C12: an action opens a modal dialog that runs a loop of its own. C13: a person
// closes it by hand.
func TestModalDialogs(t *testing.T) {
	r := newRig(t)
	r.launch("featherpad")
	r.launch("mousepad")
	r.serve()
	for _, tt := range []struct {
		name, window, menu, item string
	}{
		{"Qt 5", "FeatherPad", "Help", "About"},
		{"GTK 3", "Mousepad", "File", "Save As..."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := r.with(t)
			w := r.windowOf(tt.window)
			begin := time.Now()
			res := r.must(w.ID, "choose_menu", map[string]any{"menu": tt.menu, "item": tt.item})
			if took := time.Since(begin); took > 4*time.Second {
				t.Errorf("the call took %v", took)
			}
			if len(res.OpenedWindowIDs) != 1 {
				t.Fatalf("opened %v: %s", res.OpenedWindowIDs, r.host.Snapshot().JSON())
			}
			dialog := res.OpenedWindowIDs[0]
			if !r.operable(dialog) || r.operable(w.ID) {
				t.Fatalf("the dialog %s should be operable and %s not: %s", dialog, w.ID, r.host.Snapshot().JSON())
			}
			if d := r.host.Snapshot().Window(dialog); !d.Modal || d.OwnerID != w.ID || len(d.Blocks) == 0 {
				t.Errorf("the dialog is %s", d.JSON())
			}
			if e := r.refused(w.ID, "choose_menu", map[string]any{"menu": tt.menu, "item": tt.item}); e.Code != bridge.BlockedByModal {
				t.Errorf("the blocked owner answers %v", e)
			}
			r.tool("xdotool", "key", "Escape") // the person
			begin = time.Now()
			r.await("the owner is operable again", func() bool { return r.operable(w.ID) })
			if took := time.Since(begin); took > time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// windowOf waits for the window of an application, by a part of its title or
// name.
func (r *rig) windowOf(name string) *bridge.Window {
	r.Helper()
	var found *bridge.Window
	r.await("a window of "+name, func() bool {
		for _, w := range r.host.Snapshot().Windows {
			if (strings.Contains(strings.ToLower(w.App), strings.ToLower(name)) || strings.Contains(w.Title, name)) && len(w.Actions) > 0 {
				found = w
				return true
			}
		}
		return false
	})
	return found
}

// C07: one application is stopped; the others answer in time, it is marked and
// refused, and it recovers.
func TestStoppedApplication(t *testing.T) {
	r := newRig(t)
	stopped := r.launch("mousepad")
	r.launch("zenity", "--entry", "--title=Other", "--text=Name")
	r.serve()
	w, other := r.windowOf("mousepad"), r.window("Other")
	if err := syscall.Kill(stopped.Process.Pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(stopped.Process.Pid, syscall.SIGCONT) })
	begin := time.Now()
	if e := r.refused(w.ID, "close", nil); e.Code != bridge.ActionTimeout {
		t.Errorf("acting on it gives %v", e)
	}
	if took := time.Since(begin); took > 4*time.Second {
		t.Errorf("the refusal took %v", took)
	}
	r.await("it is marked", func() bool {
		return strings.Contains(string(r.host.Snapshot().Window(w.ID).JSON()), "not answering")
	})
	begin = time.Now()
	field := "Name"
	for _, b := range r.host.Snapshot().Window(other.ID).Blocks {
		if b.Type == hostabi.Fields {
			field = b.Items[0].Label
		}
	}
	r.must(other.ID, "set_field", map[string]any{"field": field, "value": "fine"})
	if took := time.Since(begin); took > 2*time.Second {
		t.Errorf("the other application's act took %v", took)
	}
	if err := syscall.Kill(stopped.Process.Pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	r.await("it recovers", func() bool {
		return !strings.Contains(string(r.host.Snapshot().Window(w.ID).JSON()), "not answering")
	})
}

// C16: twenty windows closed are gone within a second.
func TestTwentyWindowsClosed(t *testing.T) {
	r := newRig(t)
	var procs []*os.Process
	for i := range 20 {
		procs = append(procs, r.launch("zenity", "--info", fmt.Sprintf("--title=N%d", i), "--text=hello").Process)
	}
	r.serve()
	r.await("twenty windows", func() bool { return len(r.host.Snapshot().Windows) == 20 })
	for _, p := range procs {
		if err := p.Kill(); err != nil {
			t.Fatal(err)
		}
	}
	begin := time.Now()
	r.await("none", func() bool { return len(r.host.Snapshot().Windows) == 0 })
	if took := time.Since(begin); took > time.Second {
		t.Errorf("they were gone after %v", took)
	}
}

// C06, within this bounds: a list of 10,000 rows is shown cut, with its
// total, quickly and small.
func TestTenThousandRows(t *testing.T) {
	for _, script := range []string{"gtk3-list.py", "qt5-list.py"} {
		t.Run(script, func(t *testing.T) {
			r := newRig(t)
			path, err := filepath.Abs(filepath.Join("testdata", script))
			if err != nil {
				t.Fatal(err)
			}
			r.launch("/usr/bin/python3", path)
			r.serve()
			w := r.window("Long list")
			var text string
			r.await("its first rows with their number", func() bool {
				text = string(r.host.Snapshot().Window(w.ID).JSON())
				return strings.Contains(text, `"total":10000`) && strings.Contains(text, "Row 3")
			})
			if len(text) > 50_000 {
				t.Errorf("it takes %d bytes", len(text))
			}
			if strings.Contains(text, "only be read in part") {
				t.Errorf("it was read in part: %s", text)
			}
		})
	}
}

// C09: a Calc sheet reports 2^31-1 children; its visible cells are shown as a
// table, and the application goes on living.
func TestCalcSheet(t *testing.T) {
	r := newRig(t)
	csv := filepath.Join(r.desk.Home(), "sheet.csv")
	if err := os.WriteFile(csv, []byte("Fruit,Price\nApple,3\nPear,5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.launch("soffice", "--calc", "--norestore", "--nologo", "--infilter=CSV:44,34,76,1", csv)
	r.serve()
	r.await("the sheet as a table", func() bool {
		for _, w := range r.host.Snapshot().Windows {
			if text := string(w.JSON()); strings.Contains(text, `"type":"table"`) && strings.Contains(text, "Apple") && strings.Contains(text, "Price") {
				return true
			}
		}
		return false
	})
	w := r.windowOf("Calc")
	r.must(w.ID, "read_menu", map[string]any{"menu": "File"})
}

// The X server dies: the host says so and goes on when it is back.
func TestServerDies(t *testing.T) {
	r := newRig(t)
	r.launch("zenity", "--info", "--title=Before", "--text=hello")
	r.serve(func(c *Config) {
		c.Desktop = Desktop{Virtual: &virtual.Config{Width: 800, Height: 600}, Launch: [][]string{{"zenity", "--info", "--title=Own", "--text=hello"}}}
	})
	first := r.window("Own")
	r.host.conn.mu.Lock()
	own := r.host.conn.own
	r.host.conn.mu.Unlock()
	own.KillServer()
	r.await("the loss is said", func() bool { return r.host.Snapshot().Notice != "" || r.host.Snapshot().Window(first.ID) == nil })
	again := r.window("Own")
	if again.ID == first.ID {
		t.Errorf("the new window has the id of the old one, %s", first.ID) // B12
	}
	if r.host.Snapshot().Notice != "" {
		t.Errorf("the notice stays: %s", r.host.Snapshot().Notice)
	}
}

// buttons starts the window of misbehaving buttons and returns what reads its log.
func (r *rig) buttons() (pressed func() string) {
	r.Helper()
	log := filepath.Join(r.desk.Home(), "pressed")
	path, err := filepath.Abs("testdata/gtk3-buttons.py")
	if err != nil {
		r.Fatal(err)
	}
	r.launch("/usr/bin/python3", path, log)
	return func() string {
		data, err := os.ReadFile(log)
		if err != nil {
			r.Fatal(err)
		}
		return strings.Join(strings.Fields(string(data)), " ")
	}
}

// C24: an inert button is not said to have had an effect; one that disables itself
// is confirmed, and gone from the choices afterwards. C25: a list that is filled
// 700 ms after the click is in the answer's state.
func TestTruthOfEffects(t *testing.T) {
	r := newRig(t)
	pressed := r.buttons()
	r.serve()
	w := r.window("Buttons")
	if res := r.must(w.ID, "press", map[string]any{"button": "Inert"}); res.Effect != hostabi.Unconfirmed {
		t.Errorf("inert button: effect %s: %s", res.Effect, res.Message)
	}
	if res := r.must(w.ID, "press", map[string]any{"button": "Fill"}); res.Effect != hostabi.Confirmed {
		t.Errorf("slow list: effect %s: %s", res.Effect, res.Message)
	}
	if text := string(r.host.Snapshot().Window(w.ID).JSON()); !strings.Contains(text, "Arrived 4") {
		t.Errorf("the list had not arrived when the act was answered: %s", text)
	}
	if res := r.must(w.ID, "press", map[string]any{"button": "Once"}); res.Effect != hostabi.Confirmed {
		t.Errorf("button that disables itself: effect %s: %s", res.Effect, res.Message)
	}
	if e := r.refused(w.ID, "press", map[string]any{"button": "Once"}); e.Code != bridge.ValidationFailed && e.Code != bridge.ActionNotAvailable {
		t.Errorf("pressing it again: %v", e)
	}
	if got := pressed(); got != "Inert Fill Once" {
		t.Errorf("the application was pressed %q", got)
	}
}

// C15: the window is moved and resized between the reading and the act; what is hit
// is what was named, never what now lies at the old place.
func TestMovedBetweenReadAndAct(t *testing.T) {
	r := newRig(t)
	pressed := r.buttons()
	r.serve()
	w := r.window("Buttons")
	for i, at := range [][2]string{{"500", "40"}, {"40", "400"}, {"900", "300"}} {
		r.tool("xdotool", "search", "--name", "^Buttons$", "windowmove", at[0], at[1], "windowsize", "360", fmt.Sprint(300+40*i))
		r.must(w.ID, "press", map[string]any{"button": "Inert"})
	}
	if got := pressed(); got != "Inert Inert Inert" {
		t.Errorf("the application was pressed %q", got)
	}
}
