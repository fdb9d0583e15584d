package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// letter is what the agent writes, and what the saved file must hold in the end.
const letter = "Dear reader,\nthis was written by an agent through the window's own tool.\n第三行: ünïcödé ✓\n"

// story is the demonstration, step by step.
type story struct {
	session  *session
	host     *host
	dir, out string
	file     string
	editor   string // window id
	step     int
}

func (s *story) say(format string, args ...any) {
	s.step++
	fmt.Printf("\n%d. %s\n", s.step, fmt.Sprintf(format, args...))
}

func (s *story) tell(ctx context.Context) error {
	for _, chapter := range []func(context.Context) error{s.read, s.edit, s.ask, s.decline, s.save, s.judge} {
		if err := chapter(ctx); err != nil {
			return fmt.Errorf("step %d: %w", s.step, err)
		}
	}
	fmt.Printf("\nAll %d steps worked. Look at %s and %s.\n", s.step, filepath.Join(s.out, "desktop.png"), filepath.Join(s.out, "blocks.json"))
	return nil
}

// read waits for the editor's window and shows it.
func (s *story) read(ctx context.Context) error {
	s.say("A text editor is open on an empty letter. Reading app://windows.")
	if err := os.WriteFile(s.file, nil, 0o600); err != nil {
		return err
	}
	if err := s.host.launch("mousepad", s.file); err != nil {
		return err
	}
	st, err := s.session.await(ctx, "the editor's window", func(st state) bool {
		return slices.ContainsFunc(st.Windows, func(w window) bool { return strings.Contains(w.Title, "letter.txt") && w.Summary != "" })
	})
	if err != nil {
		return err
	}
	for _, w := range st.Windows {
		if strings.Contains(w.Title, "letter.txt") {
			s.editor = w.ID
			show(w)
		}
	}
	return nil
}

// edit writes the letter by the window's own tool, based on the version read.
func (s *story) edit(ctx context.Context) error {
	tools, err := s.session.awaitTool(ctx, s.editor, s.editor+"__set_text")
	if err != nil {
		return err
	}
	s.say("The window has the tools %s.\n   Writing the letter with set_text.", strings.Join(tools, ", "))
	a, stale, err := s.write(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("   → %s (effect %s, version %d)\n", a.Message, a.Result.Effect, a.Result.Version)
	if a.Result.Effect != "confirmed" {
		return errors.New("the effect is not confirmed")
	}
	if _, err := s.session.call(ctx, s.editor+"__set_text", map[string]any{"text": "too late", "expectedVersion": stale}); err == nil {
		return errors.New("a second write based on the old version was not refused")
	} else {
		fmt.Printf("   A second write based on version %d is refused: %v\n", stale, err)
	}
	return nil
}

// write writes the letter, based on the version that was read last. If the window
// has changed meanwhile it reads again and decides anew, as every client should.
func (s *story) write(ctx context.Context) (a answer, version int64, err error) {
	for range 5 {
		st, err := s.session.read(ctx)
		if err != nil {
			return a, 0, err
		}
		version = st.window(s.editor).Version
		a, err = s.session.call(ctx, s.editor+"__set_text", map[string]any{"text": letter, "expectedVersion": version})
		if err == nil || a.Code != "stale_state" {
			return a, version, err
		}
		fmt.Printf("   The window has changed since version %d was read; reading it again.\n", version)
	}
	return a, version, errors.New("the window did not hold still for a write")
}

// ask closes the window with unsaved changes, which opens a modal question.
func (s *story) ask(ctx context.Context) error {
	s.say("Closing the window, although the letter is not saved.")
	drain(s.session.tools)
	a, err := s.session.call(ctx, s.editor+"__close", nil)
	if err != nil {
		return err
	}
	fmt.Printf("   → %s\n", a.Message)
	if len(a.OpenedWindowIDs) != 1 {
		return fmt.Errorf("the call names the windows %v, want the one question", a.OpenedWindowIDs)
	}
	dialog := a.OpenedWindowIDs[0]
	st, err := s.session.read(ctx)
	if err != nil {
		return err
	}
	show(*st.window(dialog))
	fmt.Printf("   operable now: %v\n", st.OperableWindowIDs)
	if slices.Contains(st.OperableWindowIDs, s.editor) || !slices.Contains(st.OperableWindowIDs, dialog) {
		return errors.New("the question should be operable and its owner should not")
	}
	if owner := st.window(dialog).OwnerID; owner == nil || *owner != s.editor {
		return errors.New("the question does not name its owner")
	}
	select {
	case <-s.session.tools:
	case <-ctx.Done():
		return ctx.Err()
	}
	tools, err := s.session.toolsOf(ctx, s.editor)
	if err != nil {
		return err
	}
	if len(tools) != 0 {
		return fmt.Errorf("the blocked window still has the tools %v", tools)
	}
	fmt.Println("   tools/list_changed has arrived; the editor's tools are gone from the list")
	if _, err := s.session.call(ctx, s.editor+"__set_text", map[string]any{"text": "x"}); err == nil || !strings.Contains(err.Error(), "blocked_by_modal") {
		return fmt.Errorf("calling one all the same gives %v, want blocked_by_modal", err)
	} else {
		fmt.Printf("   Calling one all the same is refused: %v\n", err)
	}
	return s.keep(ctx)
}

func drain(c chan struct{}) {
	select {
	case <-c:
	default:
	}
}

// keep leaves a picture of the desktop and the blocks of the same moment: nothing
// changed between the reading before the picture and the one after it.
func (s *story) keep(ctx context.Context) error {
	for range 5 {
		before, err := s.session.read(ctx)
		if err != nil {
			return err
		}
		if err := s.host.picture(ctx, filepath.Join(s.out, "desktop.png")); err != nil {
			return err
		}
		after, err := s.session.read(ctx)
		if err != nil {
			return err
		}
		if before.text != after.text {
			continue
		}
		var text bytes.Buffer
		if err := json.Indent(&text, []byte(after.text), "", "  "); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(s.out, "blocks.json"), append(text.Bytes(), '\n'), 0o644)
	}
	return errors.New("the desktop did not hold still for a picture")
}

