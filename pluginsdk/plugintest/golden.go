package plugintest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/hostabi/check"
	"oriel.dev/oriel/pluginsdk"
	"oriel.dev/oriel/tree"
)

// Recorded runs [Translate] on every observation in testdata, each as a subtest.
// There must be one.
func Recorded(t *testing.T, a pluginsdk.Adapter) {
	t.Helper()
	for name, file := range recordings(t) {
		t.Run(name, func(t *testing.T) { Translate(t, a, file) })
	}
}

// Lint fails the test for whatever [check.Lint] finds in the manifest adapter.toml
// and in the view of every observation in testdata.
func Lint(t *testing.T, a pluginsdk.Adapter) {
	t.Helper()
	report := func(t *testing.T, found []check.Finding) {
		t.Helper()
		for _, f := range found {
			t.Error(f)
		}
	}
	report(t, check.Lint(Manifest(t), nil))
	for name, file := range recordings(t) {
		t.Run(name, func(t *testing.T) { report(t, check.Lint(nil, View(t, a, read(t, file)))) })
	}
}

// Manifest reads adapter.toml, which must be one that the host takes.
func Manifest(t testing.TB) *hostabi.Manifest {
	t.Helper()
	text, err := os.ReadFile("adapter.toml")
	if err != nil {
		t.Fatal(err)
	}
	m, err := check.ManifestFromTOML("adapter.toml", text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// recordings are the observations in testdata by their names.
func recordings(t testing.TB) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "*"+tree.Extension))
	if err != nil || len(files) == 0 {
		t.Fatalf("finding the recorded observations in testdata: %v, %d files; record one with oriel adapter record", err, len(files))
	}
	out := map[string]string{}
	for _, f := range files {
		out[strings.TrimSuffix(filepath.Base(f), tree.Extension)] = f
	}
	return out
}
