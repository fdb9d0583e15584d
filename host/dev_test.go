package host

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"oriel.dev/oriel/sandbox"
	"oriel.dev/oriel/tree"
)

// showing assembles the least module that always shows a view with this title.
func showing(title string, manifest bool) []byte {
	const dataAt = 8
	view := fmt.Sprintf(`{"title":%q}`, title)
	num := func(n int) []byte { return binary.AppendUvarint(nil, uint64(n)) }
	text := func(s string) []byte { return append(num(len(s)), s...) }
	section := func(id byte, body ...[]byte) []byte {
		b := slices.Concat(body...)
		return slices.Concat([]byte{id}, num(len(b)), b)
	}
	export := func(name string, kind, index byte) []byte { return append(text(name), kind, index) }
	result := []byte{0, 0x42}
	for n := int64(dataAt)<<32 | int64(len(view)); ; n >>= 7 { // as a signed number
		if n < 64 {
			result = append(result, byte(n), 0x0b)
			break
		}
		result = append(result, byte(n&0x7f)|0x80)
	}
	const i32, i64 = 0x7f, 0x7e
	out := slices.Concat([]byte("\x00asm\x01\x00\x00\x00"),
		section(1, []byte{2, 0x60, 1, i32, 1, i32, 0x60, 2, i32, i32, 1, i64}),
		section(3, []byte{2, 0, 1}),
		section(5, []byte{1, 0, 1}),
		section(7, num(3), export("memory", 2, 0), export("oriel_alloc", 0, 0), export("oriel_translate", 0, 1)),
		section(10, num(2), []byte{5, 0, 0x41, 0x80, 0x20, 0x0b}, num(len(result)), result),
		section(11, []byte{1, 0, 0x41, dataAt, 0x0b}, text(view)))
	if !manifest {
		return out
	}
	return append(out, section(0, text("oriel.manifest"), []byte(`{"id":"org.example.dev","name":"Dev","version":"0.1.0","abi":"oriel/1",`+
		`"description":"Is changed all the time.","license":"MIT","match":[{"app":"dev"}]}`))...)
}

// devBench is Host.Dev over a sandbox, without a desktop.
type devBench struct {
	testing.TB
	host     *Host
	receipts chan Receipt // closed when Dev has ended
}

