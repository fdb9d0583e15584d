//go:build !unix

package sandbox

import "github.com/tetratelabs/wazero/experimental"

// guestMemory is the engine's own.
var guestMemory experimental.MemoryAllocator
