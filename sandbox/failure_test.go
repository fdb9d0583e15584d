//go:build linux

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"oriel.dev/oriel/hostabi"
)

func TestPanicIsExplained(t *testing.T) { // W18, C35
	e := newEnv(t, grantAll(probeID), map[string][]byte{"probe": probe(t, probeManifest())})
	for _, command := range []string{"panic boom", "flood boom"} {
		_, err := e.act("probe", command, nil)
		f := failure(t, err)
		for _, want := range []string{probeID, "1.2.3", "invoke", "panic: probe says boom", "main.inner (main.go:", "main.middle", "main.outer"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: the error lacks %q: %v", command, want, err)
			}
		}
		if len(f.Stderr) == 0 || len(f.Stderr) > maxLines {
			t.Errorf("%s: %d lines of stderr", command, len(f.Stderr))
		}
	}
	e.act("probe", "x", nil) // ends the row of failures
	_, err := e.act("probe", "exit", nil)
	failure(t, err)
	if !strings.Contains(err.Error(), "ended itself with code 3") {
		t.Errorf("exit: %v", err)
	}
	_, err = e.act("probe", "recurse 100000000", nil)
	failure(t, err)
	t.Log(err)
}

func TestTrapNamesFrames(t *testing.T) { // C35: a guest that writes nothing
	a := newAsm(`{}`)
	a.body(0, append(append([]byte{opCall}, uleb(2)...), result(2)...)...)
	a.add(asmFunc{name: "two deep", typ: typeVoid, body: append([]byte{opCall}, uleb(3)...)})
	a.add(asmFunc{name: "three.deep(*T)", typ: typeVoid, body: []byte{opUnreachable}})
	e := newEnv(t, nil, map[string][]byte{"asm": a.bytes(manifest("t.asm", "asm"))})
	_, err := e.look("asm", "", nil)
	f := failure(t, err)
	if want := []string{"three.deep(*T)", "two deep", "translate"}; !slices.Equal(f.Frames, want) {
		t.Errorf("frames = %q, want %q", f.Frames, want)
	}
}

func TestAFaultOfTheAdaptersOwnIsNoFailure(t *testing.T) { // W06
	e := newEnv(t, grantAll(probeID), map[string][]byte{"probe": probe(t, probeManifest())})
	for range patience + 1 {
		_, err := e.look("probe", "refuse", nil)
		fault, ok := errors.AsType[*hostabi.Fault](err)
		if !ok || fault.Code != hostabi.CodeUnsupported {
			t.Fatalf("translate: %v", err)
		}
		out, err := e.act("probe", "refuse", nil)
		if err != nil || out.Fault == nil || out.Fault.Code != hostabi.CodeUnsupported {
			t.Fatalf("invoke: %+v, %v", out, err)
		}
	}
	if got := e.must("probe", "x").Summary; got != fmt.Sprintf("call %d", patience+2) {
		t.Errorf("summary = %q: the instance was replaced", got)
	}
}

func TestAnInstanceIsNeverUsedAfterATrap(t *testing.T) { // W17
	e := newEnv(t, grantAll(probeID), map[string][]byte{"probe": probe(t, probeManifest())})
	e.must("probe", "x")
	e.must("probe", "x")
	pid := e.runnerPID(probeID)
	if _, err := e.look("probe", "panic x", nil); err == nil {
		t.Fatal("no error")
	}
	if got := e.must("probe", "x").Summary; got != "call 1" {
		t.Errorf("summary = %q, want call 1 of a new instance", got)
	}
	if e.runnerPID(probeID) != pid {
		t.Error("a trap of one instance ended the other's process")
	}
}

