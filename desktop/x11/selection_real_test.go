//go:build desktop

package x11

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/linux/virtual"
)

// xclipOwns puts a file's content on the clipboard.
func xclipOwns(t *testing.T, v *virtual.Desktop, typ string, content []byte) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "content")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	// -quiet keeps it in the foreground, so that it ends with the test.
	run(t, v, "xclip", "-quiet", "-selection", "clipboard", "-t", typ, "-i", file)
}

// xclip reads the clipboard as another program.
func xclip(t *testing.T, v *virtual.Desktop, typ string) string {
	t.Helper()
	out, err := v.Command("xclip", "-selection", "clipboard", "-t", typ, "-o").Output()
	if err != nil {
		t.Errorf("xclip -t %s: %v", typ, err)
	}
	return string(out)
}

func TestSelectionBetweenPrograms(t *testing.T) {
	d, _ := open(t, shared)
	s := d.Selection()
	if err := s.Write(within(t), map[string][]byte{"UTF8_STRING": []byte("x")}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Read(within(t), "image/png"); !errors.Is(err, desktop.ErrUnsupported) {
		t.Errorf("a form that is not offered gives %v", err)
	}
	big := bytes.Repeat([]byte("0123456789abcdef"), 1<<16) // 1 MiB: piece by piece
	for _, c := range []struct {
		typ  string
		data []byte
	}{{"UTF8_STRING", []byte("grüße 我们 🙂")}, {"image/png", []byte("\x89PNG\x00\x01")}, {"application/big", big}, {"text/html", nil}} {
		t.Run(c.typ, func(t *testing.T) {
			if err := s.Write(within(t), map[string][]byte{c.typ: c.data, "x/other": []byte("other")}); err != nil {
				t.Fatal(err)
			}
			if got := xclip(t, shared, c.typ); got != string(c.data) {
				t.Errorf("another program reads %d bytes, want %d", len(got), len(c.data))
			}
			if types := strings.Fields(xclip(t, shared, "TARGETS")); !slices.Contains(types, c.typ) || !slices.Contains(types, "x/other") {
				t.Errorf("another program sees %v", types)
			}
			if got, err := s.Read(within(t), c.typ); err != nil || !bytes.Equal(got, c.data) {
				t.Errorf("we read %d bytes, %v", len(got), err)
			}
			if len(c.data) == 0 {
				return
			}
			xclipOwns(t, shared, c.typ, c.data)
			wait(t, "the other program to own the clipboard", func() bool {
				types, err := s.Types(within(t))
				return err == nil && !slices.Contains(types, "x/other")
			})
			if got, err := s.Read(within(t), c.typ); err != nil || !bytes.Equal(got, c.data) {
				t.Errorf("from another program we read %d bytes, %v, want %d", len(got), err, len(c.data))
			}
		})
	}
}

func TestSelectionOwnerDoesNotAnswer(t *testing.T) {
	d, _ := open(t, shared)
	s := d.Selection()
	file := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(file, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := run(t, shared, "xclip", "-quiet", "-selection", "clipboard", "-i", file)
	wait(t, "the clipboard", func() bool {
		b, err := s.Read(within(t), "UTF8_STRING")
		return err == nil && string(b) == "text"
	})
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	if _, err := s.Read(within(t), "UTF8_STRING"); !errors.Is(err, desktop.ErrNotAnswering) || time.Since(begin) > 2*time.Second {
		t.Errorf("a stopped owner gives %v after %v", err, time.Since(begin))
	}
	// C22: a clipboard that fails fails nothing else.
	pasteInto(t, d, "pasted over a dead owner")
	if err := cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
}

// pasteInto pastes into a real text field and checks what its program read.
func pasteInto(t *testing.T, d *Display, text string) {
	t.Helper()
	cmd := shared.Command("zenity", "--entry", "--title", "pastefield", "--text", "x")
	var out strings.Builder
	cmd.Stdout = &out
	ended, err := shared.Launch(cmd)
	if err != nil {
		t.Fatal(err)
	}
	w := titled(t, d, "pastefield")
	activate(t, d, w.Window.ID)
	me := desktop.Target{Window: w.Window.ID}
	begin := time.Now()
	if err := d.Selection().Paste(within(t), me, text); err != nil {
		t.Errorf("pasting %d bytes: %v", len(text), err)
	}
	t.Logf("pasting %d bytes took %v", len(text), time.Since(begin))
	if err := d.Input().Keys(within(t), me, []desktop.Chord{{Key: "Return"}}); err != nil {
		t.Error(err)
		_ = cmd.Process.Kill()
	}
	<-ended
	if got := strings.TrimSuffix(out.String(), "\n"); got != text {
		t.Errorf("pasted %d bytes, the field holds %d: %.80q", len(text), len(got), got)
	}
}

func TestC22_PasteKeepsTheClipboard(t *testing.T) {
	d, _ := open(t, shared)
	s := d.Selection()
	picture := append([]byte("\x89PNG\r\n\x1a\n"), bytes.Repeat([]byte{0, 1, 2, 255}, 100_000)...)
	xclipOwns(t, shared, "image/png", picture)
	wait(t, "the picture", func() bool {
		types, err := s.Types(within(t))
		return err == nil && slices.Contains(types, "image/png")
	})
	pasteInto(t, d, "我们 🙂 é pasted "+strings.Repeat("long ", 1000))
	if got := xclip(t, shared, "image/png"); got != string(picture) {
		t.Errorf("afterwards the clipboard holds %d bytes, want %d", len(got), len(picture))
	}
	if types, err := s.Types(within(t)); err != nil || !slices.Equal(types, []string{"image/png"}) {
		t.Errorf("afterwards it offers %v, %v", types, err)
	}
}

func TestPasteThatIsNotTaken(t *testing.T) {
	s := newStage(t, shared)
	if err := s.d.Selection().Write(within(t), map[string][]byte{"UTF8_STRING": []byte("before")}); err != nil {
		t.Fatal(err)
	}
	me := desktop.Target{Window: s.me}
	if err := s.d.Selection().Paste(within(t), me, "x"); !errors.Is(err, desktop.ErrRefused) {
		t.Errorf("a window that takes nothing gives %v", err)
	}
	activate(t, s.d, s.she)
	s.p.take()
	s.q.take()
	if err := s.d.Selection().Paste(within(t), me, "x"); !errors.Is(err, desktop.ErrNoFocus) {
		t.Errorf("a window without focus gives %v", err)
	}
	if n := presses(s.p.take()) + presses(s.q.take()); n != 0 {
		t.Errorf("%d keys were sent", n)
	}
	if got := xclip(t, shared, "UTF8_STRING"); got != "before" {
		t.Errorf("afterwards the clipboard holds %q", got)
	}
}

func TestEmptyClipboard(t *testing.T) {
	v := start(t, virtual.Config{Width: 640, Height: 480, WindowManager: []string{}})
	d, _ := open(t, v)
	if types, err := d.Selection().Types(within(t)); err != nil || len(types) != 0 {
		t.Errorf("it offers %v, %v", types, err)
	}
	if _, err := d.Selection().Read(within(t), "UTF8_STRING"); !errors.Is(err, desktop.ErrUnsupported) {
		t.Errorf("reading gives %v", err)
	}
}
