//go:build linux

package sandbox

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"oriel.dev/oriel/hostabi"
)

// forgeries are manifests that lie.
var forgeries = []escape{
	{name: "two manifests", want: "has 2 custom sections", make: func(m *hostabi.Manifest) []byte {
		other := *m
		other.ID = "t.other"
		return append(newAsm(fine).bytes(m), section(0, append(asmName(hostabi.ManifestSection), manifestJSON(&other)...))...)
	}},
	{name: "no manifest", want: "has 0 custom sections", make: func(m *hostabi.Manifest) []byte {
		return bytes.Replace(newAsm(fine).bytes(m), []byte(hostabi.ManifestSection), []byte("oriel.manifesT"), 1)
	}},
	{name: "a manifest that is no UTF-8", want: "manifest", make: forged("for tests", "for \xff\xfe")},
	{name: "a manifest with control characters", want: "control or direction characters", make: forged("for tests", `for \u202etests`)},
	{name: "an id that is none", want: "write a reverse domain", make: forged(`"t.hostile`, `"../t.hostile`)},
	{name: "a key that does not exist", want: "is no key", make: forged(`"name"`, `"grants":["oriel:input"],"name"`)},
	{name: "a capability that does not exist", want: "does not exist", make: forged(`"license"`, `"permission":[{"capability":"oriel:root","reason":"x"}],"license"`)},
	{name: "a permission without a reason", want: "reason: is missing", make: forged(`"license"`, `"permission":[{"capability":"oriel:input","reason":""}],"license"`)},
	{name: "a contract of the future", want: "needs oriel/9, this host speaks oriel/1", make: forged(`oriel/1`, `oriel/9`)},
	{name: "an Extism of the future", want: "needs extism/2, this host speaks extism/1", make: forged(`oriel/1`, `extism/2`)},
	{name: "a contract for which it is not made", want: `"oriel_translate": has another signature`, make: forged(`oriel/1`, `extism/1`)},
	{name: "the id of a healthy adapter", want: "has the same id t.healthy-0 and is taken", make: func(m *hostabi.Manifest) []byte {
		m.ID = "t.healthy-0"
		return newAsm(fine).bytes(m)
	}},
}

// imports are modules that want to be given what is not for them.
var imports = []escape{
	{name: "more than the manifest asks for", want: `add a [[permission]] with capability = "oriel:input"`, make: shaped(func(a *asm) { a.imported("oriel:input", "keys") })},
	{name: "a second list of imports behind the code", want: `"oriel:input" "keys": is not asked for`, make: shaped(func(a *asm) {
		a.trailing = section(2, vec(slices.Concat(asmName("oriel:input"), asmName("keys"), []byte{0, typeHost})))
	})},
	{name: "a function that does not exist", want: "is no function of oriel/1", make: shaped(func(a *asm) { a.imported("oriel:tree", "everything") })},
	{name: "a module that does not exist", want: "is no function of oriel/1", make: shaped(func(a *asm) { a.imported("env", "system") })},
	{name: "a host function of another signature", want: "has another signature", make: func(m *hostabi.Manifest) []byte {
		return withImports(m, newAsm(fine).importedAs("oriel:tree", "observe", typeExit), "oriel:tree text", nil).bytes(m)
	}},
	{name: "files that are deleted", want: "reaches outside of the sandbox", make: shaped(func(a *asm) { a.imported("wasi_snapshot_preview1", "path_unlink_file") })},
	{name: "sockets", want: "reaches outside of the sandbox", make: shaped(func(a *asm) { a.imported("wasi_snapshot_preview1", "sock_accept") })},
	{name: "threads", want: "is no function of oriel/1", make: shaped(func(a *asm) { a.importedAs("wasi", "thread-spawn", typeInt) })},
	{name: "a system function of another signature", ends: stopped, want: "start failed", make: shaped(func(a *asm) { a.importedAs("wasi_snapshot_preview1", "fd_write", typeVoid) })},
	{name: "another's memory", want: "is no function", make: shaped(func(a *asm) {
		a.imports = append(a.imports, slices.Concat(asmName("oriel:host"), asmName("memory"), []byte{2, 0, 1}))
	})},
	{name: "another's global", want: "is no function", make: shaped(func(a *asm) {
		a.imports = append(a.imports, slices.Concat(asmName("oriel:host"), asmName("g"), []byte{3, 0x7f, 1}))
	})},
	{name: "Extism's functions under oriel/1", want: `says abi = "extism/1"`, make: shaped(func(a *asm) { a.importedAs("extism:host/env", "alloc", typePtr) })},
}

