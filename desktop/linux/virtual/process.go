package virtual

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// process is one that the desktop started, the leader of a group of its own.
type process struct {
	cmd     *exec.Cmd
	started string        // as startTime gives it
	done    chan struct{} // closed some time after the process has been waited for
}

// parent runs every fork on one thread that lives as long as the desktop,
// because the kernel's parent-death signal follows the thread, not the process.
func (d *Desktop) parent() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for f := range d.spawn {
		f()
	}
	close(d.done)
}

// run starts cmd in a process group of its own, to be killed with the desktop
// or with us, and sees to it that it is waited for.
func (d *Desktop) run(cmd *exec.Cmd) (*process, error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	}
	if cmd.Stdout == nil {
		cmd.Stdout = d.log
	}
	if cmd.Stderr == nil {
		cmd.Stderr = d.log
	}
	// A grandchild may keep the output pipe open; do not wait for it.
	cmd.WaitDelay = time.Second
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, errors.New("the virtual desktop is closed")
	}
	failed := make(chan error)
	d.spawn <- func() { failed <- cmd.Start() }
	if err := <-failed; err != nil {
		return nil, fmt.Errorf("starting %s: %w", cmd.Path, err)
	}
	p := &process{cmd: cmd, started: startTime(cmd.Process.Pid), done: make(chan struct{})}
	d.procs = append(d.procs, p)
	go func() {
		defer close(p.done)
		_ = cmd.Wait() // its end is all that matters
	}()
	return p, nil
}

// ended reports whether the process has been waited for. From then on its number
// may be another's.
func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// terminateTime is how long a daemon gets to end by itself.
const terminateTime = 2 * time.Second

// terminate asks a process to end and gives it a little time.
func (p *process) terminate() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	timer := time.NewTimer(terminateTime)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-timer.C:
	}
}

// startTime is when a process was started, in ticks since the boot as /proc tells
// it; "" if there is no such process. Number and start together are one process
// alone, ever.
func startTime(pid int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	// The name before the last bracket may hold anything.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	const start = 22 - 3 // the first field here is the third
	if len(fields) <= start {
		return ""
	}
	return fields[start]
}

// killGroup kills the process and all of its group, also if the leader has gone:
// the system gives its number to nobody while the group has members. A process that
// has the number by now is another's, and is left alone.
func (p *process) killGroup() {
	pid := p.cmd.Process.Pid
	if now := startTime(pid); now == "" || now == p.started {
		_ = syscall.Kill(-pid, syscall.SIGKILL)
	}
}

// killMarked ends the processes that carry mark in their environment: services
// that the bus activated and what applications started in the background.
func killMarked(mark string) {
	entries, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return
	}
	for _, path := range entries {
		var pid int
		if _, err := fmt.Sscanf(path, "/proc/%d/environ", &pid); err != nil || pid == os.Getpid() {
			continue
		}
		// The handle first: should the number change hands, it kills nothing.
		p, err := os.FindProcess(pid)
		if err != nil {
			continue
		}
		if env, err := os.ReadFile(path); err == nil && slices.Contains(strings.Split(string(env), "\x00"), mark) {
			_ = p.Kill()
		}
		_ = p.Release()
	}
}

// reaper is what ends the desktop if this process cannot any more: once its input
// ends without a word, it ends all processes with the mark, politely and then not,
// and removes the folder.
const reaper = `read -r _ && exit
for signal in TERM KILL; do
  for e in $(grep -lzxF -- "$1" /proc/[0-9]*/environ 2>/dev/null); do
    e=${e#/proc/}
    kill -s $signal "${e%%/*}" 2>/dev/null
  done
  sleep 0.5
done
rm -rf -- "$2"`

func (d *Desktop) startReaper() error {
	cmd := exec.Command("sh", "-c", reaper, "oriel-reaper", d.mark, d.dir)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting what cleans up after a kill: %w", err)
	}
	d.reaper, d.parting = cmd, in
	return nil
}

// dismissReaper ends the reaper, which then has nothing to do.
func (d *Desktop) dismissReaper() {
	if d.reaper == nil {
		return
	}
	_, _ = io.WriteString(d.parting, "done\n") // one that is gone needs no word
	_ = d.reaper.Wait()
}
