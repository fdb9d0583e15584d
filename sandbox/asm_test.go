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
	// What no compiler would write: more exports, more memories, sections behind
	// the code.
	alloc    []byte // the code of oriel_alloc, nil for the usual
	exports  [][]byte
	memories [][]byte
	trailing []byte
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
	typePtr          // (i64) -> i64, a host function of extism/1
	typeTwo          // (i64 i64) -> ()
	typeCode         // () -> i32
	typePoll         // (i32 i32 i32 i32) -> i32
	typeExit         // (i32) -> ()
	typeTake         // (i32 i32) -> ()
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

// startWith adds a start function.
func (a *asm) startWith(code []byte) {
	a.add(asmFunc{name: "start", typ: typeVoid, body: code})
	a.start = len(a.funcs)
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

func (a *asm) imported(module, name string) *asm { return a.importedAs(module, name, typeHost) }

func (a *asm) importedAs(module, name string, typ byte) *asm {
	a.imports = append(a.imports, slices.Concat(asmName(module), asmName(name), []byte{0, typ}))
	return a
}

// words puts bytes behind the data and returns where they are.
func (a *asm) words(s string) (at, n int64) {
	at = dataAt + int64(len(a.data))
	a.data = append(a.data, s...)
	return at, int64(len(s))
}

// i32 is the code that pushes a number.
func i32(n int64) []byte { return append([]byte{opI32Const}, sleb(n)...) }

// i64 is the code that pushes a long number.
func i64(n int64) []byte { return append([]byte{opI64Const}, sleb(n)...) }

// asks is the code that calls the imported function with the number and a
// request.
func (a *asm) asks(fn byte, request string) []byte {
	at, n := a.words(request)
	return slices.Concat(i32(at), i32(n), []byte{opCall, fn, opDrop})
}

// extismView makes a module of extism/1 that shows data as its view. It is
// written without a PDK.
func extismView(view string) *asm {
	a := &asm{pages: 1}
	a.importedAs("extism:host/env", "alloc", typePtr).importedAs("extism:host/env", "store_u64", typeTwo).importedAs("extism:host/env", "output_set", typeTwo)
	var body []byte
	padded := []byte(view + "        ")
	body = append(body, slices.Concat(i64(int64(len(padded))), []byte{opCall, 0, opLocalSet, 0})...)
	for i := 0; i+8 <= len(padded); i += 8 {
		body = append(body, slices.Concat([]byte{opLocalGet, 0}, i64(int64(i)), []byte{0x7c}, i64(int64(binary.LittleEndian.Uint64(padded[i:]))), []byte{opCall, 1})...)
	}
	body = append(body, slices.Concat([]byte{opLocalGet, 0}, i64(int64(len(view))), []byte{opCall, 2}, i32(0))...)
	a.funcs = []asmFunc{{name: "translate", export: "oriel_translate", typ: typeCode, locals: []byte{1, 1, 0x7e}, body: body}}
	return a
}

// before puts code in front of a function's.
func (a *asm) before(i int, code ...byte) *asm {
	a.funcs[i].body = slices.Concat(code, a.funcs[i].body)
	return a
}

// bytes assembles the module with the manifest.
func (a *asm) bytes(m *hostabi.Manifest) []byte {
	const i32, i64 = 0x7f, 0x7e
	types := vec([]byte{0x60, 1, i32, 1, i32}, []byte{0x60, 2, i32, i32, 1, i64}, []byte{0x60, 0, 0}, []byte{0x60, 2, i32, i32, 1, i32}, []byte{0x60, 1, i32, 1, i32},
		[]byte{0x60, 1, i64, 1, i64}, []byte{0x60, 2, i64, i64, 0}, []byte{0x60, 0, 1, i32}, []byte{0x60, 4, i32, i32, i32, i32, 1, i32}, []byte{0x60, 1, i32, 0}, []byte{0x60, 2, i32, i32, 0})
	alloc := a.alloc
	if alloc == nil {
		alloc = append([]byte{opI32Const}, sleb(allocAt)...)
	}
	all := append([]asmFunc{{name: "alloc", export: "oriel_alloc", typ: typeAlloc, body: alloc}}, a.funcs...)
	var decl, code, names [][]byte
	exports := slices.Clone(a.exports)
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
	memories := append([][]byte{append([]byte{0}, uleb(uint64(a.pages))...)}, a.memories...)
	out = append(out, section(5, vec(memories...))...)
	out = append(out, section(7, vec(exports...))...)
	if a.start > 0 {
		out = append(out, section(8, uleb(uint64(len(a.imports)+a.start)))...)
	}
	out = append(out, section(10, vec(code...))...)
	if len(a.data) > 0 {
		d := slices.Concat([]byte{0, opI32Const}, sleb(dataAt), []byte{opEnd}, uleb(uint64(len(a.data))), a.data)
		out = append(out, section(11, vec(d))...)
	}
	out = append(out, a.trailing...)
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
