package pluginsdk

import "oriel.dev/oriel/hostabi"

// The functions of oriel:window concern the window as a whole.

// CloseWindow asks the window to close itself. It may ask back instead.
func CloseWindow() error { return do(windowClose, &hostabi.Nothing{}) }

// ActivateWindow raises the window and gives it the focus.
func ActivateWindow() error { return do(windowActivate, &hostabi.Nothing{}) }
