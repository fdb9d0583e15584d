package check

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"oriel.dev/oriel/hostabi"
)

// What the texts of a manifest may measure, in characters.
const (
	maxID          = 100
	maxName        = 64
	maxDescription = 500
	maxReason      = 300
	maxPattern     = 1000
)

// NeedsPixels in a manifest's needs says that translate looks at the frame.
const NeedsPixels = "pixels"

var (
	reverseDomain = regexp.MustCompile(`^[a-z][a-z0-9-]*(\.[a-z0-9][a-z0-9-]*)+$`)
	spdx          = regexp.MustCompile(`^[A-Za-z0-9.+-]+( (AND|OR|WITH) [A-Za-z0-9.+-]+)*$`)
	abiText       = regexp.MustCompile(`^((?:oriel|extism)/)([1-9]\d{0,3})$`)
	word          = regexp.MustCompile(`^[a-z0-9_-]+$`)
)

// Manifest reads and checks the JSON of a manifest. Whether this host speaks
// the manifest's version of the contract is the first question: what a newer
// version has added to manifests must not read as a mistake.
func Manifest(text []byte) (*hostabi.Manifest, error) {
	if v, err := hostabi.Parse(string(text)); err == nil {
		if err := abi(v.Get("id").Str(), v.Get("abi").Str()); err != nil {
			return nil, err
		}
	}
	m, err := hostabi.ParseManifest(text)
	if err != nil {
		return nil, err
	}
	if err := validate("manifest", m); err != nil {
		return nil, err
	}
	return m, nil
}

