package host

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"oriel.dev/oriel/desktop/atspi"
	"oriel.dev/oriel/desktop/robot"
	"oriel.dev/oriel/desktop/x11"
	"oriel.dev/oriel/sandbox"
)

// healthy is a doctor on a machine where all is well.
func healthy(t *testing.T) *doctor {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for _, e := range extensions {
		all[e.name] = true
	}
	env := map[string]string{"DISPLAY": ":0"}
	return &doctor{
		DoctorConfig: DoctorConfig{
			Listen: "127.0.0.1:60008", TokenFile: filepath.Join(dir, "token"),
			Folders: map[string]string{"state": dir, "runtime": filepath.Join(dir, "not", "yet")},
			Getenv:  func(k string) string { return env[k] },
		},
		probe: func(context.Context, string, []string) (x11.Facts, error) {
			return x11.Facts{Vendor: "The X.Org Foundation", Width: 1920, Height: 1080, Extensions: all, Manager: "Openbox"}, nil
		},
		enabled: func(context.Context, string) (atspi.Status, error) {
			return atspi.Status{Enabled: true, ScreenReader: true}, nil
		},
		apps: func(context.Context, string) ([]atspi.App, error) {
			return []atspi.App{{Name: "mousepad", Toolkit: "gtk3", PID: 7}, {Name: "xyz", PID: 6}}, nil
		},
		lookPath: func(string) (string, error) { return "/usr/bin/x", nil },
		output: func(context.Context, string, ...string) ([]byte, error) {
			return []byte("List of available languages in \"/usr\" (3):\nchi_sim\neng\nosd\n"), nil
		},
		running:  func(context.Context, string) bool { return false },
		portFree: func(context.Context, string) error { return nil },
		confined: func() sandbox.Confined {
			return sandbox.Confined{Landlock: 7, Files: true, Network: true, Signals: true, Syscalls: true}
		},
		list: func(context.Context, sandbox.Config) ([]sandbox.Info, error) {
			return []sandbox.Info{
				{ID: genericID, Version: "1.0.0", State: sandbox.StateReady},
				{ID: "org.example.x", Version: "2.0.0", State: sandbox.StateReady},
			}, nil
		},
	}
}

func TestDoctorHealthyGolden(t *testing.T) {
	checks := healthy(t).examine(t.Context())
	if Worst(checks) != OK {
		t.Errorf("the verdict is %s", Worst(checks))
	}
	var b strings.Builder
	if err := WriteChecks(&b, checks); err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/doctor.golden", b.String())
}

func backendVerdict() Verdict {
	if robot.Available {
		return Warn
	}
	return Fail
}

