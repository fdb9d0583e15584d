package mcp

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// modern is the first revision without sessions. The SDK serves it only by
	// a handler of its own, which in turn gives older clients no session.
	modern        = "2026-07-28"
	versionHeader = "MCP-Protocol-Version"
	// maxBody bounds one request.
	maxBody = 4 << 20
)

// Handler returns the endpoints for MCP over Streamable HTTP: /mcp and what lies
// below it, one for each [Face]. It lets nobody in without the token, and no page
// of another web site even with it.
func (s *Server) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refusal := s.admit(r); refusal != nil {
			refusal.write(w)
			return
		}
		want, err := ParseFace(r.URL.RequestURI())
		if err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		f, leave, err := s.enter(want)
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		defer leave()
		f.serveHTTP(w, r)
	})
}

// newHandlers makes the SDK's handlers for the revisions without sessions and for
// those with.
func newHandlers(server *sdk.Server) (newer, older http.Handler) {
	get := func(*http.Request) *sdk.Server { return server }
	options := sdk.StreamableHTTPOptions{
		MaxRequestBodyBytes:        maxBody,
		DisableLocalhostProtection: true, // admit is stricter
	}
	stateless := options
	stateless.Stateless, stateless.PropagateRequestCancellation = true, true
	return sdk.NewStreamableHTTPHandler(get, &stateless), sdk.NewStreamableHTTPHandler(get, &options)
}

// serveHTTP serves a request that was let in.
func (f *face) serveHTTP(w http.ResponseWriter, r *http.Request) {
	r = r.WithContext(withPeer(r.Context(), peer{name: "http " + r.RemoteAddr}))
	r.Header = r.Header.Clone()
	defer f.sessions.begin(r)()
	out := &deadlineWriter{ResponseWriter: w, rc: http.NewResponseController(w), timeout: f.cfg.WriteTimeout}
	if !readBody(out, r) {
		return
	}
	if r.Header.Get(versionHeader) >= modern {
		f.newer.ServeHTTP(out, r)
		return
	}
	f.serveSession(out, r)
}

// readBody reads and checks what a client posts, and answers in its place if that
// is no message.
func readBody(w http.ResponseWriter, r *http.Request) (good bool) {
	if r.Method != http.MethodPost {
		return true
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	status, wrong := http.StatusBadRequest, (*problem)(nil)
	if _, long := errors.AsType[*http.MaxBytesError](err); long {
		status, wrong = http.StatusRequestEntityTooLarge, tooLong()
	} else if err != nil {
		wrong = &problem{nil, jsonrpc.CodeParseError, "the message broke off; send it again"}
	} else {
		wrong = check(bytes.TrimSpace(body))
	}
	if wrong != nil {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write(wrong.answer()) // fails only if nobody is there to be told
		return false
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return true
}

// serveSession serves the revisions that have sessions.
func (f *face) serveSession(w *deadlineWriter, r *http.Request) {
	id := r.Header.Get(sessionHeader)
	if id == "" {
		f.older.ServeHTTP(w, r)
		return
	}
	defer f.sessions.enter(id)()
	switch r.Method {
	case http.MethodDelete:
		// The SDK waits for the session's calls to end by themselves.
		f.sessions.end(id)
	case http.MethodGet:
		w.flushed = func() {
			for _, n := range f.sessions.missed(id) {
				f.outbox.put(n)
			}
		}
	}
	f.older.ServeHTTP(w, r)
}

// refusal is an HTTP answer to somebody who is not let in.
type refusal struct {
	status  int
	message string
}

func (f *refusal) write(w http.ResponseWriter) {
	if f.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="oriel"`)
	}
	http.Error(w, f.message, f.status)
}

// admit checks a request of any method.
func (s *Server) admit(r *http.Request) *refusal {
	if !s.hostAllowed(r.Host) {
		return &refusal{http.StatusForbidden, fmt.Sprintf(
			"the Host header %q is not a name of this server; use 127.0.0.1, or add the name to the server's configuration", cut(r.Host, 100))}
	}
	for _, origin := range r.Header.Values("Origin") {
		if !s.originAllowed(origin, r.Host) {
			return &refusal{http.StatusForbidden, fmt.Sprintf(
				"pages of %q may not call this server; add the origin to the server's configuration if they should", cut(origin, 100))}
		}
	}
	if s.cfg.Anybody {
		return nil
	}
	if s.cfg.Token == "" {
		return &refusal{http.StatusServiceUnavailable, "this server has no token and so admits nobody over HTTP"}
	}
	if !s.tokenValid(r.Header.Get("Authorization")) {
		return &refusal{http.StatusUnauthorized, "send the header \"Authorization: Bearer <token>\"; `oriel token` prints it to the user whose desktop this is"}
	}
	return nil
}

func (s *Server) tokenValid(authorization string) bool {
	scheme, token, _ := strings.Cut(authorization, " ")
	// Hashes have one length, so that the comparison tells nothing of the token's.
	got, want := sha256.Sum256([]byte(strings.TrimSpace(token))), sha256.Sum256([]byte(s.cfg.Token))
	return subtle.ConstantTimeCompare(got[:], want[:]) == 1 && strings.EqualFold(scheme, "Bearer")
}

// hostAllowed reports whether a Host header names this server. A page that had
// its own name resolve to the loopback address would send that name.
func (s *Server) hostAllowed(host string) bool {
	name := hostname(host)
	if name == "localhost" {
		return true
	}
	if ip := net.ParseIP(name); ip != nil && ip.IsLoopback() {
		return true
	}
	return slices.ContainsFunc(s.cfg.Hosts, func(h string) bool { return strings.EqualFold(h, name) })
}

// originAllowed reports whether a page of the origin may call: one that this very
// server served, or one that the configuration names.
func (s *Server) originAllowed(origin, host string) bool {
	if slices.Contains(s.cfg.Origins, origin) {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && strings.EqualFold(u.Host, host)
}

// hostname strips the port and the brackets of an IPv6 address.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.Trim(host, "[]"))
}

// deadlineWriter bounds the time that one write may wait for the client. net/http
// then ends the request, which frees whoever waited for the stream.
type deadlineWriter struct {
	http.ResponseWriter
	rc      *http.ResponseController
	timeout time.Duration
	flushed func() // called once, when the first bytes are on their way; may be nil
}

// Write writes under the deadline, which stays until the flush that follows.
func (w *deadlineWriter) Write(b []byte) (int, error) {
	w.deadline(time.Now().Add(w.timeout))
	n, err := w.ResponseWriter.Write(b)
	if err == nil {
		w.deadline(time.Time{})
	}
	return n, err
}

// FlushError flushes under the deadline.
func (w *deadlineWriter) FlushError() error {
	w.deadline(time.Now().Add(w.timeout))
	if err := w.rc.Flush(); err != nil {
		return err
	}
	w.deadline(time.Time{})
	if f := w.flushed; f != nil {
		w.flushed = nil
		f()
	}
	return nil
}

// deadline cannot fail on connections of net/http's server; others have none.
func (w *deadlineWriter) deadline(t time.Time) { _ = w.rc.SetWriteDeadline(t) }

// Unwrap lets http.ResponseController find the rest.
func (w *deadlineWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