// ManifestFromTOML reads and checks an adapter.toml. The name is for errors.
func ManifestFromTOML(name string, text []byte) (*hostabi.Manifest, error) {
	var m hostabi.Manifest
	meta, err := toml.Decode(string(text), &m)
	if err != nil {
		if pe, ok := errors.AsType[toml.ParseError](err); ok {
			return nil, fmt.Errorf("%s:%d: %s", name, pe.Position.Line, pe.Message)
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := abi(m.ID, m.ABI); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var p problems
	for _, key := range meta.Undecoded() {
		p.add(key.String(), "is no key of %s; leave it out", hostabi.ABI)
	}
	// The decoder takes keys in any case, JSON does not.
	for _, key := range meta.Keys() {
		if k := key.String(); k != strings.ToLower(k) {
			p.add(k, "keys are in lower case")
		}
	}
	if err := p.err(name); err != nil {
		return nil, err
	}
	if err := validate(name, &m); err != nil {
		return nil, err
	}
	return &m, nil
}

// abi refuses a version of the contract that this host does not speak. An
// empty or malformed one is left to validate.
func abi(id, version string) error {
	m := abiText.FindStringSubmatch(version)
	if m == nil {
		return nil
	}
	own := hostabi.ABI
	if strings.HasPrefix(hostabi.ABIExtism, m[1]) {
		own = hostabi.ABIExtism
	}
	known, _ := strconv.Atoi(strings.TrimPrefix(own, m[1]))
	if n, _ := strconv.Atoi(m[2]); n > known {
		return fmt.Errorf("adapter %s needs %s, this host speaks %s; update the host or get an older adapter",
			quoted(id), version, own)
	}
	return nil
}

// quoted keeps a name that comes from a file readable in a message.
func quoted(s string) string {
	if len(s) > maxID {
		s = s[:maxID]
	}
	return strconv.Quote(s)
}

// validate checks what a manifest must hold.
func validate(what string, m *hostabi.Manifest) error {
	var p problems
	if !reverseDomain.MatchString(m.ID) || len(m.ID) > maxID {
		p.add("id", "is %s; write a reverse domain such as \"org.example.editor\"", quoted(m.ID))
	}
	line(&p, "name", m.Name, maxName)
	if !semver.MatchString(m.Version) {
		p.add("version", "is %s; write a semantic version such as \"1.0.0\"", quoted(m.Version))
	}
	if !abiText.MatchString(m.ABI) {
		p.add("abi", "is %s; write %q, or %q for a module made with an Extism PDK", quoted(m.ABI), hostabi.ABI, hostabi.ABIExtism)
	}
	line(&p, "description", m.Description, maxDescription)
	if !spdx.MatchString(m.License) {
		p.add("license", "is %s; write an SPDX expression such as \"Apache-2.0\"", quoted(m.License))
	}
	if len(m.Match) == 0 {
		p.add("match", "is missing; say in a [[match]] which windows the adapter takes")
	}
	for i, match := range m.Match {
		validateMatch(&p, fmt.Sprintf("match[%d]", i), match)
	}
	validatePermissions(&p, m)
	positive(&p, "limits.translate_ms", m.Limits.TranslateMS)
	positive(&p, "limits.invoke_ms", m.Limits.InvokeMS)
	positive(&p, "limits.memory_mb", m.Limits.MemoryMB)
	return p.err(what)
}

func positive(p *problems, place string, n int) {
	if n < 0 {
		p.add(place, "is %d; write a positive number, or leave it out for the host's limit", n)
	}
}

// line checks a text that a person reads in one line.
func line(p *problems, place, s string, most int) {
	switch n := len([]rune(s)); {
	case strings.TrimSpace(s) == "":
		p.add(place, "is missing; a person reads it before granting anything")
	case n > most:
		p.add(place, "has %d characters; shorten it to %d", n, most)
	case Line(s) != s:
		p.add(place, "holds line breaks, control or direction characters; remove them")
	}
}

func validateMatch(p *problems, place string, m hostabi.Match) {
	if len(m.Title) > maxPattern {
		p.add(place+".title", "is longer than %d characters; shorten it", maxPattern)
	} else if _, err := regexp.Compile(m.Title); err != nil {
		p.add(place+".title", "%v; write a regular expression in RE2 syntax", err)
	}
	if _, err := ParseRange(m.AppVersion); err != nil {
		p.add(place+".app_version", "%v", err)
	}
	if m.AppVersion != "" && m.App == "" {
		p.add(place+".app_version", "says nothing without app; name the application")
	}
	if m.Toolkit != "" && !word.MatchString(m.Toolkit) {
		p.add(place+".toolkit", "is %s; write one in lower case, such as \"gtk4\"", quoted(m.Toolkit))
	}
	if m.Role != "" && !word.MatchString(m.Role) {
		p.add(place+".role", "is %s; write one in lower case, such as \"dialog\"", quoted(m.Role))
	}
}

func validatePermissions(p *problems, m *hostabi.Manifest) {
	asked := map[hostabi.Capability]bool{}
	for i, perm := range m.Permissions {
		place := fmt.Sprintf("permission[%d]", i)
		switch {
		case !knownCapability(perm.Capability):
			p.add(place+".capability", "%s does not exist; there are %s", quoted(string(perm.Capability)), capabilities())
			continue
		case asked[perm.Capability]:
			p.add(place+".capability", "%s is asked for twice; ask once", perm.Capability)
		}
		asked[perm.Capability] = true
		if strings.TrimSpace(perm.Reason) == "" {
			p.add(place+".reason", "is missing; say in a sentence what the adapter needs %s for", perm.Capability)
		} else {
			line(p, place+".reason", perm.Reason, maxReason)
		}
		if _, err := ParseScope(perm.Capability, perm.Scope); err != nil {
			p.add(place+".scope", "%v", err)
		}
	}
	for i, need := range m.Needs {
		place := fmt.Sprintf("needs[%d]", i)
		switch {
		case need != NeedsPixels:
			p.add(place, "is %s; there is only %q", quoted(need), NeedsPixels)
		case slices.Index(m.Needs, need) < i:
			p.add(place, "comes twice; write it once")
		case !asked[hostabi.CapCapture] && !asked[hostabi.CapOCR]:
			p.add(place, "%q says nothing without a permission for %s or %s; ask for one", need, hostabi.CapCapture, hostabi.CapOCR)
		}
	}
}
