package guard

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"oriel.dev/oriel/audit"
	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/desktoptest"
	"oriel.dev/oriel/tree"
)

type log struct {
	mu      sync.Mutex // guards the following fields
	records []audit.Record
	fail    error
}

func (l *log) Append(_ context.Context, r audit.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.records = append(l.records, r)
	return l.fail
}

func newGuard(t *testing.T, roles *desktop.Desktop) (*Guard, *log) {
	t.Helper()
	l := &log{}
	g, err := New(roles, l, []string{"ctrl+q"})
	if err != nil {
		t.Fatal(err)
	}
	return g, l
}

// Hammer: many callers at once, some of whom give up; never two inside, everyone
// who got in is in the log, and nobody who gave up before his turn is.
func TestDoIsSerialHammer(t *testing.T) {
	g, l := newGuard(t, desktoptest.New().Roles())
	var inside, ran, abandoned int // only touched inside, or after Wait
	var mu sync.Mutex              // guards abandoned
	var group sync.WaitGroup
	for i := range 200 {
		group.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if i%3 == 0 {
				go cancel()
			}
			err := g.Do(ctx, &audit.Record{}, func(context.Context, *Hands) error {
				if inside++; inside != 1 {
					t.Error("two acts at once")
				}
				ran++
				inside--
				return nil
			})
			if errors.Is(err, context.Canceled) {
				mu.Lock()
				abandoned++
				mu.Unlock()
			}
		})
	}
	group.Wait()
	if ran+abandoned != 200 || len(l.records) != ran {
		t.Errorf("%d ran, %d gave up, %d are in the log", ran, abandoned, len(l.records))
	}
}

func TestOutcomes(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want string
	}{
		{nil, "ok"}, {errors.New("x"), "error"}, {context.Canceled, "cancelled"}, {coded{}, "stale_state"},
	} {
		g, l := newGuard(t, desktoptest.New().Roles())
		if err := g.Do(t.Context(), &audit.Record{Client: "c"}, func(context.Context, *Hands) error { return tt.err }); !errors.Is(err, tt.err) {
			t.Errorf("Do returned %v, want %v", err, tt.err)
		}
		if r := l.records[0]; r.Outcome != tt.want || r.Time.IsZero() || r.Client != "c" {
			t.Errorf("%v is recorded as %+v", tt.err, r)
		}
	}
}

type coded struct{}

func (coded) Error() string        { return "stale" }
func (coded) AuditOutcome() string { return "stale_state" }

// What was answered is in the log: if it cannot be written, there is no plain yes.
func TestUnrecordedActIsAnError(t *testing.T) {
	g, l := newGuard(t, desktoptest.New().Roles())
	l.fail = errors.New("disk full")
	if err := g.Do(t.Context(), &audit.Record{}, func(context.Context, *Hands) error { return nil }); !errors.Is(err, l.fail) {
		t.Errorf("Do returned %v", err)
	}
}

// Nothing is done that the log does not know of: if it cannot be written, the
// first deed is refused; else the log says that the act has begun, then how it ended.
func TestNothingIsDoneUnrecorded(t *testing.T) {
	desk := desktoptest.New()
	id := desk.AddWindow(desktop.Window{Title: "w"}, desktoptest.Tree(desktoptest.N(tree.Node{Role: tree.RoleWindow})))
	g, l := newGuard(t, desk.Roles())
	act := func(ctx context.Context, h *Hands) error { return h.Close(ctx, id) }
	l.fail = errors.New("disk full")
	if err := g.Do(t.Context(), &audit.Record{}, act); !errors.Is(err, ErrUnrecorded) {
		t.Errorf("Do returned %v", err)
	}
	if _, _, there := desk.Window(id); !there {
		t.Fatal("the window was closed all the same")
	}
	l.fail, l.records = nil, nil
	if err := g.Do(t.Context(), &audit.Record{}, act); err != nil {
		t.Fatal(err)
	}
	if len(l.records) != 2 || l.records[0].Outcome != Begun || l.records[1].Outcome != "ok" {
		t.Errorf("the log holds %+v", l.records)
	}
}

// A panic inside does not leave the door locked, nor the hands alive.
func TestPanicOpensTheDoor(t *testing.T) {
	g, _ := newGuard(t, desktoptest.New().Roles())
	var kept *Hands
	func() {
		defer func() { _ = recover() }()
		_ = g.Do(t.Context(), &audit.Record{}, func(_ context.Context, h *Hands) error {
			kept = h
			panic("boom")
		})
	}()
	if err := kept.Close(t.Context(), 1); !errors.Is(err, ErrOver) {
		t.Errorf("the hands of a dead act answer %v", err)
	}
	if err := g.Do(t.Context(), &audit.Record{}, func(context.Context, *Hands) error { return nil }); err != nil {
		t.Error(err)
	}
}

