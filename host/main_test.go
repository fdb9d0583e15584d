//go:build !desktop

package host

import (
	"os"
	"testing"

	"oriel.dev/oriel/sandbox"
)

// TestMain makes the test binary serve as the runner of adapters too.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == RunnerCommand {
		os.Exit(sandbox.RunnerMain(os.Args[2:]))
	}
	os.Exit(m.Run())
}
