package mcp

import (
	"fmt"
	"net/http/httptest"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"oriel.dev/oriel/bridge"
)

// typicalDesktop has the size of a desktop with four applications: about 15 KB.
func typicalDesktop() *fakeBridge { return tables(4, 6) }

func benchmark(b *testing.B, call func(*sdk.ClientSession) error) {
	for _, tr := range transports {
		b.Run(tr.name, func(b *testing.B) {
			f := typicalDesktop()
			s := newServer(b, f)
			var cs *sdk.ClientSession
			if tr.http {
				ts := httptest.NewServer(s.Handler())
				b.Cleanup(ts.Close)
				var err error
				cs, err = newEvents().client().Connect(b.Context(), &sdk.StreamableClientTransport{Endpoint: ts.URL + "/mcp", HTTPClient: authorized()}, &sdk.ClientSessionOptions{ProtocolVersion: tr.version})
				if err != nil {
					b.Fatal(err)
				}
				b.Cleanup(func() { cs.Close() })
			} else {
				cs = connect(b, s, newEvents(), tr.version, false)
			}
			b.SetBytes(int64(len(f.Snapshot().JSON())))
			for b.Loop() {
				if err := call(cs); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkResourceRead(b *testing.B) {
	benchmark(b, func(cs *sdk.ClientSession) error {
		_, err := cs.ReadResource(b.Context(), &sdk.ReadResourceParams{URI: windowsURI})
		return err
	})
}

func BenchmarkDesktopRead(b *testing.B) {
	benchmark(b, func(cs *sdk.ClientSession) error {
		_, err := cs.CallTool(b.Context(), &sdk.CallToolParams{Name: readTool})
		return err
	})
}

func BenchmarkAct(b *testing.B) {
	benchmark(b, func(cs *sdk.ClientSession) error {
		_, err := cs.CallTool(b.Context(), &sdk.CallToolParams{Name: "w1__set_text", Arguments: map[string]any{"text": "x"}})
		return err
	})
}

func BenchmarkToolsList(b *testing.B) {
	benchmark(b, func(cs *sdk.ClientSession) error {
		_, err := cs.ListTools(b.Context(), nil)
		return err
	})
}

// BenchmarkSync is what a new snapshot costs when every window of a large desktop
// changed its tools.
func BenchmarkSync(b *testing.B) {
	s := newServer(b, newFake())
	desktop := func(seq uint64, title string) *bridge.Snapshot {
		var windows []*bridge.Window
		for i := range 50 {
			a := setText
			a.Title = title
			windows = append(windows, window(fmt.Sprintf("w%d", i), "Document", 1, with(a), with(loadText), with(closeIt)))
		}
		return bridge.NewSnapshot(seq, windows)
	}
	f := front(b, s, Face{})
	one, two := desktop(0, "One"), desktop(0, "Two")
	seq := uint64(100)
	for b.Loop() {
		seq++
		one.Seq = seq
		f.tools.sync(one)
		one, two = two, one
	}
}