// shapes are modules that are not what an engine or a host expects.
var shapes = []escape{
	{name: "a cut file", want: "ends too early", make: func(m *hostabi.Manifest) []byte { b := newAsm(fine).bytes(m); return b[:len(b)-3] }},
	{name: "a component", want: "components are not supported", make: func(m *hostabi.Manifest) []byte {
		return append([]byte("\x00asm\x0d\x00\x01\x00"), newAsm(fine).bytes(m)[8:]...)
	}},
	{name: "an export twice", want: "comes twice", make: shaped(func(a *asm) { a.exports = append(a.exports, append(asmName("oriel_translate"), 0, 0)) })},
	{name: "two memories", want: "memories", make: shaped(func(a *asm) { a.memories = [][]byte{{0, 1}} })},
	{name: "a shared memory", want: "section 5", make: shaped(func(a *asm) { a.memories = [][]byte{{3, 1, 2}} })},
	{name: "a memory of 4 GB", want: "starts with 4096 MB", make: shaped(func(a *asm) { a.pages = 1 << 16 })},
	{name: "a table of 100 million entries", want: "table: has 100000000 entries", make: shaped(func(a *asm) { a.tables = append([]byte{0x70, 0}, uleb(100_000_000)...) })},
	{name: "a program", want: "makes it a program", make: shaped(func(a *asm) { a.add(asmFunc{name: "start", export: "_start", typ: typeVoid}) })},
	{name: "an atomic instruction", ends: stopped, want: "compile failed", make: shaped(func(a *asm) { a.before(0, 0xfe, 0x03, 0x00) })},
	{name: "a function that leaves the stack wrong", ends: stopped, want: "compile failed", make: shaped(func(a *asm) { a.before(0, opDrop) })},
	{name: "a compile bomb", ends: stopped, want: "compile failed: it took longer than 1s", alone: func(l *Limits) { l.Compile = time.Second }, make: func(m *hostabi.Manifest) []byte { return compileBomb(1000).bytes(m) }},
	{name: "a global that everybody may change", ends: idle, make: shaped(func(a *asm) { a.exports = append(a.exports, append(asmName("stack"), 2, 0)) })},
	{name: "a loop in the start section", ends: stopped, want: "start failed: it took longer than 1s", alone: func(l *Limits) { l.Start = time.Second }, make: func(m *hostabi.Manifest) []byte {
		a := newAsm(fine)
		a.startWith(endless)
		return a.bytes(m)
	}},
	{name: "a trap in the start section", ends: stopped, want: "start failed: start function[2] failed", make: func(m *hostabi.Manifest) []byte {
		a := newAsm(fine)
		a.startWith([]byte{opUnreachable})
		return a.bytes(m)
	}},
	{name: "a host function in the start section", ends: idle, make: func(m *hostabi.Manifest) []byte {
		a := withImports(m, newAsm(fine), "oriel:a11y action", nil)
		a.startWith(a.asks(0, `{"id":"1"}`))
		return a.bytes(m)
	}},
}

// outputs are answers that are none.
var outputs = []escape{
	{name: "an output of 1 GB", ends: stopped, want: "returned 1073741824 bytes; the limit is 262144", make: returns(dataAt, 1<<30)},
	{name: "an output over the limit", ends: stopped, want: "the limit is 262144", make: func(m *hostabi.Manifest) []byte {
		a := newAsm(fine)
		a.pages = 8
		return a.body(0, i64(int64(8)<<32|300_000)...).bytes(m)
	}},
	{name: "an output outside of the memory", ends: stopped, want: "not in the adapter's memory", make: returns(1<<31, 10)},
	{name: "an output half outside of the memory", ends: stopped, want: "not in the adapter's memory", make: returns(1<<16-4, 8)},
	{name: "an output whose end wraps around", ends: stopped, want: "not in the adapter's memory", make: returns(1<<32-8, 16)},
	{name: "an output of nothing", ends: stopped, want: "returned nothing", make: returns(0, 0)},
	{name: "its input as the output", ends: stopped, want: "reading view", make: returns(allocAt, 40)},
	{name: "a view that is no JSON", ends: stopped, want: "reading view", make: shaped(func(a *asm) { *a = *newAsm(`{"title":`) })},
	{name: "a view with a block of no type", ends: stopped, want: "blocks[0].type", make: shaped(func(a *asm) { *a = *newAsm(`{"blocks":[{"key":"k","type":"script"}]}`) })},
	{name: "a view a thousand levels deep", ends: stopped, want: "view", make: shaped(func(a *asm) { *a = *newAsm(`{"blocks":` + strings.Repeat("[", 1000)) })},
	{name: "media from elsewhere", ends: stopped, want: "view", make: shaped(func(a *asm) {
		*a = *newAsm(`{"blocks":[{"key":"k","type":"media","alt":"x","url":"http://example.org/"}]}`)
	})},
	{name: "a buffer outside of the memory", ends: stopped, want: "which is not in the adapter's memory", make: func(m *hostabi.Manifest) []byte {
		a := newAsm(fine)
		a.alloc = i32(-64)
		return a.bytes(m)
	}},
}

