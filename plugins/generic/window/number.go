package window

import "strconv"

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// scalar returns v as a whole number if it is one.
func scalar(v float64) any {
	if n := int64(v); float64(n) == v && n > -1<<53 && n < 1<<53 {
		return n
	}
	return v
}

func ftoa(v float64) string {
	if n, ok := scalar(v).(int64); ok {
		return itoa(n)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

func parseFloat(s string) (float64, bool) {
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil
}

func parseInt(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}
