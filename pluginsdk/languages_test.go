package pluginsdk_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/tree"
)

// sdkText is all source text of one of the other SDKs.
func sdkText(t *testing.T, pattern string) string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: no files, %v", pattern, err)
	}
	var all strings.Builder
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b)
	}
	return all.String()
}

var sdks = map[string]string{"rust": "rust/*.rs", "assemblyscript": "as/assembly/*.ts", "c": "c/*.[ch]"}

// W23: the words of the contract have the same numbers in every SDK. What the
// functions do is tested in real runners, by package sandbox.
func TestWordsOfOtherLanguages(t *testing.T) {
	want := map[string]int{}
	add := func(name string, n int) { want[strings.ToUpper(strings.ReplaceAll(name, "-", "_"))] = n }
	for r := tree.Role(1); r.String() != "unknown"; r++ {
		add(r.String(), int(r))
	}
	for i, s := range (tree.States(1<<63) - 1).Names() {
		add(s, i)
	}
	if len(want) < 100 {
		t.Fatalf("only %d words are known", len(want))
	}
	for lang, pattern := range sdks {
		text := sdkText(t, pattern)
		for name, n := range want {
			if !regexp.MustCompile(fmt.Sprintf(`\b(ORIEL_[A-Z]+_)?%s\b(: u\d+)?( =)? (\(?1(ull)? << )?%d\b`, name, n)).MatchString(text) {
				t.Errorf("%s: %s is not %d", lang, name, n)
			}
		}
		for _, f := range hostabi.Functions {
			if !strings.Contains(text, fmt.Sprintf("%q", f.Capability)) || !strings.Contains(text, fmt.Sprintf("%q", f.Name)) {
				t.Errorf("%s: does not import %s %s", lang, f.Capability, f.Name)
			}
		}
	}
}

// W25: the snippet in each SDK's page is the adapter that is tested.
func TestPagesShowTheTestedAdapter(t *testing.T) {
	for page, source := range map[string]string{
		"rust/README.md": "rust/hello/hello.rs", "as/README.md": "as/hello/hello.ts", "c/README.md": "c/hello/hello.c",
	} {
		code, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(sdkText(t, page), "```\n\nThe contract") || !strings.Contains(sdkText(t, page), "\n"+string(code)+"```") {
			t.Errorf("%s does not show %s", page, source)
		}
	}
}
