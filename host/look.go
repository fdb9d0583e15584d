package host

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"time"

	"oriel.dev/oriel/mcp"
	"oriel.dev/oriel/sandbox"
)

// readPatience bounds the questions to a running host.
const readPatience = 15 * time.Second

// ReadDesktop asks the host of the desktop for every window and what can be done
// with it. If none runs it looks for itself, as a host that goes again at once.
// The result is that of the tool desktop_read.
func ReadDesktop(ctx context.Context, cfg Config) (json.RawMessage, error) {
	if conn, err := mcp.Dial(ctx, SocketPath(cfg.RuntimeDir, cfg.Desktop)); err == nil {
		return readOver(ctx, conn)
	}
	return lookOnce(ctx, cfg)
}

// lookOnce serves the desktop for as long as one reading takes.
func lookOnce(ctx context.Context, cfg Config) (result json.RawMessage, err error) {
	err = aside(ctx, cfg, func(ctx context.Context, h *Host) error {
		conn, err := mcp.Dial(ctx, SocketPath(h.cfg.RuntimeDir, h.cfg.Desktop))
		if err != nil {
			return err
		}
		result, err = readOver(ctx, conn)
		return err
	})
	return result, err
}

// aside serves the desktop while do runs, at a socket of its own, so that it is
// in the way of no host that runs or starts meanwhile.
func aside(ctx context.Context, cfg Config, do func(ctx context.Context, h *Host) error) (err error) {
	dir, err := os.MkdirTemp("", "oriel-look-")
	if err != nil {
		return fmt.Errorf("looking at the desktop: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	cfg.RuntimeDir, cfg.Listen = dir, ""
	h, err := New(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	if err := h.compiled(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() { served <- h.Serve(ctx) }()
	defer func() { cancel(); err = errors.Join(err, <-served) }()
	if err := h.Ready(ctx); err != nil {
		return err
	}
	return do(ctx, h)
}

// compiled waits until no adapter is being compiled any more. A host that stays
// shows windows by the generic adapter meanwhile; one that looks once would show
// nothing.
func (h *Host) compiled(ctx context.Context) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for slices.ContainsFunc(h.Adapters(), func(a sandbox.Info) bool { return a.State == sandbox.StateCompiling }) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("waiting for the adapters to be compiled: %w", ctx.Err())
		}
	}
	return nil
}

// readOver calls desktop_read over a connection to a host, and closes it. It
// speaks just enough of the protocol for that.
func readOver(ctx context.Context, conn net.Conn) (json.RawMessage, error) {
	defer conn.Close()
	ctx, cancel := context.WithTimeout(ctx, readPatience)
	defer cancel()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	c := &rpc{conn: conn, in: bufio.NewReader(conn)}
	if _, err := c.call(1, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"oriel windows","version":"1"}}`); err != nil {
		return nil, asking(ctx, err)
	}
	if err := c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`); err != nil {
		return nil, asking(ctx, err)
	}
	var all json.RawMessage
	for id, after := 2, ""; ; id++ {
		page, err := c.read(id, after)
		if err != nil {
			return nil, asking(ctx, err)
		}
		if all, after, err = joinPages(all, page); err != nil || after == "" {
			return all, err
		}
	}
}

// read calls desktop_read for the windows after one.
func (c *rpc) read(id int, after string) (json.RawMessage, error) {
	raw, err := c.call(id, "tools/call", fmt.Sprintf(`{"name":"desktop_read","arguments":{"after":%q}}`, after))
	if err != nil {
		return nil, err
	}
	var answer struct {
		IsError           bool `json:"isError"`
		StructuredContent struct {
			Message string          `json:"message"`
			Result  json.RawMessage `json:"result"`
		} `json:"structuredContent"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, err
	}
	if answer.IsError {
		return nil, errors.New(answer.StructuredContent.Message)
	}
	return answer.StructuredContent.Result, nil
}

// joinPages adds the windows of a page to the pages before, and returns where the
// next one begins, "" if there is none.
func joinPages(all, page json.RawMessage) (joined json.RawMessage, next string, err error) {
	var now map[string]json.RawMessage
	if err := json.Unmarshal(page, &now); err != nil {
		return nil, "", fmt.Errorf("reading the host's answer: %w", err)
	}
	if raw, more := now["next"]; more {
		if err := json.Unmarshal(raw, &next); err != nil {
			return nil, "", fmt.Errorf("reading the host's answer: %w", err)
		}
	}
	if all == nil && next == "" {
		return page, "", nil
	}
	var windows, further []json.RawMessage
	if all != nil {
		var before map[string]json.RawMessage
		if err := errors.Join(json.Unmarshal(all, &before), json.Unmarshal(before["windows"], &windows)); err != nil {
			return nil, "", fmt.Errorf("reading the host's answer: %w", err)
		}
	}
	if err := json.Unmarshal(now["windows"], &further); err != nil {
		return nil, "", fmt.Errorf("reading the host's answer: %w", err)
	}
	delete(now, "next")
	if now["windows"], err = json.Marshal(append(windows, further...)); err != nil {
		return nil, "", fmt.Errorf("reading the host's answer: %w", err)
	}
	joined, err = json.Marshal(now)
	return joined, next, err
}

func asking(ctx context.Context, err error) error {
	return fmt.Errorf("asking the running host: %w; if it does not answer, end it and start it again", errors.Join(ctx.Err(), err))
}

// rpc is a connection of one message a line.
type rpc struct {
	conn net.Conn
	in   *bufio.Reader
}

func (c *rpc) send(line string) error {
	_, err := c.conn.Write([]byte(line + "\n"))
	return err
}

// call sends a request and waits for its answer; what else comes is skipped.
func (c *rpc) call(id int, method, params string) (json.RawMessage, error) {
	if err := c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)); err != nil {
		return nil, err
	}
	for {
		line, err := c.in.ReadBytes('\n')
		if err != nil {
			return nil, err
		}
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Result json.RawMessage `json:"result"`
			Error  *struct {
				Message string `json:"message"`
			} `json:"error"`
		}
		if err := json.Unmarshal(line, &m); err != nil {
			return nil, err
		}
		switch {
		case m.Method != "" || string(m.ID) != fmt.Sprint(id):
		case m.Error != nil:
			return nil, errors.New(m.Error.Message)
		default:
			return m.Result, nil
		}
	}
}
