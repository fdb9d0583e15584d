package desktoptest

import (
	"context"
	"errors"
	"testing"

	"oriel.dev/oriel/desktop"
)

// never is an id that no desktop gave out.
const never = desktop.WindowID(1) << 62

// WindowsSuite tests the Windows role.
func WindowsSuite(t *testing.T, env Env) {
	t.Run("ListDescribesAWindow", func(t *testing.T) { listDescribes(t, env) })
	t.Run("IDsAreNeverReused", func(t *testing.T) { idsNeverReused(t, env) })
	t.Run("C12_C13_DialogHasItsOwner", func(t *testing.T) { dialogHasOwner(t, env) })
	t.Run("C14_PopupBelongsToItsWindow", func(t *testing.T) { popupBelongs(t, env) })
	t.Run("ActivateGivesTheFocus", func(t *testing.T) { activates(t, env) })
	t.Run("UnknownWindowIsGone", func(t *testing.T) {
		for name, err := range map[string]error{
			"Close":    env.Desktop().Windows.Close(call(t), never),
			"Activate": env.Desktop().Windows.Activate(call(t), never),
		} {
			if !errors.Is(err, desktop.ErrGone) {
				t.Errorf("%s of an unknown window: %v, want ErrGone", name, err)
			}
		}
	})
	t.Run("EndedContextEndsTheCall", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := env.Desktop().Windows.List(ctx); err == nil {
			t.Error("List with an ended context gave no error")
		}
	})
}

func listDescribes(t *testing.T, env Env) {
	e := env.Editor(t)
	w, ok := lookup(t, env, e.Window)
	if !ok {
		t.Fatal("the editor's window is not listed")
	}
	if w.Title == "" || w.Class == "" || w.Role != "normal" || w.Bounds.Empty() || w.Owner != 0 || w.Modal || w.Minimized {
		t.Errorf("the editor's window reads %+v", w)
	}
	if w.App.ID == 0 || w.App.PID <= 0 || w.App.Name == "" || w.App.Process == "" {
		t.Errorf("the editor's application reads %+v", w.App)
	}
	if p := e.Field(t); !w.Bounds.Contains(p.X, p.Y) {
		t.Errorf("the window at %v does not hold its own text field at %v", w.Bounds, p)
	}
}

func idsNeverReused(t *testing.T, env Env) {
	first := env.Editor(t)
	first.Exit(t)
	gone(t, env, first.Window)
	if second := env.Editor(t); second.Window == first.Window {
		t.Errorf("a new window got the id %d of a closed one", second.Window)
	}
}

func dialogHasOwner(t *testing.T, env Env) {
	e := env.Editor(t)
	if e.Dialog == nil {
		t.Skip("the application has no dialog")
	}
	before := listed(t, env)
	e.Dialog(t)
	dialog := opened(t, env, before)
	Wait(t, "the dialog to be modal", func() bool {
		dialog, _ = lookup(t, env, dialog.ID)
		return dialog.Modal
	})
	if dialog.Owner != e.Window {
		t.Errorf("the dialog's owner is %d, want %d", dialog.Owner, e.Window)
	}
	if dialog.App.ID != before[len(before)-1].App.ID && dialog.App.PID == 0 {
		t.Errorf("the dialog's application reads %+v", dialog.App)
	}
	if err := env.Desktop().Windows.Close(call(t), dialog.ID); err != nil {
		t.Fatalf("closing the dialog: %v", err)
	}
	gone(t, env, dialog.ID)
	if _, there := lookup(t, env, e.Window); !there {
		t.Error("the owner went with its dialog")
	}
}

func popupBelongs(t *testing.T, env Env) {
	e := env.Editor(t)
	if e.Menu == nil {
		t.Skip("the application has no menu")
	}
	other := env.Question(t)
	if err := env.Desktop().Windows.Activate(call(t), e.Window); err != nil {
		t.Fatal(err)
	}
	e.Menu(t)
	Wait(t, "the popup", func() bool {
		w, _ := lookup(t, env, e.Window)
		return len(w.Popups) > 0 && !w.Popups[0].Empty()
	})
	if w, _ := lookup(t, env, other.Window); len(w.Popups) > 0 {
		t.Errorf("another window has the popups %v", w.Popups)
	}
	e.Escape(t)
	Wait(t, "the popup to be gone", func() bool {
		w, _ := lookup(t, env, e.Window)
		return len(w.Popups) == 0
	})
}

func activates(t *testing.T, env Env) {
	a, b := env.Editor(t), env.Question(t)
	for _, id := range []desktop.WindowID{a.Window, b.Window, a.Window} {
		if err := env.Desktop().Windows.Activate(call(t), id); err != nil {
			t.Fatalf("activating window %d: %v", id, err)
		}
		for _, w := range listed(t, env) {
			if w.Active != (w.ID == id) {
				t.Errorf("after activating %d, window %d (%q) has Active %v", id, w.ID, w.Title, w.Active)
			}
		}
	}
}
