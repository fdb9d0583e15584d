package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// serverVariable makes the test binary a conforming server on its standard input
// and output.
const serverVariable = "CONFORMANCE_TEST_SERVER"

// TestMain lets many servers be checked side by side: most of a check is waiting.
func TestMain(m *testing.M) {
	flag.Parse()
	if os.Getenv(serverVariable) != "" {
		a := newApp(nil, faults{})
		if err := a.server.Run(context.Background(), &sdk.StdioTransport{}); err != nil {
			panic(err)
		}
		return
	}
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// quick are the options for servers that are near and quick.
var quick = Options{Act: true, Strict: true, Watch: 600 * time.Millisecond, Grace: 700 * time.Millisecond}

func check(t testing.TB, f faults) (*Report, *app) {
	t.Helper()
	a := newApp(t, f)
	return Run(t.Context(), a.target(), quick), a
}

// verdicts are the requirements with the verdict.
func (r *Report) verdicts(v ...Verdict) string {
	var ids []string
	for _, res := range r.Results {
		for _, want := range v {
			if res.Verdict == want {
				ids = append(ids, res.Requirement)
			}
		}
	}
	return strings.Join(ids, " ")
}

func text(t testing.TB, r *Report) string {
	t.Helper()
	var b strings.Builder
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A server that does everything right passes everything that can be tested from
// outside.
func TestConformingServerPasses(t *testing.T) {
	r, a := check(t, faults{})
	if bad := r.verdicts(Fail, Advice); bad != "" {
		t.Errorf("against %s:\n%s", bad, text(t, r))
	}
	if got, want := r.verdicts(NotTested), "B19 B24 B25 B27 B28 B32"; got != want {
		t.Errorf("not tested are %s, want %s\n%s", got, want, text(t, r))
	}

	if strings.Join(r.Revisions, " ") != "2025-11-25 2026-07-28" || r.Server != "app 1" {
		t.Errorf("%s in %v", r.Server, r.Revisions)
	}
	for name, n := range a.used {
		if !strings.HasSuffix(name, "__refresh") && !strings.HasSuffix(name, "__set_field") {
			t.Errorf("%s was carried out %d times", name, n)
		}
	}
}

// With leave to act, what cannot be tested is not for want of leave.
func TestNothingToCall(t *testing.T) {
	r, _ := check(t, faults{listed: func(*app, []string) []string { return nil }})
	for _, res := range r.Results {
		if res.Requirement == "B20" && (res.Verdict != NotTested || strings.Contains(res.Findings[0].Why, "--act")) {
			t.Errorf("B20: %+v", res)
		}
	}
}

// A server is checked in the same way over HTTP, with a token, in both revisions.
func TestOverHTTP(t *testing.T) {
	a := newApp(t, faults{})
	get := func(*http.Request) *sdk.Server { return a.server }
	older := sdk.NewStreamableHTTPHandler(get, nil)
	newer := sdk.NewStreamableHTTPHandler(get, &sdk.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Authorization") != "Bearer secret":
			w.WriteHeader(http.StatusUnauthorized)
		case r.Header.Get("MCP-Protocol-Version") >= modern:
			newer.ServeHTTP(w, r)
		default:
			older.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	r := Run(t.Context(), HTTP(server.URL, "secret"), quick)
	if bad := r.verdicts(Fail, Advice); bad != "" || len(r.Revisions) != 2 {
		t.Errorf("against %q in %v:\n%s", bad, r.Revisions, text(t, r))
	}
	if got, want := r.verdicts(NotTested), "B19 B24 B25 B27 B28 B32"; got != want {
		t.Errorf("not tested are %s, want %s", got, want)
	}
	r = Run(t.Context(), HTTP(server.URL, "wrong"), quick)
	if !r.Failed() || r.verdicts(Fail) != "B01" || len(r.Revisions) > 0 {
		t.Errorf("with a wrong token:\n%s", text(t, r))
	}
}

// Each connection to a command is a server of its own, so that nothing can be
// compared between them.
func TestOverStdio(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	r := Run(t.Context(), Command(&said, append(os.Environ(), serverVariable+"=1"), exe), quick)
	if bad := r.verdicts(Fail, Advice); bad != "" || len(r.Revisions) != 2 {
		t.Errorf("against %q in %v:\n%s\n%s", bad, r.Revisions, text(t, r), &said)
	}
	if got, want := r.verdicts(NotTested), "B05 B06 B19 B24 B25 B27 B28 B32"; got != want {
		t.Errorf("not tested are %s, want %s", got, want)
	}
}

// A run ends soon when it is cancelled, and when the server never answers.
func TestRunEnds(t *testing.T) {
	over := make(chan struct{})
	hung := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-over }))
	t.Cleanup(func() {
		close(over)
		hung.Close()
	})
	o := quick
	o.Timeout = 200 * time.Millisecond
	begin := time.Now()
	if r := Run(t.Context(), HTTP(hung.URL, ""), o); r.verdicts(Fail) != "B01" {
		t.Errorf("a server that does not answer:\n%s", text(t, r))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if r := Run(ctx, newApp(t, faults{}).target(), quick); r.Failed() {
		t.Errorf("a run that was cancelled:\n%s", text(t, r))
	}
	if d := time.Since(begin); d > 10*time.Second {
		t.Errorf("both took %v", d)
	}
}

// The report has one line for each requirement, in order, and a sum.
func TestReport(t *testing.T) {
	l := &log{}
	l.pass("B03", map[string]string{"uri": windowsURI}, "one resource")
	l.fail("B07", json.RawMessage(`{"a":  "<b>"}`), "window %s", "w1")
	l.fail("B07", nil, "window %s", "w2")
	l.pass("B07", nil, "elsewhere it is right")
	l.fail("B09", nil, "one\ntwo")
	l.advise("B16", strings.Repeat("x", 1000), "no summary")
	r := &Report{Results: l.results()}
	lines := strings.Split(text(t, r), "\n")
	for i, want := range map[int]string{
		2:  `B03  pass        resources/list holds app://windows alone: one resource  {"uri":"app://windows"}`,
		6:  `B07  fail        operableWindowIds is the verdict on operability: window w1; window w2  {"a": "<b>"}`,
		7:  `B08  not tested  an application modal leaves only its top operable: no application modal was open`,
		8:  `B09  fail        chains can be rebuilt from ownerId: one; two`,
		33: `1 passed, 2 failed, 1 advice, 29 not tested: unnamed server, revisions none`,
	} {
		if lines[i] != want {
			t.Errorf("line %d\n got %s\nwant %s", i, lines[i], want)
		}
	}
	if n := len([]rune(r.Results[15].Findings[0].Evidence)); n != maxEvidence {
		t.Errorf("evidence of %d characters", n)
	}
	if !r.Failed() {
		t.Error("not failed")
	}
}
