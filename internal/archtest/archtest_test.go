package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "oriel.dev/oriel"

// pkg is what the sources of one folder say. It is read by the parser, not by
// "go list": the test's cached result then depends on every file that it opened.
type pkg struct {
	imports map[string]string // path → a file that imports it; tests left out
	doc     bool
}

func readPackages(t *testing.T, root string) map[string]*pkg {
	t.Helper()
	out := map[string]*pkg{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			_, err := os.Stat(filepath.Join(file, "go.mod"))
			if file != root && (err == nil || skipped(d.Name()) || file == filepath.Join(root, "demo")) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		return readFile(out, filepath.ToSlash(rel), file)
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func skipped(dir string) bool {
	return strings.HasPrefix(dir, ".") || strings.HasPrefix(dir, "_") || slices.Contains([]string{"testdata", "bin", "node_modules"}, dir)
}

func readFile(out map[string]*pkg, rel, file string) error {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly|parser.ParseComments)
	if err != nil {
		return err
	}
	dir := path.Dir(rel)
	p := out[dir]
	if p == nil {
		p = &pkg{imports: map[string]string{}}
		out[dir] = p
	}
	p.doc = p.doc || isPackageComment(f)
	for _, spec := range f.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return err
		}
		p.imports[name] = rel
	}
	return nil
}

func isPackageComment(f *ast.File) bool {
	text := f.Doc.Text()
	return strings.HasPrefix(text, "Package "+f.Name.Name+" ") || f.Name.Name == "main" && text != ""
}

func match(pattern, p string) bool {
	if below, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(p, below)
	}
	return pattern == p
}

func layerOf(p string) *Layer {
	for i := range Layers {
		if match(Layers[i].Package, p) {
			return &Layers[i]
		}
	}
	return nil
}

// faults lists what the packages do against the policy.
func faults(packages map[string]*pkg) []string {
	var out []string
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		p := packages[dir]
		if !p.doc {
			out = append(out, dir+": has no package comment that begins with \"Package x\"")
		}
		layer := layerOf(dir)
		if layer == nil {
			out = append(out, dir+": is not in archtest.Layers; add a line that says what it may import and why")
			continue
		}
		for _, imported := range slices.Sorted(maps.Keys(p.imports)) {
			if ours, ok := ourPath(imported); ok {
				below := strings.HasSuffix(layer.Package, "*") && strings.HasPrefix(ours, dir+"/")
				if !below && !slices.ContainsFunc(layer.May, func(may string) bool { return match(may, ours) }) {
					out = append(out, p.imports[imported]+": "+dir+" may not import "+ours+": "+layer.Why)
				}
			}
			for _, f := range Foreigners {
				if (imported == f.Module || strings.HasPrefix(imported, f.Module+"/")) && !slices.Contains(f.Only, dir) {
					out = append(out, p.imports[imported]+": only "+strings.Join(f.Only, ", ")+" may import "+f.Module+": "+f.Because)
				}
			}
		}
	}
	return out
}

func ourPath(imported string) (string, bool) {
	if imported == module {
		return ".", true
	}
	return strings.CutPrefix(imported, module+"/")
}

func TestImportsFollowTheLayers(t *testing.T) {
	packages := readPackages(t, filepath.Join("..", ".."))
	if len(packages) < 10 {
		t.Fatalf("only %d packages were found; the test looks at the wrong folder", len(packages))
	}
	for _, f := range faults(packages) {
		t.Error(f)
	}
}

// The checker itself finds what it is there to find.
func TestCheckerFindsFaults(t *testing.T) {
	got := faults(readPackages(t, filepath.Join("testdata", "bad")))
	want := []string{
		`desktop/x11: has no package comment`,
		`desktop/x11/x11.go: desktop/x11 may not import desktop/atspi: backends do not know each other`,
		`mcp/mcp.go: only sandbox may import github.com/tetratelabs/wazero`,
		`plugins/deep/inner/inner.go: plugins/deep/inner may not import bridge: a guest knows only the contract`,
		`surprise: is not in archtest.Layers`,
		`tree/tree.go: tree may not import .: leaf`,
	}
	if len(got) != len(want) {
		t.Errorf("%d faults, want %d:\n%s", len(got), len(want), strings.Join(got, "\n"))
	}
	for i := range min(len(got), len(want)) {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("fault %d\n got %s\nwant %s…", i, got[i], want[i])
		}
	}
}

// The policy has no line twice, none without a reason, and no arrow to nowhere.
func TestPolicyIsSound(t *testing.T) {
	seen := map[string]bool{}
	for _, l := range Layers {
		if seen[l.Package] || l.Why == "" {
			t.Errorf("%s: stands twice or has no reason", l.Package)
		}
		seen[l.Package] = true
		for _, may := range l.May {
			if may != "*" && layerOf(strings.TrimSuffix(may, "/*")) == nil {
				t.Errorf("%s may import %s, which is in no line", l.Package, may)
			}
		}
	}
	for _, f := range Foreigners {
		if f.Because == "" || len(f.Only) == 0 {
			t.Errorf("%s: nobody may import it, or no reason", f.Module)
		}
		for _, p := range f.Only {
			if layerOf(p) == nil {
				t.Errorf("%s: %s is in no line of Layers", f.Module, p)
			}
		}
	}
}
