package check

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"
	"time"

	"oriel.dev/oriel/hostabi"
)

// module builds a WebAssembly module section by section.
type module struct{ bytes.Buffer }

func newModule() *module {
	m := &module{}
	m.WriteString(preamble)
	return m
}

func uvarint(n int) []byte { return binary.AppendUvarint(nil, uint64(n)) }

func named(s string) []byte { return append(uvarint(len(s)), s...) }

func (m *module) section(id byte, entries ...[]byte) *module {
	body := uvarint(len(entries))
	for _, e := range entries {
		body = append(body, e...)
	}
	m.WriteByte(id)
	m.Write(uvarint(len(body)))
	m.Write(body)
	return m
}

func (m *module) custom(name string, data []byte) *module {
	m.WriteByte(0)
	m.Write(uvarint(len(named(name)) + len(data)))
	m.Write(named(name))
	m.Write(data)
	return m
}

// The types of the modules below, by number.
var types = [][]byte{
	{0x60, 2, 0x7f, 0x7f, 1, 0x7f}, // host function
	{0x60, 1, 0x7f, 1, 0x7f},       // alloc
	{0x60, 2, 0x7f, 0x7f, 1, 0x7e}, // translate, invoke
	{0x60, 2, 0x7f, 0x7f, 0},       // take
	{0x60, 0, 0},                   // initialize
}

func funcImport(module, name string, typ byte) []byte {
	return append(append(named(module), named(name)...), kindFunc, typ)
}

func export(name string, kind, index byte) []byte { return append(named(name), kind, index) }

const goodManifest = `{"id":"org.example.editor","name":"Editor","version":"1.2.3","abi":"oriel/1","description":"For the editor.",` +
	`"license":"Apache-2.0","match":[{"app":"editor"}],"permission":[{"capability":"oriel:a11y","reason":"to type"}]}`

// good is a module that passes, with changes to its parts.
func good(change func(parts map[byte][][]byte)) []byte {
	parts := map[byte][][]byte{
		1: slices.Clone(types),
		2: {
			funcImport("oriel:host", "take", 3), funcImport("oriel:a11y", "focus", 0),
			funcImport(wasiModule, "fd_write", 0),
		},
		3: {{1}, {2}, {2}, {4}},
		4: {{0x70, 0, 5}},
		5: {{1, 2, 4}},
		7: {
			export("memory", kindMemory, 0), export("oriel_alloc", kindFunc, 3), export("oriel_translate", kindFunc, 4),
			export("oriel_invoke", kindFunc, 5), export("_initialize", kindFunc, 6),
		},
	}
	if change != nil {
		change(parts)
	}
	m := newModule()
	for id := range byte(8) {
		if parts[id] != nil {
			m.section(id, parts[id]...)
		}
	}
	return m.Bytes()
}

func withManifest(t testing.TB, wasm []byte, manifest string) []byte {
	t.Helper()
	out, err := Embed(wasm, []byte(manifest))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestModule(t *testing.T) {
	wasm := withManifest(t, good(nil), goodManifest)
	info, err := Module(wasm)
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case info.Manifest.ID != "org.example.editor", !info.Invokes(), info.Size != len(wasm), len(info.Digest) != 64:
		t.Errorf("got %+v", info)
	case len(info.Imports) != 3 || info.Imports[1] != Import{"oriel:a11y", "focus", kindFunc, 0}:
		t.Errorf("imports %+v", info.Imports)
	case !slices.Equal(info.CustomSections, []string{hostabi.ManifestSection}):
		t.Errorf("custom sections %q", info.CustomSections)
	}
	noInvoke, err := Module(withManifest(t, good(func(p map[byte][][]byte) { p[7] = p[7][:3] }), goodManifest))
	if err != nil || noInvoke.Invokes() {
		t.Errorf("without oriel_invoke: %v, Invokes is %v", err, noInvoke.Invokes())
	}
}

