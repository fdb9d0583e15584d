//go:build desktop

package x11

import (
	"strings"
	"syscall"
	"testing"
	"time"
)

// Why a display was lost is told, by its own error and by that of every call that
// was or is made on it: whoever reads the log knows what to look for.
func TestCauseOfALossIsTold(t *testing.T) {
	for _, tt := range []struct {
		name   string
		signal syscall.Signal
		says   string
	}{
		{"stopped", syscall.SIGSTOP, "the X server did not answer within"},
		{"killed", syscall.SIGKILL, "the X server closed the connection"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := start(t, noManager)
			d, _ := open(t, v)
			pid := xserver(t, v)
			if err := syscall.Kill(pid, tt.signal); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGCONT) })
			first := make(chan error, 1)
			go func() { first <- d.Sync(t.Context()) }()
			select {
			case <-d.Done():
			case <-time.After(20 * time.Second):
				t.Fatal("the loss was not noticed")
			}
			for name, err := range map[string]error{"the display": d.Err(), "the call at the time": <-first, "a later call": d.Sync(t.Context())} {
				if err == nil || !strings.Contains(err.Error(), tt.says) {
					t.Errorf("%s says %v, want that %s", name, err, tt.says)
				}
			}
		})
	}
}
