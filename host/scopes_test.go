package host

import (
	"strings"
	"testing"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/sandbox"
)

// W11: inspecting an adapter shows the scope it asks for and the one that the
// grants narrow it to; a grant without one gives all that is asked for.
func TestW11InspectShowsScopes(t *testing.T) {
	a := AdapterInfo{Digest: "d1", Manifest: &hostabi.Manifest{
		ID: "org.example.x", Permissions: []hostabi.Permission{{Capability: hostabi.CapInput, Scope: "pointer ctrl+s", Reason: "Presses keys."}},
	}}
	input := []hostabi.Capability{hostabi.CapInput}
	narrow := sandbox.Grant{ID: "org.example.x", Capabilities: input, Scopes: map[hostabi.Capability]string{hostabi.CapInput: "ctrl+s"}}
	for want, grants := range map[string][]sandbox.Grant{
		"not granted":           {{ID: "org.example.y", Capabilities: input}, {Digest: "d2", Capabilities: input}, {Capabilities: input}},
		"granted ctrl+s":        {narrow},
		"granted":               {narrow, {Digest: "d1", Capabilities: input}},
		"granted ctrl+s ctrl+q": {narrow, {Digest: "d1", Capabilities: input, Scopes: map[hostabi.Capability]string{hostabi.CapInput: "ctrl+q"}}},
	} {
		var b strings.Builder
		if err := WriteAdapter(&b, a, grants); err != nil {
			t.Fatal(err)
		}
		line := "oriel:input pointer ctrl+s  " + want + "  Presses keys."
		if got := strings.Join(strings.Fields(b.String()), " "); !strings.Contains(got, strings.Join(strings.Fields(line), " ")) {
			t.Errorf("%q is not in %s", line, b.String())
		}
	}
}
