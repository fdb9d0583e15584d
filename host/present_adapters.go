package host

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/sandbox"
)

// WriteAdapter writes what a file says of its adapter, and which of the
// capabilities that it asks for the grants give it.
func WriteAdapter(w io.Writer, a AdapterInfo, grants []sandbox.Grant) error {
	var b strings.Builder
	if m := a.Manifest; m != nil {
		fmt.Fprintf(&b, "%s %s: %s\n", oneLine(m.ID), oneLine(m.Version), oneLine(m.Name))
		line(&b, oneLine(m.Description))
	}
	rows := [][]string{{"file", fmt.Sprintf("%s, %s", a.File, megabytes(a.Size))}}
	if a.Digest != "" {
		rows = append(rows, []string{"digest", a.Digest})
	}
	if m := a.Manifest; m != nil {
		acts := "shows windows and acts on them"
		if !a.Acts {
			acts = "shows windows only"
		}
		rows = append(rows, []string{"ABI", m.ABI}, []string{"license", m.License}, []string{"does", acts})
		if len(m.Needs) > 0 {
			rows = append(rows, []string{"needs", strings.Join(m.Needs, ", ")})
		}
		for _, match := range m.Match {
			rows = append(rows, []string{"takes", describeMatch(match)})
		}
		if l := describeLimits(m.Limits); l != "" {
			rows = append(rows, []string{"limits", l})
		}
	}
	wideGrid(&b, rows)
	if a.Manifest != nil {
		writePermissions(&b, a, grants)
	}
	writeImports(&b, a.Imports)
	for l := range strings.Lines(a.Problem) {
		b.WriteString("cannot be used: " + strings.TrimRight(l, "\n") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writePermissions(b *strings.Builder, a AdapterInfo, grants []sandbox.Grant) {
	if len(a.Manifest.Permissions) == 0 {
		b.WriteString("permissions: none asked for\n")
		return
	}
	b.WriteString("permissions\n")
	var rows [][]string
	for _, p := range a.Manifest.Permissions {
		verdict := "not granted"
		if scopes, ok := granted(grants, a, p.Capability); ok {
			verdict = strings.Join(append([]string{"granted"}, scopes...), " ")
		}
		name := string(p.Capability)
		if p.Scope != "" {
			name += " " + oneLine(p.Scope)
		}
		rows = append(rows, []string{name, verdict, oneLine(p.Reason)})
	}
	wideGrid(b, rows)
}

// granted tells whether a grant names the adapter and the capability, and the
// scopes that all of those that do narrow it to.
func granted(grants []sandbox.Grant, a AdapterInfo, c hostabi.Capability) (scopes []string, ok bool) {
	narrowed := true
	for _, g := range grants {
		if !g.Names(a.Manifest.ID, a.Digest) || !slices.Contains(g.Capabilities, c) {
			continue
		}
		ok = true
		scopes = append(scopes, oneLine(g.Scopes[c]))
		narrowed = narrowed && g.Scopes[c] != ""
	}
	if !narrowed {
		scopes = nil
	}
	return scopes, ok
}

// writeImports lists the host functions, a line for each module.
func writeImports(b *strings.Builder, imports []string) {
	if len(imports) == 0 {
		return
	}
	b.WriteString("imports\n")
	var rows [][]string
	for _, i := range imports {
		module, name, _ := strings.Cut(i, " ")
		if n := len(rows); n > 0 && rows[n-1][0] == module {
			rows[n-1][1] += ", " + oneLine(name)
			continue
		}
		rows = append(rows, []string{oneLine(module), oneLine(name)})
	}
	wideGrid(b, rows)
}

func describeMatch(m hostabi.Match) string {
	var parts []string
	for _, p := range []struct{ name, value string }{
		{"application", m.App}, {"version", m.AppVersion}, {"toolkit", m.Toolkit}, {"role", m.Role}, {"title like", m.Title},
	} {
		if p.value != "" {
			parts = append(parts, p.name+" "+oneLine(p.value))
		}
	}
	if len(parts) == 0 {
		return "every window that no other adapter takes"
	}
	return strings.Join(parts, ", ")
}

func describeLimits(l hostabi.Limits) string {
	var parts []string
	for _, p := range []struct {
		name string
		n    int
		unit string
	}{{"translate", l.TranslateMS, "ms"}, {"invoke", l.InvokeMS, "ms"}, {"memory", l.MemoryMB, "MB"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d %s", p.name, p.n, p.unit))
		}
	}
	return strings.Join(parts, ", ")
}

// WriteAdapters writes a line for each adapter, and what there is to know of it.
func WriteAdapters(w io.Writer, list []sandbox.Info) error {
	var b strings.Builder
	if len(list) == 0 {
		b.WriteString("There is no adapter. Build those of the project with `make`, or name a folder with --adapters.\n")
	}
	for _, a := range list {
		fmt.Fprintf(&b, "%-10s %s", a.State, cmp.Or(oneLine(a.ID), "(no manifest)"))
		if a.Version != "" {
			fmt.Fprintf(&b, " %s", oneLine(a.Version))
		}
		if a.File != "" {
			fmt.Fprintf(&b, "  %s", a.File)
		}
		b.WriteByte('\n')
		for _, m := range a.Matches {
			line(&b, "takes    "+describeMatch(m))
		}
		if len(a.Ties) > 0 {
			line(&b, "ties     with "+strings.Join(a.Ties, ", ")+"; of those the lowest id is used")
		}
		for l := range strings.Lines(a.Message) {
			line(&b, "→ "+oneLine(l))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func megabytes(n int64) string {
	if n < 100_000 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// wideGrid writes rows in columns; the last one is as wide as it is.
func wideGrid(b *strings.Builder, rows [][]string) {
	var width []int
	for _, r := range rows {
		for j, c := range r[:len(r)-1] {
			if j == len(width) {
				width = append(width, 0)
			}
			width[j] = max(width[j], len(c))
		}
	}
	for _, r := range rows {
		var l strings.Builder
		for j, c := range r {
			if j < len(r)-1 {
				c = fmt.Sprintf("%-*s  ", width[j], c)
			}
			l.WriteString(c)
		}
		line(b, l.String())
	}
}
