package desktoptest

import (
	"bytes"
	"slices"
	"testing"
)

// The type that every program asks for when it wants text.
const utf8String = "UTF8_STRING"

// SelectionSuite tests the Selection role.
func SelectionSuite(t *testing.T, env Env) {
	t.Run("WrittenDataIsRead", func(t *testing.T) { writtenIsRead(t, env) })
	t.Run("C22_PasteRestoresTheClipboard", func(t *testing.T) { pasteRestores(t, env) })
	t.Run("MissingTypeIsAnError", func(t *testing.T) {
		s := env.Desktop().Selection
		if err := s.Write(call(t), map[string][]byte{utf8String: []byte("x")}); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Read(call(t), "image/png"); err == nil {
			t.Errorf("a type that is not offered reads %q", got)
		}
	})
}

func writtenIsRead(t *testing.T, env Env) {
	s := env.Desktop().Selection
	data := map[string][]byte{
		utf8String:         []byte("grüße 我们 🙂"),
		"application/test": bytes.Repeat([]byte{0, 1, 0xfe, 0xff}, 100_000),
	}
	if err := s.Write(call(t), data); err != nil {
		t.Fatal(err)
	}
	types, err := s.Types(call(t))
	if err != nil {
		t.Fatal(err)
	}
	for typ, want := range data {
		if !slices.Contains(types, typ) {
			t.Errorf("the types %q lack %s", types, typ)
		}
		if got, err := s.Read(call(t), typ); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s reads %d bytes, %v, want %d", typ, len(got), err, len(want))
		}
	}
}

func pasteRestores(t *testing.T, env Env) {
	e := env.Editor(t)
	s := env.Desktop().Selection
	picture := []byte("\x89PNG\r\n\x1a\nnot really")
	if err := s.Write(call(t), map[string][]byte{"image/png": picture}); err != nil {
		t.Fatal(err)
	}
	text := "pasted 我们 🙂 é"
	if err := s.Paste(call(t), to(e.Window), text); err != nil {
		t.Fatalf("pasting: %v", err)
	}
	holds(t, e, text)
	if got, err := s.Read(call(t), "image/png"); err != nil || !bytes.Equal(got, picture) {
		t.Errorf("after the paste the clipboard reads %q, %v", got, err)
	}
}
