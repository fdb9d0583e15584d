//go:build linux

package sandbox

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"oriel.dev/oriel/hostabi"
)

// answersWithin demands that a call fails within its deadline and 250 ms, names
// what it ran into, and leaves no process of the adapter behind.
func answersWithin(t *testing.T, e *env, id string, deadline time.Duration, call func() error, want ...string) {
	t.Helper()
	before := e.runnerPID(id)
	began := time.Now()
	err := call()
	took := time.Since(began)
	if err == nil {
		t.Fatal("no error")
	}
	f := failure(t, err)
	t.Logf("after %v: %v", took.Round(time.Millisecond), err)
	if took > deadline+250*time.Millisecond {
		t.Errorf("answered after %v, want within %v and 250 ms", took, deadline)
	}
	for _, w := range append(want, id, "1.2.3", f.Function) {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("the error lacks %q: %v", w, err)
		}
	}
	if before != 0 {
		eventually(t, "the process is gone", func() bool {
			_, err := os.Stat(fmt.Sprintf("/proc/%d", before))
			return err != nil
		})
	}
}

func TestTimeLimits(t *testing.T) { // W16, C39: endless loop, loop-free recursion
	const limit = 500 * time.Millisecond
	e := newEnv(t, func(c *Config) {
		grantAll(probeID)(c)
		c.Limits.Invoke = 700 * time.Millisecond
	}, map[string][]byte{"probe": probe(t, probeManifest())})
	for _, command := range []string{"spin", "fib 60"} {
		e.must("probe", "warm")
		answersWithin(t, e, probeID, limit, func() error {
			_, err := e.look("probe", command, nil)
			return err
		}, "translate failed: it took longer than 500ms")
		e.must("probe", "warm")
		answersWithin(t, e, probeID, 700*time.Millisecond, func() error {
			_, err := e.act("probe", command, nil)
			return err
		}, "invoke failed: it took longer than 700ms")
	}
	// Sleeping is the guest's own time, too.
	e.must("probe", "warm")
	answersWithin(t, e, probeID, 700*time.Millisecond, func() error {
		_, err := e.act("probe", "sleep 5000", nil)
		return err
	}, "invoke failed: it took longer than 700ms")
}

func TestManifestTightensAndNeverWidens(t *testing.T) { // W16
	l := Limits{}.withDefaults()
	got := l.tighten(hostabi.Limits{TranslateMS: 100, InvokeMS: 20_000, MemoryMB: 128})
	if got.Translate != 100*time.Millisecond || got.Memory != 64<<20 {
		t.Errorf("tightened to %+v", got)
	}
	// Only the time of an action can be asked for, up to that of the whole call.
	if more := l.tighten(hostabi.Limits{InvokeMS: 90_000}); got.Invoke != 20*time.Second || more.Invoke != 60*time.Second {
		t.Errorf("actions may take %v and %v", got.Invoke, more.Invoke)
	}
	m := probeManifest()
	m.Limits = hostabi.Limits{TranslateMS: 150}
	e := newEnv(t, grantAll(probeID), map[string][]byte{"probe": probe(t, m)})
	e.must("probe", "warm")
	answersWithin(t, e, probeID, 150*time.Millisecond, func() error {
		_, err := e.look("probe", "spin", nil)
		return err
	}, "150ms")
}

func TestTheGuestsClockStopsDuringHostCalls(t *testing.T) { // W15
	e := newEnv(t, func(c *Config) {
		grantAll(probeID)(c)
		c.Limits.Invoke = 300 * time.Millisecond
	}, map[string][]byte{"probe": probe(t, probeManifest())})
	slow := services(func(ctx context.Context, f hostabi.Function, _ []byte) ([]byte, *hostabi.Fault) {
		select {
		case <-time.After(400 * time.Millisecond):
		case <-ctx.Done():
		}
		return observe("probe", ""), nil
	})
	if _, err := e.act("probe", "call 2", slow); err != nil {
		t.Errorf("800 ms in host calls counted as the guest's: %v", err)
	}
}