func TestThreeFailuresInARowSetAside(t *testing.T) { // W17
	generic := newAsm(`{"title":"generic"}`)
	m := manifest("t.generic", "")
	m.Match = []hostabi.Match{{}}
	e := newEnv(t, grantAll(probeID), map[string][]byte{"probe": probe(t, probeManifest()), "generic": generic.bytes(m)})
	for range 2 {
		for range patience - 1 {
			if _, err := e.look("probe", "panic x", nil); err == nil {
				t.Fatal("no error")
			}
		}
		e.must("probe", "x") // ends the row
	}
	for i := range patience {
		if got := e.Match(window("probe", "").Window); got.ID != probeID {
			t.Fatalf("after %d failures in a row: %+v", i, got)
		}
		if _, err := e.act("probe", "panic boom", nil); err == nil {
			t.Fatal("no error")
		}
		e.must("probe", "x") // translations do not end a row of invokes
	}
	ref := e.Match(window("probe", "").Window)
	if ref.ID != "t.generic" || !strings.Contains(ref.Notice, probeID) || !strings.Contains(ref.Notice, "probe says boom") {
		t.Errorf("after %d failures: %+v", patience, ref)
	}
	select {
	case <-e.Changed():
	default:
		t.Error("Changed was not sent to")
	}
	if got := e.must("probe", "").Title; got != "generic" {
		t.Errorf("title = %q", got)
	}
	w := window("probe", "")
	own := Ref{ID: probeID, Digest: e.info(probeID).Digest}
	if _, err := e.Translate(t.Context(), own, encode(w), nil); err == nil || !strings.Contains(err.Error(), "restart oriel") {
		t.Errorf("translating all the same: %v", err)
	}
	if i := e.info(probeID); i.State != StateAside || !strings.Contains(i.Message, "boom") {
		t.Errorf("info = %+v", i)
	}
	if !strings.Contains(e.log.String(), "set aside") {
		t.Error("the log says nothing")
	}
	// The same file again changes nothing; another one does.
	if err := e.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := e.Match(window("probe", "").Window); got.ID != "t.generic" {
		t.Errorf("after a reload of the same file: %+v", got)
	}
	changed := probeManifest()
	changed.Version = "1.2.4"
	e.put("probe", probe(t, changed))
	if err := e.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := e.Match(window("probe", "").Window); got.ID != probeID || got.Version != "1.2.4" {
		t.Errorf("after a change of the file: %+v", got)
	}
}

func TestOthersDoNotNotice(t *testing.T) { // C38
	modules := map[string][]byte{"probe": probe(t, probeManifest())}
	for i := range 5 {
		id := fmt.Sprintf("t.healthy%d", i)
		modules[id] = newAsm(`{"title":"` + id + `"}`).bytes(manifest(id, id))
	}
	e := newEnv(t, grantAll(probeID), modules)
	pids := map[string]int{}
	for n := range 30 {
		for i := range 5 {
			id := fmt.Sprintf("t.healthy%d", i)
			if got := e.must(id, "").Title; got != id {
				t.Fatalf("title = %q, want %s", got, id)
			}
			if pid := e.runnerPID(id); n == 0 {
				pids[id] = pid
			} else if pid != pids[id] {
				t.Errorf("%s got another process", id)
			}
		}
		v, err := e.look("probe", []string{"x", "x", "panic x"}[n%3], nil)
		if want := fmt.Sprintf("call %d", n%3+1); n%3 == 2 && err == nil || n%3 < 2 && (err != nil || v.Summary != want) {
			t.Fatalf("call %d: %+v, %v", n, v, err)
		}
	}
	if e.info(probeID).State != StateRunning {
		t.Errorf("state = %s: three failures were not in a row", e.info(probeID).State)
	}
}

func TestAKilledRunnerIsReplaced(t *testing.T) {
	e := newEnv(t, grantAll(probeID), map[string][]byte{"probe": probe(t, probeManifest())})
	kill := func() { syscall.Kill(e.runnerPID(probeID), syscall.SIGKILL) }
	e.must("probe", "x")
	kill()
	if got := e.must("probe", "x").Summary; got != "call 1" {
		t.Errorf("summary = %q", got)
	}

	// In the middle of an invoke: never made again.
	made := 0
	_, err := e.act("probe", "call 3", services(func(context.Context, hostabi.Function, []byte) ([]byte, *hostabi.Fault) {
		made++
		kill()
		return observe("probe", ""), nil
	}))
	failure(t, err)
	if made != 1 || !strings.Contains(err.Error(), "signal: killed") {
		t.Errorf("made %d times: %v", made, err)
	}

	// In the middle of a translate: made once more, on a new runner.
	pixels := manifest(probeID, "probe", every()...)
	pixels.Needs = []string{"pixels"}
	e.put("probe", probe(t, pixels))
	if err := e.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	made = 0
	_, err = e.look("probe", "all", services(func(context.Context, hostabi.Function, []byte) ([]byte, *hostabi.Fault) {
		if made++; made == 1 {
			kill()
		}
		return nil, nil
	}))
	if err != nil || made < 3 {
		t.Errorf("translate after its runner's death: %v, %d host calls", err, made)
	}
}

