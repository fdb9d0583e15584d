//go:build desktop

package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"oriel.dev/oriel/bridge"
	"oriel.dev/oriel/hostabi"
)

// What is done to windows in every state, judged by the application.
func TestSceneActs(t *testing.T) {
	r := newRig(t)
	r.launch("zenity", "--info", "--title="+bystander, "--text=hello")
	s, other := r.scene("scene.py"), r.scene("groups.py")
	adapters := r.copyOfAdapters()
	r.serve(func(c *Config) { c.Sandbox.Dirs = []string{adapters} })
	r.window(bystander)
	r.tool("xdotool", "search", "--name", bystander, "windowmove", "1500", "800")
	for _, tt := range []struct {
		name string
		test func(s, other *scene)
	}{
		{"B09 dialog of another process", foreignDialog},
		{"B09 dialog that outlives the application it belongs to", foreignOwner},
		{"C14 menu belongs to its window", menuOfWindow},
		{"windows that nobody sees", unseenWindows},
		{"B20 dialog with a main loop of its own", ownLoop},
		{"B11 what ticks by itself", ticking},
		{"B12 ids over a reload of the adapter", reloaded},
		{"C18 typing into a field without the focus", typingElsewhere},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := s.with(t), other.with(t)
			defer a.reset(b)
			tt.test(a, b)
		})
	}
}

// foreignDialog attaches a dialog of another process, as portals do.
func foreignDialog(s, _ *scene) {
	s.do("open A at=0,0", "open B at=0,260", "xid A")
	cmd := s.launch("zenity", "--question", "--modal", "--title=Foreign", "--text=Really?", "--attach="+s.last("xid A"))
	s.agree("A B* Foreign<A*")
	a := s.named("A")
	e := s.refused(a.ID, "press", map[string]any{"button": "Hit A"})
	if e.Code != bridge.BlockedByModal || !strings.Contains(e.Message, "Foreign") {
		s.Errorf("the blocked owner answers %v", e)
	}
	if w := s.named("Foreign"); w.App == a.App {
		s.Errorf("the dialog is said to be of the application %s", w.App)
	}
	// A key that is meant for the owner goes to the dialog.
	s.tool("xdotool", "windowactivate", s.last("xid A"))
	s.await("the dialog to have the focus", func() bool {
		return strings.Contains(s.tool("xdotool", "getactivewindow", "getwindowname"), "Foreign")
	})
	s.tool("xdotool", "key", "Return")
	if err := cmd.Wait(); err == nil {
		s.Log("the dialog was answered with yes")
	}
	s.agree("A* B*")
	s.takesInput("A* B*")
}

// foreignOwner has the owner's application end while the dialog of another one
// is open.
func foreignOwner(s, other *scene) {
	s.do("open A at=0,0", "open B at=0,260", "xid A")
	other.do("open D owner=xid:" + s.last("xid A") + " modal=1 at=400,0")
	s.agree("A B* D<A*")
	s.do("close A")
	s.agree("B* D*")
	other.do("where")
	if w := s.named("D"); w.Modal || w.OwnerID != "" {
		s.Errorf("the dialog without an owner is %s", w.JSON())
	}
}

// menuOfWindow opens a popup; it is no window, and what is in it can be chosen.
func menuOfWindow(s, _ *scene) {
	s.do("open A at=0,0")
	w := s.seen("A")
	s.do("menu A")
	s.await("the popup in its window", func() bool {
		return strings.Contains(string(s.host.Snapshot().Window(w.ID).JSON()), "Second entry")
	})
	s.agree("A*")
	s.tool("xdotool", "key", "Down", "Down", "Return")
	s.await("the choice", func() bool { return s.count("chosen Second entry") == 1 })
	s.await("the popup to be gone", func() bool {
		return !strings.Contains(string(s.host.Snapshot().Window(w.ID).JSON()), "Second entry")
	})
}

// unseenWindows acts on a window that is iconified, on another workspace, beyond
// the screen's edge: it is listed, and either the act reaches it or is refused.
func unseenWindows(s, _ *scene) {
	s.do("open A at=0,0", "open B at=0,260", "xid A")
	w, xid := s.seen("A"), s.last("xid A")
	for i, away := range []func(){
		func() { s.do("set A minimized=1") },
		func() {
			s.tool("xdotool", "windowmap", "--sync", xid)
			s.tool("wmctrl", "-n", "2")
			s.tool("wmctrl", "-i", "-r", xid, "-t", "1")
		},
		func() {
			s.tool("wmctrl", "-i", "-r", xid, "-t", "0")
			s.tool("xdotool", "windowmove", xid, "-900", "-900")
		},
	} {
		away()
		hits := s.count("hit A")
		s.agree("A* B*")
		res := s.must(w.ID, "press", map[string]any{"button": "Hit A"})
		s.await("the press", func() bool { return s.count("hit A") > hits })
		if got := s.must(w.ID, "set_field", map[string]any{"field": "Text", "value": strings.Repeat("x", i+1)}); got.Effect != hostabi.Confirmed {
			s.Errorf("setting a field of unseen window %d: effect %s: %s", i, got.Effect, got.Message)
		}
		s.do("text A")
		if got := s.last("text A"); got != strings.Repeat("x", i+1) {
			s.Errorf("unseen window %d: the field holds %q; pressing it was %s", i, got, res.Effect)
		}
		if s.named("A").ID != w.ID {
			s.Errorf("unseen window %d has another id", i) // B12
		}
	}
}

