package main

import (
	"encoding/binary"
	"encoding/json"
	"flag"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/rogpeppe/go-internal/testscript"

	"oriel.dev/oriel/mcp"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"oriel": func() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// The command line as a person meets it: testdata/script/*.txtar.
func TestScripts(t *testing.T) {
	goEnv := map[string]string{}
	out, err := exec.CommandContext(t.Context(), "go", "env", "-json", "GOCACHE", "GOMODCACHE", "GOROOT", "GOFLAGS", "GOPROXY").Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &goEnv); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		UpdateScripts:       *update,
		RequireUniqueNames:  true,
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			for k, v := range goEnv {
				e.Setenv(k, v)
			}
			source, err := filepath.Abs(filepath.Join("..", ".."))
			if err != nil {
				return err
			}
			e.Setenv("SOURCE", source)
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("XDG_RUNTIME_DIR", filepath.Join(e.WorkDir, "run"))
			return os.MkdirAll(filepath.Join(e.WorkDir, "run"), 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"module":   module,
			"takeport": takePort,
			"lockhost": lockHost,
		},
	})
}

// module FILE MANIFEST [IMPORT...] writes an adapter that does nothing, with the
// manifest in it. An import is "module function".
func module(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: module FILE MANIFEST [MODULE FUNCTION]...")
	}
	wasm := wasmModule([]byte(ts.ReadFile(args[1])), args[2:])
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), wasm, 0o600))
}

// wasmModule assembles the least that an adapter must be.
func wasmModule(manifest []byte, imports []string) []byte {
	num := func(n int) []byte { return binary.AppendUvarint(nil, uint64(n)) }
	text := func(s string) []byte { return append(num(len(s)), s...) }
	join := func(parts ...[]byte) (out []byte) {
		for _, p := range parts {
			out = append(out, p...)
		}
		return out
	}
	section := func(id byte, body ...[]byte) []byte { b := join(body...); return join([]byte{id}, num(len(b)), b) }
	const i32, i64 = 0x7f, 0x7e
	types := join(num(3), []byte{0x60, 1, i32, 1, i32}, []byte{0x60, 2, i32, i32, 1, i64}, []byte{0x60, 2, i32, i32, 1, i32})
	n := len(imports) / 2
	var imported []byte
	for i := 0; i+1 < len(imports); i += 2 {
		imported = join(imported, text(imports[i]), text(imports[i+1]), []byte{0, 2})
	}
	export := func(name string, kind byte, index int) []byte { return join(text(name), []byte{kind}, num(index)) }
	return join([]byte("\x00asm\x01\x00\x00\x00"),
		section(1, types),
		section(2, num(n), imported),
		section(3, []byte{2, 0, 1}),
		section(5, []byte{1, 0, 1}),
		section(7, num(3), export("memory", 2, 0), export("oriel_alloc", 0, n), export("oriel_translate", 0, n+1)),
		section(10, num(2), []byte{4, 0, 0x41, 0, 0x0b}, []byte{4, 0, 0x42, 0, 0x0b}),
		section(0, text("oriel.manifest"), manifest),
	)
}

// takeport listens on a free port and puts the address into $TAKEN.
func takePort(ts *testscript.TestScript, _ bool, _ []string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { l.Close() })
	ts.Setenv("TAKEN", l.Addr().String())
}

// lockhost SOCKET is a host that serves a desktop and answers nothing.
func lockHost(ts *testscript.TestScript, _ bool, args []string) {
	socket := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(socket), 0o700))
	l, err := mcp.Listen(socket)
	ts.Check(err)
	ts.Defer(func() { l.Close() })
}

// Every command has a summary in one sentence, and every flag a word of help.
func TestHelpIsComplete(t *testing.T) {
	for _, cmd := range []string{"serve", "windows", "doctor", "audit", "adapter list", "adapter inspect", "adapter build", "adapter new", "adapter test", "adapter lint", "adapter bench", "adapter replay", "adapter run", "adapter record", "dev", "token", "version"} {
		var out, errs strings.Builder
		if code := run(append(strings.Fields(cmd), "--help"), nil, &out, &errs); code != 0 || errs.Len() > 0 {
			t.Errorf("%s --help: exit code %d, %s", cmd, code, errs.String())
		}
		if !strings.Contains(out.String(), "Usage: oriel "+cmd) {
			t.Errorf("%s --help says\n%s", cmd, out.String())
		}
	}
}

// W25: every command of the manual of adapters is one that the program has, with
// flags that it knows.
func TestManualCommands(t *testing.T) {
	manual, err := os.ReadFile(filepath.Join("..", "..", "docs", "adapters.md"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(manual), -1) {
		for line := range strings.Lines(block[1]) {
			words := regexp.MustCompile(`'[^']*'|\S+`).FindAllString(line, -1)
			if len(words) == 0 || words[0] != "oriel" {
				continue
			}
			for i := range words {
				words[i] = strings.Trim(words[i], "'")
			}
			parser, err := kong.New(&cli{}, kong.Name("oriel"), kong.ExplicitGroups(groups))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := parser.Parse(words[1:]); err != nil {
				t.Errorf("%s: %v", strings.TrimSpace(line), err)
			}
			n++
		}
	}
	if n < 5 {
		t.Errorf("the manual has %d commands", n)
	}
}