func newDevBench(t testing.TB, d DevConfig) *devBench {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Sandbox: sandbox.Config{CacheDir: t.TempDir(), Runner: []string{exe, RunnerCommand}, Limits: sandbox.Limits{Start: 20 * time.Second}}}
	remove, err := PrepareDev(&cfg)
	if err != nil {
		t.Fatal(err)
	}
	box, err := sandbox.New(t.Context(), cfg.Sandbox)
	if err != nil {
		t.Fatal(err)
	}
	b := &devBench{TB: t, host: &Host{cfg: cfg, sandbox: box, log: slog.New(slog.DiscardHandler)}, receipts: make(chan Receipt, 1000)}
	d.Receipt = func(r Receipt) { b.receipts <- r }
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer close(b.receipts)
		if err := b.host.Dev(ctx, d); err != nil {
			t.Errorf("following the adapter: %v", err)
		}
	}()
	t.Cleanup(func() {
		cancel()
		for range b.receipts { // until it has ended
		}
		box.Close()
		if err := remove(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// until waits for a receipt.
func (b *devBench) until(what string, is func(Receipt) bool) Receipt {
	b.Helper()
	limit := time.NewTimer(time.Minute)
	defer limit.Stop()
	for {
		select {
		case r, open := <-b.receipts:
			if !open {
				b.Fatalf("it ended while waiting for %s", what)
			}
			if is(r) {
				return r
			}
		case <-limit.C:
			b.Fatalf("waited a minute in vain for %s", what)
		}
	}
}

// title is what the adapter shows now.
func (b *devBench) title() string {
	b.Helper()
	w := tree.Window{App: "dev", Role: "normal"}
	view, err := b.host.sandbox.Translate(b.Context(), b.host.sandbox.Match(w), tree.Append(nil, &tree.Tree{Window: w}), nil)
	if err != nil {
		b.Fatal(err)
	}
	return view.Title
}

// C34, W21: fifty rebuilds, by rename, in place, half-written first, and with the
// same size and time: a receipt each, and the next call shows the new version; what
// is broken leaves the last good one.
func TestDevTakesFiftyRebuildsOver(t *testing.T) {
	file := filepath.Join(t.TempDir(), "adapter.wasm")
	write := func(path string, data []byte) {
		t.Helper()
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(file, showing("00", true))
	b := newDevBench(t, DevConfig{Path: file})
	b.until("the first version", func(r Receipt) bool { return r.Digest != "" && r.Err == nil })
	then := time.Now().Add(-time.Hour)
	var took []time.Duration
	for i := range 50 {
		title := fmt.Sprintf("%02d", i+1)
		wasm := showing(title, true)
		info := func(r Receipt) bool { return r.Err == nil && r.Digest != "" }
		began := time.Now()
		switch i % 4 {
		case 0:
			write(file+".tmp", wasm)
			if err := os.Rename(file+".tmp", file); err != nil {
				t.Fatal(err)
			}
		case 1:
			write(file, wasm)
		case 2:
			write(file, wasm[:len(wasm)/2])
			r := b.until("a receipt of half a file", func(r Receipt) bool { return r.Err != nil })
			if got := b.title(); got != fmt.Sprintf("%02d", i) {
				t.Fatalf("with half of %s the title is %s; the receipt is %+v", title, got, r)
			}
			began = time.Now()
			write(file, wasm)
		case 3:
			write(file, wasm)
			if err := os.Chtimes(file, then, then); err != nil {
				t.Fatal(err)
			}
		}
		r := b.until("the version "+title, info)
		took = append(took, time.Since(began))
		if got := b.title(); got != title || r.Before == "" || r.Before == r.Digest {
			t.Fatalf("the title is %s, want %s; the receipt is %+v", got, title, r)
		}
	}
	slices.Sort(took)
	t.Logf("change to new version serving: p50 %v, p95 %v, most %v", took[25], took[47], took[49])
}

// W21: a folder is built by the command that was named; a broken build leaves the
// last good version, and a wish builds again.
func TestDevBuildsAFolder(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("adapter.toml", []byte("id = \"org.example.dev\"\nname = \"Dev\"\nversion = \"0.1.0\"\nabi = \"oriel/1\"\n"+
		"description = \"Is changed all the time.\"\nlicense = \"MIT\"\n\n[[match]]\napp = \"dev\"\n"))
	write("source", showing("one", false))
	again := make(chan struct{})
	b := newDevBench(t, DevConfig{Path: dir, Again: again, Command: `grep -qv broken source && cp source "$ORIEL_OUT"`})
	b.until("the first version", func(r Receipt) bool { return r.Err == nil && r.Digest != "" })
	write("source", []byte("broken"))
	r := b.until("a broken build", func(r Receipt) bool { return r.Err != nil })
	var text strings.Builder
	if err := r.Write(&text); err != nil || !strings.Contains(text.String(), "what served before serves on") {
		t.Errorf("the receipt reads %q, %v", text.String(), err)
	}
	if got := b.title(); got != "one" {
		t.Errorf("title = %q, want the last good one", got)
	}
	if err := os.Mkdir(filepath.Join(dir, "parts"), 0o700); err != nil {
		t.Fatal(err)
	}
	write("source", showing("two", false))
	r = b.until("the second version", func(r Receipt) bool { return r.Err == nil && r.Digest != "" })
	text.Reset()
	if err := r.Write(&text); err != nil || !strings.Contains(text.String(), " "+r.Digest[:12]+" org.example.dev 0.1.0, ") {
		t.Errorf("the receipt reads %q, %v", text.String(), err)
	}
	if got := b.title(); got != "two" {
		t.Errorf("title = %q", got)
	}
	select {
	case again <- struct{}{}:
	case <-time.After(time.Minute):
		t.Fatal("a wish for another round is not taken")
	}
	b.until("the same version", func(r Receipt) bool { return r.Err == nil && r.Digest == "" })
	write("parts/more", []byte("changes nothing")) // in a folder that is new
	b.until("the same version once more", func(r Receipt) bool { return r.Err == nil && r.Digest == "" })
}

// What cannot be watched is said at once.
func TestDevOfNothing(t *testing.T) {
	b := newDevBench(t, DevConfig{Path: filepath.Join(t.TempDir(), "nowhere")})
	if r := b.until("a receipt", func(Receipt) bool { return true }); !errors.Is(r.Err, os.ErrNotExist) {
		t.Errorf("the receipt is %+v", r)
	}
}
