//go:build desktop

package live

import (
	"os"
	"testing"
	"time"
)

// Holds waits until the file that an application writes satisfies ok.
func Holds(t testing.TB, file string, ok func(content string) bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	var got []byte
	for end := time.Now().Add(appears); time.Now().Before(end); <-tick.C {
		if got, _ = os.ReadFile(file); ok(string(got)) {
			return
		}
	}
	t.Errorf("%s holds %.2000q", file, got)
}

// Is is the condition that a file holds exactly this.
func Is(want string) func(string) bool { return func(got string) bool { return got == want } }
