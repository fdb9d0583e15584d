package check

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"oriel.dev/oriel/hostabi"
)

// What a module may measure. Compiling takes the time that it takes, so the
// runner's clock bounds it; what is refused here costs nothing.
const (
	MaxModule = 32 << 20 // bytes
	maxTable  = 10_000   // entries
	maxPages  = 1024     // 64 KB each: 64 MB
)

// Info is what the bytes of a module say before anything runs.
type Info struct {
	Manifest *hostabi.Manifest
	Imports  []Import
	Exports  []Export
	// CustomSections are the names in the order of the file.
	CustomSections []string
	Digest         string // hex SHA-256 of the bytes
	Size           int
}

// Import is something that a module wants to be given.
type Import struct {
	Module, Name string
	kind         byte
	index        uint32 // of the type, for a function
}

// Export is something that a module offers.
type Export struct {
	Name  string
	kind  byte
	index uint32
}

// Invokes reports whether the adapter has actions.
func (i *Info) Invokes() bool { return exports(i.Exports, "oriel_invoke") != nil }

// wasi are the functions of wasi_snapshot_preview1 that an adapter may import:
// what the run-time libraries of Go, C, Rust and QuickJS ask for in a module
// that uses no files. Without a directory given to it, none reaches anything;
// those that change files or open connections are refused, because a module
// that wants them is no adapter.
var wasi = []string{
	"args_get", "args_sizes_get", "clock_res_get", "clock_time_get", "environ_get", "environ_sizes_get",
	"fd_close", "fd_fdstat_get", "fd_fdstat_set_flags", "fd_filestat_get", "fd_prestat_dir_name", "fd_prestat_get",
	"fd_read", "fd_readdir", "fd_seek", "fd_tell", "fd_write", "path_filestat_get", "path_open", "path_readlink",
	"poll_oneoff", "proc_exit", "random_get", "sched_yield",
}

const wasiModule = "wasi_snapshot_preview1"

// Module checks an adapter's module: that it has a manifest, that it speaks this
// host's version of the contract, that it exports what the contract demands and
// imports nothing but what its manifest names. It compiles nothing.
func Module(wasm []byte) (Info, error) {
	info := Info{Size: len(wasm)}
	if len(wasm) > MaxModule {
		return info, fmt.Errorf("module: has %d bytes; the most is %d, so link less", len(wasm), MaxModule)
	}
	sum := sha256.Sum256(wasm)
	info.Digest = hex.EncodeToString(sum[:])
	s, err := scanModule(wasm)
	if err != nil {
		return info, fmt.Errorf("module: %w", err)
	}
	info.Imports, info.Exports = s.imports, s.exports
	text, found := []byte(nil), 0
	for _, c := range s.custom {
		info.CustomSections = append(info.CustomSections, c.name)
		if c.name == hostabi.ManifestSection {
			text = c.data
			found++
		}
	}
	if found != 1 {
		return info, fmt.Errorf("module: has %d custom sections %q, want one; put it there with oriel adapter build", found, hostabi.ManifestSection)
	}
	if info.Manifest, err = Manifest(text); err != nil {
		return info, err
	}
	var p problems
	c := native
	if info.Manifest.ABI == hostabi.ABIExtism {
		c = extism
	}
	s.checkImports(&p, info.Manifest, c)
	s.checkExports(&p, c)
	s.checkSizes(&p)
	return info, p.err("module")
}

// convention is how modules of one version of the contract are called, and call.
type convention struct {
	function funcType             // of every host function
	own      map[string]ownImport // by "module name": what has no capability of its own
	exports  []wantedExport
}

// ownImport is a function that belongs to the convention itself.
type ownImport struct {
	typ     funcType
	needs   hostabi.Capability // "" for none
	refused string             // why it is not for adapters, and what is
}

type wantedExport struct {
	name     string
	optional bool
	typ      funcType
}

var native = convention{
	function: funcType{typeI32 + typeI32, typeI32},
	own:      map[string]ownImport{hostabi.HostModule + " take": {typ: funcType{typeI32 + typeI32, ""}}},
	exports: []wantedExport{
		{"oriel_alloc", false, funcType{typeI32, typeI32}},
		{"oriel_translate", false, funcType{typeI32 + typeI32, typeI64}},
		{"oriel_invoke", true, funcType{typeI32 + typeI32, typeI64}},
		{"_initialize", true, funcType{}},
	},
}

