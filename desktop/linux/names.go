package linux

import (
	"bufio"
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// systemApplications are the folders where a Linux system keeps .desktop files.
var systemApplications = []string{"/usr/local/share/applications", "/usr/share/applications"}

// names tells what applications are called: by the name of their .desktop file
// where one fits.
type names struct {
	folders []string
	once    sync.Once
	// Filled once: file names by lower-case WM class, file name, program.
	byClass, byFile, byProgram map[string]string
}

func newNames(folders []string) *names {
	if folders == nil {
		folders = systemApplications
	}
	return &names{folders: folders}
}

// of returns the name of the application that calls itself id (or "") and has
// the class, instance and process.
func (n *names) of(id, class, instance, process string) string {
	n.once.Do(n.read)
	id = strings.ToLower(id)
	class, instance, process = strings.ToLower(class), strings.ToLower(instance), strings.ToLower(process)
	for _, try := range []string{
		n.byFile[id], n.byClass[class], n.byClass[instance], n.byFile[class], n.byFile[instance], n.byProgram[process],
	} {
		if try != "" {
			return try
		}
	}
	return cmp.Or(id, class, process)
}

// entry is what matters in a .desktop file.
type entry struct {
	class, program string
	plain          bool // starts the program as such: no options, not hidden
}

func (n *names) read() {
	n.byClass, n.byFile, n.byProgram = map[string]string{}, map[string]string{}, map[string]string{}
	plain := map[string]bool{}
	for _, dir := range n.folders {
		files, err := filepath.Glob(filepath.Join(dir, "*.desktop"))
		if err != nil {
			continue
		}
		// Short names first: "app" before "app-settings".
		slices.SortStableFunc(files, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
		for _, f := range files {
			e := readEntry(f)
			name := strings.ToLower(strings.TrimSuffix(filepath.Base(f), ".desktop"))
			first(n.byFile, name, name)
			first(n.byClass, strings.ToLower(e.class), name)
			program := strings.ToLower(e.program)
			if e.plain && !plain[program] {
				plain[program] = true
				delete(n.byProgram, program)
			}
			first(n.byProgram, program, name)
		}
	}
	delete(n.byClass, "")
	delete(n.byProgram, "")
}

func first(m map[string]string, key, value string) {
	if _, taken := m[key]; !taken {
		m[key] = value
	}
}

// readEntry reads the main group of a .desktop file; of one that cannot be read
// nothing is known.
func readEntry(path string) entry {
	f, err := os.Open(path)
	if err != nil {
		return entry{}
	}
	defer f.Close()
	var e entry
	options, hidden := false, false
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := lines.Text()
		if strings.HasPrefix(line, "[") && line != "[Desktop Entry]" {
			break
		}
		key, value, _ := strings.Cut(line, "=")
		switch strings.TrimSpace(key) {
		case "StartupWMClass":
			e.class = strings.TrimSpace(value)
		case "NoDisplay", "Hidden":
			hidden = hidden || strings.TrimSpace(value) == "true"
		case "Exec":
			words := strings.Fields(value)
			if len(words) == 0 {
				continue
			}
			e.program = filepath.Base(strings.Trim(words[0], `"`))
			options = slices.ContainsFunc(words[1:], func(w string) bool { return !strings.HasPrefix(w, "%") })
		}
	}
	e.plain = !options && !hidden
	return e
}

// process returns the path of the executable of a process, or "".
func process(pid int) string {
	if pid <= 0 {
		return ""
	}
	path, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "exe"))
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(path, " (deleted)")
}

// isChromium reports whether an executable is of Chromium's family, Electron
// applications among them: each brings the same data files along.
func isChromium(path string) bool {
	if path == "" {
		return false
	}
	for _, f := range []string{"icudtl.dat", "chrome_100_percent.pak"} {
		if _, err := os.Stat(filepath.Join(filepath.Dir(path), f)); err != nil {
			return false
		}
	}
	return true
}