// A missing role is unsupported, not a crash.
func TestMissingRoles(t *testing.T) {
	g, _ := newGuard(t, &desktop.Desktop{})
	err := g.Do(t.Context(), &audit.Record{}, func(ctx context.Context, h *Hands) error {
		for _, err := range []error{
			h.Act(ctx, 1, 1, desktop.Deed{}), h.Close(ctx, 1), h.Activate(ctx, 1), h.Move(ctx, desktop.Target{}, desktop.Point{}),
			h.Click(ctx, desktop.Target{}, desktop.Point{}, desktop.Left, 1, 0), h.Keys(ctx, desktop.Target{}, nil),
			h.Drag(ctx, desktop.Target{}, desktop.Point{}, desktop.Point{}, desktop.Left, 0),
			h.Scroll(ctx, desktop.Target{}, desktop.Point{}, 0, 1, 0), h.Text(ctx, desktop.Target{}, "x"), h.WriteClipboard(ctx, nil),
		} {
			if !errors.Is(err, desktop.ErrUnsupported) {
				t.Errorf("got %v, want unsupported", err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// G19: dangerous chords are refused whatever their order, case and alias, and
// then nothing at all is sent.
func TestDangerousChords(t *testing.T) {
	desk := desktoptest.New()
	desk.AddWindow(desktop.Window{Title: "w"}, desktoptest.Tree(desktoptest.N(tree.Node{Role: tree.RoleWindow})))
	g, _ := newGuard(t, desk.Roles())
	for _, tt := range []struct {
		keys    string
		refused bool
	}{
		{"alt+F4", true},
		{"ALT+f4", true},
		{"shift+alt+F4", true},
		{"alt+ctrl+Delete", true},
		{"control+option+del", true},
		{"ctrl+alt+BackSpace", true},
		{"ctrl+alt+F1", true},
		{"alt+ctrl+f12", true},
		{"XF86Switch_VT_3", true},
		{"alt+print", true},
		{"win+L", true},
		{"ctrl+q", true},
		{"Ctrl+Q", true},
		{"ctrl+s", false},
		{"F4", false},
		{"alt+F5", false},
		{"Delete", false},
		{"print", false},
		{"ctrl+alt+a", false},
	} {
		c, err := ParseChord(tt.keys)
		if err != nil {
			t.Fatal(err)
		}
		before := len(desk.Inputs())
		err = g.Do(t.Context(), &audit.Record{}, func(ctx context.Context, h *Hands) error {
			return h.Keys(ctx, desktop.Target{}, []desktop.Chord{{Key: "a"}, c})
		})
		if got := errors.Is(err, ErrDangerous); got != tt.refused {
			t.Errorf("%s: refused %v (%v), want %v", tt.keys, got, err, tt.refused)
		}
		if tt.refused && len(desk.Inputs()) != before {
			t.Errorf("%s: a part of it was sent", tt.keys)
		}
	}
}

func TestChordRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := desktop.Chord{
			Mods: desktop.Modifiers(rapid.IntRange(0, 15).Draw(t, "mods")),
			Key:  rapid.SampledFrom([]string{"a", "Return", "F11", "plus", "é", "Page_Up"}).Draw(t, "key"),
		}
		got, err := ParseChord(FormatChord(c))
		if err != nil || got != c {
			t.Fatalf("%+v became %q, then %+v (%v)", c, FormatChord(c), got, err)
		}
	})
	for _, bad := range []string{"", "ctrl+", "hyper+a", "+"} {
		if _, err := ParseChord(bad); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

// Text goes by keys where the layout has them, else by the clipboard.
func TestTextFallsBackToPaste(t *testing.T) {
	desk := desktoptest.New()
	id := desk.AddWindow(desktop.Window{Title: "w"}, desktoptest.Tree(desktoptest.N(tree.Node{Role: tree.RoleWindow},
		desktoptest.N(tree.Node{Role: tree.RoleEntry, States: tree.StateFocused | tree.StateEditable | tree.StateEnabled | tree.StateShowing | tree.StateVisible, Ifaces: tree.IfaceText | tree.IfaceEditableText}))))
	g, _ := newGuard(t, desk.Roles())
	for _, text := range []string{"plain", "汉字"} {
		err := g.Do(t.Context(), &audit.Record{}, func(ctx context.Context, h *Hands) error {
			return h.Text(ctx, desktop.Target{Window: id}, text)
		})
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	var methods []string
	for _, in := range desk.Inputs() {
		methods = append(methods, in.Method)
	}
	if want := []string{"Type", "Paste"}; !slices.Equal(methods, want) {
		t.Errorf("the text went by %v, want %v", methods, want)
	}
}
