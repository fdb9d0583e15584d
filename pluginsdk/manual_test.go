package pluginsdk_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/hostabi/check"
)

// snippets returns the code of one language in the manual.
func snippets(t *testing.T, language string) []string {
	t.Helper()
	text, err := os.ReadFile("../docs/adapters.md")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllSubmatch(text, -1) {
		out = append(out, string(m[1]))
	}
	if out == nil {
		t.Fatalf("the manual has no %s", language)
	}
	return out
}

// words folds white space.
func words(s string) string { return strings.Join(strings.Fields(s), " ") }

// W25: the manual's code is that of the example, which is compiled; its manifest
// is one that is accepted; and it names every capability.
func TestManualIsTrue(t *testing.T) {
	example, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range snippets(t, "go") {
		if !strings.Contains(words(string(example)), words(code)) {
			t.Errorf("this is not in example_test.go:\n%s", code)
		}
	}
	manifest := snippets(t, "toml")[0]
	if _, err := check.ManifestFromTOML("adapter.toml", []byte(strings.ReplaceAll(manifest, "\n   ", "\n"))); err != nil {
		t.Error(err)
	}
	manual, err := os.ReadFile("../docs/adapters.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range hostabi.Functions {
		if !strings.Contains(string(manual), "`"+string(f.Capability)+"`") {
			t.Errorf("the manual does not name %s", f.Capability)
		}
	}
}
