package linux

import (
	"os"
	"path/filepath"
	"testing"
)

func TestNames(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"org.xfce.mousepad-settings": "[Desktop Entry]\nExec=mousepad --preferences\n",
		"org.xfce.mousepad":          "[Desktop Entry]\nExec=mousepad %U\n[Desktop Action x]\nExec=mousepad --other\n",
		"org.gnome.Calculator":       "[Desktop Entry]\nExec=gnome-calculator\n",
		"chromium":                   "[Desktop Entry]\nExec=/usr/bin/chromium %U\nStartupWMClass=Chromium-browser\n",
		"hidden":                     "[Desktop Entry]\nExec=tool\nNoDisplay=true\n",
		"visible-tool":               "[Desktop Entry]\nExec=\"/opt/tool\" %f\n",
		"empty":                      "[Desktop Entry]\nExec=\nStartupWMClass=\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name+".desktop"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	n := newNames([]string{dir, filepath.Join(dir, "missing")})
	for _, c := range []struct{ id, class, instance, process, want string }{
		{"", "Mousepad", "mousepad", "mousepad", "org.xfce.mousepad"},
		{"", "org.gnome.Calculator", "org.gnome.Calculator", "gnome-calculator", "org.gnome.calculator"},
		{"", "Chromium-browser", "x", "chromium", "chromium"},
		{"", "X", "x", "tool", "visible-tool"},
		{"", "Zenity", "zenity", "zenity", "zenity"},
		{"", "", "", "xcalc", "xcalc"},
		{"", "", "", "", ""},
		{"org.gnome.Calculator", "Other", "other", "x", "org.gnome.calculator"},
		{"org.example.App", "Other", "other", "x", "org.example.app"},
	} {
		if got := n.of(c.id, c.class, c.instance, c.process); got != c.want {
			t.Errorf("of(%q, %q, %q, %q) = %q, want %q", c.id, c.class, c.instance, c.process, got, c.want)
		}
	}
}

func TestChromiumIsToldByItsFiles(t *testing.T) {
	dir := t.TempDir()
	exe := filepath.Join(dir, "electron-app")
	if isChromium(exe) || isChromium("") {
		t.Error("an executable alone is taken for Chromium")
	}
	for _, f := range []string{"icudtl.dat", "chrome_100_percent.pak"} {
		if err := os.WriteFile(filepath.Join(dir, f), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if !isChromium(exe) {
		t.Error("an application with Chromium's files is not recognised")
	}
}
