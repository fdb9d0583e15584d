package sandbox

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"sync"

	"oriel.dev/oriel/hostabi"
)

// kind says what a frame is.
type kind uint8

// The kinds. The first three go to the runner, the others come from it.
const (
	kindLoad     kind = iota + 1 // a load, as JSON
	kindCall                     // the input of translate or invoke
	kindReply                    // the reply of a host function
	kindReady                    // a ready, as JSON
	kindResult                   // the output of translate or invoke
	kindTrap                     // a trap, as JSON: the call failed and its instance is gone
	kindHostCall                 // the number of a function (u16) and its request
)

// The largest payloads. What goes to the runner is the host's own and only has
// to fit a guest; what comes from it is bounded tightly.
const (
	maxToRunner = 64 << 20
	maxToHost   = 2<<20 + 1<<10
	maxRequest  = 2 << 20 // of one host call: the largest value of kv in base64, and some more
)

// The two instances of a runner. The lowest bit of a call's number says which
// one it is for.
const (
	slotTranslate = iota
	slotInvoke
	slots
)

// slotOf returns the instance that a call's number belongs to.
func slotOf(call uint32) int { return int(call & 1) }

// frame is one message between host and runner: a length (u32, little-endian,
// of the payload), the kind (u8), the number of the call (u32), the payload.
type frame struct {
	kind    kind
	call    uint32
	payload []byte
}

const headerSize = 9

// frameWriter writes frames, each in one piece.
type frameWriter struct {
	mu  sync.Mutex // guards all below; held while writing, so that frames don't mix
	w   io.Writer
	buf []byte // the last frame, kept for its capacity
}

// write sends a frame whose payload is the given parts in turn.
func (f *frameWriter) write(k kind, call uint32, parts ...[]byte) error {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	b := binary.LittleEndian.AppendUint32(f.buf[:0], uint32(n))
	b = append(b, byte(k))
	b = binary.LittleEndian.AppendUint32(b, call)
	for _, p := range parts {
		b = append(b, p...)
	}
	f.buf = b
	_, err := f.w.Write(b)
	return err
}

// frameReader reads frames.
type frameReader struct {
	r   *bufio.Reader
	max int // the largest payload
}

func newFrameReader(r io.Reader, limit int) *frameReader {
	return &frameReader{r: bufio.NewReaderSize(r, 64<<10), max: limit}
}

// read returns the next frame. Its payload is taken from buffer, which is asked
// for that many bytes.
func (f *frameReader) read(buffer func(call uint32, n int) []byte) (frame, error) {
	var h [headerSize]byte
	if _, err := io.ReadFull(f.r, h[:]); err != nil {
		return frame{}, err
	}
	n := binary.LittleEndian.Uint32(h[:])
	fr := frame{kind: kind(h[4]), call: binary.LittleEndian.Uint32(h[5:])}
	if int64(n) > int64(f.max) {
		return frame{}, fmt.Errorf("a frame of %d bytes is over the limit of %d", n, f.max)
	}
	fr.payload = buffer(fr.call, int(n))
	if _, err := io.ReadFull(f.r, fr.payload); err != nil {
		return frame{}, fmt.Errorf("reading a frame of %d bytes: %w", n, err)
	}
	return fr, nil
}

// fresh gives every frame memory of its own.
func fresh(_ uint32, n int) []byte { return make([]byte, n) }

// The first byte of a host function's reply.
const (
	replyOK    = 0
	replyFault = 1
)

// appendRefusal appends the reply that refuses.
func appendRefusal(dst []byte, f *hostabi.Fault) []byte {
	return hostabi.AppendFault(append(dst, replyFault), f)
}

// load is what the host tells a runner first.
type load struct {
	Digest      string `json:"digest"` // of the module, hex SHA-256
	ABI         string `json:"abi"`
	MemoryPages uint32 `json:"memory_pages"`
	View        int    `json:"view"`                // the largest output in bytes
	Request     int    `json:"request"`             // the largest request of a host function in bytes
	HeapMB      int    `json:"heap_mb"`             // compile: what the compiler should stay under
	Interpret   bool   `json:"interpret,omitempty"` // serve: without compiled code
}

// ready is a runner's first answer: it has compiled, or serves.
type ready struct {
	Confined Confined `json:"confined"`
}

// trap is why a call failed within the runner.
type trap struct {
	// Stage is how far the runner came: "code" when the compiled code could not
	// be had, "start" when the instance did not start, "call" otherwise.
	Stage   string   `json:"stage"`
	Message string   `json:"message"`
	Frames  []string `json:"frames,omitempty"` // innermost first
	Stderr  []string `json:"stderr,omitempty"` // the guest's last lines
}
