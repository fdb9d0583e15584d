package bridge

import (
	"slices"
)

// App is an application that has open windows.
type App struct {
	Handle string // "mousepad"
	// Actions are those of the application that can be called now: windows that
	// take input offer them, and no dialog blocks the whole application. Of two
	// with one name the older window's is listed; whichever window can carries it
	// out.
	Actions []Action
}

// App returns the application with the handle, or nil.
func (s *Snapshot) App(handle string) *App {
	for _, a := range s.Apps {
		if a.Handle == handle {
			return a
		}
	}
	return nil
}

// maxToolName is where clients cut the names of tools.
const maxToolName = 40

// apps gathers the applications of windows.
func apps(windows []*Window) []*App {
	var out []*App
	byHandle := map[string]*App{}
	blocked := map[string]bool{}
	for _, w := range windows {
		if byHandle[w.App] == nil && w.App != "" {
			byHandle[w.App] = &App{Handle: w.App}
			out = append(out, byHandle[w.App])
		}
		if w.Modal && w.OwnerID == "" {
			blocked[w.App] = true
		}
	}
	tools := map[string]bool{}
	for _, w := range windows {
		a := byHandle[w.App]
		if a == nil || !w.Operable || blocked[w.App] {
			continue
		}
		for _, action := range w.AppActions {
			action.Tool = appTool(a.Handle, action.Name)
			if action.Unavailable == "" && !tools[action.Tool] {
				tools[action.Tool] = true
				a.Actions = append(a.Actions, action)
			}
		}
	}
	return out
}

// appTool is the name of the tool of an application's action. A handle that is
// too long for it is cut.
func appTool(handle, action string) string {
	if most := maxToolName - len("__") - len(action); len(handle) > most {
		handle = handle[:most]
	}
	return handle + "__" + action
}

// ownApp is what an application is called where it is the only one.
const ownApp = "app"

// Within returns the state of one application as the protocol shows it: its
// windows, those of other applications that hang under one of them, and nothing
// of the rest. Its own window that hangs under another application's is one like
// any other here. What did not change is taken from before, an earlier result
// for the same application; nil if there is none.
func (s *Snapshot) Within(handle string, before *Snapshot) *Snapshot {
	own := make([]*Window, 0, len(s.Windows))
	for _, w := range s.Windows {
		if s.belongs(w, handle) {
			own = append(own, w)
		}
	}
	old := map[*Window]*Window{}
	if before != nil {
		for _, w := range before.Windows {
			old[w.whole] = w
		}
	}
	shown := func(id string) bool {
		return slices.ContainsFunc(own, func(o *Window) bool { return o.ID == id })
	}
	for i, w := range own {
		part := w.alone(shown)
		if o := old[w]; o != nil && o.Modal == part.Modal && o.OwnerID == part.OwnerID && o.BlockedBy == part.BlockedBy {
			part = o
		} else {
			part.text = part.encode()
		}
		own[i] = part
	}
	out := newSnapshot(s.Seq, own, s.Notice)
	out.Apps = nil
	if a := s.App(handle); a != nil {
		mine := &App{Handle: ownApp, Actions: slices.Clone(a.Actions)}
		for i := range mine.Actions {
			mine.Actions[i].Tool = appTool(ownApp, mine.Actions[i].Name)
		}
		out.Apps = []*App{mine}
	}
	return out
}

// belongs reports whether a window is of the application or hangs under one that
// is.
func (s *Snapshot) belongs(w *Window, handle string) bool {
	for range len(s.Windows) { // more steps would go round in a ring
		if w == nil {
			return false
		}
		if w.App == handle {
			return true
		}
		w = s.Window(w.OwnerID)
	}
	return false
}

// alone returns the window as it is among others of which shown tells, but for its
// text.
func (w *Window) alone(shown func(id string) bool) *Window {
	part := *w
	part.whole, part.App = w, ""
	if w.OwnerID != "" && !shown(w.OwnerID) {
		part.Modal, part.OwnerID = false, ""
	}
	if !shown(w.BlockedBy) {
		part.BlockedBy = ""
	}
	return &part
}