func TestTotalLimitNamesTheHost(t *testing.T) {
	e := newEnv(t, func(c *Config) {
		grantAll(probeID)(c)
		c.Limits.Total = 300 * time.Millisecond
	}, map[string][]byte{"probe": probe(t, probeManifest())})
	e.must("probe", "warm")
	hangs := services(func(ctx context.Context, _ hostabi.Function, _ []byte) ([]byte, *hostabi.Fault) {
		<-ctx.Done()
		return nil, &hostabi.Fault{Code: hostabi.CodeTimeout, Message: "the application does not answer"}
	})
	// The guest is told, and may end in order within the time of grace.
	out, err := e.act("probe", "call 1", hangs)
	if err != nil || out.Fault == nil || out.Fault.Code != hostabi.CodeTimeout {
		t.Errorf("got %+v, %v", out, err)
	}
}

func TestMemoryGrowth(t *testing.T) { // W16, C39
	e := newEnv(t, grantAll(probeID), map[string][]byte{"probe": probe(t, probeManifest())})
	e.must("probe", "warm")
	pid := e.runnerPID(probeID)
	before := anonymousMemory(pid)
	_, err := e.look("probe", "grow", nil)
	f := failure(t, err)
	t.Logf("%v; %d MB at the end", err, anonymousMemory(pid)>>20)
	if !strings.Contains(err.Error(), "out of memory") && !strings.Contains(f.Message, "took longer") {
		t.Errorf("the error names no memory: %v", err)
	}
	e.must("probe", "again")
	eventually(t, "the memory is given back", func() bool {
		now := e.runnerPID(probeID)
		return now != 0 && anonymousMemory(now) < before+16<<20
	})
}

// tableBomb grows a table without a declared maximum, which the check of the
// bytes cannot see, and touches what it got.
func tableBomb() *asm {
	a := newAsm(`{}`)
	a.tables = []byte{0x70, 0, 1}
	grow := []byte{0xd0, 0x70, opI32Const}
	grow = append(grow, sleb(1<<20)...)
	grow = append(grow, 0xfc, 15, 0, opDrop) // table.grow
	a.body(0, append(append([]byte{opLoop, voidBlock}, grow...), opBr, 0, opEnd, opUnreachable)...)
	return a
}

func TestTheRunnersMemoryIsWatched(t *testing.T) { // W16: what the engine's own limit does not cover
	const limit = 20 * time.Second
	e := newEnv(t, func(c *Config) { c.Limits.Translate = limit }, map[string][]byte{"table": tableBomb().bytes(manifest("t.table", "table"))})
	answersWithin(t, e, "t.table", limit, func() error {
		_, err := e.look("table", "", nil)
		return err
	}, "MB of memory", "the limit is 384 MB")
}

func TestLoopInTheStartSection(t *testing.T) { // C39
	a := newAsm(`{}`)
	a.start = int(a.add(asmFunc{name: "start", typ: typeVoid, body: []byte{opLoop, voidBlock, opBr, 0, opEnd}}))
	e := newEnv(t, func(c *Config) { c.Limits.Start = time.Second }, map[string][]byte{"start": a.bytes(manifest("t.start", "start"))})
	// The code has to be there, so that only the start counts.
	if err := e.set.Load().adapters[0].build(t.Context()); err != nil {
		t.Fatal(err)
	}
	answersWithin(t, e, "t.start", time.Second, func() error {
		_, err := e.look("start", "", nil)
		return err
	}, "start failed: it took longer than 1s")
}

// compileBomb has n nested loops over n locals, which the engine's compiler
// takes time for that grows with the fourth power.
func compileBomb(n int) *asm {
	a := newAsm(`{}`)
	var body []byte
	for range n {
		body = append(body, opLoop, voidBlock)
	}
	for i := range n {
		l := uleb(uint64(i + 2))
		body = append(append(append(append(body, opLocalGet), l...), opLocalSet), l...)
	}
	for range n {
		body = append(body, opEnd)
	}
	a.funcs[0].locals = append(append([]byte{1}, uleb(uint64(n))...), 0x7f)
	a.funcs[0].body = append(body, result(2)...)
	return a
}

