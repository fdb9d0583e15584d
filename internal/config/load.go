package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"oriel.dev/oriel"
)

// Problem is one thing that is wrong with the settings.
type Problem struct {
	Source  string // a file, "stored settings", a variable or a flag
	Line    int    // in a file; 0 if it is not known
	Key     string // "" if it concerns no key
	Message string // ends in what to do
}

// Error returns source, line, key and message.
func (p *Problem) Error() string {
	where := p.Source
	if p.Line > 0 {
		where = fmt.Sprintf("%s:%d", p.Source, p.Line)
	}
	if p.Key != "" && p.Key != p.Source {
		where += ": " + p.Key
	}
	return where + ": " + p.Message
}

// Sources are the places where settings are kept, the weakest first.
type Sources struct {
	// File is the user's file. It must exist if FileRequired; "" means none.
	File         string
	FileRequired bool
	// Stored are the settings kept in the database, by key.
	Stored map[string]string
	// Environ is the environment as os.Environ gives it. ORIEL_* and the
	// GUI_AGENT_* variables are read, and the XDG_* ones for Dirs.
	Environ []string
	Flags   []Flag
	// Chord tells what is wrong with a key combination such as "ctrl+q", for which
	// the names of all keys must be known; nil looks at the form alone.
	Chord func(string) error
}

// Flag is a setting given on the command line.
type Flag struct{ Name, Key, Value string }

// DefaultFile is the user's file where none is named.
func DefaultFile(environ []string) string {
	return filepath.Join(xdg(environ, "XDG_CONFIG_HOME", ".config"), "oriel", "config.toml")
}

// Load joins the sources. The error joins a [Problem] for each fault.
func Load(s Sources) (*Config, error) {
	l := &loader{config: &Config{}, origin: map[string]Problem{}, rules: withChord(s.Chord)}
	l.file(builtIn, oriel.DefaultConfig)
	if s.File != "" {
		text, err := os.ReadFile(s.File)
		switch {
		case err == nil:
			l.file(s.File, string(text))
		case s.FileRequired || !errors.Is(err, fs.ErrNotExist):
			l.problem(Problem{Source: s.File, Message: "cannot be read: " + reason(err) + "; name another file with --config"})
		}
	}
	l.stored(s.Stored)
	l.environ(s.Environ)
	for _, f := range s.Flags {
		l.text(Problem{Source: f.Name, Key: f.Key}, f.Value)
	}
	l.check()
	if err := l.err(); err != nil {
		return nil, err
	}
	l.config.Dirs.resolve(s.Environ)
	l.checkRuntime(s.Environ)
	if err := l.err(); err != nil {
		return nil, err
	}
	for i, d := range l.config.Adapters.Dirs {
		l.config.Adapters.Dirs[i] = expandHome(d, s.Environ)
	}
	return l.config, nil
}

// builtIn is the source of the defaults.
const builtIn = "config.toml (built in)"

// loader is one run of Load.
type loader struct {
	config   *Config
	origin   map[string]Problem // by key: where its present value comes from
	rules    map[string]rule
	problems []*Problem
}

func (l *loader) problem(p Problem) { l.problems = append(l.problems, &p) }

// err joins the problems, source by source and line by line.
func (l *loader) err() error {
	first := map[string]int{}
	for i, p := range l.problems {
		if _, ok := first[p.Source]; !ok {
			first[p.Source] = i
		}
	}
	slices.SortStableFunc(l.problems, func(a, b *Problem) int {
		return cmp.Or(cmp.Compare(first[a.Source], first[b.Source]), cmp.Compare(a.Line, b.Line))
	})
	errs := make([]error, len(l.problems))
	for i, p := range l.problems {
		errs[i] = p
	}
	return errors.Join(errs...)
}

// at reports a fault at a place.
func (l *loader) at(where Problem, format string, args ...any) {
	where.Message = fmt.Sprintf(format, args...)
	l.problem(where)
}

func (l *loader) stored(values map[string]string) {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		where := Problem{Source: "stored settings", Key: key}
		if strings.HasPrefix(key, "dirs.") {
			l.at(where, "cannot be stored, because the database lies there; put it into config.toml")
			continue
		}
		l.text(where, values[key])
	}
}

