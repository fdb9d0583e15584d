package x11_test

import (
	"context"
	"fmt"
	"time"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/x11"
)

// Open a display, find the active window and type into it.
func Example() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	d, err := x11.Open(ctx, x11.Config{Event: func(e x11.Event) { fmt.Println(e.Kind, e.Window) }})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close()
	windows, err := d.Windows().List(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, w := range windows {
		if w.Active {
			err := d.Input().Type(ctx, desktop.Target{Window: w.ID}, "hello\n")
			fmt.Println(w.Title, err)
		}
	}
}