// W01, W03, W10, W16: what a module may not be.
func TestModuleRefuses(t *testing.T) {
	add := func(imports ...[]byte) func(map[byte][][]byte) {
		return func(p map[byte][][]byte) { p[2] = append(p[2], imports...) }
	}
	newer := strings.Replace(goodManifest, `"abi":"oriel/1"`, `"abi":"oriel/2","tools":[1]`, 1)
	for name, c := range map[string]struct {
		wasm []byte
		want string
	}{
		"empty":         {nil, "no WebAssembly module"},
		"component":     {[]byte("\x00asm\x0d\x00\x01\x00"), "components are not supported"},
		"cut":           {withManifest(t, good(nil), goodManifest)[:60], "section"},
		"no manifest":   {good(nil), `0 custom sections "oriel.manifest", want one; put it there with oriel adapter build`},
		"two manifests": {append(withManifest(t, good(nil), goodManifest), withManifest(t, newModule().Bytes(), goodManifest)[8:]...), "2 custom sections"},
		"newer": {
			withManifest(t, good(add(funcImport("oriel:new", "thing", 0))), newer),
			`adapter "org.example.editor" needs oriel/2, this host speaks oriel/1; update the host or get an older adapter`,
		},
		"not asked": {
			withManifest(t, good(add(funcImport("oriel:input", "keys", 0), funcImport("oriel:input", "move", 0))), goodManifest),
			`module: import "oriel:input" "keys": is not asked for in the manifest; add a [[permission]] with capability = "oriel:input" and a reason`,
		},
		"unknown function": {withManifest(t, good(add(funcImport("oriel:a11y", "fly", 0))), goodManifest), `import "oriel:a11y" "fly": is no function of oriel/1`},
		"foreign module":   {withManifest(t, good(add(funcImport("env", "abort", 0))), goodManifest), `import "env" "abort": is no function of oriel/1`},
		"sockets":          {withManifest(t, good(add(funcImport(wasiModule, "sock_accept", 0))), goodManifest), "outside of the sandbox"},
		"writes files":     {withManifest(t, good(add(funcImport(wasiModule, "path_unlink_file", 0))), goodManifest), "outside of the sandbox"},
		"imported memory": {
			withManifest(t, good(add(append(append(named("env"), named("memory")...), kindMemory, 0, 1))), goodManifest), "is no function",
		},
		"import's type": {
			withManifest(t, good(add(funcImport("oriel:a11y", "action", 2))), goodManifest),
			`has another signature than (i32 i32) -> (i32); update the SDK`,
		},
		"no translate": {
			withManifest(t, good(func(p map[byte][][]byte) { p[7] = p[7][:2] }), goodManifest),
			`export "oriel_translate": is missing; link the SDK and build a reactor (-buildmode=c-shared)`,
		},
		"translate's type": {
			withManifest(t, good(func(p map[byte][][]byte) { p[3][1] = []byte{1} }), goodManifest), `"oriel_translate": has another signature`,
		},
		"no memory": {withManifest(t, good(func(p map[byte][][]byte) { p[7] = p[7][1:] }), goodManifest), `export "memory": is missing`},
		"a program": {
			withManifest(t, good(func(p map[byte][][]byte) { p[7] = append(p[7], export("_start", kindFunc, 6)) }), goodManifest), "build a reactor",
		},
		"export out of range": {
			withManifest(t, good(func(p map[byte][][]byte) { p[7][1] = export("oriel_alloc", kindFunc, 99) }), goodManifest), `"oriel_alloc": is no function`,
		},
		"table": {
			withManifest(t, good(func(p map[byte][][]byte) { p[4] = [][]byte{append([]byte{0x70, 0}, uvarint(100_000_000)...)} }), goodManifest),
			"table: has 100000000 entries; the most is 10000",
		},
		"memory": {
			withManifest(t, good(func(p map[byte][][]byte) { p[5] = [][]byte{append([]byte{0}, uvarint(65536)...)} }), goodManifest),
			"memory: starts with 4096 MB; the most is 64 MB",
		},
		"64-bit memory": {withManifest(t, good(func(p map[byte][][]byte) { p[5] = [][]byte{{4, 1}} }), goodManifest), "section 5"},
		"many entries":  {append(good(nil), 2, 5, 0xff, 0xff, 0xff, 0xff, 0x0f), "section 2"},
		"too large":     {make([]byte, MaxModule+1), "the most is"},
	} {
		_, err := Module(c.wasm)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s:\ngot  %v\nwant %s", name, err, c.want)
		}
	}
}

func TestEmbedReplacesTheManifest(t *testing.T) {
	once := withManifest(t, newModule().custom("name", []byte("x")).Bytes(), goodManifest)
	twice := withManifest(t, once, goodManifest)
	if !bytes.Equal(once, twice) {
		t.Error("embedding twice differs from embedding once")
	}
	if _, err := Embed([]byte("junk"), nil); err == nil {
		t.Error("junk is taken")
	}
	if _, err := Embed(append([]byte(preamble), 1, 200), nil); err == nil {
		t.Error("a cut module is taken")
	}
}

// A module must not make the scanner take long or much, whatever it says.
func FuzzModule(f *testing.F) {
	f.Add(good(nil))
	wasm, _ := Embed(good(nil), []byte(goodManifest))
	f.Add(wasm)
	f.Fuzz(func(t *testing.T, b []byte) {
		start := time.Now()
		info, err := Module(b)
		if err == nil && info.Manifest == nil {
			t.Fatal("neither a manifest nor an error")
		}
		if out, err := Embed(b, []byte(goodManifest)); err == nil {
			if again, err := Embed(out, []byte(goodManifest)); err != nil || !bytes.Equal(out, again) {
				t.Fatalf("embedding twice differs from once: %v", err)
			}
		}
		if d := time.Since(start); d > 2*time.Second {
			t.Fatalf("took %v", d)
		}
	})
}

func BenchmarkModule(b *testing.B) {
	wasm := withManifest(b, newModule().section(10, bytes.Repeat([]byte{0}, 2<<20)).Bytes(), goodManifest)
	b.Run("scan", func(b *testing.B) {
		for b.Loop() {
			if _, err := scanModule(wasm); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("whole", func(b *testing.B) {
		for b.Loop() {
			_, _ = Module(wasm)
		}
	})
}
