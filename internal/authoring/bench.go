package authoring

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/tree"
)

// Figures are what translating one observation takes and gives.
type Figures struct {
	File        string  `json:"file"`
	Nodes       int     `json:"nodes"`
	Observation int     `json:"observation_bytes"`
	P50         float64 `json:"p50_ms"`
	P95         float64 `json:"p95_ms"`
	View        int     `json:"view_bytes"` // actions included
	// Tokens are the characters/4 of what an agent reads of the window, the view
	// without its actions; RawTokens those of the whole tree, a line a node.
	Tokens    int `json:"tokens"`
	RawTokens int `json:"raw_tokens"`
}

// Bench translates an observation rounds times through the runner.
func (a *Adapter) Bench(ctx context.Context, file string, rounds int) (Figures, error) {
	f := Figures{File: file}
	observation, err := readObservation(file)
	if err != nil {
		return f, err
	}
	r, err := tree.NewReader(observation)
	if err != nil {
		return f, err
	}
	f.Nodes, f.Observation, f.RawTokens = r.Len(), len(observation), len([]rune(rawText(r)))/4
	times := make([]float64, 0, rounds)
	for i := range rounds + 1 {
		began := time.Now()
		view, err := a.Translate(ctx, observation, pictureOf(file))
		if err != nil {
			return f, fmt.Errorf("%s: %w", file, err)
		}
		if i == 0 { // the first one also starts the runner
			f.View = len(hostabi.AppendView(nil, view))
			view.Actions, view.AppActions = nil, nil
			f.Tokens = len([]rune(string(hostabi.AppendView(nil, view)))) / 4
			continue
		}
		times = append(times, float64(time.Since(began))/float64(time.Millisecond))
	}
	slices.Sort(times)
	f.P50, f.P95 = times[len(times)/2], times[min(len(times)-1, len(times)*95/100)]
	return f, nil
}

// rawText is a tree as an agent would read it without an adapter: role, name,
// text, states and place of every node, indented.
func rawText(r *tree.Reader) string {
	var b strings.Builder
	depth := make([]int, r.Len())
	for c := range r.All() {
		if p := c.Parent(); p.Valid() {
			depth[c.Index()] = depth[p.Index()] + 1
		}
		fmt.Fprintf(&b, "%s%s", strings.Repeat("  ", depth[c.Index()]), c.Role())
		for _, text := range []string{c.Name(), c.Description(), c.Text()} {
			if text != "" {
				fmt.Fprintf(&b, " %q", text)
			}
		}
		if v, ok := c.Value(); ok {
			fmt.Fprintf(&b, " %g", v.Current)
		}
		for _, s := range c.States().Names() {
			b.WriteString(" " + s)
		}
		for _, act := range c.Actions() {
			b.WriteString(" " + act.Name)
		}
		at := c.Bounds()
		fmt.Fprintf(&b, " @%d,%d,%d,%d\n", at.X, at.Y, at.W, at.H)
	}
	return b.String()
}
