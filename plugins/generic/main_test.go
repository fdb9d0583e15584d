package main

import (
	"testing"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/pluginsdk/plugintest"
)

// Every recorded window of a real application, as an agent reads it (W04).
func TestGoldenViews(t *testing.T) { plugintest.Recorded(t, adapter) }

// B16: summaries, labels, notices, descriptions and annotations serve their readers.
func TestLintB16(t *testing.T) { plugintest.Lint(t, adapter) }

func TestManifest(t *testing.T) {
	m := plugintest.Manifest(t)
	if len(m.Match) != 1 || m.Match[0] != (hostabi.Match{}) {
		t.Errorf("the generic adapter takes %+v, want every window", m.Match)
	}
}
