package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// session is a client that has subscribed to the state.
type session struct {
	*sdk.ClientSession
	updated, tools chan struct{} // each holds at most one token
}

// state is app://windows as the protocol has it.
type state struct {
	OperableWindowIDs []string `json:"operableWindowIds"`
	Windows           []window `json:"windows"`
	text              string   // as it was read
}

type window struct {
	ID      string          `json:"id"`
	Title   string          `json:"title"`
	Modal   bool            `json:"modal"`
	OwnerID *string         `json:"ownerId"`
	Version int64           `json:"version"`
	Summary string          `json:"summary"`
	Blocks  json.RawMessage `json:"blocks"`
}

func (s state) window(id string) *window {
	for i := range s.Windows {
		if s.Windows[i].ID == id {
			return &s.Windows[i]
		}
	}
	return nil
}

type bearer string

func (t bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(t))
	return http.DefaultTransport.RoundTrip(r)
}

func connect(ctx context.Context, h *host) (*session, error) {
	token, err := os.ReadFile(filepath.Join(h.dir, "state", "token"))
	if err != nil {
		return nil, err
	}
	s := &session{updated: make(chan struct{}, 1), tools: make(chan struct{}, 1)}
	client := sdk.NewClient(&sdk.Implementation{Name: "demo", Version: "1"}, &sdk.ClientOptions{
		ResourceUpdatedHandler: func(context.Context, *sdk.ResourceUpdatedNotificationRequest) { note(s.updated) },
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { note(s.tools) },
	})
	s.ClientSession, err = client.Connect(ctx, &sdk.StreamableClientTransport{
		Endpoint: h.url, HTTPClient: &http.Client{Transport: bearer(strings.TrimSpace(string(token)))},
	}, nil)
	if err != nil {
		return nil, fmt.Errorf("connecting to %s: %w", h.url, err)
	}
	return s, s.Subscribe(ctx, &sdk.SubscribeParams{URI: "app://windows"})
}

func note(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (s *session) close() { _ = s.Close() }

func (s *session) read(ctx context.Context) (state, error) {
	var st state
	res, err := s.ReadResource(ctx, &sdk.ReadResourceParams{URI: "app://windows"})
	if err != nil {
		return st, err
	}
	st.text = res.Contents[0].Text
	return st, json.Unmarshal([]byte(st.text), &st)
}

// awaitTime is how long anything may take to show in the state.
const awaitTime = 20 * time.Second

// await reads the state again at each notification, until it is as wanted.
func (s *session) await(ctx context.Context, what string, holds func(state) bool) (state, error) {
	ctx, cancel := context.WithTimeout(ctx, awaitTime)
	defer cancel()
	for {
		st, err := s.read(ctx)
		if err != nil {
			return st, fmt.Errorf("waiting for %s: %w", what, err)
		}
		if holds(st) {
			return st, nil
		}
		select {
		case <-s.updated:
		case <-ctx.Done():
			return st, fmt.Errorf("waiting for %s: not so within %v; the state is %+v", what, awaitTime, st)
		}
	}
}

// toolsOf lists the tools of a window.
func (s *session) toolsOf(ctx context.Context, id string) ([]string, error) {
	var names []string
	for tool, err := range s.Tools(ctx, nil) {
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(tool.Name, id+"__") {
			names = append(names, tool.Name)
		}
	}
	return names, nil
}

// awaitTool lists the tools of a window until one of them is there: while an
// adapter is being compiled for the first time, the generic one serves its windows.
func (s *session) awaitTool(ctx context.Context, id, tool string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, awaitTime)
	defer cancel()
	for {
		names, err := s.toolsOf(ctx, id)
		if err != nil || slices.Contains(names, tool) {
			return names, err
		}
		select {
		case <-s.tools:
		case <-ctx.Done():
			return nil, fmt.Errorf("waiting for the tool %s: not there within %v; the tools are %v", tool, awaitTime, names)
		}
	}
}

// answer is the structured half of a tool's result.
type answer struct {
	Message         string   `json:"message"`
	OpenedWindowIDs []string `json:"openedWindowIds"`
	Code            string   `json:"code"`
	Result          struct {
		Effect  string `json:"effect"`
		Version int64  `json:"version"`
	} `json:"result"`
}

func (s *session) call(ctx context.Context, tool string, args map[string]any) (answer, error) {
	var a answer
	res, err := s.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return a, fmt.Errorf("%s: %w", tool, err)
	}
	data, err := json.Marshal(res.StructuredContent)
	if err == nil {
		err = json.Unmarshal(data, &a)
	}
	if err != nil {
		return a, fmt.Errorf("%s: reading its result: %w", tool, err)
	}
	if res.IsError {
		return a, errors.New(tool + ": " + a.Code + ": " + a.Message)
	}
	return a, nil
}
