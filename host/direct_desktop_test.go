//go:build desktop

package host

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"image"
	"image/jpeg"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"oriel.dev/oriel/audit"
	"oriel.dev/oriel/bridge"
	"oriel.dev/oriel/desktop/guard"
	"oriel.dev/oriel/desktop/linux"
	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/tree"
)

// scripted is an adapter of the test's own: it shows a window's fields and picture,
// and its one action does what the test says.
type scripted struct {
	changed chan struct{}

	mu     sync.Mutex // guards invoke
	invoke func(ctx context.Context, observed *tree.Tree, s bridge.Services) *hostabi.Outcome
}

func (a *scripted) Match(tree.Window) bridge.Adapter {
	return bridge.Adapter{ID: "dev.oriel.scripted", Version: "1.0.0", Digest: "d", Pixels: true}
}

func (a *scripted) Changed() <-chan struct{} { return a.changed }

func (a *scripted) Translate(_ context.Context, _ bridge.Adapter, observation []byte, _ bridge.Services) (*hostabi.View, error) {
	t, err := tree.Decode(observation)
	if err != nil {
		return nil, err
	}
	v := &hostabi.View{Title: t.Window.Title, Summary: "A window.", Actions: []hostabi.Action{{Name: "run", Title: "Run", Description: "Runs."}}}
	fields := hostabi.Block{Key: "fields", Type: hostabi.Fields}
	for _, n := range t.Nodes {
		if n.Ifaces.Has(tree.IfaceEditableText) {
			fields.Items = append(fields.Items, hostabi.Field{Label: n.Name, Value: n.Text})
		}
	}
	v.Blocks = append(v.Blocks, hostabi.Block{Key: "picture", Type: hostabi.Media, Alt: "the window", Region: hostabi.Region{W: t.Window.Bounds.W, H: t.Window.Bounds.H}})
	if fields.Items != nil {
		v.Blocks = append(v.Blocks, fields)
	}
	return v, nil
}

func (a *scripted) Invoke(ctx context.Context, _ bridge.Adapter, call hostabi.Call, s bridge.Services) (*hostabi.Outcome, error) {
	t, err := tree.Decode(call.Observation)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.invoke(ctx, t, s), nil
}

// unkept is an audit log that keeps nothing.
type unkept struct{}

func (unkept) Append(context.Context, audit.Record) error { return nil }

// direct puts a bridge with the test's own adapter in the place of the rig's host,
// so that a test can do something in the middle of an act.
func (r *rig) direct(adapter *scripted, patterns ...*regexp.Regexp) {
	r.Helper()
	desk, err := linux.Open(r.Context(), linux.Config{Display: r.desk.Display(), SessionBus: r.desk.SessionBus()})
	if err != nil {
		r.Fatal(err)
	}
	g, err := guard.New(desk, unkept{}, nil)
	if err != nil {
		r.Fatal(err)
	}
	adapter.changed = make(chan struct{})
	var n int64
	b, err := bridge.New(bridge.Config{
		Desktop: desk, Guard: g, Adapters: adapter, SensitiveLabels: patterns,
		NextID: func() (int64, error) { n++; return n, nil },
	})
	if err != nil {
		r.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- b.Run(ctx) }()
	r.Cleanup(func() {
		cancel()
		if err := errors.Join(<-done, desk.Close()); err != nil {
			r.Errorf("ending the bridge: %v", err)
		}
	})
	r.host = &Host{live: newLive(b)}
	if err := b.Ready(r.Context()); err != nil {
		r.Fatal(err)
	}
}

// do has the adapter carry out an act.
func (a *scripted) do(s *scene, window string, version *int64, f func(ctx context.Context, observed *tree.Tree, s bridge.Services) *hostabi.Outcome) (*bridge.Result, error) {
	a.mu.Lock()
	a.invoke = f
	a.mu.Unlock()
	return s.host.live.Act(s.Context(), bridge.Request{Client: "test", Window: window, Action: "run", ExpectedVersion: version})
}

// call makes one call of a host function.
func call(ctx context.Context, s bridge.Services, c hostabi.Capability, name string, m hostabi.Message) ([]byte, *hostabi.Fault) {
	return s.Call(ctx, hostabi.Function{Capability: c, Name: name}, hostabi.Append(nil, m))
}

// entry is the element of a tree with the name and editable text.
func entry(t *tree.Tree, name string) tree.Node {
	for _, n := range t.Nodes {
		if n.Name == name && n.Ifaces.Has(tree.IfaceEditableText) {
			return n
		}
	}
	return tree.Node{}
}

