package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// reapLimit is how long a caller waits for a killed process to go, which takes 10
// ms if the machine is not loaded. Its reader waits for as long as it takes.
const reapLimit = 100 * time.Millisecond

// spawner starts processes from one thread that lives as long as it does. The
// kernel ends a runner when the thread that started it ends, and any other
// thread of the host may end at any time.
type spawner struct{ work chan func() }

func newSpawner() *spawner {
	s := &spawner{work: make(chan func())}
	go func() {
		runtime.LockOSThread() // for good: the thread ends with the goroutine
		for f := range s.work {
			f()
		}
	}()
	return s
}

func (s *spawner) start(cmd *exec.Cmd) error {
	err := make(chan error)
	s.work <- func() { err <- cmd.Start() }
	return <-err
}

// close ends the thread, and with it whatever process is left.
func (s *spawner) close() { close(s.work) }

// process is a runner as its host sees it. Its reader goroutine ends, and with
// it done is closed, when the process has ended and is reaped.
type process struct {
	cmd     *exec.Cmd
	in      *os.File // the runner's standard input
	out     *frameWriter
	answers [slots]chan frame // from the reader; each holds the one frame that may be under way
	stderr  tail
	done    chan struct{} // closed by the reader once the process is reaped
	calls   atomic.Uint32
	// interpreted is set before the process is shared: it runs without compiled
	// code, and so much slower.
	interpreted bool

	mu    sync.Mutex // guards cause
	cause error      // why the host ended it, nil if it did not
}

// spawn starts a runner. It ends with [process.end]. Who owns background waits
// for its reader.
func spawn(s *spawner, argv []string, background func(func())) (*process, error) {
	in, toRunner, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("making a pipe to the runner: %w", err)
	}
	fromRunner, out, err := os.Pipe()
	if err != nil {
		in.Close()
		toRunner.Close()
		return nil, fmt.Errorf("making a pipe from the runner: %w", err)
	}
	widen(toRunner)
	widen(fromRunner)
	p := &process{in: toRunner, out: &frameWriter{w: toRunner}, done: make(chan struct{})}
	for i := range p.answers {
		p.answers[i] = make(chan frame, 1)
	}
	p.cmd = exec.Command(argv[0], argv[1:]...)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = in, out, &p.stderr
	p.cmd.Env, p.cmd.Dir = []string{}, string(os.PathSeparator)
	p.cmd.WaitDelay = time.Second
	p.cmd.SysProcAttr = diesWithUs()
	err = s.start(p.cmd)
	in.Close()
	out.Close()
	if err != nil {
		toRunner.Close()
		fromRunner.Close()
		return nil, fmt.Errorf("starting the runner %s: %w", argv[0], err)
	}
	background(func() { p.read(fromRunner) })
	return p, nil
}

// read passes the runner's frames to who waits for them. A runner that breaks
// the protocol is ended.
func (p *process) read(from *os.File) {
	defer close(p.done)
	defer from.Close()
	r := newFrameReader(from, maxToHost)
	for {
		f, err := r.read(fresh)
		if err == nil {
			select {
			case p.answers[slotOf(f.call)] <- f:
				continue
			default:
				err = errors.New("the runner sent a frame that nobody waits for")
			}
		}
		if !errors.Is(err, io.EOF) {
			p.kill(fmt.Errorf("reading from the runner: %w", err))
		}
		break
	}
	p.cmd.Process.Kill() // it may be gone already
	p.cmd.Wait()         // how it ended is in ProcessState
	p.in.Close()
}

// kill ends the process; the first cause is kept.
func (p *process) kill(cause error) {
	p.mu.Lock()
	if p.cause == nil {
		p.cause = cause
	}
	p.mu.Unlock()
	p.cmd.Process.Kill() // it may be gone already
}

// end kills the process and waits a little until it is gone.
func (p *process) end(cause error) {
	p.kill(cause)
	limit := time.NewTimer(reapLimit)
	defer limit.Stop()
	select {
	case <-p.done:
	case <-limit.C:
	}
}

// alive reports whether the process neither ended nor was killed.
func (p *process) alive() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cause == nil && !p.gone()
}

// gone reports whether the process is reaped.
func (p *process) gone() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// exitCode is that of a process that ended by itself, else -1.
func (p *process) exitCode() int {
	if !p.gone() {
		return -1
	}
	return p.cmd.ProcessState.ExitCode()
}

// ended says why the process ended.
func (p *process) ended() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cause != nil {
		return &endedError{cause: p.cause}
	}
	if !p.gone() {
		return &endedError{cause: errors.New("it does not answer")}
	}
	how := p.cmd.ProcessState.String()
	if lines := p.stderr.lines(); len(lines) > 0 {
		how += ": " + strings.Join(lines[:min(len(lines), 3)], "; ")
	}
	return &endedError{cause: errors.New(how), outside: killed(p.cmd.ProcessState)}
}