func TestCompileBomb(t *testing.T) { // C39
	e := newEnv(t, func(c *Config) {
		c.CacheDir = t.TempDir()
		c.Limits.Compile = time.Second
	}, map[string][]byte{"bomb": compileBomb(1000).bytes(manifest("t.bomb", "bomb"))})
	answersWithin(t, e, "t.bomb", time.Second, func() error {
		_, err := e.look("bomb", "", nil)
		return err
	}, "compile failed: it took longer than 1s")
	if i := e.info("t.bomb"); i.State != StateAside {
		t.Errorf("state = %s: compiling again would end the same", i.State)
	}
	if dirs, err := os.ReadDir(e.cfg.CacheDir); err != nil || len(dirs) > 0 {
		t.Errorf("left in the cache: %v, %v", dirs, err)
	}
}

func TestOutputLimits(t *testing.T) { // W13, W16
	e := newEnv(t, grantAll(probeID), map[string][]byte{"probe": probe(t, probeManifest())})
	for command, want := range map[string]string{
		"huge 300000": "the limit is 262144",
		"bad":         "blocks[0].type",
	} {
		_, err := e.look("probe", command, nil)
		failure(t, err)
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", command, err)
		}
	}
	a := newAsm(`{"title":"x"}`)
	for name, c := range map[string]struct {
		at, n int64
		want  string
	}{
		"nothing":        {0, 0, "returned nothing"},
		"outside":        {1 << 30, 10, "not in the adapter's memory"},
		"no JSON":        {allocAt + 1<<12, 8, "reading view"},
		"half outside":   {1<<16 - 4, 8, "not in the adapter's memory"},
		"beyond a frame": {0, 1 << 31, "the limit is"},
	} {
		v := uint64(c.at)<<32 | uint64(c.n)
		e := newEnv(t, nil, map[string][]byte{"asm": a.body(0, append([]byte{opI64Const}, sleb(int64(v))...)...).bytes(manifest("t.asm", "asm"))})
		_, err := e.look("asm", "", nil)
		failure(t, err)
		if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestHostCallLimits(t *testing.T) { // W16
	e := newEnv(t, func(c *Config) {
		grantAll(probeID)(c)
		c.Limits.HostCalls = 50
	}, map[string][]byte{"probe": probe(t, probeManifest())})
	if _, err := e.act("probe", "call 50", observing); err != nil {
		t.Errorf("50 calls: %v", err)
	}
	answersWithin(t, e, probeID, 10*time.Second, func() error {
		_, err := e.act("probe", "call 51", observing)
		return err
	}, "more than 50 times")
}

func TestLogIsLimitedAndClean(t *testing.T) { // W16
	e := newEnv(t, grantAll(probeID), map[string][]byte{"probe": probe(t, probeManifest())})
	if _, err := e.act("probe", "log 250", nil); err != nil {
		t.Fatal(err)
	}
	log := e.log.String()
	if n := strings.Count(log, "line "); n < 100 || n > 210 { // the call may span the end of a second
		t.Errorf("%d lines were logged, want 100 a second", n)
	}
	if strings.Contains(log, "\x1b") || !strings.Contains(log, "adapter="+probeID) || !strings.Contains(log, `msg="line 0 [31mred"`) {
		t.Errorf("log = %.300s", log)
	}
}

func TestAllowanceCountsWhatItDrops(t *testing.T) {
	var l allowance
	at := time.Unix(1000, 0)
	for i := range 5 {
		if ok, _ := l.take(at, 3); ok != (i < 3) {
			t.Errorf("line %d: %v", i, ok)
		}
	}
	if ok, dropped := l.take(at.Add(time.Second), 3); !ok || dropped != 2 {
		t.Errorf("in the next second: %v, %d dropped", ok, dropped)
	}
}

func TestRequestsOfAnySizeAreSafe(t *testing.T) {
	// A request outside of memory traps; a take without a reply takes nothing.
	a := newAsm(`{"title":"x"}`).imported("oriel:tree", "observe")
	call := append([]byte{opI32Const}, sleb(1<<20)...)
	call = append(append(call, opI32Const), sleb(1<<20)...)
	a.body(0, append(append(call, opCall, 0, opDrop), result(13)...)...)
	e := newEnv(t, grantAll("t.asm"), map[string][]byte{"asm": a.bytes(manifest("t.asm", "asm", hostabi.CapTree))})
	_, err := e.look("asm", "", nil)
	failure(t, err)
	if !strings.Contains(err.Error(), "not in the adapter's memory") || strings.Contains(err.Error(), "recovered by wazero") {
		t.Errorf("error = %v", err)
	}
}
