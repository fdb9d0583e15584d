//go:build unix

package sandbox

import (
	"fmt"
	"os"
	"syscall"

	"github.com/tetratelabs/wazero/experimental"
)

// guestMemory backs a guest's memory by a mapping of its largest size. Pages
// count only once they are touched, growing copies nothing, the collector does
// not look at it, and closing the instance gives it back at once.
var guestMemory = experimental.MemoryAllocatorFunc(func(_, limit uint64) experimental.LinearMemory {
	if limit == 0 {
		return mapping{}
	}
	b, err := syscall.Mmap(-1, 0, int(limit), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		panic(fmt.Errorf("reserving %d bytes for the adapter's memory: %w", limit, err))
	}
	return mapping{b}
})

type mapping struct{ b []byte }

// Reallocate returns the first size bytes; the address never changes.
func (m mapping) Reallocate(size uint64) []byte {
	if size > uint64(len(m.b)) {
		return nil
	}
	return m.b[:size:size]
}

// Free unmaps the memory.
func (m mapping) Free() {
	if m.b != nil {
		syscall.Munmap(m.b) // it was mapped by us
	}
}

// polled has the runtime wait for a pipe instead of a blocked thread. A frame
// then reaches the instance that waits for it without a change of threads.
func polled(f *os.File) *os.File {
	fd := f.Fd() // once: it makes the descriptor block again
	if err := syscall.SetNonblock(int(fd), true); err != nil {
		return f
	}
	return os.NewFile(fd, f.Name())
}
