//go:build desktop

package host

import (
	"fmt"
	"strings"
	"testing"
)

// sight is what the snapshot should say of a window.
type sight struct {
	name     string
	owner    string // "" for none
	modal    bool
	operable bool
}

// sights reads "A", "A*", "D<A*": window A; operable; the modal D under A; "M!"
// is a modal without owner.
func sights(text string) (out []sight) {
	for _, word := range strings.Fields(text) {
		var s sight
		word, s.operable = strings.CutSuffix(word, "*")
		word, s.modal = strings.CutSuffix(word, "!")
		s.name, s.owner, _ = strings.Cut(word, "<")
		s.modal = s.modal || s.owner != ""
		out = append(out, s)
	}
	return out
}

func (s sight) String() string {
	out := s.name
	switch {
	case s.owner != "":
		out += "<" + s.owner
	case s.modal:
		out += "!"
	}
	if s.operable {
		out += "*"
	}
	return out
}

// step is what to do in a scene and what the windows are afterwards, oldest first.
type step struct{ do, want string }

// modelScenes are judged by clicks of a foreign client: exactly the windows that
// are said to be operable take them.
var modelScenes = []struct {
	name, program string
	steps         []step
}{
	{"B09 chain of four", "scene.py", []step{
		{"open A at=0,0; open D1 owner=A modal=1 at=260,0; open D2 owner=D1 modal=1 at=520,0; open D3 owner=D2 modal=1 at=780,0; open D4 owner=D3 modal=1 at=0,260", "A D1<A D2<D1 D3<D2 D4<D3*"},
		{"close D4", "A D1<A D2<D1 D3<D2*"},
		{"close D3; close D2", "A D1<A*"},
		{"close D1", "A*"},
	}},
	{"B09 two chains side by side", "groups.py", []step{
		{"open A group=a at=0,0; open B group=b at=0,260; open D1 owner=A modal=1 group=a at=260,0; open D2 owner=D1 modal=1 group=a at=520,0", "A B* D1<A D2<D1*"},
		{"open E1 owner=B modal=1 group=b at=260,260; open E2 owner=E1 modal=1 group=b at=520,260", "A B D1<A D2<D1* E1<B E2<E1*"},
		{"close D2", "A B D1<A* E1<B E2<E1*"},
		{"close E2; close E1", "A B* D1<A*"},
	}},
	{"B07 one window group", "scene.py", []step{
		{"open A at=0,0; open B at=260,0; open D owner=A modal=1 at=520,0", "A B D<A*"},
		{"open E owner=B modal=1 at=0,260", "A B D<A E<B*"},
		{"close E", "A B D<A*"},
	}},
	{"B07 dialog that is not modal", "scene.py", []step{
		{"open A at=0,0; open F owner=A at=260,0", "A* F*"},
		{"open D owner=F modal=1 at=520,0", "A F D<F*"},
		{"close D", "A* F*"},
	}},
	{"B07 two modals on one owner", "scene.py", []step{
		{"open A at=0,0; open D1 owner=A modal=1 at=260,0; open D2 owner=A modal=1 at=520,0", "A D1<A D2<A*"},
		{"set D1 visible=0; set D1 visible=1 at=0,260", "A D2<A D1<A*"},
		{"close D1", "A D2<A*"},
	}},
	{"B07 dialog that is not modal, under one that is", "scene.py", []step{
		{"open A at=0,0; open D owner=A modal=1 at=260,0; open F owner=D at=520,0", "A D<A* F"},
	}},
	{"B07 older dialog that becomes modal last", "scene.py", []step{
		{"open A at=0,0; open P owner=A at=260,0; open D owner=A modal=1 at=520,0", "A P D<A*"},
		{"set P modal=1", "A P<A* D<A"},
		{"close P", "A D<A*"},
	}},
	{"B08 window modal after an application modal", "scene.py", []step{
		{"open A at=0,0; open M modal=1 at=260,0; open D owner=A modal=1 at=520,0", "A M! D<A*"},
		{"close D", "A M!*"},
	}},
	{"B08 owner that closes first, in groups", "groups.py", []step{
		{"open A group=a at=0,0; open B group=b at=260,0; open D owner=A group=a modal=1 at=520,0", "A B* D<A*"},
		{"close A", "B* D*"},
	}},
	{"B08 application modals", "scene.py", []step{
		{"open A at=0,0; open B at=260,0; open M modal=1 at=520,0", "A B M!*"},
		{"open N modal=1 at=0,260", "A B M! N!*"},
		{"open W owner=N modal=1 at=260,260", "A B M! N! W<N*"},
		{"close W", "A B M! N!*"},
		{"close N", "A B M!*"},
		{"close M", "A* B*"},
	}},
	{"B08 owner that closes first", "scene.py", []step{
		{"open A at=0,0; open B at=0,260; open D1 owner=A modal=1 at=260,0; open D2 owner=D1 modal=1 at=520,0", "A B D1<A D2<D1*"},
		{"close D1", "A B D2<A*"},
		{"close A", "B D2*"},
	}},
	{"B07 modality that changes", "scene.py", []step{
		{"open A at=0,0; open P owner=A at=260,0", "A* P*"},
		{"set P modal=1", "A P<A*"},
		{"set P modal=0", "A* P*"},
		{"set P owner= modal=1", "A P!*"},
	}},
	{"B09 owner that changes", "scene.py", []step{
		{"open A at=0,0; open B at=260,0; open D owner=A modal=1 at=520,0", "A B D<A*"},
		{"set D owner=B", "A B D<B*"},
	}},
}

