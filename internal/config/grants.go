package config

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"oriel.dev/oriel/hostabi"
)

var (
	adapterID = regexp.MustCompile(`^([a-z0-9-]+(\.[a-z0-9-]+)+)?$`)
	hexDigest = regexp.MustCompile(`^([0-9a-f]{64})?$`)
)

// readGrant makes a grant of one [[adapters.grant]] table. The report is called
// with a key below the table and what is wrong with it.
func readGrant(table map[string]any, report func(key, message string)) Grant {
	var g Grant
	text := func(key string, dst *string, form *regexp.Regexp, want string) {
		v, given := table[key]
		s, ok := v.(string)
		switch {
		case given && !ok:
			report(key, "wants a text in quotes, not "+valueName(v))
		case !form.MatchString(s):
			report(key, strconv.Quote(s)+" is not "+want)
		}
		*dst = s
	}
	text("id", &g.ID, adapterID, `the id of an adapter, such as "dev.oriel.mousepad"`)
	text("digest", &g.Digest, hexDigest, "a SHA-256 in 64 hexadecimal digits")
	if g.ID == "" && g.Digest == "" && table["id"] == nil {
		report("id", "is missing; name the adapter, or give its digest")
	}
	list, ok := table["capabilities"].([]any)
	if !ok {
		report("capabilities", `wants a list such as ["oriel:tree"]; [] grants nothing`)
	}
	names, err := stringList(list)
	if err != nil {
		report("capabilities", err.Error())
	}
	for _, n := range names {
		if !slices.Contains(capabilities(), n) {
			report("capabilities", fmt.Sprintf("%q is not known; choose of %s", n, strings.Join(capabilities(), ", ")))
		}
		g.Capabilities = append(g.Capabilities, hostabi.Capability(n))
	}
	g.readScopes(table["scopes"], report)
	for key := range table {
		if known := []string{"id", "capabilities", "digest", "scopes"}; !slices.Contains(known, key) {
			report(key, "is not known; "+suggest("remove it", key, known))
		}
	}
	return g
}

// readScopes reads what narrows the capabilities of the list. What the words of a
// scope mean is known to who enforces them.
func (g *Grant) readScopes(v any, report func(key, message string)) {
	table, ok := v.(map[string]any)
	if v != nil && !ok {
		report("scopes", `wants a table such as { "oriel:input" = "ctrl+s" }, not `+valueName(v))
	}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		c := hostabi.Capability(name)
		scope, ok := table[name].(string)
		switch {
		case !ok:
			report("scopes", fmt.Sprintf("%q wants a text in quotes, not %s", name, valueName(table[name])))
		case !slices.Contains(g.Capabilities, c):
			report("scopes", fmt.Sprintf("%q is not among the capabilities of this grant; add it there, or remove it here", name))
		default:
			if g.Scopes == nil {
				g.Scopes = map[hostabi.Capability]string{}
			}
			g.Scopes[c] = scope
		}
	}
}

// capabilities are the names of all there are, in the contract's order.
func capabilities() []string {
	var out []string
	for _, f := range hostabi.Functions {
		if name := string(f.Capability); !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// mergeGrants lets each of more replace the grant with the same id, all builds
// of it: a narrower grant of the administrator's must not be widened by a
// broader one beneath it.
func mergeGrants(base, more []Grant) []Grant {
	out := slices.DeleteFunc(slices.Clone(base), func(g Grant) bool {
		return slices.ContainsFunc(more, func(m Grant) bool { return m.ID == g.ID && m.ID != "" })
	})
	return append(out, more...)
}
