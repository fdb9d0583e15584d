package mcp

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestLongWordsAreNotRepeated sends names of 100 KB: no answer repeats them whole.
func TestLongWordsAreNotRepeated(t *testing.T) {
	long := strings.Repeat("a", 100_000)
	tool := func(name, args string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":%q,"arguments":%s,%s}}`, name, args, clientMeta)
	}
	requests := map[string]string{
		"window of a tool":    tool(long+"__close", "{}"),
		"action of a tool":    tool("w1__"+long, "{}"),
		"tool":                tool(long, "{}"),
		"window":              tool(actTool, fmt.Sprintf(`{"winId":%q,"action":"close"}`, long)),
		"action":              tool(actTool, fmt.Sprintf(`{"winId":"w1","action":%q}`, long)),
		"window to read":      tool(readTool, fmt.Sprintf(`{"window":%q}`, long)),
		"after":               tool(readTool, fmt.Sprintf(`{"after":%q}`, long)),
		"since":               tool(readTool, fmt.Sprintf(`{"since":%q}`, long)),
		"unknown argument":    tool(readTool, fmt.Sprintf(`{%q:1}`, long)),
		"application":         tool(launchTool, fmt.Sprintf(`{"app":%q}`, long)),
		"resource":            fmt.Sprintf(`{"jsonrpc":"2.0","id":9,"method":"resources/read","params":{"uri":%q,%s}}`, long, clientMeta),
		"resource that is ok": fmt.Sprintf(`{"jsonrpc":"2.0","id":9,"method":"resources/read","params":{"uri":"app://windows/%s",%s}}`, long, clientMeta),
		"method":              fmt.Sprintf(`{"jsonrpc":"2.0","id":9,"method":%q,"params":{%s}}`, long, clientMeta),
		"prompt":              fmt.Sprintf(`{"jsonrpc":"2.0","id":9,"method":"prompts/get","params":{"name":%q,%s}}`, long, clientMeta),
		"cursor":              fmt.Sprintf(`{"jsonrpc":"2.0","id":9,"method":"tools/list","params":{"cursor":%q,%s}}`, long, clientMeta),
		"protocol":            fmt.Sprintf(`{"jsonrpc":%q,"id":9,"method":"ping"}`, long),
		"id of no message":    fmt.Sprintf(`{"jsonrpc":"1","id":%q,"method":"ping"}`, long),
		"unknown field":       fmt.Sprintf(`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"w1__close",%q:1,%s}}`, long, clientMeta),
		"revision":            fmt.Sprintf(`{"jsonrpc":"2.0","id":9,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientCapabilities":{}}}}`, long),
		"subscription":        fmt.Sprintf(`{"jsonrpc":"2.0","id":9,"method":"resources/subscribe","params":{"uri":%q}}`, long),
	}
	s := newServer(t, oneEditor(), func(c *Config) { c.Launcher = &launcherFake{} })
	ts := httptest.NewServer(s.Handler())
	defer ts.Close()
	check := func(t *testing.T, answer string) {
		t.Helper()
		if strings.Contains(answer, strings.Repeat("a", 200)) || answer == "" {
			t.Errorf("answered %d bytes: %.300s", len(answer), answer)
		}
	}
	for name, request := range requests {
		t.Run(name, func(t *testing.T) {
			client, server := socketPair(t)
			served := make(chan error, 1)
			go func() { served <- s.ServeConn(t.Context(), server, "wordy") }()
			w := newWire(t, client)
			w.ask(initialize)
			w.send(initialized)
			w.send(request)
			check(t, w.next())
			client.Close()
			wait(t, served, "the end of the connection")
			session := newSession(t, ts.URL+"/mcp")
			for _, r := range []*http.Request{
				httpRequest(t.Context(), "POST", ts.URL+"/mcp", "2025-11-25", session, request),
				httpRequest(t.Context(), "POST", ts.URL+"/mcp", "2026-07-28", "", request),
			} {
				if r.Header.Get(versionHeader) == modern {
					r.Header.Set("Mcp-Method", "tools/call")
					switch {
					case strings.Contains(request, `"method":"resources/read"`):
						r.Header.Set("Mcp-Method", "resources/read")
					case !strings.Contains(request, `"method":"tools/call"`):
						r.Header.Set("Mcp-Method", strings.Split(strings.SplitAfter(request, `"method":"`)[1], `"`)[0])
					}
				}
				res, err := http.DefaultClient.Do(r)
				if err != nil {
					t.Fatal(err)
				}
				answer, _ := io.ReadAll(res.Body)
				res.Body.Close()
				check(t, string(answer))
			}
		})
	}
	for _, path := range []string{"/" + long, "/mcp/app/" + long, "/mcp?tools=" + long} {
		res, err := http.DefaultClient.Do(httpRequest(t.Context(), "GET", ts.URL+path, modern, "", ""))
		if err != nil {
			t.Fatal(err)
		}
		answer, _ := io.ReadAll(res.Body)
		res.Body.Close()
		check(t, string(answer))
	}
}