// TestKilledAtEveryMoment kills the runner at the n-th host call of an invoke,
// for every n, while translations go on.
func TestKilledAtEveryMoment(t *testing.T) {
	e := newEnv(t, grantAll(probeID), map[string][]byte{"probe": probe(t, probeManifest())})
	const calls = 8
	for at := range calls + 1 {
		n := 0
		_, err := e.act("probe", fmt.Sprintf("call %d", calls), services(func(context.Context, hostabi.Function, []byte) ([]byte, *hostabi.Fault) {
			if n == at {
				syscall.Kill(e.runnerPID(probeID), syscall.SIGKILL)
			}
			n++
			return observe("probe", ""), nil
		}))
		if killed := at < calls; (err != nil) != killed {
			t.Fatalf("killed at host call %d: %v", at, err)
		}
		if n > at+1 {
			t.Errorf("killed at host call %d, but %d were made", at, n)
		}
		e.must("probe", "x") // also ends the process's part of the row
		e.act("probe", "x", nil)
	}
}

func TestALongInvokeDoesNotHoldUpTranslate(t *testing.T) { // W15
	e := newEnv(t, func(c *Config) {
		grantAll(probeID)(c)
		c.Limits.Invoke = 2 * time.Second
	}, map[string][]byte{"probe": probe(t, probeManifest())})
	w := largeWindow("probe", 2000)
	ref := e.Match(w.Window)
	e.must("probe", "warm")
	input := encode(w)
	done := make(chan error)
	go func() {
		_, err := e.act("probe", "fib 60", nil) // never yields
		done <- err
	}()
	var worst time.Duration
	n := 0
	for stop := time.After(1500 * time.Millisecond); ; n++ {
		select {
		case <-stop:
		default:
			began := time.Now()
			if _, err := e.Translate(t.Context(), ref, input, nil); err != nil {
				t.Fatal(err)
			}
			worst = max(worst, time.Since(began))
			continue
		}
		break
	}
	t.Logf("%d translations of 2,000 nodes beside an invoke that never yields, the slowest %v", n, worst)
	if n < 20 || worst > 400*time.Millisecond {
		t.Errorf("%d translations, the slowest %v", n, worst)
	}
	failure(t, <-done)
}

func TestCancelling(t *testing.T) {
	e := newEnv(t, grantAll(probeID), map[string][]byte{"probe": probe(t, probeManifest())})
	for name, command := range map[string]string{"computing": "fib 60", "in a host call": "call 1"} {
		e.must("probe", "x")
		if _, err := e.act("probe", "x", nil); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var leaseEnded error
		sv := services(func(ctx context.Context, _ hostabi.Function, _ []byte) ([]byte, *hostabi.Fault) {
			cancel()
			<-ctx.Done()
			leaseEnded = ctx.Err()
			return nil, &hostabi.Fault{Code: hostabi.CodeTimeout, Message: "too late"}
		})
		if command == "fib 60" {
			time.AfterFunc(100*time.Millisecond, cancel)
		}
		began := time.Now()
		ref := e.Match(window("probe", "").Window)
		out, err := e.Invoke(ctx, ref, hostabi.Call{Action: command, Observation: observe("probe", "")}, sv)
		if took := time.Since(began); took > 100*time.Millisecond+grace+250*time.Millisecond {
			t.Errorf("%s: answered after %v", name, took)
		}
		if command == "fib 60" && !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %+v, %v", name, out, err)
		}
		if command == "call 1" && (err != nil || out.Fault.Code != hostabi.CodeTimeout || leaseEnded == nil) {
			t.Errorf("%s: %+v, %v: the guest ended in order and knows what happened", name, out, err)
		}
	}
	if i := e.info(probeID); i.Message != "" {
		t.Errorf("a cancelled call counted against the adapter: %q", i.Message)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Translate(ctx, e.Match(window("probe", "").Window), observe("probe", ""), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: %v", err)
	}
}