// Every ill has its verdict, says what follows and what to do.
func TestDoctorFindsIlls(t *testing.T) {
	env := func(d *doctor, kv map[string]string) { d.Getenv = func(k string) string { return kv[k] } }
	without := func(d *doctor, ext ...string) {
		probe := d.probe
		d.probe = func(ctx context.Context, n string, e []string) (x11.Facts, error) {
			f, err := probe(ctx, n, e)
			for _, x := range ext {
				f.Extensions[x] = false
			}
			return f, err
		}
	}
	for _, c := range []struct {
		name    string
		ill     func(t *testing.T, d *doctor)
		check   string
		verdict Verdict
		says    string
	}{
		{"no display", func(_ *testing.T, d *doctor) { env(d, nil) }, "display", Fail, "--virtual"},
		{"Wayland alone", func(_ *testing.T, d *doctor) { env(d, map[string]string{"WAYLAND_DISPLAY": "wayland-0"}) }, "display", Fail, "Xorg"},
		{"Xwayland", func(_ *testing.T, d *doctor) {
			env(d, map[string]string{"DISPLAY": ":0", "XDG_SESSION_TYPE": "wayland"})
		}, "display", Warn, "GDK_BACKEND=x11"},
		{"display refuses", func(_ *testing.T, d *doctor) {
			d.probe = func(context.Context, string, []string) (x11.Facts, error) {
				return x11.Facts{}, errors.New("no protocol")
			}
		}, "display", Fail, "XAUTHORITY"},
		{"no XTEST", func(_ *testing.T, d *doctor) { without(d, "XTEST") }, "X extensions", Fail, "keyboard cannot be used"},
		{"no DAMAGE", func(_ *testing.T, d *doctor) { without(d, "DAMAGE", "RANDR") }, "X extensions", Warn, "are not noticed"},
		{"the robot backend", func(_ *testing.T, d *doctor) { d.Robot = true }, "backend", backendVerdict(), `desktop.backend = "x11"`},
		{"no window manager", func(_ *testing.T, d *doctor) {
			d.probe = func(context.Context, string, []string) (x11.Facts, error) { return x11.Facts{}, nil }
		}, "window manager", Fail, "openbox"},
		{"no bus", func(_ *testing.T, d *doctor) {
			d.enabled = func(context.Context, string) (atspi.Status, error) { return atspi.Status{}, errors.New("no bus") }
		}, "accessibility", Fail, "at-spi2-core"},
		{"accessibility off", func(_ *testing.T, d *doctor) {
			d.enabled = func(context.Context, string) (atspi.Status, error) { return atspi.Status{}, nil }
		}, "accessibility", Warn, "--enable-accessibility"},
		{"C11: no screen reader", func(_ *testing.T, d *doctor) {
			d.enabled = func(context.Context, string) (atspi.Status, error) { return atspi.Status{Enabled: true}, nil }
		}, "accessibility", OK, "Chromium"},
		{"applications unknown", func(_ *testing.T, d *doctor) {
			d.apps = func(context.Context, string) ([]atspi.App, error) { return nil, errors.New("gone") }
		}, "applications", Warn, "gone"},
		{"virtual, not installed", func(_ *testing.T, d *doctor) {
			d.Virtual = true
			d.lookPath = func(string) (string, error) { return "", errors.New("not found") }
		}, "virtual desktop", Fail, "apt install dbus openbox xvfb"},
		{"no tesseract", func(_ *testing.T, d *doctor) {
			d.lookPath = func(string) (string, error) { return "", errors.New("not found") }
		}, "text in pictures", Warn, "apt install tesseract-ocr"},
		{"no language", func(_ *testing.T, d *doctor) {
			d.output = func(context.Context, string, ...string) ([]byte, error) { return []byte("List:\nosd\n"), nil }
		}, "text in pictures", Warn, "tesseract-ocr-eng"},
		{"tesseract broken", func(_ *testing.T, d *doctor) {
			d.output = func(context.Context, string, ...string) ([]byte, error) { return nil, errors.New("exit status 127") }
		}, "text in pictures", Warn, "exit status 127"},
		{"a host runs", func(_ *testing.T, d *doctor) { d.running = func(context.Context, string) bool { return true } }, "host", OK, "--stdio"},
		{"port taken", func(_ *testing.T, d *doctor) {
			d.portFree = portFree
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { l.Close() })
			d.Listen = l.Addr().String()
		}, "port", Fail, "another program listens on 127.0.0.1:"},
		{"old kernel", func(_ *testing.T, d *doctor) {
			d.confined = func() sandbox.Confined { return sandbox.Confined{Missing: "this kernel has no Landlock"} }
		}, "adapter processes", Warn, "has no Landlock"},
		{"no adapters", func(_ *testing.T, d *doctor) {
			d.list = func(context.Context, sandbox.Config) ([]sandbox.Info, error) { return nil, nil }
		}, "adapters", Fail, "dev.oriel.generic is missing"},
		{"a broken adapter", func(_ *testing.T, d *doctor) {
			d.list = func(context.Context, sandbox.Config) ([]sandbox.Info, error) {
				return []sandbox.Info{{ID: genericID, State: sandbox.StateReady}, {File: "/a/b.wasm", State: sandbox.StateBroken, Message: "no module"}}, nil
			}
		}, "adapters", Warn, "/a/b.wasm: no module"},
		{"an adapter without a grant", func(_ *testing.T, d *doctor) {
			d.list = func(context.Context, sandbox.Config) ([]sandbox.Info, error) {
				return []sandbox.Info{{ID: genericID, State: sandbox.StateReady, Message: "oriel:input is not granted"}}, nil
			}
		}, "adapters", Warn, "oriel:input is not granted"},
		{"no cache", func(_ *testing.T, d *doctor) {
			d.list = func(context.Context, sandbox.Config) ([]sandbox.Info, error) { return nil, errors.New("read-only") }
		}, "adapters", Fail, "dirs.cache"},
		{"open token", func(t *testing.T, d *doctor) {
			if err := errors.Join(os.WriteFile(d.TokenFile, nil, 0o600), os.Chmod(d.TokenFile, 0o640)); err != nil {
				t.Fatal(err)
			}
		}, "files", Fail, "others can read"},
		{"open folder", func(t *testing.T, d *doctor) {
			if err := os.Chmod(d.Folders["state"], 0o750); err != nil {
				t.Fatal(err)
			}
		}, "files", Fail, "chmod 700"},
		{"folder is a file", func(t *testing.T, d *doctor) {
			d.Folders["state"] = filepath.Join(d.Folders["state"], "f")
			if err := os.WriteFile(d.Folders["state"], nil, 0o600); err != nil {
				t.Fatal(err)
			}
			d.Folders["cache"] = filepath.Join(d.Folders["state"], "below")
		}, "files", Fail, "is no folder"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := healthy(t)
			c.ill(t, d)
			checks := d.examine(t.Context())
			var b strings.Builder
			if err := WriteChecks(&b, checks); err != nil {
				t.Fatal(err)
			}
			for _, k := range checks {
				if k.Name != c.check {
					continue
				}
				said := strings.Join(append(k.More, k.Found, k.Means, k.Do), "\n")
				if k.Verdict != c.verdict || !strings.Contains(said, c.says) || k.Verdict != OK && k.Do == "" {
					t.Errorf("got %+v\nwant %s and %q", k, c.verdict, c.says)
				}
				return
			}
			t.Errorf("there is no check %q:\n%s", c.check, b.String())
		})
	}
}
