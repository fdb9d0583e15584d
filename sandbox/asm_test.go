//go:build linux

package sandbox

import (
	"encoding/binary"
	"encoding/json"
	"slices"

	"oriel.dev/oriel/hostabi"
)

// asm assembles small modules by hand: adapters that no compiler would make.
// Every module exports memory and oriel_alloc, which returns allocAt.
type asm struct {
	imports [][]byte
	funcs   []asmFunc // after the imports and oriel_alloc
	tables  []byte    // an entry of the table section, nil for none
	start   int       // index in funcs + 1 of the start function, 0 for none
	data    []byte    // at dataAt
	pages   uint32
}

type asmFunc struct {
	name   string // in the name section
	export string
	typ    byte
	locals []byte // count and type pairs, encoded
	body   []byte // without the end
}

const (
	dataAt  = 8
	allocAt = 4096
)

// The types that every module has.
const (
	typeAlloc = iota // (i32) -> i32
	typeEntry        // (i32 i32) -> i64
	typeVoid         // () -> ()
	typeHost         // (i32 i32) -> i32
	typeInt          // (i32) -> i32, for recursion
)

// Opcodes that the tests use.
const (
	opUnreachable = 0x00
	opLoop        = 0x03
	opBr          = 0x0c
	opCall        = 0x10
	opDrop        = 0x1a
	opEnd         = 0x0b
	opI32Const    = 0x41
	opI64Const    = 0x42
	opLocalGet    = 0x20
	opLocalSet    = 0x21
	opMemoryGrow  = 0x40
	voidBlock     = 0x40
)

func uleb(n uint64) []byte { return binary.AppendUvarint(nil, n) }

func sleb(n int64) (out []byte) {
	for {
		b := byte(n & 0x7f)
		n >>= 7
		if n == 0 && b&0x40 == 0 || n == -1 && b&0x40 != 0 {
			return append(out, b)
		}
		out = append(out, b|0x80)
	}
}

func vec(items ...[]byte) []byte {
	return append(uleb(uint64(len(items))), slices.Concat(items...)...)
}

func asmName(s string) []byte { return append(uleb(uint64(len(s))), s...) }

func section(id byte, body []byte) []byte {
	return slices.Concat([]byte{id}, uleb(uint64(len(body))), body)
}

// result is the code that returns the data from dataAt on as an output.
func result(n int) []byte {
	return append([]byte{opI64Const}, sleb(int64(dataAt)<<32|int64(n))...)
}

// newAsm makes a module that shows data as its view; change it from there.
func newAsm(view string) *asm {
	a := &asm{data: []byte(view), pages: 1}
	a.funcs = []asmFunc{
		{name: "translate", export: "oriel_translate", typ: typeEntry, body: result(len(view))},
	}
	return a
}

// body replaces the code of a function.
func (a *asm) body(i int, code ...byte) *asm {
	a.funcs[i].body = code
	return a
}

// add adds a function and returns its index for a call.
func (a *asm) add(f asmFunc) uint32 {
	a.funcs = append(a.funcs, f)
	return uint32(len(a.imports) + len(a.funcs)) // oriel_alloc lies between
}

func (a *asm) imported(module, name string) *asm {
	a.imports = append(a.imports, slices.Concat(asmName(module), asmName(name), []byte{0, typeHost}))
	return a
}

// bytes assembles the module with the manifest.
func (a *asm) bytes(m *hostabi.Manifest) []byte {
	const i32, i64 = 0x7f, 0x7e
	types := vec([]byte{0x60, 1, i32, 1, i32}, []byte{0x60, 2, i32, i32, 1, i64}, []byte{0x60, 0, 0}, []byte{0x60, 2, i32, i32, 1, i32}, []byte{0x60, 1, i32, 1, i32})
	all := append([]asmFunc{{name: "alloc", export: "oriel_alloc", typ: typeAlloc, body: append([]byte{opI32Const}, sleb(allocAt)...)}}, a.funcs...)
	var decl, exports, code, names [][]byte
	exports = append(exports, append(asmName("memory"), 2, 0))
	for i, f := range all {
		index := uleb(uint64(len(a.imports) + i))
		decl = append(decl, []byte{f.typ})
		if f.export != "" {
			exports = append(exports, slices.Concat(asmName(f.export), []byte{0}, index))
		}
		if f.locals == nil {
			f.locals = []byte{0}
		}
		body := slices.Concat(f.locals, f.body, []byte{opEnd})
		code = append(code, append(uleb(uint64(len(body))), body...))
		names = append(names, append(index, asmName(f.name)...))
	}
	out := append([]byte("\x00asm\x01\x00\x00\x00"), section(1, types)...)
	if len(a.imports) > 0 {
		out = append(out, section(2, vec(a.imports...))...)
	}
	out = append(out, section(3, vec(decl...))...)
	if a.tables != nil {
		out = append(out, section(4, vec(a.tables))...)
	}
	out = append(out, section(5, vec(append([]byte{0}, uleb(uint64(a.pages))...)))...)
	out = append(out, section(7, vec(exports...))...)
	if a.start > 0 {
		out = append(out, section(8, uleb(uint64(len(a.imports)+a.start)))...)
	}
	out = append(out, section(10, vec(code...))...)
	if len(a.data) > 0 {
		d := slices.Concat([]byte{0, opI32Const}, sleb(dataAt), []byte{opEnd}, uleb(uint64(len(a.data))), a.data)
		out = append(out, section(11, vec(d))...)
	}
	out = append(out, section(0, append(asmName("name"), section(1, vec(names...))...))...)
	return append(out, section(0, append(asmName(hostabi.ManifestSection), manifestJSON(m)...))...)
}

func manifestJSON(m *hostabi.Manifest) []byte {
	b, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return b
}
