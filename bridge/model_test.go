package bridge

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"oriel.dev/oriel/desktop"
)

// parse reads windows in the form "A; B; D1 modal of B; M modal; G group 1".
// The application is 1 unless "app N" says otherwise.
func parse(t *testing.T, text string) []topWindow {
	t.Helper()
	ids := map[string]desktop.WindowID{}
	id := func(name string) desktop.WindowID {
		if ids[name] == 0 {
			ids[name] = desktop.WindowID(len(ids) + 1)
			names[ids[name]] = name
		}
		return ids[name]
	}
	var out []topWindow
	for part := range strings.SplitSeq(text, ";") {
		words := strings.Fields(part)
		w := topWindow{id: id(words[0]), app: 1}
		for i := 1; i < len(words); i++ {
			switch words[i] {
			case "modal":
				w.modal = true
			case "of": // of its owner, then that one's, …
				i++
				for o := range strings.SplitSeq(words[i], ",") {
					w.owners = append(w.owners, id(o))
				}
			case "group":
				i++
				fmt.Sscan(words[i], &w.group)
			case "app":
				i++
				fmt.Sscan(words[i], &w.app)
			default:
				t.Fatalf("unknown word %q", words[i])
			}
		}
		out = append(out, w)
	}
	return out
}

var names = map[desktop.WindowID]string{}

func TestJudge(t *testing.T) {
	for _, tt := range []struct {
		name, windows, operable string
	}{
		{"B07 the seed's example", "A; B; D1 modal of B; D2 modal of D1,B; C", "A D2 C"},
		{"B07 a non-modal dialog with an owner is a top-level", "A; find of A", "A find"},
		{"B07 a GTK modal blocks its whole group", "A group 1; B group 1; D modal of A group 1; C group 2", "D C"},
		{"B07 the later of two modals of one owner takes the input", "A; D1 modal of A; D2 modal of A", "D2"},
		{"B07 nested modals of a group", "A group 1; B group 1; D modal of A group 1; E modal of D,A group 1", "E"},
		{"B07 the later modal of a group, on another owner", "A group 1; B group 1; D modal of A group 1; E modal of B group 1", "E"},
		{"B08 an application modal blocks the application, and only it", "A; B; M modal; X app 2", "M X"},
		{"B08 application modals nest", "A; M modal; N modal", "N"},
		{"B08 a window modal under an application modal is its top", "A; M modal; D modal of M", "D"},
		{"B08 a later window modal elsewhere does not break out", "A; M modal; D modal of A", "M"},
		{"B08 a modal whose owner has gone goes to the next ancestor", "A; E modal of D,A", "E"},
		{"B08 a modal without living owners blocks nobody", "A; E modal of D", "A E"},
		{"B07 of a group, a modal without living owners blocks it all the same", "A group 1; B group 2; E modal of D group 1", "B E"},
		{"B07 two of them: the later", "A group 1; E modal of D group 1; F modal of D group 1", "F"},
		{"B07 a dialog that is not modal under a modal of its group", "A group 1; D modal of A group 1; F of D group 1", "D"},
		{"B09 sibling chains do not touch each other", "A; B; D modal of A; E modal of B", "D E"},
		{"a ring of owners ends the walk", "A modal of B; B modal of A", "A B"},
		{"B32 nothing", "A", "A"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			windows := parse(t, tt.windows)
			verdicts := judge(windows)
			var got []string
			for _, w := range windows {
				if verdicts[w.id].blockedBy == 0 {
					got = append(got, names[w.id])
				}
			}
			if s := strings.Join(got, " "); s != tt.operable {
				t.Errorf("operable: %q, want %q", s, tt.operable)
			}
		})
	}
}

// reference says operable the way the protocol's text does, by walking chains
// from the top, where judge compares windows in pairs.
func reference(windows []topWindow) map[desktop.WindowID]bool {
	alive := func(id desktop.WindowID) bool {
		return slices.ContainsFunc(windows, func(w topWindow) bool { return w.id == id })
	}
	children := map[desktop.WindowID][]desktop.WindowID{}
	appModals := map[desktop.AppID][]desktop.WindowID{}
	var tops []topWindow
	for _, w := range windows {
		i := slices.IndexFunc(w.owners, alive)
		switch {
		case w.modal && len(w.owners) == 0:
			appModals[w.app] = append(appModals[w.app], w.id)
		case w.modal && i >= 0:
			children[w.owners[i]] = append(children[w.owners[i]], w.id)
		default:
			tops = append(tops, w)
		}
	}
	// The end of a chain: the latest modal of each window, all the way down.
	end := func(id desktop.WindowID) desktop.WindowID {
		for len(children[id]) > 0 {
			id = children[id][len(children[id])-1]
		}
		return id
	}
	out := map[desktop.WindowID]bool{}
	for _, stack := range appModals {
		out[end(stack[len(stack)-1])] = true
	}
	for _, w := range tops {
		if len(appModals[w.app]) == 0 {
			out[end(w.id)] = true
		}
	}
	return out
}

// TestJudgeAgreesWithReference opens and closes windows at random, as an
// application without window groups does, and compares B07–B09 with the plain
// reading of the protocol.
func TestJudgeAgreesWithReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var windows []topWindow
		var next desktop.WindowID
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			if len(windows) > 0 && rapid.IntRange(0, 3).Draw(t, "close") == 0 {
				i := rapid.IntRange(0, len(windows)-1).Draw(t, "which")
				windows = slices.Delete(windows, i, i+1)
				continue
			}
			next++
			w := topWindow{id: next, app: desktop.AppID(rapid.IntRange(1, 2).Draw(t, "app")), modal: rapid.Bool().Draw(t, "modal")}
			var mine []topWindow
			for _, o := range windows {
				if o.app == w.app {
					mine = append(mine, o)
				}
			}
			if len(mine) > 0 && rapid.Bool().Draw(t, "owned") {
				o := mine[rapid.IntRange(0, len(mine)-1).Draw(t, "owner")]
				w.owners = append([]desktop.WindowID{o.id}, o.owners...)
			}
			windows = append(windows, w)
		}
		verdicts, want := judge(windows), reference(windows)
		for _, w := range windows {
			if got := verdicts[w.id].blockedBy == 0; got != want[w.id] {
				t.Fatalf("window %d operable: %v, want %v, in %+v", w.id, got, want[w.id], windows)
			}
			if v := verdicts[w.id]; v.owner != 0 && !v.modal {
				t.Fatalf("window %d is owned but not modal", w.id)
			}
		}
	})
}