// grow is code that takes memory, until there is no more, and touches it.
var grow = slices.Concat([]byte{opLoop, voidBlock}, i32(16), []byte{opMemoryGrow, 0}, i32(-1), []byte{0x46, 0x45, 0x0d, 0, opEnd, opUnreachable})

// sleepLong are the words of poll_oneoff that ask to be woken in an hour.
var sleepLong = strings.Repeat("\x00", 24) + "\x00\xa0\xb8\x30\x46\x03\x00\x00" + strings.Repeat("\x00", 16)

// takers take time, memory, or themselves away.
var takers = []escape{
	{name: "an endless loop", ends: stopped, want: "translate failed: it took longer than 500ms", make: made("", code(endless))},
	{name: "an endless loop in an action", act: true, ends: stopped, want: "invoke failed: it took longer than 1s", make: made("", code(endless))},
	{name: "recursion without a loop", ends: stopped, want: "it took longer than 500ms", make: func(m *hostabi.Manifest) []byte {
		a := newAsm(fine)
		fib := byte(len(a.funcs) + 1)
		call := func(less int64) []byte {
			return slices.Concat([]byte{opLocalGet, 0}, i32(less), []byte{0x6b, opCall, fib})
		}
		a.add(asmFunc{name: "fib", typ: typeInt, body: slices.Concat(
			[]byte{opLocalGet, 0}, i32(2), []byte{0x48, 0x04, 0x7f, opLocalGet, 0, 0x05}, call(1), call(2), []byte{0x6a, opEnd},
		)})
		return a.before(0, slices.Concat(i32(60), []byte{opCall, fib, opDrop})...).bytes(m)
	}},
	{name: "recursion without an end", ends: stopped, want: "stack overflow", make: func(m *hostabi.Manifest) []byte {
		a := newAsm(fine)
		a.add(asmFunc{name: "deep", typ: typeVoid, body: []byte{opCall, byte(len(a.funcs) + 1)}})
		return a.before(0, opCall, byte(len(a.funcs))).bytes(m)
	}},
	{name: "all the memory that there is", ends: stopped, want: "unreachable", make: made("", code(grow))},
	{name: "a table that grows", ends: stopped, want: "translate failed", make: func(m *hostabi.Manifest) []byte { return tableBomb().bytes(m) }},
	{name: "a trap", ends: stopped, want: "unreachable", make: made("", code([]byte{opUnreachable}))},
	{name: "its own end", ends: stopped, want: "ended itself with code 0", make: func(m *hostabi.Manifest) []byte {
		return newAsm(fine).importedAs("wasi_snapshot_preview1", "proc_exit", typeExit).before(0, slices.Concat(i32(0), []byte{opCall, 0})...).bytes(m)
	}},
	{name: "an hour's sleep at a look", ends: idle, make: func(m *hostabi.Manifest) []byte {
		a := newAsm(fine).importedAs("wasi_snapshot_preview1", "poll_oneoff", typePoll)
		at, _ := a.words(sleepLong)
		return a.before(0, slices.Concat(i32(at), i32(2048), i32(1), i32(3072), []byte{opCall, 0, opDrop})...).bytes(m)
	}},
	{name: "an hour's sleep in an action", act: true, ends: stopped, want: "invoke failed: it took longer than 1s", make: func(m *hostabi.Manifest) []byte {
		a := newAsm(fine).importedAs("wasi_snapshot_preview1", "poll_oneoff", typePoll)
		return withImports(m, a, "", func(a *asm) []byte {
			at, _ := a.words(sleepLong)
			return slices.Concat(i32(at), i32(2048), i32(1), i32(3072), []byte{opCall, 0, opDrop})
		}).bytes(m)
	}},
	{name: "the environment", ends: idle, make: trapUnlessZero("environ_sizes_get")},
	{name: "the arguments", ends: idle, make: trapUnlessZero("args_sizes_get")},
	{name: "a folder of the machine", ends: idle, make: func(m *hostabi.Manifest) []byte {
		a := newAsm(fine).imported("wasi_snapshot_preview1", "fd_prestat_get")
		return a.before(0, slices.Concat(i32(3), i32(2048), []byte{opCall, 0, 0x45, 0x04, voidBlock, opUnreachable, opEnd})...).bytes(m)
	}},
	{name: "a flood on its standard error", ends: stopped, want: "it took longer than 500ms", make: func(m *hostabi.Manifest) []byte {
		a := newAsm(fine).importedAs("wasi_snapshot_preview1", "fd_write", typePoll)
		line, _ := a.words("a line of noise\n")
		list, _ := a.words(string([]byte{byte(line), 0, 0, 0, 16, 0, 0, 0}))
		return a.before(0, slices.Concat([]byte{opLoop, voidBlock}, i32(2), i32(list), i32(1), i32(2048), []byte{opCall, 0, opDrop, opBr, 0, opEnd})...).bytes(m)
	}},
}

