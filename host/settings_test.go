package host

import "testing"

// G01: what is in the settings as a key combination can be pressed, so that it can
// be refused; a slip of the pen is found at the start.
func TestG01CheckChord(t *testing.T) {
	for chord, ok := range map[string]bool{
		"ctrl+q": true, "Ctrl + Q": true, "alt+F4": true, "alt+f4": true, "ctrl+alt+del": true, "win+enter": true, "ctrl+plus": true,
		"ctrl+ä": true, "ctrl+Page_Up": true, "super+space": true, "ctrl+alt+XF86Switch_VT_3": true, "Escape": true, "shift+esc": true,
		"ctrl+U20AC": true,
		"":           false, "ctrl+": false, "+q": false, "ctl+q": false, "ctrl+qq": false, "ctrl+pageup": false, "ctrl+alt": false,
		"ctrl-q": false, "ctrl++": false, "ctrl+ ": false,
	} {
		if err := CheckChord(chord); (err == nil) != ok {
			t.Errorf("%q: %v", chord, err)
		}
	}
}