func TestClosingEndsEverything(t *testing.T) {
	e := newEnv(t, grantAll(probeID), map[string][]byte{"probe": probe(t, probeManifest())})
	e.must("probe", "x")
	errs := make(chan error, 2)
	inCall := make(chan struct{})
	go func() {
		_, err := e.act("probe", "call 1", services(func(ctx context.Context, _ hostabi.Function, _ []byte) ([]byte, *hostabi.Fault) {
			close(inCall)
			<-ctx.Done()
			return nil, nil
		}))
		errs <- err
	}()
	<-inCall
	go func() {
		_, err := e.look("probe", "fib 60", nil)
		errs <- err
	}()
	began := time.Now()
	e.Close()
	if took := time.Since(began); took > time.Second {
		t.Errorf("closing took %v", took)
	}
	for range 2 {
		if err := <-errs; err == nil {
			t.Error("a call outlived the sandbox")
		}
	}
	e.Close()
	if _, err := e.look("probe", "x", nil); !errors.Is(err, errClosed) {
		t.Errorf("after Close: %v", err)
	}
}

func TestIdleRunnersEnd(t *testing.T) { // W15
	e := newEnv(t, func(c *Config) {
		grantAll(probeID)(c)
		c.Limits.Idle = 50 * time.Millisecond
	}, map[string][]byte{"probe": probe(t, probeManifest())})
	e.must("probe", "x")
	eventually(t, "the runner is gone", func() bool { return e.runnerPID(probeID) == 0 && len(children()) == 0 })
	if got := e.must("probe", "x").Summary; got != "call 1" {
		t.Errorf("summary = %q", got)
	}
	if i := e.info(probeID); i.Message != "" {
		t.Errorf("message = %q", i.Message)
	}
	// A start whose caller gives up goes on, and its runner rests, too.
	eventually(t, "the runner is gone again", func() bool { return e.runnerPID(probeID) == 0 })
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := e.Translate(ctx, e.Match(window("probe", "").Window), observe("probe", ""), nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a start within 1 ms: %v", err)
	}
	eventually(t, "the start is over", func() bool { return e.info(probeID).Confined != nil && len(children()) == 0 })
}

func TestARunnerThatCannotWorkIsTheHostsFault(t *testing.T) {
	for name, c := range map[string]struct {
		cmd  []string
		want string
	}{
		"no such program":      {[]string{"/nonexistent/oriel"}, "no such file"},
		"another program":      {[]string{"/bin/true"}, "exit status 0"},
		"a wrong subcommand":   {[]string{runnerCommand(t)[0], "runner", "serve"}, "the host starts it by itself"},
		"one that talks wrong": {[]string{"/bin/sh", "-c", "echo nonsense nonsense nonsense; sleep 60"}, "frame"},
	} {
		e := newEnv(t, func(cfg *Config) { cfg.Runner = c.cmd; cfg.CacheDir = t.TempDir() }, map[string][]byte{"asm": newAsm(`{}`).bytes(manifest("t.asm", "asm"))})
		_, err := e.look("asm", "", nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if name != "one that talks wrong" && strings.Contains(err.Error(), "adapter's fault") {
			t.Errorf("%s: blames the adapter: %v", name, err)
		}
	}
}

// TestTheHostsDeathEndsItsRunners starts a host of its own, which this process
// then kills.
func TestTheHostsDeathEndsItsRunners(t *testing.T) { // "after any death no process stays behind"
	for _, command := range []string{"x", "fib 60"} {
		pid, host := startHost(t, command)
		if err := host.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		host.Wait() // it was killed
		eventually(t, "the runner is gone with its host", func() bool {
			b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
			return err != nil || strings.Contains(string(b), ") Z ")
		})
	}
}

// Runners that somebody else kills, as a kernel short of memory does, are no failure
// of the adapter (W17): it goes on serving however often that happens.
func TestRunnersKilledFromOutsideAreNoFailure(t *testing.T) {
	e := newEnv(t, grantAll(probeID), map[string][]byte{"probe": probe(t, probeManifest())})
	for range 5 {
		e.must("probe", "x")
		if err := syscall.Kill(e.runnerPID(probeID), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	e.must("probe", "x")
	if i := e.info(probeID); i.State == StateAside {
		t.Errorf("set aside: %s", i.Message)
	}
}