// trapUnlessZero asks WASI how many there are of something, and traps if there
// are any.
func trapUnlessZero(function string) func(*hostabi.Manifest) []byte {
	return func(m *hostabi.Manifest) []byte {
		a := newAsm(fine).imported("wasi_snapshot_preview1", function)
		count := slices.Concat(i32(2048), i32(2052), []byte{opCall, 0, opDrop}, i32(2048), []byte{0x28, 2, 0, 0x04, voidBlock, opUnreachable, opEnd})
		return a.before(0, count...).bytes(m)
	}
}

// askers ask the host for what they may not have.
var askers = []escape{
	{name: "pressing keys without a grant", act: true, ends: turnedDown, want: "oriel:input keys: \"oriel:input\" is not granted", make: made("oriel:input keys", asking(`{"chords":["a"]}`))},
	{name: "the clipboard without a grant", act: true, ends: turnedDown, want: "oriel:clipboard read", make: made("oriel:clipboard read", asking(`{"type":"text/plain"}`))},
	{name: "closing the window without a grant", act: true, ends: turnedDown, want: "oriel:window close", make: made("oriel:window close", asking(`{}`))},
	{name: "pixels without a grant", act: true, ends: turnedDown, want: "oriel:capture window", make: made("oriel:capture window", asking(`{}`))},
	{name: "acting at a look, " + granted, ends: turnedDown, want: "cannot be used in translate", make: made("oriel:a11y action", asking(`{"id":"1"}`))},
	{name: "clicking at a look, " + granted, ends: turnedDown, want: "cannot be used in translate", make: made("oriel:input click", asking(`{}`))},
	{name: "the live tree at a look, " + granted, ends: turnedDown, want: "cannot be used in translate", make: made("oriel:tree observe", asking(`{}`))},
	{name: "stored values at a look, " + granted, ends: turnedDown, want: "cannot be used in translate", make: made("oriel:kv get", asking(`{"key":"k"}`))},
	{name: "pixels at a look that needs none, " + granted, ends: turnedDown, want: `needs = ["pixels"]`, make: made("oriel:capture window", asking(`{}`))},
	{name: "a host function while it is asked for a buffer, " + granted, ends: turnedDown, want: "cannot be used in translate", make: func(m *hostabi.Manifest) []byte {
		a := withImports(m, newAsm(fine), "oriel:a11y action", nil)
		a.alloc = slices.Concat(a.asks(0, `{"id":"1"}`), i32(allocAt))
		return a.bytes(m)
	}},
	{name: "keys beyond its scope, " + granted, act: true, ends: turnedDown, want: `the key combination "ctrl+q" is outside of the scope "ctrl+s"`, make: scoped(hostabi.CapInput, "ctrl+s", "oriel:input keys", `{"chords":["ctrl+s","ctrl+q"]}`)},
	{name: "a clipboard type beyond its scope, " + granted, act: true, ends: turnedDown, want: `the type "text/html" is outside of the scope`, make: scoped(hostabi.CapClipboard, "read text/plain", "oriel:clipboard read", `{"type":"text/html"}`)},
	{name: "pixels beyond its scope, " + granted, act: true, ends: turnedDown, want: "the whole window is outside of the scope", make: scoped(hostabi.CapCapture, "region=0,0,10,10", "oriel:capture window", `{}`)},
	{name: "another application beyond its scope, " + granted, act: true, ends: turnedDown, want: "is outside of the scope \"app=mine\"", make: scoped(hostabi.CapA11y, "app=mine", "oriel:a11y focus", `{"id":"1"}`)},
	{name: "more values than its scope, " + granted, act: true, ends: turnedDown, want: "where it may keep 8", make: scoped(hostabi.CapKV, "8B", "oriel:kv set", `{"key":"k","data":"QUFBQUFBQUFBQUFB"}`)},
	{name: "another adapter's value", act: true, ends: idle, make: made("oriel:kv get", asking(`{"key":"../t.other/secret"}`))},
	{name: "a stale handle", act: true, ends: idle, want: `oriel:a11y action {"id":"18446744073709551615"}`, make: made("oriel:a11y action", asking(`{"id":"18446744073709551615"}`))},
	{name: "a request outside of the memory", act: true, ends: stopped, want: "not in the adapter's memory", make: made("oriel:a11y action", code(i32(-8), i32(64), []byte{opCall, 0, opDrop}))},
	{name: "a request of 40 KB of zeros", act: true, ends: idle, want: "oriel:tree text " + strings.Repeat("\x00", 20), make: made("oriel:tree text", code(i32(20_000), i32(40_000), []byte{opCall, 0, opDrop}))},
	{name: "a request larger than any", act: true, ends: idle, make: func(m *hostabi.Manifest) []byte {
		a := newAsm(fine)
		a.pages = 48
		return withImports(m, a, "oriel:tree text", code(i32(0), i32(maxRequest+1), []byte{opCall, 0, opDrop})).bytes(m)
	}},
	{name: "a reply taken to nowhere", act: true, ends: stopped, want: "does not fit the adapter's memory", make: func(m *hostabi.Manifest) []byte {
		a := newAsm(fine).importedAs("oriel:host", "take", typeTake)
		return withImports(m, a, "oriel:a11y action", func(a *asm) []byte {
			return slices.Concat(a.asks(1, `{"id":"1"}`), i32(-8), i32(1000), []byte{opCall, 0})
		}).bytes(m)
	}},
	{name: "a reply taken twice and larger than it is", act: true, ends: idle, want: `oriel:a11y action {"id":"1"}`, make: func(m *hostabi.Manifest) []byte {
		a := newAsm(fine).importedAs("oriel:host", "take", typeTake)
		take := slices.Concat(i32(8192), i32(-1), []byte{opCall, 0})
		return withImports(m, a, "oriel:a11y action", func(a *asm) []byte { return slices.Concat(a.asks(1, `{"id":"1"}`), take, take) }).bytes(m)
	}},
	{name: "a flood of host calls", act: true, ends: stopped, want: "it called host functions more than 200 times", make: made("oriel:tree observe", func(a *asm) []byte {
		return slices.Concat([]byte{opLoop, voidBlock}, a.asks(0, `{}`), []byte{opBr, 0, opEnd})
	})},
	{name: "a flood of the log", act: true, ends: stopped, want: "it called host functions more than 200 times", make: made("oriel:log write", func(a *asm) []byte {
		return slices.Concat([]byte{opLoop, voidBlock}, a.asks(0, `{"level":"error","text":"noise"}`), []byte{opBr, 0, opEnd})
	})},
	{name: "a request that is nonsense", act: true, ends: idle, want: "oriel:input click \xff{", make: made("oriel:input click", asking("\xff{"))},
}

