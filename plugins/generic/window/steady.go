package window

import "strings"

// The placeholders for what changes by itself.
const (
	someTime    = "[time]"
	somePercent = "[percent]"
	someNumber  = "[…]"
)

// steady replaces what ticks in a text that the application shows, and reports
// whether there was any: times with seconds, a text that is nothing but times,
// and, beside a progress bar, percentages and what is left.
func steady(s string, progress bool) (string, bool) {
	if !hasDigit(s) {
		return s, false
	}
	out, ticks := steadyTimes(s)
	if !progress {
		return out, ticks
	}
	if pct, ok := steadyPercent(out); ok {
		out, ticks = pct, true
	}
	if mentionsProgress(out) {
		return steadyNumbers(out), true
	}
	return out, ticks
}

func hasDigit(s string) bool {
	for i := range len(s) {
		if isDigit(s[i]) {
			return true
		}
	}
	return false
}

// timeAt returns the end of the clock time that begins at s[i] and its number
// of groups, or i and 0.
func timeAt(s string, i int) (end, groups int) {
	if i > 0 && (isDigit(s[i-1]) || s[i-1] == ':') {
		return i, 0
	}
	end = i
	for {
		from := end
		for end < len(s) && isDigit(s[end]) {
			end++
		}
		if n := end - from; n == 0 || n > 2 || groups > 0 && n != 2 {
			return i, 0
		}
		groups++
		if end+1 >= len(s) || s[end] != ':' || !isDigit(s[end+1]) {
			break
		}
		end++
	}
	if groups < 2 {
		return i, 0
	}
	return end, groups
}

func steadyTimes(s string) (string, bool) {
	if strings.IndexByte(s, ':') < 0 {
		return s, false
	}
	onlyTimes := !hasLetter(s)
	var b strings.Builder
	ticks, last := false, 0
	for i := 0; i < len(s); i++ {
		if !isDigit(s[i]) {
			continue
		}
		end, groups := timeAt(s, i)
		if groups >= 3 || groups == 2 && onlyTimes {
			b.WriteString(s[last:i])
			b.WriteString(someTime)
			last, ticks = end, true
		}
		i = max(i, end-1)
	}
	if !ticks {
		return s, false
	}
	b.WriteString(s[last:])
	return b.String(), true
}

func hasLetter(s string) bool {
	for i := range len(s) {
		if c := s[i] | 0x20; c >= 'a' && c <= 'z' || s[i] >= 0x80 {
			return true
		}
	}
	return false
}

// steadyPercent replaces a text such as "45 %" or "Copying… 45%".
func steadyPercent(s string) (string, bool) {
	at := strings.IndexByte(s, '%')
	if at < 0 {
		return s, false
	}
	from := at
	for from > 0 && (isDigit(s[from-1]) || s[from-1] == ' ' || s[from-1] == '.' || s[from-1] == ',') {
		from--
	}
	if !hasDigit(s[from:at]) {
		return s, false
	}
	for from < at && s[from] == ' ' {
		from++
	}
	return s[:from] + somePercent + s[at+1:], true
}

func mentionsProgress(s string) bool {
	if !hasDigit(s) {
		return false
	}
	for _, w := range [...]string{"remaining", " left", "/s", "elapsed", " of "} {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// steadyNumbers replaces each number by a placeholder.
func steadyNumbers(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		if !isDigit(s[i]) {
			b.WriteByte(s[i])
			i++
			continue
		}
		for i < len(s) && (isDigit(s[i]) || i+1 < len(s) && (s[i] == '.' || s[i] == ',') && isDigit(s[i+1])) {
			i++
		}
		b.WriteString(someNumber)
	}
	return b.String()
}
