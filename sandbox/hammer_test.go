//go:build linux

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"syscall"
	"testing"
	"time"

	"oriel.dev/oriel/hostabi"
)

// TestHammer uses two adapters from many goroutines at once while their runners
// are killed at any moment, calls are cancelled, and files are reloaded. Every
// call ends in time and with a result or an error that says why.
func TestHammer(t *testing.T) {
	m := probeManifest()
	second := manifest("dev.oriel.test.second", "second")
	e := newEnv(t, grantAll(probeID), map[string][]byte{
		"probe": probe(t, m), "second": newAsm(`{"title":"second"}`).bytes(second),
	})
	e.must("probe", "x")
	e.must("second", "x")
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	var all sync.WaitGroup
	var mu sync.Mutex // guards counts
	counts := map[string]int{}
	count := func(what string) {
		mu.Lock()
		defer mu.Unlock()
		counts[what]++
	}
	for g := range 6 {
		all.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(g)))
			for ctx.Err() == nil {
				app := []string{"probe", "second"}[r.IntN(2)]
				call, stop := context.WithTimeout(ctx, time.Duration(1+r.IntN(300))*time.Millisecond)
				title := "x"
				switch r.IntN(40) {
				case 0:
					title = "panic x"
				case 1, 2, 3:
					title = "refuse"
				}
				w := window(app, title)
				began := time.Now()
				var err error
				if ref := e.Match(w.Window); r.IntN(3) > 0 {
					_, err = e.Translate(call, ref, encode(w), observing)
				} else {
					_, err = e.Invoke(call, ref, hostabi.Call{Action: fmt.Sprintf("call %d", r.IntN(20)), Observation: encode(w)}, observing)
				}
				stop()
				if took := time.Since(began); took > 2*time.Second {
					t.Errorf("a call took %v: %v", took, err)
				}
				_, isFailure := errors.AsType[*Failure](err)
				_, isFault := errors.AsType[*hostabi.Fault](err)
				switch {
				case err == nil:
					count("done")
				case isFailure:
					count("failed")
				case isFault:
					count("refused")
				case errors.Is(err, context.DeadlineExceeded):
					count("given up")
				default:
					t.Errorf("unexplained: %v", err)
				}
			}
		})
	}
	all.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			if pid := e.runnerPID([]string{probeID, second.ID}[i%2]); pid != 0 {
				syscall.Kill(pid, syscall.SIGKILL)
				count("kills")
			}
			if i%4 == 3 { // what was set aside gets a new file
				m.Description = fmt.Sprint("version ", i)
				second.Description = m.Description
				e.put("second", newAsm(`{"title":"second"}`).bytes(second))
				if err := e.Reload(ctx); err != nil && ctx.Err() == nil {
					t.Errorf("reloading: %v", err)
				}
				count("reloads")
			}
			select {
			case <-ctx.Done():
			case <-time.After(time.Duration(rand.IntN(120)) * time.Millisecond):
			}
		}
	})
	all.Wait()
	t.Logf("%v", counts)
	if counts["done"] < 20 {
		t.Errorf("only %d calls were done", counts["done"])
	}
}
