package bridge

import (
	"regexp"
	"slices"

	"oriel.dev/oriel/hostabi"
)

// markSensitive returns v with the fields marked whose labels match one of the
// patterns: an administrator knows of secrets that neither the application nor
// its adapter marks. v itself may be shared and stays as it is.
func markSensitive(v *hostabi.View, patterns []*regexp.Regexp) *hostabi.View {
	if len(patterns) == 0 {
		return v
	}
	out := *v
	out.Blocks = slices.Clone(v.Blocks)
	for i := range out.Blocks {
		items := slices.Clone(out.Blocks[i].Items)
		for j := range items {
			matches := func(p *regexp.Regexp) bool { return p.MatchString(items[j].Label) }
			items[j].Sensitive = items[j].Sensitive || slices.ContainsFunc(patterns, matches)
		}
		out.Blocks[i].Items = items
	}
	return &out
}
