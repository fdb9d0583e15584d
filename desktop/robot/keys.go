package robot

import (
	"fmt"
	"runtime"
	"strings"
	"unicode/utf8"

	"oriel.dev/oriel/desktop"
)

// names maps names of X keysyms to those of robotgo. It takes an unknown name
// for key 0 and says nothing, so only these are let through.
var names = func() map[string]string {
	m := map[string]string{
		"Return": "enter", "KP_Enter": "num_enter", "Tab": "tab", "BackSpace": "backspace", "Delete": "delete", "Escape": "escape",
		"Up": "up", "Down": "down", "Left": "left", "Right": "right", "Home": "home", "End": "end",
		"Page_Up": "pageup", "Prior": "pageup", "Page_Down": "pagedown", "Next": "pagedown",
		"Insert": "insert", "Menu": "menu", "Print": "printscreen", "space": "space", "Caps_Lock": "capslock",
		"Shift_L": "lshift", "Shift_R": "rshift", "Control_L": "lctrl", "Control_R": "rctrl",
		"Alt_L": "lalt", "Alt_R": "ralt", "Super_L": "lcmd", "Super_R": "rcmd",
		"KP_Add": "num+", "KP_Subtract": "num-", "KP_Multiply": "num*", "KP_Divide": "num/", "KP_Decimal": "num.",
	}
	for n := range 24 {
		m[fmt.Sprintf("F%d", n+1)] = fmt.Sprintf("f%d", n+1)
	}
	for n := range 10 {
		m[fmt.Sprintf("KP_%d", n)] = fmt.Sprintf("num%d", n)
	}
	for n, name := range strings.Fields(punctuation) {
		m[name] = string(symbols[n])
	}
	return m
}()

// The X names of the symbols of ASCII, in order.
const (
	symbols     = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
	punctuation = "exclam quotedbl numbersign dollar percent ampersand apostrophe parenleft parenright asterisk plus comma minus period slash " +
		"colon semicolon less equal greater question at bracketleft backslash bracketright asciicircum underscore grave braceleft bar braceright asciitilde"
)

// keyOf returns robotgo's name of the key of a chord.
func keyOf(key string) (string, bool) {
	if name, ok := names[key]; ok {
		return name, true
	}
	if len(key) == 1 && key[0] > ' ' && key[0] < 0x7f {
		return key, true
	}
	return "", false
}

// tapsOf returns the keys of a text.
func tapsOf(text string) ([]tap, error) {
	var list []tap
	for _, r := range strings.ReplaceAll(text, "\r\n", "\n") {
		switch {
		case r == '\n' || r == '\r':
			list = append(list, tap{Key: "enter"})
		case r == '\t':
			list = append(list, tap{Key: "tab"})
		case r < ' ' || r >= 0x7f && r < 0xa0 || r == utf8.RuneError || r > 0xffff && runtime.GOOS == "linux":
			return nil, fmt.Errorf("no key makes %q: %w", r, desktop.ErrUnsupported)
		default:
			list = append(list, tap{Key: string(r)})
		}
	}
	return list, nil
}