// ownLoop opens a dialog whose main loop runs inside the click's handler.
func ownLoop(s, _ *scene) {
	s.do("open A loop=1 at=0,0")
	w := s.seen("A")
	res := s.must(w.ID, "press", map[string]any{"button": "Ask"})
	if len(res.OpenedWindowIDs) != 1 {
		s.Fatalf("opened %v: effect %s: %s", res.OpenedWindowIDs, res.Effect, res.Message)
	}
	s.agree("A Loop<A*")
	if d := s.host.Snapshot().Window(res.OpenedWindowIDs[0]); d == nil || d.OwnerID != w.ID || !strings.Contains(string(d.JSON()), "Sure?") {
		s.Errorf("the dialog is not in the state: %s", s.host.Snapshot().JSON())
	}
	s.must(res.OpenedWindowIDs[0], "press", map[string]any{"button": "Yes"})
	s.await("the answer", func() bool { return s.last("answer") == "-8" })
	s.agree("A*")
}

// typingElsewhere sets a field while another window of the application has the
// focus and takes keys.
func typingElsewhere(s, _ *scene) {
	s.do("open A at=0,0", "open B at=0,260", "xid B")
	a := s.seen("A")
	s.tool("xdotool", "windowactivate", "--sync", s.last("xid B"))
	const text = "Straße 12, 東京 🙂"
	if res := s.must(a.ID, "set_field", map[string]any{"field": "Text", "value": text}); res.Effect != hostabi.Confirmed {
		s.Errorf("effect %s: %s", res.Effect, res.Message)
	}
	s.do("text A", "text B")
	if got := s.last("text A"); got != text {
		s.Errorf("the field of the named window holds %q", got)
	}
	if got := s.last("text B"); got != "" {
		s.Errorf("the other window got %q", got)
	}
}

// ticking has a window whose clock, progress and lamp change all the time: its
// version stays, so that writing with it goes on, and an action reads the values.
func ticking(s, _ *scene) {
	s.do("open A at=0,0 ticks=1")
	w := s.seen("A")
	ticks := func() (n int) {
		_, _ = fmt.Sscan(s.last("ticks"), &n) // none yet
		return n
	}
	pass := func(n int) {
		until := ticks() + n
		s.await("ticks", func() bool { return ticks() >= until })
	}
	pass(10)
	before := s.host.Snapshot().Window(w.ID)
	pass(20)
	after := s.host.Snapshot().Window(w.ID)
	if before.Version != after.Version {
		s.Errorf("the version rose from %d to %d by itself:\n%s\n%s", before.Version, after.Version, before.JSON(), after.JSON())
	}
	for i, text := range []string{"one", "two", "three"} {
		version := s.host.Snapshot().Window(w.ID).Version
		args := json.RawMessage(fmt.Sprintf(`{"field":"Text","value":%q}`, text))
		res, err := s.host.live.Act(s.Context(), bridge.Request{Client: "test", Window: w.ID, Action: "set_field", Args: args, ExpectedVersion: &version})
		if err != nil || res.Effect != hostabi.Confirmed {
			s.Errorf("write %d at version %d: %+v, %v", i, version, res, err)
		}
		pass(10)
	}
	s.do("text A")
	if got := s.last("text A"); got != "three" {
		s.Errorf("the field holds %q", got)
	}
	res := s.must(w.ID, "read_live", nil)
	if text := string(res.Value); !strings.Contains(text, "%") || strings.Count(text, ":") < 3 {
		s.Errorf("the values are %s", text)
	}
}

// copyOfAdapters returns a folder of adapters that a test may change.
func (r *rig) copyOfAdapters() string {
	r.Helper()
	dir := filepath.Join(r.dir, "adapters")
	if err := os.CopyFS(dir, os.DirFS(adapterDir(r))); err != nil {
		r.Fatal(err)
	}
	return dir
}

// reloaded has the adapter of open windows replaced by another build of it: their
// ids and those of their blocks stay, versions go on.
func reloaded(s, _ *scene) {
	s.do("open A at=0,0", "open B at=0,260")
	a, b := s.seen("A"), s.seen("B")
	old := s.genericDigest()
	file := filepath.Join(s.dir, "adapters", "generic.wasm")
	module, err := os.ReadFile(file)
	if err != nil {
		s.Fatal(err)
	}
	module = append(module, 0, 5, 4, 'm', 'o', 'r', 'e') // a custom section
	if err := errors.Join(os.WriteFile(file+".new", module, 0o600), os.Rename(file+".new", file)); err != nil {
		s.Fatal(err)
	}
	s.await("the other build", func() bool { return s.genericDigest() != old })
	for _, was := range []*bridge.Window{a, b} {
		// Until the window has been looked at again, acts are refused.
		s.await("an act by the other build", func() bool {
			_, err := s.act(was.ID, "set_field", map[string]any{"field": "Text", "value": "again"})
			return err == nil
		})
		now := s.host.Snapshot().Window(was.ID)
		if now.Version <= was.Version || len(now.Blocks) != len(was.Blocks) || now.Blocks[0].ID != was.Blocks[0].ID {
			s.Errorf("before: %s; after: %s", was.JSON(), now.JSON())
		}
	}
	s.do("close B", "open B at=0,260")
	if again := s.seen("B"); again.ID == b.ID {
		s.Errorf("the new window has the id of the closed one, %s", b.ID)
	}
}

func (r *rig) genericDigest() string {
	for _, i := range r.host.Adapters() {
		if strings.Contains(i.ID, "generic") {
			return i.Digest
		}
	}
	return ""
}
