package conformance

import (
	"context"
	"io"
	"net/http"
	"os/exec"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Target is a server to be checked.
type Target struct {
	// dial makes a transport whose traffic goes by the tap.
	dial func(*tap) sdk.Transport
	// shared reports whether all connections reach the same server.
	shared bool
}

// HTTP is the server at a URL. token may be empty.
func HTTP(url, token string) Target {
	return Target{shared: true, dial: func(t *tap) sdk.Transport {
		next := http.DefaultTransport.(*http.Transport).Clone()
		next.ResponseHeaderTimeout = t.timeout
		client := &http.Client{
			Transport:     &httpTap{tap: t, token: token, next: next},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // the token is for this server
		}
		return &sdk.StreamableClientTransport{Endpoint: url, HTTPClient: client, MaxRetries: -1, MaxEventSize: -1}
	}}
}

// stopWithin is how long a command may take to end once its input is closed.
const stopWithin = 5 * time.Second

// Command is the server that a command starts, which speaks over its standard
// input and output. It is started once for each connection. What it says on
// standard error goes to stderr.
func Command(stderr io.Writer, environ []string, name string, args ...string) Target {
	return Target{dial: func(t *tap) sdk.Transport {
		cmd := exec.Command(name, args...)
		cmd.Env, cmd.Stderr = environ, stderr
		return over(&sdk.CommandTransport{Command: cmd, TerminateDuration: stopWithin})(t)
	}}
}

// over taps a transport that is not HTTP.
func over(inner sdk.Transport) func(*tap) sdk.Transport {
	return func(t *tap) sdk.Transport { return &tapped{inner, t} }
}

type tapped struct {
	sdk.Transport
	tap *tap
}

// Connect implements [sdk.Transport].
func (t *tapped) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	t.tap.streaming()
	return &tappedConn{c, t.tap}, nil
}
