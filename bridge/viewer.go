package bridge

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"image"
	"regexp"
	"strings"
	"time"
	"unicode"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/picture"
	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/hostabi/check"
	"oriel.dev/oriel/tree"
)

// view is what an adapter made of one observation.
type view struct {
	// key says what the view was made from: the same key gives the same view.
	key     string
	adapter Adapter
	view    *hostabi.View
	content content
	taken   time.Time
	partial bool
	why     string
	frame   *image.RGBA // nil if no picture was taken
	encoded []byte      // the observation as the adapter got it
}

func (v view) adapterName() string {
	if v.adapter.ID == "" {
		return ""
	}
	return v.adapter.ID + " " + v.adapter.Version
}

// adapterError marks a fault of an adapter, so that it is not taken for one of
// the application.
type adapterError struct {
	id  string
	err error
}

func (e *adapterError) Error() string { return fmt.Sprintf("adapter %q: %v", e.id, e.err) }
func (e *adapterError) Unwrap() error { return e.err }

// viewer turns observations into views. It has no state: the view before is the
// cache.
type viewer struct {
	adapters Adapters
	capture  desktop.Capture  // nil: no pictures
	ocr      OCR              // nil: none
	secret   []*regexp.Regexp // labels of what is secret
}

// view has an observation translated, unless before was made from the same.
func (v viewer) view(ctx context.Context, obs desktop.Observation, before view) (view, error) {
	a := v.adapters.Match(obs.Tree.Window)
	out := view{adapter: a, taken: obs.Taken, partial: obs.Tree.Partial, why: obs.Tree.Why}
	if a.Pixels || len(obs.Tree.Nodes) == 0 {
		out.frame = v.picture(ctx, obs, before)
	}
	out.encoded = tree.Append(nil, obs.Tree)
	sum := sha256.Sum256(out.encoded)
	out.key = hex.EncodeToString(sum[:]) + " " + a.Digest + " " + a.Notice
	if out.key == before.key {
		before.taken = obs.Taken
		return before, nil
	}
	got, err := v.adapters.Translate(ctx, a, out.encoded, frozen{out.frame, v.ocr})
	if err == nil {
		err = check.View(got)
	}
	if err != nil {
		return view{}, &adapterError{a.ID, err}
	}
	out.view = got
	if out.frame != nil {
		markedPlaces(obs.Tree, markSensitive(got, v.secret)).over(out.frame)
	}
	return out, nil
}

// picture freezes the window's pixels without what is secret, be it by this look
// or by the one before, and notes in the tree what they look like, so coarsely
// that a blinking cursor makes no difference.
func (v viewer) picture(ctx context.Context, obs desktop.Observation, before view) *image.RGBA {
	if v.capture == nil || obs.Window.Minimized {
		return nil
	}
	img, err := v.capture.Window(ctx, obs.Window.ID)
	if err != nil || img.Bounds().Empty() {
		return nil // a window without a picture is still a window
	}
	secretPlaces(obs.Tree, v.secret).and(before.blackout(v.secret)).over(img)
	size := img.Bounds().Size()
	obs.Tree.Frame = tree.Frame{Digest: picture.Coarse(img), W: int32(size.X), H: int32(size.Y)}
	return img
}

// mediaWidth is the width of a picture within a snapshot: enough to recognise
// what is there; a full picture is for an action to give.
const mediaWidth = 320

// media returns a region of the frozen frame as a small data: URL.
func (v view) media(r hostabi.Region) (mime, url string) {
	if v.frame == nil {
		return "", ""
	}
	at := image.Pt(int(r.X), int(r.Y)).Add(v.frame.Bounds().Min)
	region := image.Rectangle{Min: at, Max: at.Add(image.Pt(int(r.W), int(r.H)))}
	data, err := picture.Thumbnail(v.frame, region, mediaWidth)
	if err != nil {
		return "", ""
	}
	return "image/jpeg", "data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(data)
}

// frozen is what an adapter may use during translate: the frozen frame.
type frozen struct {
	frame *image.RGBA
	ocr   OCR
}

// Call serves the functions that are allowed in translate.
func (f frozen) Call(ctx context.Context, fn hostabi.Function, request []byte) ([]byte, *hostabi.Fault) {
	if !fn.Translate {
		return nil, &hostabi.Fault{Code: hostabi.CodeDenied, Capability: fn.Capability, Message: fmt.Sprintf("%s %s cannot be used in translate, which only sees the observation; use it in invoke", fn.Capability, fn.Name)}
	}
	if f.frame == nil {
		return nil, &hostabi.Fault{Code: hostabi.CodeUnsupported, Capability: fn.Capability, Message: `no picture was taken of this window; add needs = ["pixels"] to adapter.toml`}
	}
	var reply []byte
	err := fmt.Errorf("%w in translate", desktop.ErrUnsupported)
	switch fn.Capability {
	case hostabi.CapCapture:
		reply, err = captured(f.frame, request)
	case hostabi.CapOCR:
		reply, err = recognised(ctx, f.ocr, f.frame, request)
	}
	if err != nil {
		return nil, fault(fn, err)
	}
	return reply, nil
}

// plain makes text of the screen or of an error fit for a title: one line
// without control and bidirectional override characters.
func plain(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || unicode.IsSpace(r) || unicode.Is(unicode.Bidi_Control, r)
	}), " ")
}
