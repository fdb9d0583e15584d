package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The revisions of MCP that are tried.
const (
	legacy = "2025-11-25"
	modern = "2026-07-28"
)

const windowsURI = "app://windows"

// session is one connection to the server.
type session struct {
	*sdk.ClientSession
	revision string
	tap      *tap
	timeout  time.Duration

	// mu guards the moments at which notifications came.
	mu              sync.Mutex
	updated, listed []time.Time
	news            chan struct{} // holds one token after a notification; never closed
}

func connect(ctx context.Context, t Target, revision string, timeout time.Duration) (*session, error) {
	s := &session{revision: revision, tap: newTap(timeout), timeout: timeout, news: make(chan struct{}, 1)}
	note := func(list *[]time.Time) {
		s.mu.Lock()
		*list = append(*list, time.Now())
		s.mu.Unlock()
		select {
		case s.news <- struct{}{}:
		default:
		}
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "oriel-conformance", Version: "1"}, &sdk.ClientOptions{
		Capabilities:           &sdk.ClientCapabilities{},
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { note(&s.listed) },
		ResourceUpdatedHandler: func(_ context.Context, r *sdk.ResourceUpdatedNotificationRequest) {
			if r.Params.URI == windowsURI {
				note(&s.updated)
			}
		},
	})
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var err error
	s.ClientSession, err = client.Connect(ctx, t.dial(s.tap), &sdk.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		return nil, fmt.Errorf("connecting in revision %s: %w", revision, err)
	}
	return s, nil
}

// notified returns when the notifications came so far.
func (s *session) notified() (updated, listed []time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]time.Time(nil), s.updated...), append([]time.Time(nil), s.listed...)
}

// subscribe asks for news of the resource and waits until they can come.
func (s *session) subscribe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	if err := s.Subscribe(ctx, &sdk.SubscribeParams{URI: windowsURI}); err != nil {
		return err
	}
	if s.revision == modern { // the subscription is the stream
		return nil
	}
	select {
	case <-s.tap.streams:
		return nil
	case <-ctx.Done():
		return errors.New("the stream for notifications was not answered")
	}
}

// answer is what a server said to one request: a result as it came, or an error
// of the protocol.
type answer struct {
	raw        json.RawMessage
	start, end time.Time
}

// ask makes a request by the SDK and returns the answer as it came. A result that
// the SDK could not read is no error here.
func (s *session) ask(ctx context.Context, method string, request func(context.Context) error) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	s.tap.result(method)
	a := answer{start: time.Now()}
	err := request(ctx)
	a.end, a.raw = time.Now(), s.tap.result(method)
	if a.raw != nil {
		return a, nil
	}
	if err == nil {
		err = errors.New("the answer was not seen")
	}
	return a, err
}

// read reads the resource and returns its text.
func (s *session) read(ctx context.Context) (answer, error) {
	return s.ask(ctx, "resources/read", func(ctx context.Context) error {
		_, err := s.ReadResource(ctx, &sdk.ReadResourceParams{URI: windowsURI})
		return err
	})
}

// errNull says that an empty list came as null.
var errNull = errors.New("null; an empty list is []")

// maxPages bounds a list that never ends.
const maxPages = 100

// pages asks for every page of a list, whose members stand under key.
func (s *session) pages(ctx context.Context, method, key string, request func(ctx context.Context, cursor string) error) ([]json.RawMessage, answer, error) {
	var all []json.RawMessage
	var first answer
	cursor := ""
	for i := range maxPages {
		a, err := s.ask(ctx, method, func(ctx context.Context) error { return request(ctx, cursor) })
		if err != nil {
			return nil, a, err
		}
		if i == 0 {
			first = a
		}
		first.end = a.end
		var page map[string]json.RawMessage
		var members []json.RawMessage
		if err := json.Unmarshal(a.raw, &page); err != nil {
			return nil, a, err
		}
		if string(page[key]) == "null" {
			return nil, a, fmt.Errorf("%s is %w", key, errNull)
		}
		if err := json.Unmarshal(page[key], &members); err != nil {
			return nil, a, fmt.Errorf("reading %s: %w", key, err)
		}
		all = append(all, members...)
		cursor = ""
		if page["nextCursor"] != nil {
			if err := json.Unmarshal(page["nextCursor"], &cursor); err != nil {
				return nil, a, fmt.Errorf("reading nextCursor: %w", err)
			}
		}
		if cursor == "" {
			return all, first, nil
		}
	}
	return nil, first, fmt.Errorf("%s has more than %d pages", method, maxPages)
}

func (s *session) resources(ctx context.Context) ([]json.RawMessage, answer, error) {
	return s.pages(ctx, "resources/list", "resources", func(ctx context.Context, cursor string) error {
		_, err := s.ListResources(ctx, &sdk.ListResourcesParams{Cursor: cursor})
		return err
	})
}

func (s *session) tools(ctx context.Context) ([]*tool, answer, error) {
	raw, a, err := s.pages(ctx, "tools/list", "tools", func(ctx context.Context, cursor string) error {
		_, err := s.ListTools(ctx, &sdk.ListToolsParams{Cursor: cursor})
		return err
	})
	if err != nil {
		return nil, a, err
	}
	tools := make([]*tool, len(raw))
	for i, r := range raw {
		tools[i] = &tool{raw: r}
		if err := json.Unmarshal(r, tools[i]); err != nil {
			return nil, a, fmt.Errorf("reading a tool: %w", err)
		}
	}
	return tools, a, nil
}

// reply is the answer to a call of a tool.
type reply struct {
	raw        json.RawMessage
	IsError    bool            `json:"isError"`
	Structured json.RawMessage `json:"structuredContent"`
	Content    []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
	// refused is an error of JSON-RPC in place of an answer.
	refused *jsonrpc.Error
}

// call calls a tool. The error is one of the connection.
func (s *session) call(ctx context.Context, name string, args map[string]any) (*reply, error) {
	a, err := s.ask(ctx, "tools/call", func(ctx context.Context) error {
		_, err := s.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: args})
		return err
	})
	r := &reply{raw: a.raw}
	if errors.As(err, &r.refused) {
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(a.raw, r); err != nil {
		return nil, fmt.Errorf("reading the answer of %s: %w", name, err)
	}
	return r, nil
}
