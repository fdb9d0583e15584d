package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/tetratelabs/wazero/experimental"
)

// The stages of a runner, its first argument. The second is the adapter's
// directory in the cache; the third, which the runner adds when it executes
// itself again, says how far it could confine itself.
const (
	stageServe   = "serve"
	stageCompile = "compile"
)

const confinedPrefix = "confined="

// exitFault is the exit code of a runner that cannot do its work for a reason
// that is not its adapter's.
const exitFault = 3

// RunnerMain is the whole of a runner process: what the hidden subcommand that
// [Config.Runner] names does with the arguments after its own name. It returns
// the exit code.
func RunnerMain(args []string) int {
	if err := runnerMain(args); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitFault
	}
	return 0
}

func runnerMain(args []string) error {
	again := len(args) == 3 && strings.HasPrefix(args[2], confinedPrefix)
	if len(args) != 2 && !again || args[0] != stageServe && args[0] != stageCompile {
		return errors.New("this is the process that runs an adapter; the host starts it by itself")
	}
	c := Confinement()
	if !again {
		if err := confineAndExec(args[0], args[1]); !errors.Is(err, errUnconfined) {
			return fmt.Errorf("confining the runner: %w", err)
		}
	} else if err := json.Unmarshal([]byte(strings.TrimPrefix(args[2], confinedPrefix)), &c); err != nil {
		return fmt.Errorf("reading how the runner is confined: %w", err)
	}
	if err := runStage(args[0], args[1], c); err != nil {
		return fmt.Errorf("running the adapter: %w", err)
	}
	return nil
}

// runStage reads the load, makes the adapter ready, and serves until the host
// closes the pipe.
func runStage(stage, dir string, c Confined) error {
	in := newFrameReader(polled(os.Stdin), maxToRunner)
	stdout := os.Stdout
	defer runtime.KeepAlive(stdout) // collected it would close the descriptor
	out := &frameWriter{w: polled(stdout)}
	os.Stdout = os.Stderr // a library that prints must not print into a frame
	f, err := in.read(fresh)
	if err != nil {
		return fmt.Errorf("reading the load: %w", err)
	}
	var l load
	if err := json.Unmarshal(f.payload, &l); err != nil || f.kind != kindLoad {
		return fmt.Errorf("reading the load: kind %d: %w", f.kind, err)
	}
	ctx := context.Background()
	if stage == stageCompile {
		debug.SetMemoryLimit(int64(l.HeapMB) << 20)
		ctx = experimental.WithCompilationWorkers(ctx, runtime.NumCPU())
		go exitWithHost(in)
	}
	g, err := newGuest(ctx, dir, l, out)
	if err == nil && stage == stageServe {
		err = g.begin(ctx)
	}
	if err != nil {
		return fail(out, f.call, g, err)
	}
	b, err := json.Marshal(ready{Confined: c})
	if err != nil {
		return err
	}
	if err := out.write(kindReady, f.call, b); err != nil || stage == stageCompile {
		return err
	}
	return g.serve(in)
}

// exitWithHost ends the process when the host's end of the pipe goes, which a
// compiler at work would not notice.
func exitWithHost(in *frameReader) {
	if _, err := in.read(fresh); err != nil {
		os.Exit(0)
	}
}

// fail tells the host why the adapter did not become ready.
func fail(out *frameWriter, call uint32, g *guest, cause error) error {
	t := trap{Stage: "start", Message: cause.Error()}
	if g != nil && g.slots[slotTranslate] != nil {
		t = g.slots[slotTranslate].trap("start", cause)
	}
	if errors.Is(cause, errCode) {
		t.Stage = "code"
	}
	b, err := json.Marshal(t)
	if err != nil {
		return err
	}
	return out.write(kindTrap, call, b)
}

// begin links the adapter and starts the instance for translate. The one for
// invoke starts with the first invoke.
func (g *guest) begin(ctx context.Context) error {
	// The engine's code cannot be preempted, so a collection would wait for a
	// guest, and the other guest for it. Collections therefore happen only when
	// no guest runs, or when the heap has grown past all reason. More threads
	// than two guests can hold keep the reader of frames alive.
	runtime.GOMAXPROCS(slots + 2)
	debug.SetGCPercent(-1)
	in := g.slots[slotTranslate]
	if err := in.start(context.WithValue(ctx, instanceKey{}, in)); err != nil {
		return err
	}
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	g.heap = m.HeapAlloc
	debug.SetMemoryLimit(int64(m.Sys-m.HeapReleased) + heapSlack)
	return nil
}

const (
	// heapSlack is how far the runner's own heap may grow before a collection
	// is forced in the middle of a call.
	heapSlack = 64 << 20
	// heapIdle is how far it may grow before one is made between calls.
	heapIdle = 4 << 20
	// idleDelay keeps a collection away from calls that follow each other.
	idleDelay = 50 * time.Millisecond
)

// serve hands frames to the instances until the host closes the pipe.
func (g *guest) serve(in *frameReader) error {
	calls := [slots]chan frame{}
	done := make(chan bool, slots) // whether the instance was dropped
	for i, inst := range g.slots {
		calls[i] = make(chan frame, 1)
		go inst.loop(calls[i], done)
	}
	frames := make(chan frame)
	go func() {
		if err := g.read(in, frames); !errors.Is(err, io.EOF) {
			fmt.Fprintln(os.Stderr, "reading from the host:", err)
		}
		os.Exit(0) // a guest that runs cannot be asked to stop
	}()
	busy, sweep := 0, false
	idle := time.NewTimer(time.Hour)
	for {
		select {
		case f := <-frames:
			busy++
			idle.Stop()
			calls[slotOf(f.call)] <- f
		case dropped := <-done:
			busy--
			sweep = sweep || dropped
			if busy == 0 {
				idle.Reset(idleDelay)
			}
		case <-idle.C:
			g.tidy(sweep)
			sweep = false
		}
	}
}

// read passes calls on and replies to the instances that wait for them. The
// memory of a payload belongs to its slot: the host sends an instance nothing
// more before it has answered.
func (g *guest) read(in *frameReader, frames chan<- frame) error {
	var buf [slots][]byte
	own := func(call uint32, n int) []byte {
		s := slotOf(call)
		if cap(buf[s]) < n {
			buf[s] = make([]byte, n, n+n/4)
		}
		return buf[s][:n]
	}
	for {
		f, err := in.read(own)
		if err != nil {
			return err
		}
		switch f.kind {
		case kindCall:
			frames <- f
		case kindReply:
			g.slots[slotOf(f.call)].replies <- f.payload
		default:
			return fmt.Errorf("a frame of kind %d", f.kind)
		}
	}
}

// loop serves the calls of one instance.
func (in *instance) loop(calls <-chan frame, done chan<- bool) {
	for f := range calls {
		dropped, err := in.serve(f)
		if err != nil {
			fmt.Fprintln(os.Stderr, "answering the host:", err)
			os.Exit(exitFault)
		}
		done <- dropped
	}
}

// tidy collects garbage while no guest runs, if there is enough of it.
func (g *guest) tidy(always bool) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if !always && m.HeapAlloc < g.heap+heapIdle {
		return
	}
	debug.FreeOSMemory()
	runtime.ReadMemStats(&m)
	g.heap = m.HeapAlloc
}
