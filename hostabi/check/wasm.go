package check

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

// scan is what the sections of a module say that this package looks at. It
// reads the bytes once and compiles nothing. Whether the rest of the module is
// valid is for the engine to say.
type scan struct {
	types   []funcType
	imports []Import
	funcs   []uint32 // the type of each function, imported ones first
	tables  []uint32 // the least size of each
	pages   uint32   // the least size of the memory
	mems    int      // how many memories there are
	exports []Export
	custom  []custom
}

type custom struct {
	name string
	data []byte
}

// funcType is the signature of a function by its value types' bytes.
type funcType struct{ params, results string }

// The value types that the contract uses.
const (
	typeI32 = "\x7f"
	typeI64 = "\x7e"
)

// The kinds of imports and exports.
const (
	kindFunc = iota
	kindTable
	kindMemory
	kindGlobal
	kindTag
)

// maxCustom is how many custom sections a module may have.
const maxCustom = 1000

const preamble = "\x00asm\x01\x00\x00\x00"

var errShort = errors.New("the module ends too early or holds a wrong length")

// wasmReader reads numbers and names of a module and remembers a fault, after
// which it reads zeros.
type wasmReader struct {
	b   []byte
	err error
}

func (r *wasmReader) fail() {
	if r.err == nil {
		r.err = errShort
	}
	r.b = nil
}

func (r *wasmReader) byte() byte {
	if len(r.b) == 0 {
		r.fail()
		return 0
	}
	b := r.b[0]
	r.b = r.b[1:]
	return b
}

// u32 reads an unsigned LEB128 number.
func (r *wasmReader) u32() uint32 {
	var v uint64
	for shift := 0; shift < 35; shift += 7 {
		b := r.byte()
		v |= uint64(b&0x7f) << shift
		if b&0x80 == 0 {
			if v > 1<<32-1 {
				break
			}
			return uint32(v)
		}
	}
	r.fail()
	return 0
}

func (r *wasmReader) take(n uint32) []byte {
	if uint64(n) > uint64(len(r.b)) {
		r.fail()
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *wasmReader) name() string {
	b := r.take(r.u32())
	if !utf8.Valid(b) {
		r.fail()
	}
	return string(b)
}

// maxEntries bounds what one section holds, so that a small file cannot take
// much memory. Engines have about the same limit.
const maxEntries = 1 << 20

// each calls f as often as the number that comes next says. A number that the
// rest of the section cannot hold ends it early, since f then fails.
func (r *wasmReader) each(f func()) {
	n := r.u32()
	if n > maxEntries {
		r.fail()
	}
	for ; n > 0 && r.err == nil; n-- {
		f()
	}
}

// limits reads the size of a table or memory and returns the least.
func (r *wasmReader) limits() uint32 {
	flags := r.byte()
	least := r.u32()
	if flags&1 != 0 {
		r.u32()
	}
	if flags > 1 {
		r.fail() // 64-bit and shared memories are not for adapters
	}
	return least
}

// section reads one section.
func (s *scan) section(id byte, r *wasmReader) {
	switch id {
	case 0:
		name := r.name()
		s.custom = append(s.custom, custom{name, r.b})
		if len(s.custom) > maxCustom {
			r.fail()
		}
	case 1:
		r.each(func() { s.funcType(r) })
	case 2:
		r.each(func() { s.importEntry(r) })
	case 3:
		r.each(func() { s.funcs = append(s.funcs, r.u32()) })
	case 4:
		r.each(func() { s.table(r) })
	case 5:
		r.each(func() {
			s.pages = max(s.pages, r.limits())
			s.mems++
		})
	case 7:
		r.each(func() { s.exports = append(s.exports, Export{r.name(), r.byte(), r.u32()}) })
	}
}

func (s *scan) funcType(r *wasmReader) {
	if r.byte() != 0x60 {
		r.fail()
	}
	params := string(r.take(r.u32()))
	s.types = append(s.types, funcType{params, string(r.take(r.u32()))})
}

func (s *scan) table(r *wasmReader) {
	r.byte() // the element type
	s.tables = append(s.tables, r.limits())
}

func (s *scan) importEntry(r *wasmReader) {
	i := Import{Module: r.name(), Name: r.name(), kind: r.byte()}
	switch i.kind {
	case kindFunc:
		i.index = r.u32()
		s.funcs = append(s.funcs, i.index)
	case kindTable:
		s.table(r)
	case kindMemory:
		s.pages = max(s.pages, r.limits())
	case kindGlobal:
		r.byte()
		r.byte()
	default:
		r.fail()
	}
	s.imports = append(s.imports, i)
}

// scanModule reads the sections of a module.
func scanModule(wasm []byte) (*scan, error) {
	if len(wasm) < len(preamble) || string(wasm[:4]) != preamble[:4] {
		return nil, errors.New("the file is no WebAssembly module; build it with GOOS=wasip1 GOARCH=wasm")
	}
	if string(wasm[:len(preamble)]) != preamble {
		return nil, errors.New("the file is no core WebAssembly module of version 1; components are not supported")
	}
	s := &scan{}
	r := &wasmReader{b: wasm[len(preamble):]}
	for len(r.b) > 0 {
		at := len(wasm) - len(r.b)
		id := r.byte()
		part := &wasmReader{b: r.take(r.u32())}
		if r.err == nil {
			s.section(id, part)
		}
		if err := errors.Join(r.err, part.err); err != nil {
			return nil, fmt.Errorf("section %d at byte %d: %w", id, at, err)
		}
	}
	return s, nil
}