// scoped is an attempt beyond the scope of a permission.
func scoped(c hostabi.Capability, scope, function, request string) func(*hostabi.Manifest) []byte {
	return func(m *hostabi.Manifest) []byte {
		m.Permissions = append(m.Permissions, hostabi.Permission{Capability: c, Scope: scope, Reason: "it is hostile"})
		return made(function, asking(request))(m)
	}
}

// extismEscapes try what Extism offers elsewhere.
var extismEscapes = []escape{
	{name: "Extism: nothing, by the raw functions", ends: idle, make: extismMade(func(*asm) {})},
	{name: "Extism: the network", want: "reaches the network", make: extismMade(func(a *asm) { a.importedAs("extism:host/env", "http_request", typePtr) })},
	{name: "Extism: an answer's headers after a redirect", want: "reaches the network", make: extismMade(func(a *asm) { a.importedAs("extism:host/env", "http_headers", typePtr) })},
	{name: "Extism: variables", want: "oriel:kv get and set", make: extismMade(func(a *asm) { a.importedAs("extism:host/env", "var_set", typeTwo) })},
	{name: "Extism: the host's side of its memory", want: "is no function of extism/1", make: extismMade(func(a *asm) { a.importedAs("extism:host/env", "input_set", typeTwo) })},
	{name: "Extism: a function of the user's module", want: "is no function of extism/1", make: extismMade(func(a *asm) { a.importedAs("extism:host/user", "exec", typePtr) })},
	{name: "Extism: the log without asking", want: `capability = "oriel:log"`, make: extismMade(func(a *asm) { a.importedAs("extism:host/env", "log_info", typeTwo) })},
	{name: "Extism: files by the path", want: "reaches outside of the sandbox", make: extismMade(func(a *asm) { a.imported("wasi_snapshot_preview1", "path_rename") })},
	{name: "Extism: a host function at a look, " + granted, ends: turnedDown, want: "cannot be used in translate", make: extismAsks(nil)},
	{name: "Extism: a host function without a grant", ends: turnedDown, want: "\"oriel:a11y\" is not granted", make: extismAsks(nil)},
	{name: "Extism: a request that is no block", ends: stopped, want: "is no block of Extism's memory", make: extismAsks(i64(12345))},
	{name: "Extism: an output at a wrong place", ends: stopped, want: "returned nothing", make: extismMade(func(a *asm) {
		a.body(0, slices.Concat(i64(99_999_999), i64(10), []byte{opCall, 2}, i32(0))...)
	})},
	{name: "Extism: writing outside of its memory", ends: stopped, want: "could not write value", make: extismMade(func(a *asm) {
		a.before(0, slices.Concat(i64(1<<40-8), i64(1), []byte{opCall, 1})...)
	})},
	{name: "Extism: all of its second memory", ends: stopped, want: "unreachable", make: extismMade(func(a *asm) {
		a.before(0, slices.Concat([]byte{opLoop, voidBlock}, i64(1<<20), []byte{opCall, 0, 0x50, 0x45, 0x0d, 0, opEnd, opUnreachable})...)
	})},
	{name: "Extism: a code for an error", ends: stopped, want: "returned 7", make: extismMade(func(a *asm) { a.body(0, i32(7)...) })},
	{name: "Extism: an endless loop", ends: stopped, want: "it took longer than 500ms", make: extismMade(func(a *asm) { a.before(0, endless...) })},
	{name: "Extism: a trap", ends: stopped, want: "unreachable", make: extismMade(func(a *asm) { a.before(0, opUnreachable) })},
	{name: "Extism: a loop in the start section", ends: stopped, want: "start failed: it took longer than 1s", alone: func(l *Limits) { l.Start = time.Second }, make: extismMade(func(a *asm) {
		a.startWith(endless)
	})},
	{name: "Extism: its memory in the start section", ends: stopped, want: "start failed", make: extismMade(func(a *asm) {
		a.startWith(slices.Concat(i64(8), []byte{opCall, 0, opDrop}))
	})},
	{name: "Extism: a loop while it is initialised", ends: stopped, want: "it took longer than 500ms", make: extismMade(func(a *asm) {
		a.add(asmFunc{name: "init", export: "_initialize", typ: typeVoid, body: endless})
	})},
	{name: "Extism: a trap while it is initialised", ends: stopped, want: "start failed", make: extismMade(func(a *asm) {
		a.add(asmFunc{name: "init", export: "_initialize", typ: typeVoid, body: []byte{opUnreachable}})
	})},
}

// extismAsks has an Extism module call oriel:a11y focus with the offset that the
// code pushes; nil pushes that of a proper request.
func extismAsks(offset []byte) func(*hostabi.Manifest) []byte {
	return func(m *hostabi.Manifest) []byte {
		m.Permissions = append(m.Permissions, hostabi.Permission{Capability: hostabi.CapA11y, Reason: "it is hostile"})
		return extismMade(func(a *asm) {
			a.importedAs("oriel:a11y", "focus", typePtr)
			if offset == nil {
				request := int64(0x7d223122_3a226469) // "di":"1"} without its brace
				offset = slices.Concat(i64(8), []byte{opCall, 0, 0x22, 0}, i64(request), []byte{opCall, 1, opLocalGet, 0})
			}
			a.before(0, slices.Concat(offset, []byte{opCall, 3, opDrop})...)
		})(m)
	}
}
