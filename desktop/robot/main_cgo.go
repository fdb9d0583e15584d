//go:build cgo && (linux || windows || darwin)

package robot

import (
	"fmt"
	"image"
	"os"
	"time"
	"unicode/utf8"

	"github.com/go-vgo/robotgo"
	"github.com/kbinani/screenshot"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/tree"
)

// Available tells whether this build has the backend.
const Available = true

// Main is the child: it serves requests on standard input and output and
// returns when the input ends. Nothing else may have written to standard
// output.
func Main() error {
	out, err := ownOutput()
	if err != nil {
		return fmt.Errorf("setting the robot backend's output apart: %w", err)
	}
	robotgo.MouseSleep, robotgo.KeySleep = 0, 1
	serve(os.Stdin, out, robotDriver{})
	return nil
}

// robotDriver does what the child is asked to by robotgo and screenshot.
type robotDriver struct{}

// do implements driver.
func (robotDriver) do(q request) (response, error) {
	switch q.Op {
	case opHello:
		// robotgo crashes where there is no display; this only says so.
		if screenshot.NumActiveDisplays() == 0 {
			return response{}, fmt.Errorf("no display can be opened: check $DISPLAY: %w", desktop.ErrDisconnected)
		}
		return response{}, nil
	case opMove:
		robotgo.Move(int(q.At.X), int(q.At.Y))
		return response{}, nil
	case opClick:
		return response{}, click(q)
	case opDrag:
		return response{}, drag(q)
	case opScroll:
		return response{}, scroll(q)
	case opTaps:
		return response{}, taps(q.Taps)
	case opPosition:
		x, y := robotgo.Location()
		return response{At: desktop.Point{X: int32(x), Y: int32(y)}}, nil
	case opDisplays:
		return response{Displays: displays()}, nil
	case opScreen:
		return screen(q.Area)
	}
	return response{}, fmt.Errorf("request %d: %w", q.Op, desktop.ErrUnsupported)
}

var buttonNames = map[desktop.Button]string{desktop.Left: "left", desktop.Middle: "center", desktop.Right: "right"}

// holding runs f while modifiers are held.
func holding(mods desktop.Modifiers, f func() error) error {
	for _, m := range []struct {
		mask desktop.Modifiers
		key  string
	}{{desktop.Shift, "shift"}, {desktop.Control, "ctrl"}, {desktop.Alt, "alt"}, {desktop.Super, "cmd"}} {
		if mods&m.mask == 0 {
			continue
		}
		if err := robotgo.KeyToggle(m.key, "down"); err != nil {
			return err
		}
		defer robotgo.KeyToggle(m.key, "up")
	}
	return f()
}

func click(q request) error {
	return holding(q.Mods, func() error {
		robotgo.Move(int(q.At.X), int(q.At.Y))
		for range q.Count {
			if err := robotgo.Toggle(buttonNames[q.Button], "down"); err != nil {
				return err
			}
			if err := robotgo.Toggle(buttonNames[q.Button], "up"); err != nil {
				return err
			}
		}
		return nil
	})
}

// A drag is drawn in steps, because applications take a jump for no drag.
const (
	dragSteps = 12
	dragPause = 15 * time.Millisecond
)

func drag(q request) error {
	return holding(q.Mods, func() error {
		robotgo.Move(int(q.At.X), int(q.At.Y))
		if err := robotgo.Toggle(buttonNames[q.Button], "down"); err != nil {
			return err
		}
		defer robotgo.Toggle(buttonNames[q.Button], "up")
		for i := int32(1); i <= dragSteps; i++ {
			time.Sleep(dragPause)
			robotgo.Move(int(q.At.X+(q.To.X-q.At.X)*i/dragSteps), int(q.At.Y+(q.To.Y-q.At.Y)*i/dragSteps))
		}
		time.Sleep(dragPause)
		return nil
	})
}

func scroll(q request) error {
	return holding(q.Mods, func() error {
		robotgo.Move(int(q.At.X), int(q.At.Y))
		if q.Dy != 0 {
			robotgo.ScrollDir(q.Dy, "down")
		}
		if q.Dx != 0 {
			robotgo.ScrollDir(q.Dx, "right")
		}
		return nil
	})
}

func taps(list []tap) error {
	for _, t := range list {
		err := holding(t.Mods, func() error {
			if utf8.RuneCountInString(t.Key) == 1 && t.Mods == 0 {
				robotgo.Type(t.Key)
				return nil
			}
			return robotgo.KeyTap(t.Key)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func displays() []desktop.Display {
	out := make([]desktop.Display, screenshot.NumActiveDisplays())
	for i := range out {
		b := screenshot.GetDisplayBounds(i)
		out[i] = desktop.Display{
			Index: i, Primary: i == 0,
			Bounds: tree.Rect{X: int32(b.Min.X), Y: int32(b.Min.Y), W: int32(b.Dx()), H: int32(b.Dy())},
		}
	}
	return out
}

func screen(r tree.Rect) (response, error) {
	img, err := screenshot.CaptureRect(image.Rect(int(r.X), int(r.Y), int(r.X+r.W), int(r.Y+r.H)))
	if err != nil {
		return response{}, err
	}
	return response{Pix: img.Pix}, nil
}