// B28: the application is stopped between the check and the deed. What is answered
// agrees with what it holds once it goes on.
func TestB28StoppedBetweenCheckAndDeed(t *testing.T) {
	r := newRig(t)
	s := r.scene("scene.py")
	adapter := &scripted{}
	r.direct(adapter)
	s.do("open A at=0,0")
	w := s.seen("A")
	signal := func(sig syscall.Signal) {
		if err := syscall.Kill(s.cmd.Process.Pid, sig); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = syscall.Kill(s.cmd.Process.Pid, syscall.SIGCONT) })
	for i, version := range []*int64{nil, &w.Version} {
		text := []string{"sent to a stopped application", "checked again"}[i]
		if version != nil {
			*version = s.host.Snapshot().Window(w.ID).Version
		}
		res, err := adapter.do(s, w.ID, version, func(ctx context.Context, observed *tree.Tree, services bridge.Services) *hostabi.Outcome {
			signal(syscall.SIGSTOP)
			_, fault := call(ctx, services, hostabi.CapA11y, "set_text", &hostabi.SetTextRequest{ID: entry(observed, "Text").ID, Text: text})
			return &hostabi.Outcome{Fault: fault}
		})
		signal(syscall.SIGCONT)
		s.do("text A")
		var refused *bridge.Error
		if !errors.As(err, &refused) || refused.Code != bridge.ActionTimeout {
			t.Errorf("version %v: %+v, %v, want action_timeout", version != nil, res, err)
		}
		if got := s.last("text A"); got != "" {
			t.Errorf("version %v: refused, but the field holds %q", version != nil, got)
		}
		r.await("the window answers again", func() bool { return !strings.Contains(string(s.named("A").JSON()), "not answering") })
	}
}

// B28: an application that ends in the middle of the deed did what was asked.
func TestB28ApplicationEndsInTheDeed(t *testing.T) {
	r := newRig(t)
	s := r.scene("scene.py")
	adapter := &scripted{}
	r.direct(adapter)
	s.do("open A at=0,0 quit=1")
	w := s.seen("A")
	res, err := adapter.do(s, w.ID, nil, func(ctx context.Context, observed *tree.Tree, services bridge.Services) *hostabi.Outcome {
		for _, n := range observed.Nodes {
			if n.Name == "Quit" {
				_, fault := call(ctx, services, hostabi.CapA11y, "action", &hostabi.ActionRequest{ID: n.ID})
				return &hostabi.Outcome{Fault: fault}
			}
		}
		return &hostabi.Outcome{}
	})
	if err != nil {
		t.Fatalf("refused, but done: %v", err)
	}
	if res.Effect != hostabi.Confirmed {
		t.Errorf("effect %s: %s", res.Effect, res.Message)
	}
}

// B15: what is secret is black on every picture that leaves the host: passwords,
// also once a person has made their characters visible, and what the administrator
// names; and the characters are nowhere in the state.
func TestB15SecretsAreBlackOnPictures(t *testing.T) {
	r := newRig(t)
	s := r.scene("scene.py")
	adapter := &scripted{}
	r.direct(adapter, regexp.MustCompile(`(?i)recovery`))
	const secret = "WWWWMMMM"
	s.do("open A at=0,0 secret=" + secret)
	w := s.seen("A")
	for _, peek := range []string{"0", "1"} {
		s.do("set A peek=" + peek)
		var observed *tree.Tree
		var shot hostabi.Image
		if _, err := adapter.do(s, w.ID, nil, func(ctx context.Context, o *tree.Tree, services bridge.Services) *hostabi.Outcome {
			observed = o
			data, fault := call(ctx, services, hostabi.CapCapture, "window", &hostabi.CaptureRequest{})
			if fault == nil {
				var err error
				if shot, err = hostabi.ParseImage(data); err != nil {
					t.Error(err)
				}
			}
			return &hostabi.Outcome{Fault: fault, Effect: hostabi.Unchanged}
		}); err != nil {
			t.Fatalf("capturing: %v", err)
		}
		full := &image.RGBA{Pix: shot.RGBA, Stride: int(4 * shot.W), Rect: image.Rect(0, 0, int(shot.W), int(shot.H))}
		small := s.thumbnail("A")
		for name, black := range map[string]bool{"Passphrase": true, "Recovery code": true, "Text": false} {
			b := entry(observed, name).Bounds
			at := image.Rect(int(b.X), int(b.Y), int(b.X+b.W), int(b.Y+b.H))
			if got := brightest(full, at) == 0; got != black {
				t.Errorf("peek %s: %s is black on the capture: %v", peek, name, got)
			}
			if got := brightest(small, at) < 0x30; got != black {
				t.Errorf("peek %s: %s is black on the snapshot's picture: %v", peek, name, got)
			}
		}
		if text := string(s.host.Snapshot().JSON()); strings.Contains(text, secret) {
			t.Errorf("peek %s: the state holds the secret: %s", peek, text)
		}
	}
}

// thumbnail decodes the picture in a window's blocks. The windows of a scene are
// small enough not to be scaled.
func (s *scene) thumbnail(name string) image.Image {
	s.Helper()
	for _, b := range s.named(name).Blocks {
		_, data, _ := strings.Cut(b.URL, ";base64,")
		if b.Type != hostabi.Media {
			continue
		}
		raw, err := base64.StdEncoding.DecodeString(data)
		if err != nil {
			s.Fatal(err)
		}
		img, err := jpeg.Decode(bytes.NewReader(raw))
		if err != nil {
			s.Fatal(err)
		}
		return img
	}
	s.Fatalf("no picture in %s", s.named(name).JSON())
	return nil
}

// brightest is the largest of the colours in a part of a picture, 0 to 255.
func brightest(img image.Image, at image.Rectangle) (most uint32) {
	for y := at.Min.Y; y < at.Max.Y; y++ {
		for x := at.Min.X; x < at.Max.X; x++ {
			r, g, b, _ := img.At(x, y).RGBA()
			most = max(most, r>>8, g>>8, b>>8)
		}
	}
	return most
}
