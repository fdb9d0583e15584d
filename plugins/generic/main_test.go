package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/hostabi/check"
	"oriel.dev/oriel/pluginsdk/plugintest"
	"oriel.dev/oriel/tree"
)

// Every recorded window of a real application, as an agent reads it (W04).
func TestGoldenViews(t *testing.T) {
	files, err := filepath.Glob("testdata/*" + tree.Extension)
	if err != nil || len(files) == 0 {
		t.Fatalf("finding the recorded observations: %v, %d files", err, len(files))
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), tree.Extension), func(t *testing.T) {
			plugintest.Translate(t, adapter, file)
		})
	}
}

func TestManifest(t *testing.T) {
	text, err := os.ReadFile("adapter.toml")
	if err != nil {
		t.Fatal(err)
	}
	m, err := check.ManifestFromTOML("adapter.toml", text)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Match) != 1 || m.Match[0] != (hostabi.Match{}) {
		t.Errorf("the generic adapter takes %+v, want every window", m.Match)
	}
}
