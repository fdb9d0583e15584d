//go:build linux

package sandbox

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestFramesArriveAsSent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b bytes.Buffer
		w := &frameWriter{w: &b}
		type sent struct {
			k       kind
			call    uint32
			payload []byte
		}
		var all []sent
		for range rapid.IntRange(0, 5).Draw(t, "frames") {
			s := sent{kind(rapid.Byte().Draw(t, "kind")), rapid.Uint32().Draw(t, "call"), rapid.SliceOfN(rapid.Byte(), 0, 3000).Draw(t, "payload")}
			cut := rapid.IntRange(0, len(s.payload)).Draw(t, "cut")
			if err := w.write(s.k, s.call, s.payload[:cut], s.payload[cut:]); err != nil {
				t.Fatal(err)
			}
			all = append(all, s)
		}
		r := newFrameReader(&b, 3000)
		for i, s := range all {
			f, err := r.read(fresh)
			if err != nil || f.kind != s.k || f.call != s.call || !bytes.Equal(f.payload, s.payload) {
				t.Fatalf("frame %d: %+v, %v, want %+v", i, f, err, s)
			}
		}
		if _, err := r.read(fresh); err != io.EOF {
			t.Fatalf("after the last: %v", err)
		}
	})
}

func FuzzFrameReader(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0, 2, 3, 0, 0, 0, 9})
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 2, 3, 0, 0, 0})
	f.Add([]byte{9, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		r := newFrameReader(bytes.NewReader(b), 1<<10)
		for total := 0; ; {
			fr, err := r.read(fresh)
			if err != nil {
				return
			}
			if total += headerSize + len(fr.payload); total > len(b) || len(fr.payload) > 1<<10 {
				t.Fatalf("%d bytes of frames from %d bytes", total, len(b))
			}
		}
	})
}

func TestTailKeepsBothEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var tl tail
		var all strings.Builder
		for range rapid.IntRange(0, 30).Draw(t, "writes") {
			p := bytes.Repeat([]byte{byte('a' + rapid.IntRange(0, 25).Draw(t, "letter"))}, rapid.IntRange(0, 2*tailSize/3).Draw(t, "n"))
			if n, err := tl.Write(p); n != len(p) || err != nil {
				t.Fatalf("Write = %d, %v", n, err)
			}
			all.Write(p)
		}
		got, want := strings.Join(tl.lines(), "\n"), all.String()
		if len(want) > tailSize {
			want = want[:tailHead] + "\n…\n" + want[len(want)-(tailSize-tailHead):]
		}
		if got != want {
			t.Fatalf("kept %d bytes of %d, not head and end", len(got), all.Len())
		}
		if tl.reset(); len(tl.lines()) != 0 {
			t.Fatal("reset keeps lines")
		}
	})
}

func TestStackTraces(t *testing.T) {
	engine := "\t.runtime.fatalpanic(i32) i32\n\t.main.(*T).Method(i32) i32\n\t.f(i32,i64) (i32,i64)\n\t.f(i32) i32\n\t.wasm_pc_f_loop(i32)\n\t.$12()\n\nGo runtime stack trace:\nx(1)\n"
	if got, want := engineFrames(engine), []string{"main.(*T).Method", "f", "$12"}; !slices.Equal(got, want) {
		t.Errorf("engine's frames = %q, want %q", got, want)
	}
	lines := strings.Split("panic: x\n\ngoroutine 1 [running]:\nmain.(*T).m(0x1)\n\t/a/b.go:12 +0x1\npanic({0x1, 0x2})\n\t/go/panic.go:1\nmain.f[...](...)\n\t/a/c.go:3\nno frame(here)", "\n")
	if got, want := goFrames(lines), []string{"main.(*T).m (b.go:12)", "main.f[...] (c.go:3)"}; !slices.Equal(got, want) {
		t.Errorf("Go's frames = %q, want %q", got, want)
	}
}
