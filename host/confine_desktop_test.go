//go:build desktop

package host

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/sandbox"
)

// redOn counts the pure red pixels of the screen within a rectangle.
func (r *rig) redOn(at image.Rectangle) (red int) {
	r.Helper()
	b, err := Picture(r.Context(), r.dir, Desktop{Display: r.desk.Display()})
	if err != nil {
		r.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		r.Fatal(err)
	}
	at = at.Intersect(img.Bounds())
	for y := at.Min.Y; y < at.Max.Y; y++ {
		for x := at.Min.X; x < at.Max.X; x++ {
			if c, g, b, _ := img.At(x, y).RGBA(); c>>8 > 250 && g>>8 < 5 && b>>8 < 5 {
				red++
			}
		}
	}
	return red
}

// place moves a window and returns where its content is.
func (r *rig) place(name string, x, y, w, h int) image.Rectangle {
	r.Helper()
	id := strings.Fields(r.tool("xdotool", "search", "--onlyvisible", "--name", name))[0]
	r.tool("xdotool", "windowsize", "--sync", id, fmt.Sprint(w), fmt.Sprint(h))
	r.tool("xdotool", "windowmove", "--sync", id, fmt.Sprint(x), fmt.Sprint(y))
	var at [4]int
	for l := range strings.Lines(r.tool("xdotool", "getwindowgeometry", "--shell", id)) {
		key, value, _ := strings.Cut(strings.TrimSpace(l), "=")
		for i, k := range []string{"X", "Y", "WIDTH", "HEIGHT"} {
			if key == k {
				fmt.Sscan(value, &at[i])
			}
		}
	}
	return image.Rect(at[0], at[1], at[0]+at[2], at[1]+at[3])
}

// W11, W12: an adapter in its runner reaches its own window alone. Another
// application's window lies over a part of it: the pixels are judged by the
// screen, the input by what the applications hold afterwards.
func TestW12AnAdapterIsConfinedToItsWindow(t *testing.T) {
	r := newRig(t)
	typed := filepath.Join(r.desk.Home(), "typed")
	r.launch("mousepad")
	dir := t.TempDir()
	built, err := BuildAdapter(t.Context(), "testdata/confined", filepath.Join(dir, "confined.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(adapterDir(t), "generic.wasm"), filepath.Join(dir, "generic.wasm")); err != nil {
		t.Fatal(err)
	}
	junk := filepath.Join(dir, "junk.wasm")
	if err := os.WriteFile(junk, []byte("no module"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.serve(func(c *Config) {
		c.Sandbox.Dirs = []string{dir}
		c.Sandbox.Grants = append(c.Sandbox.Grants, sandbox.Grant{
			ID:           built.Manifest.ID,
			Capabilities: []hostabi.Capability{hostabi.CapTree, hostabi.CapInput, hostabi.CapCapture, hostabi.CapClipboard},
			Scopes:       map[hostabi.Capability]string{hostabi.CapInput: "pointer x"},
		})
	})
	w := r.window("Untitled 1")
	pad := r.place("Untitled 1", 100, 80, 500, 350)
	r.launch("xterm", "-T", "cover", "-bg", "#ff0000", "-fg", "#ff0000", "-cr", "#ff0000", "-e", "sh", "-c", "cat > "+typed)
	r.window("cover")
	r.place("cover", pad.Min.X+50, pad.Min.Y+80, 240, 160)
	r.await("the cover on the screen", func() bool { return r.redOn(pad) > 20_000 })

	if text := string(r.host.Snapshot().Window(w.ID).JSON()); !strings.Contains(text, "observe denied, click denied, keys denied, capture denied") {
		t.Errorf("during translate: %s", text)
	}
	try := func(action string, x, y int) string {
		t.Helper()
		return r.must(w.ID, action, map[string]any{"x": x, "y": y}).Message
	}
	if got := try("capture", 0, 0); !strings.HasPrefix(got, "0 red of ") || strings.HasSuffix(got, "of 0x0") {
		t.Errorf("the capture has pixels of another window: %s", got)
	}
	under := r.tool("xdotool", "getmouselocation")
	for _, c := range []struct {
		what, action string
		x, y         int
		want         string
	}{
		{"a covered point", "click", 150, 150, "covered"},
		{"a point beyond the window", "click", 2000, 20, "covered"},
		{"a point left of the window", "click", -20, 20, "covered"},
		{"a drag out of the window", "drag", 20, 200, "covered"},
		{"keys without the focus", "keys", 0, 0, "no_focus"},
		{"reading the clipboard, asked for writing only", "clipboard", 0, 0, "denied"},
	} {
		if got, _, _ := strings.Cut(try(c.action, c.x, c.y), " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
	if now := r.tool("xdotool", "getmouselocation"); now != under {
		t.Errorf("the pointer moved from %s to %s", under, now)
	}
	if b, err := os.ReadFile(typed); err != nil || len(b) > 0 {
		t.Errorf("the other application was given %q, %v", b, err)
	}
	noted := map[string]string{}
	for _, a := range r.host.audit.Recent(1000) {
		if a.Client == "adapter" && (a.Adapter == built.Manifest.ID || a.Adapter == junk) {
			noted[a.Tool] += a.Outcome + ": " + a.Message + "\n"
		}
	}
	for tool, want := range map[string]string{
		"adapter load":         "internal: module: the file is no WebAssembly module",
		"oriel:tree observe":   "denied: oriel:tree observe cannot be used in translate",
		"oriel:input click":    "denied: oriel:input click cannot be used in translate",
		"oriel:clipboard read": `reading is outside of the scope "write text/plain", which is all that the manifest of dev.oriel.test.confined asks for`,
	} {
		if !strings.Contains(noted[tool], want) {
			t.Errorf("the audit log says of %s: %q, want %q", tool, noted[tool], want)
		}
	}
	// The same point is reached once nothing lies over it.
	r.tool("xdotool", "search", "--name", "Untitled 1", "windowactivate", "--sync")
	r.await("the editor in front", func() bool { return r.redOn(pad) == 0 })
	for _, action := range []string{"click", "keys"} {
		if got := try(action, 150, 150); !strings.HasPrefix(got, "<nil>") {
			t.Errorf("%s on the window in front: %s", action, got)
		}
	}
	r.await("the typed letter in the title", func() bool { return strings.HasPrefix(r.host.Snapshot().Window(w.ID).Title, "*") })
}
