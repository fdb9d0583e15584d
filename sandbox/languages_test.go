//go:build linux && languages

package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"oriel.dev/oriel/internal/languages"
	"oriel.dev/oriel/tree"
)

// compiled compiles a program in each language. asc is installed once, outside of the
// tree, by the lock file.
func compiled(t testing.TB, dirs map[languages.Language]string) polyglot {
	t.Helper()
	installAssemblyScript(t)
	out := polyglot{}
	for lang, dir := range dirs {
		file := filepath.Join(t.TempDir(), "module.wasm")
		began := time.Now()
		if err := languages.Compile(t.Context(), dir, file); err != nil {
			t.Fatal(err)
		}
		out[string(lang)] = bytesOf(t, file)
		t.Logf("%s: %d bytes in %d ms", dir, len(out[string(lang)]), time.Since(began).Milliseconds())
	}
	return out
}

func installAssemblyScript(t testing.TB) {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "oriel-test", "assemblyscript")
	t.Setenv("ORIEL_ASC", filepath.Join(dir, "node_modules/.bin/asc"))
	lock := bytesOf(t, "../pluginsdk/as/package-lock.json")
	if had, err := os.ReadFile(filepath.Join(dir, "installed")); err == nil && string(had) == string(lock) {
		return
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"package.json": bytesOf(t, "../pluginsdk/as/package.json"), "package-lock.json": lock} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ci := exec.CommandContext(t.Context(), "npm", "ci", "--no-audit", "--no-fund")
	ci.Dir = dir
	if said, err := ci.CombinedOutput(); err != nil {
		t.Fatalf("installing assemblyscript (node and npm are needed): %v\n%s", err, said)
	}
	if err := os.WriteFile(filepath.Join(dir, "installed"), lock, 0o644); err != nil {
		t.Fatal(err)
	}
}

var (
	helloDirs = map[languages.Language]string{
		languages.Go: "../pluginsdk/testdata/hello", languages.Rust: "../pluginsdk/rust/hello",
		languages.AssemblyScript: "../pluginsdk/as/hello", languages.C: "../pluginsdk/c/hello",
	}
	witnessDirs = map[languages.Language]string{
		languages.Go: "../pluginsdk/testdata/witness/go", languages.Rust: "../pluginsdk/testdata/witness/rust",
		languages.AssemblyScript: "../pluginsdk/testdata/witness/as", languages.C: "../pluginsdk/testdata/witness/c",
	}
)

// W23: the SDKs of all languages hold one contract. With -update the modules are
// kept, which belongs to the release of a version of the contract alone.
func TestLanguages(t *testing.T) {
	hello, witness := compiled(t, helloDirs), compiled(t, witnessDirs)
	if *update {
		for name, p := range map[string]polyglot{"hello": hello, "witness": witness} {
			for lang, wasm := range p {
				if lang == string(languages.Go) { // too large to keep
					continue
				}
				if err := os.WriteFile(filepath.Join("testdata/abi", "oriel-1-"+name+"-"+lang+".wasm"), wasm, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	everyLanguage(t, hello, witness)
}

// BenchmarkLanguages translates 2,000 nodes with the small adapter, and reports what
// a runner takes.
func BenchmarkLanguages(b *testing.B) {
	for lang, wasm := range compiled(b, helloDirs) {
		b.Run(lang, func(b *testing.B) {
			r := newRig(b, polyglot{lang: wasm}, nil)
			input := tree.Append(nil, largeWindow(lang, 2000))
			if _, err := r.Translate(b.Context(), r.ref(lang), input, nil); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := r.Translate(b.Context(), r.ref(lang), input, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(anonymousMemory(r.runnerPID("org.example."+lang)))/(1<<20), "MB-anon")
			b.ReportMetric(float64(len(wasm)), "B-module")
			b.ReportMetric(float64(startTime(b, r, lang).Microseconds())/1000, "ms-start")
		})
	}
}

// startTime is from the need of a runner to its first answer, from the cache: the
// least of five.
func startTime(b *testing.B, r rig, lang string) time.Duration {
	a, least := r.set.Load().adapters[0], time.Hour
	for range 5 {
		a.mu.Lock()
		p := a.p
		a.p = nil
		a.mu.Unlock()
		p.end(b.Context().Err())
		began := time.Now()
		r.Translate(b.Context(), r.ref(lang), observe(lang, ""), nil) // a refusal is an answer
		least = min(least, time.Since(began))
	}
	return least
}
