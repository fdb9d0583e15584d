package host

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run the test with -update and read what it writes", err)
	}
	if got != string(want) {
		t.Errorf("%s\n got:\n%s\nwant:\n%s", path, got, want)
	}
}

func TestWriteWindowsGolden(t *testing.T) {
	result, err := os.ReadFile("testdata/desktop_read.json")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := WriteWindows(&b, result); err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/windows.golden", b.String())
	if strings.ContainsAny(b.String(), "\x1b\a") {
		t.Error("a window's text reaches the terminal's control sequences")
	}
	for l := range strings.Lines(b.String()) {
		if n := len([]rune(l)); n > pageWidth+2 {
			t.Errorf("a line of %d characters: %s", n, l)
		}
	}
}

func TestWriteWindowsBadAnswer(t *testing.T) {
	var b strings.Builder
	if err := WriteWindows(&b, json.RawMessage(`{"windows":`)); err == nil {
		t.Error("a broken answer is written")
	}
	if err := WriteWindows(&b, json.RawMessage(`{"windows":[]}`)); err != nil || b.String() != "No window is open.\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
}

// G22: the snippets carry the token and what finds this very host.
func TestG22SnippetsGolden(t *testing.T) {
	golden(t, "testdata/snippets.golden", Presentation{
		Executable: "/opt/my tools/oriel", Args: []string{"--display", ":7"}, URL: "http://127.0.0.1:60008/mcp", Token: "TOKEN",
		EnvFile: "/run/user/7/oriel/virtual.env",
	}.Snippets())
	if p := (Presentation{Executable: "/a\"b\\c", URL: "http://x/", Token: "<t&>"}).Snippets(); !strings.Contains(p, `"/a\"b\\c"`) || !strings.Contains(p, `"Bearer <t&>"`) {
		t.Errorf("an odd path or token is not quoted:\n%s", p)
	}
	golden(t, "testdata/snippets-open.golden", Presentation{Executable: "/usr/bin/oriel", URL: "http://127.0.0.1:1/mcp"}.Snippets())
}

// A pasted word reaches the program as it is, whatever it holds.
func TestShellWordsSurviveTheShell(t *testing.T) {
	words := []string{"plain", "a b", "it's", "$HOME", "`id`", "*", "", "a\nb", "\\", "\"", "!x", "~", "-n"}
	out, err := exec.CommandContext(t.Context(), "sh", "-c", "printf '%s\\0' "+shellWords(words)).Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"); strings.Join(got, "|") != strings.Join(words, "|") {
		t.Errorf("got %q, want %q", got, words)
	}
}
