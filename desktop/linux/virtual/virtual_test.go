//go:build desktop

package virtual

import (
	"bytes"
	"os"
	"path/filepath"
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
