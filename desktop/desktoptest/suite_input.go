package desktoptest

import (
	"errors"
	"testing"

	"oriel.dev/oriel/desktop"
)

// InputSuite tests the Input role.
func InputSuite(t *testing.T, env Env) {
	t.Run("ClickAndType", func(t *testing.T) { clickAndType(t, env) })
	t.Run("KeysWithModifiers", func(t *testing.T) { chords(t, env) })
	t.Run("C18_NoFocusSendsNothing", func(t *testing.T) { noFocus(t, env) })
	t.Run("ClickPressesAButton", func(t *testing.T) { clickPresses(t, env) })
	t.Run("PointsAreProved", func(t *testing.T) { pointsProved(t, env) })
	t.Run("UntypableTextSendsNothing", func(t *testing.T) { untypable(t, env) })
	t.Run("PositionFollowsMove", func(t *testing.T) {
		e := env.Editor(t)
		p := e.Field(t)
		if err := env.Desktop().Input.Move(call(t), desktop.Target{}, p); err != nil {
			t.Fatal(err)
		}
		if got, err := env.Desktop().Input.Position(call(t)); err != nil || got != p {
			t.Errorf("the pointer is at %v, %v, want %v", got, err, p)
		}
	})
}

func to(id desktop.WindowID) desktop.Target { return desktop.Target{Window: id} }

// proves reports whether the backend can prove where input goes. One that
// cannot must refuse every target.
func proves(t *testing.T, env Env, id desktop.WindowID) bool {
	t.Helper()
	return !errors.Is(env.Desktop().Input.Keys(call(t), to(id), nil), desktop.ErrUnsupported)
}

// aim returns the target for input that is meant for a window, or none for a
// backend that sends input to whatever is there.
func aim(t *testing.T, env Env, id desktop.WindowID) desktop.Target {
	t.Helper()
	if proves(t, env, id) {
		return to(id)
	}
	return desktop.Target{}
}

// refusesTargets checks the backend that proves nothing.
func refusesTargets(t *testing.T, env Env, id desktop.WindowID) {
	t.Helper()
	in := env.Desktop().Input
	for name, err := range map[string]error{
		"Move":   in.Move(call(t), to(id), desktop.Point{}),
		"Click":  in.Click(call(t), to(id), desktop.Point{}, desktop.Left, 1, 0),
		"Drag":   in.Drag(call(t), to(id), desktop.Point{}, desktop.Point{}, desktop.Left, 0),
		"Scroll": in.Scroll(call(t), to(id), desktop.Point{}, 0, 1, 0),
		"Keys":   in.Keys(call(t), to(id), []desktop.Chord{{Key: "x"}}),
		"Type":   in.Type(call(t), to(id), "x"),
	} {
		if !errors.Is(err, desktop.ErrUnsupported) {
			t.Errorf("%s with a target: %v, want ErrUnsupported", name, err)
		}
	}
}

func clickAndType(t *testing.T, env Env) {
	e := env.Editor(t)
	in := env.Desktop().Input
	target := aim(t, env, e.Window)
	if err := in.Click(call(t), target, e.Field(t), desktop.Left, 1, 0); err != nil {
		t.Fatalf("clicking the field: %v", err)
	}
	text := "Hello, World! [1+2]={3} ~/x_y@z"
	if err := in.Type(call(t), target, text); err != nil {
		t.Fatalf("typing: %v", err)
	}
	holds(t, e, text)
}

func chords(t *testing.T, env Env) {
	e := env.Editor(t)
	in := env.Desktop().Input
	steps := [][]desktop.Chord{
		{{Key: "a"}, {Mods: desktop.Shift, Key: "B"}, {Key: "c"}},
		{{Key: "BackSpace"}, {Key: "Return"}, {Key: "d"}},
	}
	target := aim(t, env, e.Window)
	for _, s := range steps {
		if err := in.Keys(call(t), target, s); err != nil {
			t.Fatalf("pressing %v: %v", s, err)
		}
	}
	holds(t, e, "aB\nd")
	if err := in.Keys(call(t), target, []desktop.Chord{{Mods: desktop.Control, Key: "a"}, {Key: "z"}}); err != nil {
		t.Fatal(err)
	}
	holds(t, e, "z")
}

func noFocus(t *testing.T, env Env) {
	e := env.Editor(t)
	if !proves(t, env, e.Window) {
		refusesTargets(t, env, e.Window)
		holds(t, e, "")
		return
	}
	q := env.Question(t)
	if err := env.Desktop().Windows.Activate(call(t), q.Window); err != nil {
		t.Fatal(err)
	}
	in := env.Desktop().Input
	if err := in.Type(call(t), to(e.Window), "lost"); !errors.Is(err, desktop.ErrNoFocus) {
		t.Errorf("typing into a window without focus: %v, want ErrNoFocus", err)
	}
	if err := in.Keys(call(t), to(e.Window), []desktop.Chord{{Key: "Return"}}); !errors.Is(err, desktop.ErrNoFocus) {
		t.Errorf("pressing Return in a window without focus: %v, want ErrNoFocus", err)
	}
	if q.Pressed(t) {
		t.Error("the key went to the window that had the focus")
	}
	holds(t, e, "")
}

func clickPresses(t *testing.T, env Env) {
	q := env.Question(t)
	if err := env.Desktop().Windows.Activate(call(t), q.Window); err != nil {
		t.Fatal(err)
	}
	if err := env.Desktop().Input.Click(call(t), aim(t, env, q.Window), q.Point(t), desktop.Left, 1, 0); err != nil {
		t.Fatalf("clicking the button: %v", err)
	}
	Wait(t, "the button's effect", func() bool { return q.Pressed(t) })
}

func pointsProved(t *testing.T, env Env) {
	e := env.Editor(t)
	if !proves(t, env, e.Window) {
		refusesTargets(t, env, e.Window)
		return
	}
	q := env.Question(t)
	if err := env.Desktop().Windows.Activate(call(t), q.Window); err != nil {
		t.Fatal(err)
	}
	in := env.Desktop().Input
	w, _ := lookup(t, env, e.Window)
	o, _ := lookup(t, env, q.Window)
	outside := desktop.Point{X: w.Bounds.X + w.Bounds.W + 9, Y: w.Bounds.Y}
	if err := in.Click(call(t), to(e.Window), outside, desktop.Left, 1, 0); !errors.Is(err, desktop.ErrOutside) {
		t.Errorf("clicking outside: %v, want ErrOutside", err)
	}
	both := w.Bounds.Intersect(o.Bounds)
	if both.Empty() {
		t.Fatalf("the windows at %v and %v do not overlap, as the environment should have them", w.Bounds, o.Bounds)
	}
	x, y := both.Center()
	if err := in.Click(call(t), to(e.Window), desktop.Point{X: x, Y: y}, desktop.Left, 1, 0); !errors.Is(err, desktop.ErrCovered) {
		t.Errorf("clicking what another window covers: %v, want ErrCovered", err)
	}
	if err := in.Move(call(t), to(never), desktop.Point{X: x, Y: y}); !errors.Is(err, desktop.ErrGone) {
		t.Errorf("moving in an unknown window: %v, want ErrGone", err)
	}
}

func untypable(t *testing.T, env Env) {
	e := env.Editor(t)
	if err := env.Desktop().Input.Type(call(t), aim(t, env, e.Window), "ab🙂"); !errors.Is(err, desktop.ErrUnsupported) {
		t.Errorf("typing what no key makes: %v, want ErrUnsupported", err)
	}
	holds(t, e, "")
}
