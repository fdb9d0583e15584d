// Package x11 plays the desktop's roles on an X11 display: EWMH windows, XTEST
// input, MIT-SHM and Composite capture, selections, and what XDamage and the
// window events tell. It is pure Go.
//
// One [Display] holds three connections. The first receives events and owns
// selections; its loop never waits for a reply, so it cannot fall behind a slow
// server. The second asks questions and takes pictures. The third sends input:
// while it holds the server grabbed, the other two get no answer, so nothing
// inside a section may wait for them. A watchdog ends a connection whose oldest
// question is two seconds old, because neither a stopped nor a dead server
// makes a pending question return by itself.
package x11
