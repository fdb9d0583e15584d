//lint:file-ignore U1000 the host reaches these through the export table

package pluginsdk

import "unsafe"

// The buffers live in variables so that the collector leaves them alone while
// the host reads and writes them, and so that the next call reuses them.
var input, output []byte

//go:wasmexport oriel_alloc
func exportAlloc(size uint32) unsafe.Pointer {
	if uint32(cap(input)) < size || input == nil {
		input = make([]byte, max(size, 4096))
	}
	input = input[:size]
	return unsafe.Pointer(unsafe.SliceData(input))
}

//go:wasmexport oriel_translate
func exportTranslate(_ unsafe.Pointer, n uint32) uint64 {
	output = Translate(output[:0], Registered(), input[:n])
	return packed(output)
}

//go:wasmexport oriel_invoke
func exportInvoke(_ unsafe.Pointer, n uint32) uint64 {
	output = Invoke(output[:0], Registered(), input[:n])
	return packed(output)
}

// packed gives the host a buffer's address and length in one number.
func packed(b []byte) uint64 {
	return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b))))<<32 | uint64(len(b))
}
