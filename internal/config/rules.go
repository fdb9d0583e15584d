package config

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// check tells what is wrong with the setting's present value, by the tags of
// its struct field.
func (f field) check(c *Config, rules map[string]rule) error {
	v := f.value(c)
	if allowed := strings.Fields(f.tag.Get("oneof")); len(allowed) > 0 && !slices.Contains(allowed, v.String()) {
		return fmt.Errorf("%q is not known; choose %s", v.String(), orList(allowed))
	}
	if bounds := f.tag.Get("range"); bounds != "" {
		var low, high int64
		if _, err := fmt.Sscan(bounds, &low, &high); err != nil {
			return fmt.Errorf("the range %q of this setting is no range: %w", bounds, err)
		}
		if n := v.Int(); n < low || n > high {
			return fmt.Errorf("%d is out of range; choose %d to %d", n, low, high)
		}
	}
	rule := rules[f.tag.Get("check")]
	if rule == nil {
		return nil
	}
	if v.Kind() != reflect.Slice {
		return rule(v.String())
	}
	for i := range v.Len() {
		if err := rule(v.Index(i).String()); err != nil {
			return err
		}
	}
	return nil
}

// rule tells what is wrong with one text.
type rule func(string) error

// withChord are the checks that a "check" tag names, that of key combinations among
// them, if there is one.
func withChord(chord rule) map[string]rule {
	if chord == nil {
		chord = checkChord
	}
	return map[string]rule{
		"listen":  checkListen,
		"host":    checkHost,
		"origin":  checkOrigin,
		"display": checkDisplay,
		"size":    func(s string) error { _, _, err := ParseSize(s); return err },
		"chord":   chord,
		"launch":  checkLaunch,
		"regexp":  checkRegexp,
		"path":    checkPath,
		"folder":  checkFolder,
	}
}

// checkListen wants an address of this machine alone. A bare port would listen
// on every interface.
func checkListen(s string) error {
	host, port, ok := cutPort(s)
	switch {
	case !ok:
		return fmt.Errorf("%q is not host:port; write \"127.0.0.1:60008\"", s)
	case host == "":
		return fmt.Errorf("%q would listen on every network of this machine; write \"127.0.0.1:%s\"", s, port)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil {
		return fmt.Errorf("%q has no port between 0 and 65535 (0 takes a free one)", s)
	} else if n > 0 && n < 1024 {
		return fmt.Errorf("port %d is kept for the system; choose 1024 to 65535, or 0 for a free one", n)
	}
	if host == "localhost" {
		return nil
	}
	addr, err := netip.ParseAddr(host)
	if err != nil || !addr.IsLoopback() {
		return fmt.Errorf("%q is not an address of this machine alone; write \"127.0.0.1:%s\", and reach it from elsewhere through ssh -L", s, port)
	}
	return nil
}

// cutPort splits host:port and [v6]:port.
func cutPort(s string) (host, port string, ok bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return "", "", false
	}
	host, port = s[:i], s[i+1:]
	if inner, found := strings.CutPrefix(host, "["); found {
		host, ok = strings.CutSuffix(inner, "]")
		return host, port, ok
	}
	return host, port, !strings.Contains(host, ":")
}

func checkOrigin(s string) error {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.Scheme+"://"+u.Host != s {
		return fmt.Errorf("%q is no web origin; write it like \"https://example.org\", without a path", s)
	}
	return nil
}

var hostName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$`)

// checkHost wants what stands in a Host header before the port: anything else
// would let nobody in, without a word.
func checkHost(s string) error {
	if addr, err := netip.ParseAddr(s); err == nil && addr.Is6() || hostName.MatchString(s) {
		return nil
	}
	return fmt.Errorf("%q is no host name; write it like \"desktop.example.org\", without http:// and port", s)
}

var displayName = regexp.MustCompile(`^([A-Za-z0-9_.-]*|unix):\d{1,5}(\.\d{1,3})?$`)

func checkDisplay(s string) error {
	if s != "" && !displayName.MatchString(s) {
		return fmt.Errorf("%q is no X display; write it like \":0\"", s)
	}
	return nil
}

// ParseSize reads a size such as "1920x1080".
func ParseSize(s string) (width, height int, err error) {
	w, h, ok := strings.Cut(s, "x")
	width, errW := strconv.Atoi(w)
	height, errH := strconv.Atoi(h)
	if !ok || errW != nil || errH != nil || width < 320 || height < 200 || width > 16384 || height > 16384 {
		return 0, 0, fmt.Errorf("%q is no size between 320x200 and 16384x16384; write it like \"1920x1080\"", s)
	}
	return width, height, nil
}

// checkChord looks at the form alone; see [Sources].
func checkChord(s string) error {
	for part := range strings.SplitSeq(s, "+") {
		if strings.TrimSpace(part) == "" {
			return fmt.Errorf("%q is no key combination; write it like \"ctrl+q\"", s)
		}
	}
	return nil
}

var launchName = regexp.MustCompile(`^(\*|[A-Za-z0-9_][A-Za-z0-9_.+-]*)$`)

// checkLaunch wants the name of an application, not a command line.
func checkLaunch(s string) error {
	if !launchName.MatchString(s) || strings.HasSuffix(s, ".desktop") {
		return fmt.Errorf("%q is not the name of an application; write the short one of its .desktop file, such as \"mousepad\", or \"*\", or \"auto\"", s)
	}
	return nil
}

// checkPath refuses what no file can be called. "" is the usual place.
func checkPath(s string) error {
	if strings.ContainsRune(s, 0) {
		return fmt.Errorf("%q is no path; leave out the character 0", s)
	}
	return nil
}

// checkFolder does so for an element of a list, in which "" would be the folder in
// which the program happens to be started.
func checkFolder(s string) error {
	if strings.TrimSpace(s) == "" {
		return errors.New("an element is empty; write a folder, or remove it")
	}
	return checkPath(s)
}

func checkRegexp(s string) error {
	if s == "" {
		return errors.New("an empty pattern would mask every field; write one, or remove it")
	}
	if _, err := regexp.Compile(s); err != nil {
		return fmt.Errorf("%q is no regular expression: %w", s, err)
	}
	return nil
}

func orList(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = strconv.Quote(w)
	}
	if len(quoted) < 2 {
		return strings.Join(quoted, "")
	}
	return strings.Join(quoted[:len(quoted)-1], ", ") + " or " + quoted[len(quoted)-1]
}
