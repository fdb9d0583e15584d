package linux

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/atspi"
	"oriel.dev/oriel/desktop/x11"
	"oriel.dev/oriel/tree"
)

func TestListForgetsOnlyWhatIsOlderThanItself(t *testing.T) {
	a := newApps(newHints())
	old := detail(1, 7, "old", tree.Rect{})
	a.see(old)
	since := a.born()
	// While the list is made, a window opens and has an event.
	a.see(detail(2, 7, "new", tree.Rect{}))
	a.hints.window(x11.Event{Kind: x11.PropertyChanged, Window: 2})
	before := a.hints.generation(2)
	a.list(nil, since)
	if a.windows[1] != nil || a.windows[2] == nil {
		t.Errorf("the windows are %v, want the second alone", a.windows)
	}
	if got := a.hints.generation(2); got < before {
		t.Errorf("the generation fell from %d to %d", before, got)
	}
}

// paired returns apps that know windows of the application :1, each with the
// top-level of the same place in tops.
func paired(ds []x11.Detail, tops []candidate) *apps {
	a := newApps(newHints())
	a.see(ds...)
	for i, d := range ds {
		a.windows[d.Window.ID].pair = tops[i].pair
	}
	a.own(nil)
	return a
}

func TestSwapTakesOnlyBetterPairs(t *testing.T) {
	one, two := detail(1, 7, "A", tree.Rect{}), detail(2, 7, "A", tree.Rect{})
	one.Window.Active = true
	first, second := top(":1", 7, "gtk4", "/1", "A", tree.Rect{}), top(":1", 7, "gtk4", "/2", "A", tree.Rect{})
	first.top.States |= tree.StateActive
	ds, tops := []x11.Detail{one, two}, []candidate{first, second}

	if paired(ds, tops).swap(first.app, ds, tops) {
		t.Error("good pairs were given up")
	}
	wrong := paired(ds, []candidate{second, first})
	before := wrong.hints.generation(1)
	if !wrong.swap(first.app, ds, tops) {
		t.Fatal("wrong pairs were kept")
	}
	if p, _ := wrong.pair(1); p.top.Path != "/1" {
		t.Errorf("the active window is paired with %s", p.top.Path)
	}
	if got := wrong.hints.generation(1); got == before {
		t.Error("the window that changed hands does not count as changed")
	}
}

func TestAPairIsDoubtedOnlyAfterAWhileAndBesideAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, two := detail(1, 7, "A", tree.Rect{}), detail(2, 7, "A", tree.Rect{})
		tops := []candidate{top(":1", 7, "gtk4", "/1", "A", tree.Rect{}), top(":1", 7, "gtk4", "/2", "A", tree.Rect{})}
		a := paired([]x11.Detail{one, two}, tops)
		odd, even := tree.Node{Name: "A", States: tree.StateActive}, tree.Node{Name: "A"}
		if a.doubtful(one, odd) {
			t.Error("doubted at once")
		}
		time.Sleep(oddFor)
		if !a.doubtful(one, odd) {
			t.Error("not doubted after a while")
		}
		if a.doubtful(one, even) || a.doubtful(one, odd) {
			t.Error("doubted at once after it had been in order")
		}
		alone := paired([]x11.Detail{one}, tops)
		alone.doubtful(one, odd)
		time.Sleep(oddFor)
		if alone.doubtful(one, odd) {
			t.Error("doubted without another window to be mixed up with")
		}
	})
}

func TestOnlyAPingDecidesWhetherAnApplicationHangs(t *testing.T) {
	tops := []candidate{top(":1", 7, "gtk3", "/1", "A", tree.Rect{})}
	a := paired([]x11.Detail{detail(1, 7, "A", tree.Rect{})}, tops)
	app := tops[0].app
	a.doubt(app)
	if a.isHung(":1") {
		t.Error("a suspect is taken to hang")
	}
	for _, c := range []struct {
		ping error
		hung bool
	}{{desktop.ErrNotAnswering, true}, {errors.New("odd"), true}, {nil, false}, {desktop.ErrNotAnswering, true}, {desktop.ErrGone, false}} {
		before, was := a.hints.generation(1), a.isHung(":1")
		a.judge(app, c.ping)
		if got := a.isHung(":1"); got != c.hung {
			t.Errorf("after a ping that gave %v it hangs: %v, want %v", c.ping, got, c.hung)
		}
		if raised := a.hints.generation(1) > before; raised != (was != c.hung) {
			t.Errorf("a ping that gave %v raised the generation: %v", c.ping, raised)
		}
	}
}

func TestPairingIsTriedWhenThereIsReasonTo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newApps(newHints())
		if a.due() {
			t.Error("without windows there is nothing to pair")
		}
		a.see(detail(1, 7, "A", tree.Rect{}))
		if !a.due() {
			t.Error("a new window is not tried")
		}
		a.wanted(nil)
		a.settle(a.mark(), nil)
		time.Sleep(time.Hour)
		if a.due() {
			t.Error("a window whose process is not on the bus is tried again without news")
		}
		a.event(atspi.Event{Kind: atspi.AppAdded, Bus: ":1"})
		if !a.due() {
			t.Error("a new application does not lead to another try")
		}
		a.wanted([]atspi.App{{Bus: ":1", PID: 7}})
		a.settle(a.mark(), nil)
		if a.due() {
			t.Error("tried again at once")
		}
		time.Sleep(2 * pairAgain)
		if !a.due() {
			t.Error("an application on the bus is not asked again")
		}
		a.settle(a.mark(), []candidate{top(":1", 7, "gtk3", "/1", "A", tree.Rect{})})
		if _, ok := a.pair(1); !ok || a.due() {
			t.Error("the window is not paired")
		}
		a.event(atspi.Event{Kind: atspi.AppGone, Bus: ":1"})
		if _, ok := a.pair(1); ok {
			t.Error("the pair outlived its application")
		}
	})
}
