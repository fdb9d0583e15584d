package x11

import (
	"context"
	"fmt"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"
)

// ReleaseAll is [Input.ReleaseAll] for a process that has no [Display]: it
// connects, releases and goes.
func ReleaseAll(ctx context.Context, display string) error {
	l, err := openLink(ctx, display, nil)
	if err != nil {
		return fmt.Errorf("connecting to the display %s: %w", display, err)
	}
	defer l.asking.Wait()
	defer l.end(nil)
	_, err = ask(ctx, l, func(*xgb.Conn) (extension, error) { return l.extension("XTEST") })
	if err != nil {
		return wrap(err, "releasing all keys")
	}
	return releaseAll(ctx, l)
}

// releaseAll works on a link that has XTEST.
func releaseAll(ctx context.Context, l *link) error {
	_, err := ask(ctx, l, func(x *xgb.Conn) (any, error) {
		keys, err := xproto.QueryKeymap(x).Reply()
		if err != nil {
			return nil, err
		}
		pointer, err := xproto.QueryPointer(x, l.root).Reply()
		if err != nil {
			return nil, err
		}
		for code := 8; code < 256; code++ {
			if keys.Keys[code/8]&(1<<(code%8)) != 0 {
				xtest.FakeInput(x, xproto.KeyRelease, byte(code), 0, l.root, 0, 0, 0)
			}
		}
		for b := range 5 {
			if pointer.Mask&(xproto.KeyButMaskButton1<<b) != 0 {
				xtest.FakeInput(x, xproto.ButtonRelease, byte(b+1), 0, l.root, 0, 0, 0)
			}
		}
		_, err = xproto.GetInputFocus(x).Reply()
		return nil, err
	})
	return wrap(err, "releasing all keys")
}
