//go:build !unix

package sandbox

import (
	"os"

	"github.com/tetratelabs/wazero/experimental"
)

// guestMemory is the engine's own.
var guestMemory experimental.MemoryAllocator

// polled leaves the pipe as it is.
func polled(f *os.File) *os.File { return f }
