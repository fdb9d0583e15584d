//go:build !wasip1

package pluginsdk

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"oriel.dev/oriel/hostabi/check"
)

// W10: the linker keeps the imports that the adapter's code reaches and no
// other, so a manifest asks for what is used and nothing else.
func TestModuleImportsWhatItUses(t *testing.T) {
	out := filepath.Join(t.TempDir(), "small.wasm")
	build := exec.CommandContext(t.Context(), "go", "build", "-buildmode=c-shared", "-ldflags=-s -w", "-o", out, "./testdata/small")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building: %v\n%s", err, text)
	}
	wasm, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	wasm, err = check.Embed(wasm, []byte(`{"id":"org.example.small","name":"Small","version":"1.0.0","abi":"oriel/1","description":"Small.",`+
		`"license":"Apache-2.0","match":[{"app":"x"}],"permission":[{"capability":"oriel:a11y","reason":"to set the focus"},`+
		`{"capability":"oriel:log","reason":"to say what it does"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	info, err := check.Module(wasm)
	if err != nil {
		t.Fatal(err)
	}
	var ours []string
	for _, i := range info.Imports {
		if i.Module != "wasi_snapshot_preview1" {
			ours = append(ours, i.Module+" "+i.Name)
		}
	}
	slices.Sort(ours)
	if want := []string{"oriel:a11y focus", "oriel:host take", "oriel:log write"}; !slices.Equal(ours, want) {
		t.Errorf("the module imports %q, want %q", ours, want)
	}
	if !info.Invokes() {
		t.Error("the module has no oriel_invoke")
	}
	t.Logf("the module has %d bytes", info.Size)
}