// decline answers the question with Cancel.
func (s *story) decline(ctx context.Context) error {
	st, err := s.session.read(ctx)
	if err != nil {
		return err
	}
	s.say("Answering the question with Cancel.")
	if _, err := s.session.call(ctx, st.OperableWindowIDs[0]+"__press", map[string]any{"button": "Cancel"}); err != nil {
		return err
	}
	st, err = s.session.await(ctx, "the editor to be operable", func(st state) bool { return slices.Contains(st.OperableWindowIDs, s.editor) })
	if err != nil {
		return err
	}
	show(*st.window(s.editor))
	return nil
}

// save saves the letter and closes the window.
func (s *story) save(ctx context.Context) error {
	s.say("Saving, and closing the window.")
	a, err := s.session.call(ctx, s.editor+"__save", nil)
	if err != nil {
		return err
	}
	fmt.Printf("   → %s (effect %s)\n", a.Message, a.Result.Effect)
	if a, err = s.session.call(ctx, s.editor+"__close", nil); err != nil {
		return err
	}
	fmt.Printf("   → %s (effect %s)\n", a.Message, a.Result.Effect)
	_, err = s.session.await(ctx, "the window to be gone", func(st state) bool { return st.window(s.editor) == nil })
	return err
}

// judge compares the file that the editor saved.
func (s *story) judge(context.Context) error {
	s.say("Reading the file that the editor saved.")
	got, err := os.ReadFile(s.file)
	if err != nil {
		return err
	}
	if string(got) != letter {
		return fmt.Errorf("the file holds %q, want %q", got, letter)
	}
	fmt.Printf("   It holds the letter, all %d bytes.\n", len(got))
	return nil
}

// show prints a window for a person.
func show(w window) {
	owner := ""
	if w.OwnerID != nil {
		owner = ", modal to " + *w.OwnerID
	}
	fmt.Printf("   %s “%s” (version %d%s): %s\n   %s\n", w.ID, w.Title, w.Version, owner, w.Summary, w.Blocks)
}
