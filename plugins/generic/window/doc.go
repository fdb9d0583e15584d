// Package window turns the accessibility tree of any window into words for an
// agent: labelled fields, buttons, lists, tables, texts, notices and menus, the
// blocks of a view made of them, and the actions that work on them.
//
// [Read] is pure: the same observation gives the same [Window], labels
// included. An action finds its element by reading a fresh observation with the
// same code, so a label means the same to translate and to invoke.
//
// Labels are what a person would call an element. They come from the
// application's own relations, else from the element's name, else from where
// the texts lie on the screen. Within the fields, the buttons and the lists of
// a window each label is unique.
//
// What changes by itself (clocks, progress) is shown by a placeholder that
// stays the same, so that a window's version rises only when its content
// changes; [Window.Live] holds the values of the moment.
package window