func (s *scan) checkImports(p *problems, m *hostabi.Manifest, c convention) {
	asked := map[string]bool{}
	for _, perm := range m.Permissions {
		asked[string(perm.Capability)] = true
	}
	missing := map[string]bool{}
	for _, i := range s.imports {
		place := fmt.Sprintf("import %q %q", i.Module, i.Name)
		own, isOwn := c.own[i.Module+" "+i.Name]
		_, known := hostabi.Lookup(i.Module, i.Name)
		capability := i.Module
		if isOwn {
			known, capability = true, string(own.needs)
		}
		switch {
		case i.kind != kindFunc:
			p.add(place, "is no function; adapters import functions only")
		case i.Module == wasiModule:
			if !slices.Contains(wasi, i.Name) {
				p.add(place, "reaches outside of the sandbox; leave out what needs it")
			}
		case own.refused != "":
			p.add(place, "%s", own.refused)
		case i.Module == extismModule && m.ABI != hostabi.ABIExtism:
			p.add(place, "is Extism's; a module made with an Extism PDK says abi = %q in its manifest", hostabi.ABIExtism)
		case !known:
			p.add(place, "is no function of %s; correct the name, or update the host if it is newer", m.ABI)
		case capability != "" && !asked[capability]:
			if !missing[capability] {
				p.add(place, "is not asked for in the manifest; add a [[permission]] with capability = %q and a reason", capability)
			}
			missing[capability] = true
		case isOwn:
			s.checkType(p, place, i.index, own.typ)
		default:
			s.checkType(p, place, i.index, c.function)
		}
	}
}

func (s *scan) checkExports(p *problems, c convention) {
	seen := map[string]bool{}
	for _, e := range s.exports {
		if seen[e.Name] {
			p.add(fmt.Sprintf("export %q", e.Name), "comes twice; export each name once")
		}
		seen[e.Name] = true
	}
	for _, want := range c.exports {
		place := fmt.Sprintf("export %q", want.name)
		e := exports(s.exports, want.name)
		switch {
		case e == nil && !want.optional:
			p.add(place, "is missing; link the SDK and build a reactor (-buildmode=c-shared)")
		case e == nil:
		case e.kind != kindFunc || e.index >= uint32(len(s.funcs)):
			p.add(place, "is no function; link the SDK and build a reactor (-buildmode=c-shared)")
		default:
			s.checkType(p, place, s.funcs[e.index], want.typ)
		}
	}
	if e := exports(s.exports, "memory"); e == nil || e.kind != kindMemory {
		p.add(`export "memory"`, "is missing; export the memory under this name")
	}
	if exports(s.exports, "_start") != nil {
		p.add(`export "_start"`, "makes it a program; build a reactor (-buildmode=c-shared)")
	}
}

func exports(list []Export, name string) *Export {
	if i := slices.IndexFunc(list, func(e Export) bool { return e.Name == name }); i >= 0 {
		return &list[i]
	}
	return nil
}

func (s *scan) checkType(p *problems, place string, index uint32, want funcType) {
	if index >= uint32(len(s.types)) || s.types[index] != want {
		p.add(place, "has another signature than %s; update the SDK", want)
	}
}

// String writes a signature as the contract's description does.
func (t funcType) String() string {
	names := strings.NewReplacer(typeI32, " i32", typeI64, " i64")
	return "(" + strings.TrimSpace(names.Replace(t.params)) + ") -> (" + strings.TrimSpace(names.Replace(t.results)) + ")"
}

func (s *scan) checkSizes(p *problems) {
	for _, n := range s.tables {
		if n > maxTable {
			p.add("table", "has %d entries; the most is %d, so link less", n, maxTable)
		}
	}
	if s.mems > 1 {
		p.add("memory", "there are %d memories; a module has one", s.mems)
	}
	if s.pages > maxPages {
		p.add("memory", "starts with %d MB; the most is %d MB", s.pages/16, maxPages/16)
	}
}

// Embed returns the module with a manifest's JSON as its custom section, in
// place of one that it has.
func Embed(wasm, manifest []byte) ([]byte, error) {
	if len(wasm) < len(preamble) || string(wasm[:len(preamble)]) != preamble {
		return nil, errors.New("embedding the manifest: the file is no WebAssembly module")
	}
	out := slices.Clone(wasm[:len(preamble)])
	r := &wasmReader{b: wasm[len(preamble):]}
	for len(r.b) > 0 {
		start := r.b
		id := r.byte()
		body := r.take(r.u32())
		if r.err != nil {
			return nil, fmt.Errorf("embedding the manifest: %w", r.err)
		}
		if id == 0 && (&wasmReader{b: body}).name() == hostabi.ManifestSection {
			continue
		}
		out = append(out, start[:len(start)-len(r.b)]...)
	}
	section := binary.AppendUvarint(nil, uint64(len(hostabi.ManifestSection)))
	section = append(append(section, hostabi.ManifestSection...), manifest...)
	out = binary.AppendUvarint(append(out, 0), uint64(len(section)))
	return append(out, section...), nil
}
