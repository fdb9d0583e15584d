package config

import (
	"fmt"
	"strings"
)

// suggest offers the known name that an unknown one most resembles, or says what
// else to do.
func suggest(otherwise, name string, known []string) string {
	best, least := "", max(2, len(name)/4)+1
	for _, k := range known {
		if n := distance(strings.ToLower(name), strings.ToLower(k)); n < least {
			best, least = k, n
		}
		// The right name in the wrong table.
		if tail := k[strings.LastIndexByte(k, '.')+1:]; best == "" && tail == name[strings.LastIndexByte(name, '.')+1:] {
			best = k
		}
	}
	if best == "" {
		return otherwise
	}
	return fmt.Sprintf("did you mean %s?", best)
}

// distance is how many letters must be put, taken or changed to make a into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
