package virtual

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// C32: the end of a desktop touches no process that got the number of one of its
// own: a group is killed only if its leader was started when ours was.
func TestKillGroupSparesARecycledNumber(t *testing.T) {
	cmd := exec.Command("sleep", "600")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	mine := startTime(cmd.Process.Pid)
	if mine == "" || mine != startTime(cmd.Process.Pid) {
		t.Fatalf("a process that runs was started at %q", mine)
	}

	for _, earlier := range []string{"1", ""} { // another's number now; one that had ended before it was looked at
		(&process{cmd: cmd, started: earlier}).killGroup()
	}
	if err := syscall.Kill(cmd.Process.Pid, 0); err != nil {
		t.Fatalf("the unrelated process is gone: %v", err)
	}
	select {
	case err := <-ended:
		t.Fatalf("the unrelated process was killed: %v", err)
	case <-time.After(200 * time.Millisecond): // a signal arrives at once
	}

	(&process{cmd: cmd, started: mine}).killGroup()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Fatal("the process that is meant lives on")
	}
	if at := startTime(cmd.Process.Pid); at != "" && at == mine {
		t.Errorf("a process that was waited for is still told to have been started at %s", at)
	}
}

// What a program left in its group ends with the desktop, although the program
// itself has ended, and whatever has become of its environment.
func TestKillGroupReachesWhatALeaderLeftBehind(t *testing.T) {
	cmd := exec.Command("sh", "-c", "env -i sleep 600 >/dev/null 2>&1 & echo $!")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatal(err)
	}
	born := startTime(child)
	(&process{cmd: cmd, started: "7"}).killGroup()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(10 * time.Second); running(child, born); <-tick.C {
		if time.Now().After(end) {
			_ = syscall.Kill(child, syscall.SIGKILL)
			t.Fatal("the child of a program that has ended lives on")
		}
	}
}

// running tells whether a process runs; one that nobody waits for does not.
func running(pid int, started string) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && startTime(pid) == started && !strings.Contains(string(stat), ") Z ")
}
