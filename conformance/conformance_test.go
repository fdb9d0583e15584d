package conformance

import (
	"flag"
	"os"
	"strings"
	"testing"
	"time"
)

// TestMain lets many servers be checked side by side: most of a check is waiting.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func check(t testing.TB, f faults) (*Report, *app) {
	t.Helper()
	a := newApp(t, f)
	return Run(t.Context(), a.target(), Options{Act: true, Strict: true, Watch: 600 * time.Millisecond, Grace: 700 * time.Millisecond}), a
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
