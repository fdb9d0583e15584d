package tree

import "testing"

func TestEveryRoleAndStateHasAName(t *testing.T) {
	seen := map[string]bool{}
	for r := range roleCount {
		n := r.String()
		if n == "" || seen[n] {
			t.Errorf("role %d: name %q is empty or taken", r, n)
		}
		seen[n] = true
	}
	if got := Role(60000).String(); got != "unknown" {
		t.Errorf("a newer host's role reads %q, want unknown", got)
	}
	if got, want := len((StateVisited<<1 - 1).Names()), len(stateNames); got != want {
		t.Errorf("%d states have names, want %d", got, want)
	}
}
