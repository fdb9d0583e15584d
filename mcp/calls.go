package mcp

import (
	"context"
	"net/http"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// peer is what is known of the other end of a connection. It travels in the
// context that a session is connected with, from where the SDK hands it to every
// request of the session.
type peer struct {
	name string          // how it is connected, for the audit log
	ctx  context.Context // ends with the connection; nil on HTTP
}

type peerKey struct{}

func withPeer(ctx context.Context, p peer) context.Context {
	return context.WithValue(ctx, peerKey{}, p)
}

func peerOf(ctx context.Context) peer {
	p, _ := ctx.Value(peerKey{}).(peer)
	return p
}

// bound returns ctx cut short by everything that ends a call's reason: the
// server, the connection, the HTTP session, the HTTP request that waits for the
// answer. The SDK itself lets a call run on in most of these cases.
func (f *face) bound(ctx context.Context, req sdk.Request) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	stops := []func() bool{context.AfterFunc(f.ctx, cancel)}
	tie := func(c context.Context) {
		if c != nil {
			stops = append(stops, context.AfterFunc(c, cancel))
		}
	}
	tie(peerOf(ctx).ctx)
	if session := req.GetSession(); session != nil && session.ID() != "" {
		tie(f.sessions.context(session.ID()))
	}
	tie(f.sessions.request(header(req)))
	return ctx, func() {
		for _, stop := range stops {
			stop()
		}
		cancel()
	}
}

func header(req sdk.Request) http.Header {
	if extra := req.GetExtra(); extra != nil {
		return extra.Header
	}
	return nil
}