// ours are the variables with our prefix that are no settings.
var ours = []string{"ORIEL_CONFIG", "ORIEL_VIRTUAL"}

// PortKey stands for the port alone of http.listen. It is no setting of its own.
const PortKey = "http.port"

func (l *loader) environ(environ []string) {
	names := map[string]string{"GUI_AGENT_PORT": PortKey}
	for _, f := range fields {
		names[f.envName()] = f.key
		if f.env != "" {
			names[f.env] = f.key
		}
	}
	// The variables named after GUI_AGENT_ come first, so that ours win.
	sorted := slices.Clone(environ)
	slices.SortFunc(sorted, func(a, b string) int { return cmp.Compare(a, b) })
	for _, kv := range sorted {
		name, value, _ := strings.Cut(kv, "=")
		key, known := names[name]
		switch {
		case !strings.HasPrefix(name, "ORIEL_") && !strings.HasPrefix(name, "GUI_AGENT_"), slices.Contains(ours, name):
		case !known:
			l.at(Problem{Source: name}, "is not known; %s", suggest("unset it", name, slices.Sorted(maps.Keys(names))))
		default:
			l.text(Problem{Source: name, Key: key}, value)
		}
	}
}

// text sets a setting from a text.
func (l *loader) text(where Problem, value string) {
	if where.Key == PortKey {
		host, _, _ := cutPort(l.config.HTTP.Listen)
		where.Key, value = "http.listen", net.JoinHostPort(host, value)
	}
	f, ok := lookup(where.Key)
	if !ok {
		l.at(where, "is not known; %s", suggest("remove it", where.Key, keys()))
		return
	}
	if err := f.parse(l.config, value); err != nil {
		l.at(where, "%v", err)
	}
	l.origin[f.key] = where
}

// check tests every setting where it was set last.
func (l *loader) check() {
	for _, f := range fields {
		if l.reported(f.key) {
			continue
		}
		if err := f.check(l.config, l.rules); err != nil {
			l.at(l.origin[f.key], "%v", err)
		}
	}
	c := l.config
	for _, pair := range []struct {
		low, high       int
		lowKey, highKey string
	}{
		{c.Desktop.QuietMS, c.Desktop.BusyMS, "desktop.quiet_ms", "desktop.busy_ms"},
		{c.Limits.InvokeMS, c.Limits.TotalMS, "limits.invoke_ms", "limits.total_ms"},
	} {
		if pair.low > pair.high && !l.reported(pair.lowKey) && !l.reported(pair.highKey) {
			l.at(l.origin[pair.lowKey], "%d is more than %s, which is %d; lower it or raise the other", pair.low, pair.highKey, pair.high)
		}
	}
}

// socketPathLimit is how long the name of a socket may be, by the kernel's
// sockaddr_un, and socketNameLength what the host's own adds to its folder.
const (
	socketPathLimit  = 107
	socketNameLength = len("/display-65535.65535.sock")
)

// checkRuntime looks whether the host's socket can have its name in the folder for
// it.
func (l *loader) checkRuntime(environ []string) {
	dir := l.config.Dirs.Runtime
	if len(dir)+socketNameLength <= socketPathLimit {
		return
	}
	where := l.origin["dirs.runtime"]
	if where.Source == builtIn {
		where = Problem{Source: "XDG_RUNTIME_DIR", Key: where.Key}
		if getenv(environ, where.Source) == "" {
			where.Source = "TMPDIR"
		}
	}
	l.at(where, "%q is too long for the name of a socket in it; choose a folder of at most %d characters", dir, socketPathLimit-socketNameLength)
}

// reported tells whether something is already known to be wrong with a key.
func (l *loader) reported(key string) bool {
	return slices.ContainsFunc(l.problems, func(p *Problem) bool { return p.Key == key })
}

// tables are the names of the tables that hold settings.
func tables() []string {
	var out []string
	for _, f := range fields {
		if table, _, ok := strings.Cut(f.key, "."); ok && !slices.Contains(out, table) {
			out = append(out, table)
		}
	}
	return out
}

func keys() []string {
	out := make([]string, 0, len(fields))
	for _, f := range fields {
		out = append(out, f.key)
	}
	return out
}

// reason is an error of the file system without the path that the message
// already names.
func reason(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err.Error()
	}
	return err.Error()
}
