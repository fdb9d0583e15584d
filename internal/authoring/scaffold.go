package authoring

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/hostabi/check"
	"oriel.dev/oriel/tree"
)

//go:embed template
var templates embed.FS

// Scaffold says what to make.
type Scaffold struct {
	Dir  string // made; must not be there, or be empty
	Name string // "my-editor"
	ID   string // "" for org.example.NAME
	// Observation is the recorded window, Picture its pixels as PNG or nil.
	Observation, Picture []byte
	// Source is the folder of Oriel's sources, "" if they are not at hand, and
	// Version is that of this program.
	Source, Version string
}

// recordingName is what the window that an adapter is made from is called in
// its testdata.
const recordingName = "window"

var plainName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,39}$`)

// New makes the folder of a Go adapter for the recorded window, and returns the
// files. What remains is to build it and write its golden view.
func New(s Scaffold) (files []string, err error) {
	if !plainName.MatchString(s.Name) {
		return nil, fmt.Errorf("the name %q will not do: take small letters, digits and dashes, such as my-editor", s.Name)
	}
	if entries, err := os.ReadDir(s.Dir); err == nil && len(entries) > 0 {
		return nil, fmt.Errorf("%s is there already and not empty; choose another folder with --dir", s.Dir)
	}
	t, err := tree.Decode(s.Observation)
	if err != nil {
		return nil, fmt.Errorf("reading the recorded window: %w", err)
	}
	impersonal(t)
	d, err := s.data(t)
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{filepath.Join("testdata", recordingName+tree.Extension): tree.Append(nil, t)}
	if s.Picture != nil {
		out[filepath.Join("testdata", recordingName+pictureExt)] = s.Picture
	}
	names := map[string]string{
		"adapter.toml": "adapter.toml", "main.go": "main.go", "blocks.go": "blocks.go", d.Action + ".go": "actions.go",
		"main_test.go": "main_test.go", "gitignore": ".gitignore",
	}
	if !s.inside() {
		names["go.mod"] = "go.mod"
		if d.sum != nil {
			out["go.sum"] = d.sum
		}
	}
	for from, to := range names {
		if out[to], err = render(from, d); err != nil {
			return nil, err
		}
	}
	if _, err := check.ManifestFromTOML("adapter.toml", out["adapter.toml"]); err != nil {
		return nil, fmt.Errorf("describing the adapter: %w; choose another name or --id", err)
	}
	return write(s.Dir, out)
}

func write(dir string, out map[string][]byte) (files []string, err error) {
	if err := os.MkdirAll(filepath.Join(dir, "testdata"), 0o755); err != nil {
		return nil, fmt.Errorf("making the adapter's folder: %w", err)
	}
	for name, text := range out {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return nil, fmt.Errorf("making the adapter: %w", err)
		}
		files = append(files, path)
	}
	return files, nil
}

// data is what the templates say.
type data struct {
	ID, Name, Title, App                          string
	MatchApp, MatchToolkit, MatchRole, MatchTitle string
	Action                                        string // the template of the action: press, set_field or close
	Recording, Args                               string
	Target                                        tree.NodeID // of the action's test
	Module, Go, OrielVersion, Source              string
	Require                                       []string

	sum []byte // of go.sum
}

func (s Scaffold) data(t *tree.Tree) (data, error) {
	w := t.Window
	d := data{ID: s.ID, Name: s.Name, Title: check.Line(w.Title), Recording: "testdata/" + recordingName + tree.Extension, Args: "{}"}
	if d.ID == "" {
		d.ID = "org.example." + s.Name
	}
	for _, app := range []string{w.App, strings.ToLower(w.Class), w.Process} {
		if d.MatchApp == "" {
			d.MatchApp = check.Line(app)
		}
	}
	if w.Modal || w.Role == "dialog" {
		d.MatchRole = "dialog"
	}
	if d.App = d.MatchApp; d.App == "" { // nothing names the application
		d.App, d.MatchToolkit = "an application without a name", w.Toolkit
		d.MatchTitle = "^" + regexp.QuoteMeta(d.Title) + "$"
	}
	d.act(t)
	return d, s.module(&d)
}

// act chooses the first action: to write a field if the window has one, else to
// press a button, else to close the window.
func (d *data) act(t *tree.Tree) {
	d.Action = "close"
	encoded, err := tree.NewReader(tree.Append(nil, t))
	if err != nil {
		return
	}
	for c := range encoded.All() {
		usable := c.Is(tree.StateShowing | tree.StateEnabled)
		if usable && c.Can(tree.IfaceEditableText) && c.Is(tree.StateEditable) && c.Text() != newText {
			d.Action, d.Target = "set_field", c.ID()
			return
		}
		if usable && d.Action == "close" && c.Role() == tree.RoleButton && c.Label() != "" {
			for range c.Actions() {
				d.Action, d.Target = "press", c.ID()
				d.Args = `{"button":` + string(quoted(c.Label())) + `}`
				break
			}
		}
	}
}

// newText is what the test of a scaffolded adapter writes.
const newText = "new text"

func quoted(s string) []byte { return hostabi.AppendString(nil, s) }

// inside reports whether the folder lies in Oriel's own module.
func (s Scaffold) inside() bool {
	dir, err := filepath.Abs(s.Dir)
	if err != nil || s.Source == "" {
		return false
	}
	rel, err := filepath.Rel(s.Source, dir)
	return err == nil && filepath.IsLocal(rel)
}

// needed are the modules that the tests of an adapter link beside Oriel's own.
var needed = []string{"github.com/BurntSushi/toml", "github.com/google/jsonschema-go"}

var release = regexp.MustCompile(`^v\d+\.\d+\.\d+$`)

// module fills in what go.mod says.
func (s Scaffold) module(d *data) error {
	d.Module, d.OrielVersion, d.Go = "example.org/"+s.Name, s.Version, "1.26.0"
	if s.Source == "" {
		if !release.MatchString(s.Version) {
			return errors.New("the sources of Oriel are not found, which an adapter in Go is built with; name their folder with --source")
		}
		return nil
	}
	d.OrielVersion, d.Source = "v0.0.0", s.Source
	mod, err := os.ReadFile(filepath.Join(s.Source, "go.mod"))
	if err != nil {
		return fmt.Errorf("reading the sources of Oriel: %w; name their folder with --source", err)
	}
	if m := regexp.MustCompile(`(?m)^go (\S+)`).FindSubmatch(mod); m != nil {
		d.Go = string(m[1])
	}
	for _, name := range needed {
		m := regexp.MustCompile(`(?m)^\s*(` + regexp.QuoteMeta(name) + ` v\S+)`).FindSubmatch(mod)
		if m != nil {
			d.Require = append(d.Require, string(m[1]))
		}
	}
	if d.sum, err = os.ReadFile(filepath.Join(s.Source, "go.sum")); err != nil {
		return fmt.Errorf("reading the sources of Oriel: %w", err)
	}
	return nil
}

// FindSource returns the folder of Oriel's sources that holds one of the paths,
// "" if none does.
func FindSource(paths ...string) string {
	for _, path := range paths {
		dir, err := filepath.Abs(path)
		for err == nil {
			mod, readErr := os.ReadFile(filepath.Join(dir, "go.mod"))
			if readErr == nil && bytes.HasPrefix(mod, []byte("module oriel.dev/oriel\n")) {
				return dir
			}
			if readErr != nil && !errors.Is(readErr, fs.ErrNotExist) || filepath.Dir(dir) == dir {
				break
			}
			dir = filepath.Dir(dir)
		}
	}
	return ""
}

// render fills in a template; Go code is formatted.
func render(name string, d data) ([]byte, error) {
	text, err := templates.ReadFile("template/" + name + ".tmpl")
	if err != nil {
		return nil, fmt.Errorf("making %s: %w", name, err)
	}
	t, err := template.New(name).Funcs(template.FuncMap{"toml": tomlString}).Parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("making %s: %w", name, err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, d); err != nil {
		return nil, fmt.Errorf("making %s: %w", name, err)
	}
	if filepath.Ext(name) != ".go" {
		return b.Bytes(), nil
	}
	out, err := format.Source(b.Bytes())
	if err != nil {
		return nil, fmt.Errorf("making %s: %w", name, err)
	}
	return out, nil
}

// tomlString quotes a line for TOML.
func tomlString(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(check.Line(s)) + `"`
}

// homeName stands for the home folder in recordings.
const homeName = "/home/user"

// impersonal takes out of an observation what is of this machine alone: handles,
// and the name of the home folder.
func impersonal(t *tree.Tree) {
	t.Window.Handle, t.Window.Owner = 1, min(t.Window.Owner, 2)
	home, err := os.UserHomeDir()
	if err != nil || len(home) < len("/x/") {
		return
	}
	plain := func(s *string) { *s = strings.ReplaceAll(*s, home, homeName) }
	plain(&t.Window.Title)
	for i := range t.Nodes {
		n := &t.Nodes[i]
		plain(&n.Name)
		plain(&n.Description)
		plain(&n.Text)
	}
}

// Impersonal is an encoded observation without what is of this machine alone.
func Impersonal(observation []byte) ([]byte, error) {
	t, err := tree.Decode(observation)
	if err != nil {
		return nil, fmt.Errorf("reading the recorded window: %w", err)
	}
	impersonal(t)
	return tree.Append(nil, t), nil
}
