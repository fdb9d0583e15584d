package host

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"oriel.dev/oriel/bridge"
)

// desktopEntry is an installed application, as its .desktop file tells.
type desktopEntry struct {
	id   string   // the file's, without .desktop
	name string   // for people to read
	argv []string // what starts it
}

// installedEntries returns the applications that a menu would show, by the short
// names that [launcher] gives them.
func installedEntries(getenv func(string) string) map[string]desktopEntry {
	byID := map[string]desktopEntry{}
	hidden := map[string]bool{}
	for _, dir := range dataDirs(getenv) {
		root := filepath.Join(dir, "applications")
		// What cannot be read is not installed for this user.
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".desktop") {
				return nil //nolint:nilerr // the rest of the folder counts
			}
			rel, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			id := strings.TrimSuffix(strings.ReplaceAll(rel, string(filepath.Separator), "-"), ".desktop")
			if _, known := byID[id]; known || hidden[id] {
				return nil // of two with one id the first counts, even if it hides it
			}
			if e, ok := readEntry(path, id); ok {
				byID[id] = e
			} else {
				hidden[id] = true
			}
			return nil
		})
	}
	out := make(map[string]desktopEntry, len(byID))
	for _, id := range sortedKeys(byID) {
		short := bridge.HandleOf(id)
		if _, taken := out[short]; taken {
			short = id
		}
		out[short] = byID[id]
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// dataDirs are the folders of installed data, the user's own first.
func dataDirs(getenv func(string) string) []string {
	home := getenv("XDG_DATA_HOME")
	if home == "" && getenv("HOME") != "" {
		home = filepath.Join(getenv("HOME"), ".local", "share")
	}
	dirs := getenv("XDG_DATA_DIRS")
	if dirs == "" {
		dirs = "/usr/local/share:/usr/share"
	}
	var out []string
	for _, dir := range append([]string{home}, filepath.SplitList(dirs)...) {
		if filepath.IsAbs(dir) && !slices.Contains(out, dir) {
			out = append(out, dir)
		}
	}
	return out
}

// readEntry reads a .desktop file. It is no application to start if it says that
// menus do not show it, needs a terminal, or its program is not installed.
func readEntry(path, id string) (desktopEntry, bool) {
	keys, err := entryKeys(path)
	if err != nil || keys["Type"] != "Application" || keys["Hidden"] == "true" || keys["NoDisplay"] == "true" || keys["Terminal"] == "true" {
		return desktopEntry{}, false
	}
	argv, ok := execWords(keys["Exec"], keys["Name"])
	if !ok {
		return desktopEntry{}, false
	}
	for _, program := range []string{keys["TryExec"], argv[0]} {
		if _, err := exec.LookPath(program); program != "" && err != nil {
			return desktopEntry{}, false
		}
	}
	return desktopEntry{id: id, name: keys["Name"], argv: argv}, true
}

// maxEntry bounds a .desktop file.
const maxEntry = 1 << 20

// entryKeys are the keys of the group [Desktop Entry], without translations.
func entryKeys(path string) (map[string]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxEntry {
		return nil, errors.New("is no desktop entry")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	keys := map[string]string{}
	group := ""
	lines := bufio.NewScanner(strings.NewReader(string(text)))
	lines.Buffer(nil, maxEntry+1)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, "[") {
			group = line
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if ok && group == "[Desktop Entry]" && !strings.HasPrefix(line, "#") {
			keys[strings.TrimSpace(key)] = unescape(strings.TrimSpace(value))
		}
	}
	return keys, lines.Err()
}

// unescape reads the escapes that every value of a .desktop file may have.
func unescape(s string) string {
	return strings.NewReplacer(`\\`, `\`, `\s`, " ", `\n`, "\n", `\t`, "\t", `\r`, "\r").Replace(s)
}

// execWords splits an Exec line into words as the desktop entry specification
// says. No shell sees it. Field codes stand for files, of which there are none
// here.
func execWords(line, name string) ([]string, bool) {
	var words []string
	var word strings.Builder
	quoted, some := false, false
	flush := func() {
		if some {
			words = append(words, word.String())
		}
		word.Reset()
		some = false
	}
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '"':
			quoted, some = !quoted, true
		case quoted && c == '\\' && i+1 < len(line):
			i++
			word.WriteByte(line[i])
		case !quoted && (c == ' ' || c == '\t' || c == '\n'):
			flush()
		case c == '%' && i+1 < len(line):
			i++
			switch line[i] {
			case '%':
				word.WriteByte('%')
				some = true
			case 'c':
				word.WriteString(name)
				some = true
			}
		default:
			word.WriteByte(c)
			some = true
		}
	}
	flush()
	return words, !quoted && len(words) > 0 && words[0] != ""
}
