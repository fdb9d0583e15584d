package linux

import (
	"bufio"
	"bytes"
	"cmp"
	"debug/elf"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/x11"
)

// groups tells which windows a modal one blocks beside its owner.
//
// A modal window of GTK takes the input of all windows in its window group.
// That is every window of the application, unless the application makes groups
// of its own, as editors do that keep their windows independent. The groups are
// known to nobody outside. But an application that makes some calls the
// function for it, and its program file says so; of a program in a scripting
// language, the script does.
type groups struct {
	mu   sync.Mutex      // guards made
	made map[string]bool // by program file and script: makes groups of its own
}

// makeGroup is the function of GTK that makes a window group.
const makeGroup = "gtk_window_group_new"

// of returns the group of a window, or 0.
func (g *groups) of(w desktop.Window, geo x11.Geometry, exe string) uint64 {
	if w.Group != 0 || !strings.HasPrefix(w.App.Toolkit, "gtk") || g.own(w.App.PID, exe) {
		return w.Group
	}
	return uint64(cmp.Or(geo.Leader, geo.Client))
}

// own reports whether a program makes window groups of its own.
func (g *groups) own(pid int, exe string) bool {
	if exe == "" {
		return false
	}
	file := script(pid, exe)
	key := exe + "\x00" + file
	g.mu.Lock()
	defer g.mu.Unlock()
	made, known := g.made[key]
	if !known {
		made = slices.ContainsFunc(append(libraries(pid, filepath.Base(exe)), exe), imports) || file != "" && mentions(file)
		g.made[key] = made
	}
	return made
}

// interpreters are the beginnings of the names of programs that run scripts.
var interpreters = []string{"python", "gjs", "perl", "ruby", "lua"}

// script returns the file that an interpreter runs, or "".
func script(pid int, exe string) string {
	if !slices.ContainsFunc(interpreters, func(name string) bool { return strings.HasPrefix(filepath.Base(exe), name) }) {
		return ""
	}
	proc := filepath.Join("/proc", strconv.Itoa(pid))
	line, err := os.ReadFile(filepath.Join(proc, "cmdline"))
	if err != nil {
		return ""
	}
	for _, arg := range strings.Split(string(line), "\x00")[1:] {
		if arg == "" || strings.HasPrefix(arg, "-") {
			continue
		}
		if !filepath.IsAbs(arg) {
			arg = filepath.Join(proc, "cwd", arg)
		}
		return arg
	}
	return ""
}

// maxScript bounds how much of a script is looked at.
const maxScript = 1 << 20

// mentions reports whether a script makes window groups: bindings call the class
// of them GtkWindowGroup or Gtk.WindowGroup.
func mentions(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxScript))
	return err == nil && bytes.Contains(text, []byte("WindowGroup"))
}

// imports reports whether a program file calls makeGroup.
func imports(path string) bool {
	f, err := elf.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	symbols, err := f.ImportedSymbols()
	return err == nil && slices.ContainsFunc(symbols, func(s elf.ImportedSymbol) bool { return s.Name == makeGroup })
}

// libraries returns the libraries of a process that bear the program's name:
// some programs are a small file and a library with all the code.
func libraries(pid int, name string) []string {
	f, err := os.Open(filepath.Join("/proc", strconv.Itoa(pid), "maps"))
	if err != nil {
		return nil
	}
	defer f.Close()
	var out []string
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 6 {
			continue
		}
		path := fields[5]
		if base := filepath.Base(path); strings.Contains(base, name) && strings.Contains(base, ".so") && !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	return out
}
