//go:build desktop

package host

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"oriel.dev/oriel/desktop/linux/virtual"
	"oriel.dev/oriel/sandbox"
)

// virtualDesktop starts a desktop with one application on it and returns once
// that is on the accessibility bus.
func virtualDesktop(t *testing.T) *virtual.Desktop {
	t.Helper()
	d, err := virtual.Start(t.Context(), virtual.Config{Width: 1024, Height: 768})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	if _, err := d.Launch(d.Command("zenity", "--question", "--title=Well?", "--text=Is it well?")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for {
		apps, err := accessibleApps(ctx, d.SessionBus())
		if err != nil {
			t.Fatal(err)
		}
		if len(apps) > 0 {
			return d
		}
		select {
		case <-ctx.Done():
			t.Fatal("zenity is not on the accessibility bus")
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// On a whole desktop the doctor finds nothing to mend, and sees what runs.
func TestDoctorOnARealDesktop(t *testing.T) {
	d := virtualDesktop(t)
	dir := t.TempDir()
	checks := Examine(t.Context(), DoctorConfig{
		Display: d.Display(), SessionBus: d.SessionBus(), Listen: "127.0.0.1:0",
		Folders: map[string]string{"state": filepath.Join(dir, "state")}, TokenFile: filepath.Join(dir, "token"),
		Socket: filepath.Join(dir, "none.sock"), Getenv: func(string) string { return "" },
		Adapters: sandbox.Config{Dirs: []string{adapterDir(t)}, CacheDir: filepath.Join(dir, "cache"), Runner: []string{"/proc/self/exe", RunnerCommand}},
	})
	var b strings.Builder
	if err := WriteChecks(&b, checks); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + b.String())
	for _, want := range []string{d.Display() + ", 1024×768", "XTEST, MIT-SHM, Composite, XFIXES, DAMAGE, RANDR", "Openbox", "switched on", "zenity (gtk3, pid", "dev.oriel.generic"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	for _, c := range checks {
		if c.Verdict == Fail {
			t.Errorf("%s: %s", c.Name, c.Found)
		}
	}
}

// The picture shows the whole desktop and, once zenity has drawn itself, that.
func TestPicture(t *testing.T) {
	d := virtualDesktop(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for {
		text, err := Picture(ctx, t.TempDir(), Desktop{Display: d.Display()})
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if img.Bounds().Dx() != 1024 || img.Bounds().Dy() != 768 {
			t.Fatalf("the picture measures %v", img.Bounds())
		}
		if colours(img) > 10 {
			return
		}
	}
}

func colours(img image.Image) int {
	seen := map[color.Color]bool{}
	for x := range img.Bounds().Dx() {
		for y := range img.Bounds().Dy() {
			seen[img.At(x, y)] = true
		}
	}
	return len(seen)
}

// Without a running host, windows are looked at all the same, and nothing stays.
func TestReadDesktopWithoutAHost(t *testing.T) {
	d := virtualDesktop(t)
	dir := t.TempDir()
	cfg := FromSettings(defaults(t, "ORIEL_DIRS_STATE="+filepath.Join(dir, "state"), "ORIEL_DIRS_RUNTIME="+filepath.Join(dir, "run"),
		"ORIEL_DIRS_CACHE="+cacheDir(t), "ORIEL_ADAPTERS_DIRS="+adapterDir(t)), os.Args[0], nil)
	cfg.Desktop = Desktop{Display: d.Display(), SessionBus: d.SessionBus()}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // the adapters may have to be compiled
	defer cancel()
	for { // zenity may still be filling its window
		result, err := ReadDesktop(ctx, cfg)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := WriteWindows(&b, result); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(b.String(), "Well?") && strings.Contains(b.String(), "Is it well?") && strings.Contains(b.String(), "actions: ") {
			break
		}
		t.Log("\n" + b.String())
	}
	if _, err := os.Stat(SocketPath(cfg.RuntimeDir, cfg.Desktop)); err == nil {
		t.Error("a socket was left behind")
	}
}
