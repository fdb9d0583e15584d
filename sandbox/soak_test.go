//go:build linux

package sandbox

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"oriel.dev/oriel/hostabi"
)

var soak = flag.Bool("soak", false, "reload 500 times and call 100,000 times, and judge memory too")

// residentMemory is this process's, after everything that can be given back was.
func residentMemory(t testing.TB) int64 {
	t.Helper()
	runtime.GC()
	debug.FreeOSMemory()
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.ParseInt(strings.Fields(string(b))[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

// TestC40NothingIsLeftByReloadsAndCalls: a host that reloads an adapter and calls
// it all day keeps no process, no descriptor, no goroutine and no memory.
func TestC40NothingIsLeftByReloadsAndCalls(t *testing.T) {
	reloads, calls := 15, 600
	if *soak {
		reloads, calls = 500, 100_000
	}
	m := manifest("t.soak", "soak", hostabi.CapLog)
	version := func(i int) []byte {
		m.Description = fmt.Sprint("version ", i)
		return withImports(m, newAsm(fine), "oriel:log write", asking(`{"level":"debug","text":"x"}`)).bytes(m)
	}
	e := newEnv(t, func(c *Config) {
		grantAll(m.ID)(c)
		c.CacheDir, c.Limits.Cache, c.Limits.LogLines = t.TempDir(), 1<<20, 1
	}, map[string][]byte{"soak": version(0), "other": newAsm(fine).bytes(manifest("t.other", "other"))})
	e.must("other", "")
	round := func(i int) {
		t.Helper()
		e.put("soak", version(i))
		if err := e.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		for n := range calls / reloads {
			if n%4 == 3 {
				if _, err := e.act("soak", "x", nil); err != nil {
					t.Fatal(err)
				}
				continue
			}
			e.must("soak", "")
		}
	}
	settled := func() (processes, files, goroutines int) {
		return len(children()), openFiles(t), runtime.NumGoroutine()
	}
	for i := range reloads / 5 { // until everything that is kept for good is there
		round(-i)
	}
	eventually(t, "two runners are left", func() bool { return len(children()) == 2 })
	processes, files, goroutines := settled()
	memory := residentMemory(t)
	for i := range reloads {
		round(i + 1)
	}
	eventually(t, "nothing is left", func() bool {
		p, f, g := settled()
		return p <= processes && f <= files && g <= goroutines
	})
	now := residentMemory(t)
	t.Logf("%d reloads, %d calls: %d processes, %d descriptors, %d goroutines, %.1f MB before and %.1f MB after",
		reloads, calls, processes, files, goroutines, float64(memory)/(1<<20), float64(now)/(1<<20))
	if *soak && now > memory+memory/20 {
		t.Errorf("the memory grew from %d to %d bytes", memory, now)
	}
}

// BenchmarkThirtyCold is how long a host that finds 30 adapters of 10 MB which
// were never compiled takes until it can answer, and until the first of them
// serves a window.
func BenchmarkThirtyCold(b *testing.B) { // C40
	modules := map[string][]byte{}
	for i := range 30 {
		name := fmt.Sprint("cold-", i)
		wasm := guestOf(b, "probe", manifest("t."+name, name, every()...))
		modules[name] = append(wasm, section(0, append(asmName("padding"), make([]byte, 10<<20-len(wasm))...))...)
	}
	e := newEnv(b, func(c *Config) { c.CacheDir = b.TempDir() }, modules)
	var answer time.Duration
	for b.Loop() {
		cfg := e.cfg
		cfg.CacheDir = b.TempDir()
		began := time.Now()
		s, err := New(b.Context(), cfg)
		if err != nil {
			b.Fatal(err)
		}
		s.Warm(b.Context())
		s.Match(window("cold-29", "").Window)
		answer += time.Since(began)
		<-s.Changed() // the first of them is compiled
		b.StopTimer()
		s.Close()
		b.StartTimer()
	}
	b.ReportMetric(float64(answer.Milliseconds())/float64(b.N), "ms-to-answer")
}