// B07, B08, B09, C44: what the snapshot says of owners, modality and operability is
// what really takes input, on a toolkit whose modal windows block what they block.
func TestWindowModel(t *testing.T) {
	r := newRig(t)
	r.launch("zenity", "--info", "--title="+bystander, "--text=hello")
	scenes := map[string]*scene{"scene.py": r.scene("scene.py"), "groups.py": r.scene("groups.py")}
	r.serve()
	r.window(bystander)
	r.tool("xdotool", "search", "--name", bystander, "windowmove", "1500", "800")
	for _, tt := range modelScenes {
		t.Run(tt.name, func(t *testing.T) {
			s := scenes[tt.program].with(t)
			defer s.reset()
			for _, step := range tt.steps {
				s.do(strings.Split(step.do, "; ")...)
				s.agree(step.want)
				s.takesInput(step.want)
			}
		})
	}
}

// agree waits until the snapshot shows the windows as wanted. No id dangles.
func (s *scene) agree(want string) {
	s.Helper()
	var got string
	defer func() {
		if s.Failed() {
			s.Logf("the windows were %s, want %s", got, want)
		}
	}()
	s.await("the windows "+want, func() bool {
		var words []string
		snap := s.host.Snapshot()
		for _, w := range snap.Windows {
			if w.Title == bystander {
				if !s.operable(w.ID) {
					words = append(words, bystander)
				}
				continue
			}
			at := sight{name: w.Title, modal: w.Modal, operable: s.operable(w.ID)}
			if w.OwnerID != "" {
				at.owner = "?"
				if o := snap.Window(w.OwnerID); o != nil {
					at.owner = o.Title
				}
			}
			words = append(words, at.String())
		}
		got = strings.Join(words, " ")
		return got == want
	})
}

// takesInput clicks in each window as a person would, those that should not take
// it first: the window manager and the server pass clicks on in their order.
func (s *scene) takesInput(want string) {
	s.Helper()
	hits := map[string]int{}
	all := sights(want)
	for _, w := range all {
		hits[w.name] = s.count("hit " + w.name)
	}
	for _, operable := range []bool{false, true} {
		for _, w := range all {
			if w.operable != operable {
				continue
			}
			s.click(w.name)
			if operable {
				s.await(w.name+" to take the click", func() bool { return s.count("hit "+w.name) > hits[w.name] })
			}
		}
	}
	s.do("where")
	for _, w := range all {
		got := fmt.Sprint(w.name, " took ", s.count("hit "+w.name)-hits[w.name])
		if want := fmt.Sprint(w.name, " took ", map[bool]int{true: 1}[w.operable]); got != want {
			s.Errorf("%s clicks, want %s", got, want)
		}
	}
}
