package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// farewell is the line by which a relay says that its client asks nothing
	// more but still reads. Like the greeting it is no JSON.
	farewell = greeting + "end"
	// lastAnswers is how long the calls of such a client may still take.
	lastAnswers = time.Minute
	// maxWord is the length in bytes from which on a name is none of ours. The SDK
	// repeats names in its refusals.
	maxWord = 256
	// methodListen opens a request that is never answered as long as its client
	// stays, so that there is no answer to wait for.
	methodListen = "subscriptions/listen"
)

// problem is why what a client sent is no message.
type problem struct {
	id      json.RawMessage // of the request, as far as it can be told; or nil
	code    int64
	message string
}

// answer is the problem as the client reads it.
func (p *problem) answer() []byte {
	type detail struct {
		Code    int64  `json:"code"`
		Message string `json:"message"`
	}
	id := p.id
	if id == nil {
		id = json.RawMessage("null")
	}
	return encode(struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   detail          `json:"error"`
	}{"2.0", id, detail{p.code, p.message}})
}

func tooLong() *problem {
	return &problem{nil, jsonrpc.CodeInvalidRequest, fmt.Sprintf("the message is longer than %d MiB; send less at once", maxBody>>20)}
}

// check returns what keeps data from being a message. The messages of a batch are
// the SDK's to count.
func check(data []byte) *problem {
	if !json.Valid(data) {
		return &problem{nil, jsonrpc.CodeParseError, "what was sent is not valid JSON; send one JSON-RPC message, and over stdio each on one line"}
	}
	if data[0] == '[' {
		var batch []json.RawMessage
		if json.Unmarshal(data, &batch) == nil {
			for _, one := range batch {
				if wrong := checkOne(one); wrong != nil {
					return wrong
				}
			}
		}
		return nil
	}
	return checkOne(data)
}

func checkOne(data []byte) *problem {
	msg, err := jsonrpc.DecodeMessage(data)
	if err != nil {
		return &problem{requestID(data), jsonrpc.CodeInvalidRequest, "what was sent is not a JSON-RPC message: " + cut(err.Error(), maxEcho)}
	}
	r, ok := msg.(*jsonrpc.Request)
	if !ok {
		return nil
	}
	if len(r.Method) > maxWord {
		return &problem{requestID(data), jsonrpc.CodeMethodNotFound, "there is no method " + cut(r.Method, maxEcho)}
	}
	var words struct {
		Name string `json:"name"`
		URI  string `json:"uri"`
		Meta struct {
			Revision string `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
	}
	// What does not fit is the SDK's to refuse.
	_ = json.Unmarshal(r.Params, &words)
	for _, word := range []string{words.Name, words.URI, words.Meta.Revision} {
		if len(word) > maxWord {
			return &problem{requestID(data), jsonrpc.CodeInvalidParams, "there is nothing of the name " + cut(word, maxEcho) + "; list what there is"}
		}
	}
	return nil
}

// requestID returns the id of what is not quite a message, or nil.
func requestID(data []byte) json.RawMessage {
	var m struct{ ID json.RawMessage }
	if json.Unmarshal(data, &m) != nil || len(m.ID) == 0 || len(m.ID) > maxEcho || m.ID[0] == '{' || m.ID[0] == '[' {
		return nil
	}
	return m.ID
}

// lineReader hands on the lines of a client that are messages, and has the others
// refused, so that one of them does not end the connection.
type lineReader struct {
	in     *bufio.Reader
	refuse func(*problem)
	rest   []byte      // of the line that is being handed on
	left   atomic.Bool // the farewell was read
}

// endError is why nothing more can be read, unless that is io.EOF.
type endError struct{ error }

func (e *endError) Unwrap() error { return e.error }

// Read never returns more than is left of one line.
func (l *lineReader) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		line, long, err := l.line()
		switch line = bytes.TrimSpace(line); {
		case l.left.Load() || string(line) == farewell:
			l.left.Store(true)
			return 0, io.EOF
		case long:
			l.refuse(tooLong())
		case len(line) > 0:
			if wrong := check(line); wrong != nil {
				l.refuse(wrong)
			} else {
				l.rest = append(line, '\n')
			}
		case errors.Is(err, io.EOF):
			return 0, io.EOF
		case err != nil:
			return 0, &endError{err}
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// line reads one line, or says that it is too long and drops it.
func (l *lineReader) line() (line []byte, long bool, err error) {
	for {
		part, err := l.in.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxBody; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, long, err
		}
	}
}

// lineTransport serves a client by lines.
type lineTransport struct {
	in     *bufio.Reader
	out    *boundedConn
	served sync.WaitGroup // what the connection started; done once it is closed
}

// Connect implements the SDK's transport.
func (t *lineTransport) Connect(ctx context.Context) (sdk.Connection, error) {
	lines := &lineReader{in: t.in, refuse: func(p *problem) {
		_, _ = t.out.Write(append(p.answer(), '\n')) // a failure ends the connection, and is met there
	}}
	inner, err := (&sdk.IOTransport{Reader: io.NopCloser(lines), Writer: t.out, MaxLineLength: -1}).Connect(ctx)
	return &lineConn{Connection: inner, lines: lines, transport: t, asked: map[jsonrpc.ID]bool{}}, err
}

// lineConn knows which requests wait for an answer, for the sake of clients that
// have said farewell.
type lineConn struct {
	sdk.Connection
	lines     *lineReader
	transport *lineTransport

	mu       sync.Mutex // guards what follows
	asked    map[jsonrpc.ID]bool
	answered chan struct{} // closed when asked is empty; nil while nobody waits
}

// Read returns the next message. It tells of the end of what a client asks only
// once all was answered, since the SDK then cancels what is under way.
func (c *lineConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		msg, err := c.Connection.Read(ctx)
		if err == nil {
			if r, ok := msg.(*jsonrpc.Request); ok && r.IsCall() && r.Method != methodListen {
				c.mu.Lock()
				c.asked[r.ID] = true
				c.mu.Unlock()
			}
			return msg, nil
		}
		_, ended := errors.AsType[*endError](err)
		switch {
		case errors.Is(err, io.EOF):
			if c.lines.left.Load() {
				c.linger(ctx)
			}
			return nil, err
		case ended || ctx.Err() != nil:
			return nil, err
		}
		c.lines.refuse(&problem{nil, jsonrpc.CodeInvalidRequest, "what was sent is not a batch of JSON-RPC messages: " + cut(err.Error(), maxEcho)})
	}
}

// Write sends a message.
func (c *lineConn) Write(ctx context.Context, msg jsonrpc.Message) error {
	err := c.Connection.Write(ctx, msg)
	if r, ok := msg.(*jsonrpc.Response); ok {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.asked, r.ID)
		if len(c.asked) == 0 && c.answered != nil {
			close(c.answered)
			c.answered = nil
		}
	}
	return err
}

// linger returns when every request was answered, the client has gone, or their
// time is over.
func (c *lineConn) linger(ctx context.Context) {
	c.mu.Lock()
	if len(c.asked) == 0 {
		c.mu.Unlock()
		return
	}
	answered, gone := make(chan struct{}), make(chan struct{})
	c.answered = answered
	c.mu.Unlock()
	c.transport.served.Go(func() {
		defer close(gone)
		_, _ = io.Copy(io.Discard, c.transport.in) // whatever ends it, the client has gone
	})
	end := time.NewTimer(lastAnswers)
	defer end.Stop()
	select {
	case <-answered:
	case <-gone:
	case <-end.C:
	case <-ctx.Done():
	}
}
