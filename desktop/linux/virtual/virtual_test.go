//go:build desktop

package virtual

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// marked counts the processes that carry the desktop's mark.
func marked(t *testing.T, mark string) int {
	t.Helper()
	n := 0
	entries, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if env, err := os.ReadFile(e); err == nil && bytes.Contains(env, []byte(mark)) {
			n++
		}
	}
	return n
}

func TestNothingStaysBehind(t *testing.T) {
	begin := time.Now()
	d, err := Start(t.Context(), Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("display %s up in %v", d.Display(), time.Since(begin).Round(time.Millisecond))
	ended, err := d.Launch(d.Command("sh", "-c", "setsid sleep 600 & zenity --info --text=hello & wait"))
	if err != nil {
		t.Fatal(err)
	}
	if n := marked(t, d.mark); n < 4 {
		t.Errorf("%d processes carry the mark, want the daemons and the application", n)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	<-ended
	for end := time.Now().Add(5 * time.Second); marked(t, d.mark) > 0; {
		if time.Now().After(end) {
			t.Fatalf("%d processes are left 5 s after Close", marked(t, d.mark))
		}
	}
	if _, err := os.Stat(d.dir); !os.IsNotExist(err) {
		t.Errorf("the folder %s is still there", d.dir)
	}
	if _, err := os.Stat("/tmp/.X11-unix/X" + d.Display()[1:]); !os.IsNotExist(err) {
		t.Errorf("the socket of display %s is still there", d.Display())
	}
	if err := d.Close(); err != nil {
		t.Errorf("a second Close: %v", err)
	}
}

// TestMain lets the test binary be a process that starts a desktop and is killed.
func TestMain(m *testing.M) {
	if os.Getenv("VIRTUAL_VICTIM") == "" {
		os.Exit(m.Run())
	}
	d, err := Start(context.Background(), Config{})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	if _, err := d.Launch(d.Command("zenity", "--info", "--text=hello")); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(d.mark, d.dir, d.display)
	select {}
}

// C32: whoever started the desktop is killed with -9; nothing stays behind.
func TestNothingStaysBehindAKill(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	victim := exec.Command(exe)
	victim.Env = append(os.Environ(), "VIRTUAL_VICTIM=1")
	out, err := victim.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	var mark, dir, display string
	if n, _ := fmt.Sscan(line, &mark, &dir, &display); n != 3 {
		t.Fatalf("the victim said %q (%v)", line, err)
	}
	if err := victim.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = victim.Wait()
	gone := func(path string) bool { _, err := os.Stat(path); return os.IsNotExist(err) }
	for end := time.Now().Add(5 * time.Second); marked(t, mark) > 0 || !gone(dir) || !gone("/tmp/.X11-unix/X"+display[1:]); {
		if time.Now().After(end) {
			t.Fatalf("5 s after the kill: %d processes, folder gone %v, socket gone %v", marked(t, mark), gone(dir), gone("/tmp/.X11-unix/X"+display[1:]))
		}
	}
}

// C45: another user of the machine is not let onto the display.
func TestOtherUsersAreShutOut(t *testing.T) {
	d, err := Start(t.Context(), Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	mine := d.Command("xprop", "-root", "_NET_CLIENT_LIST")
	if out, err := mine.CombinedOutput(); err != nil {
		t.Fatalf("the desktop's own user is shut out: %v: %s", err, out)
	}
	if os.Getuid() != 0 {
		t.Log("only root can try as another user")
		return
	}
	other := exec.Command("xprop", "-display", d.Display(), "-root", "_NET_CLIENT_LIST")
	other.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	if out, err := other.CombinedOutput(); err == nil {
		t.Errorf("another user sees %s", out)
	}
}
