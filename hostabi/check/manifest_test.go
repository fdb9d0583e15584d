package check

import (
	"strings"
	"testing"

	"oriel.dev/oriel/hostabi"
)

const goodTOML = `
id = "org.example.editor"
name = "Editor"
version = "1.2.3-rc.1"
abi = "oriel/1"
description = "Reads and edits documents of the editor."
license = "Apache-2.0 OR MIT"
needs = ["pixels"]

[[match]]
app = "editor"
role = "normal"
title = "^.* - Editor$"
app_version = ">=0.5 <0.7"

[[match]]
toolkit = "gtk4"

[[permission]]
capability = "oriel:capture"
reason = "to show pictures"

[[permission]]
capability = "oriel:clipboard"
scope = "read text/plain"
reason = "to read what was copied"

[limits]
translate_ms = 300
`

func TestManifestFromTOMLIsTheManifest(t *testing.T) {
	m, err := ManifestFromTOML("adapter.toml", []byte(goodTOML))
	if err != nil {
		t.Fatal(err)
	}
	text := hostabi.AppendManifest(nil, m)
	again, err := Manifest(text)
	if err != nil {
		t.Fatal(err)
	}
	if got := hostabi.AppendManifest(nil, again); string(got) != string(text) {
		t.Errorf("got %s, want %s", got, text)
	}
	if m.Match[0].AppVersion != ">=0.5 <0.7" || m.Limits.TranslateMS != 300 || m.Permissions[1].Capability != hostabi.CapClipboard {
		t.Errorf("got %+v", m)
	}
}

// W01: refused with file, key and cure.
func TestManifestRefuses(t *testing.T) {
	for name, c := range map[string]struct{ old, new, want string }{
		"syntax":             {`name = "Editor"`, `name = `, "adapter.toml:3: "},
		"wrong type":         {`name = "Editor"`, `name = 5`, "adapter.toml"},
		"unknown key":        {`name = "Editor"`, "name = \"Editor\"\nauthor = \"me\"", "adapter.toml: author: is no key of oriel/1; leave it out"},
		"unknown inner key":  {`role = "normal"`, `rolle = "normal"`, "adapter.toml: match.rolle: is no key"},
		"key in capitals":    {`name = "Editor"`, `NAME = "Editor"`, "adapter.toml: NAME: keys are in lower case"},
		"id":                 {`"org.example.editor"`, `"Editor"`, `adapter.toml: id: is "Editor"; write a reverse domain`},
		"no name":            {`name = "Editor"`, `name = " "`, "adapter.toml: name: is missing"},
		"name of two lines":  {`name = "Editor"`, `name = "a\nb"`, "adapter.toml: name: holds line breaks"},
		"name with override": {`name = "Editor"`, `name = "a\u202eb"`, "adapter.toml: name: holds line breaks"},
		"long name":          {`name = "Editor"`, `name = "` + strings.Repeat("x", 65) + `"`, "name: has 65 characters; shorten it to 64"},
		"version":            {`"1.2.3-rc.1"`, `"1.2"`, `adapter.toml: version: is "1.2"; write a semantic version`},
		"abi":                {`"oriel/1"`, `"1"`, `adapter.toml: abi: is "1"; write "oriel/1"`},
		"newer abi":          {`"oriel/1"`, `"oriel/3"`, "needs oriel/3, this host speaks oriel/1; update the host or get an older adapter"},
		"licence":            {`"Apache-2.0 OR MIT"`, `"do what you like!"`, "adapter.toml: license: is"},
		"title":              {`"^.* - Editor$"`, `"("`, "adapter.toml: match[0].title: error parsing regexp"},
		"version range":      {`">=0.5 <0.7"`, `"~0.5"`, `match[0].app_version: "~0.5" is no part of a version range`},
		"version of no app":  {`app = "editor"`, ``, "match[0].app_version: says nothing without app"},
		"toolkit":            {`"gtk4"`, `"GTK 4"`, "adapter.toml: match[1].toolkit: is \"GTK 4\""},
		"capability":         {`"oriel:capture"`, `"oriel:files"`, `permission[0].capability: "oriel:files" does not exist; there are oriel:tree, oriel:a11y`},
		"asked twice":        {`"oriel:capture"`, `"oriel:clipboard"`, "permission[1].capability: oriel:clipboard is asked for twice"},
		"no reason":          {`"to show pictures"`, `""`, "permission[0].reason: is missing; say in a sentence what the adapter needs oriel:capture for"},
		"scope":              {`"read text/plain"`, `"everything!"`, `permission[1].scope: "everything!" is no scope of oriel:clipboard`},
		"needs":              {`["pixels"]`, `["network"]`, `needs[0]: is "network"; there is only "pixels"`},
		"needs twice":        {`["pixels"]`, `["pixels", "pixels"]`, "needs[1]: comes twice"},
		"needs without":      {`"oriel:capture"`, `"oriel:kv"`, "needs[0]: \"pixels\" says nothing without a permission"},
		"limit":              {`300`, `-1`, "limits.translate_ms: is -1"},
	} {
		text := strings.Replace(goodTOML, c.old, c.new, 1)
		if text == goodTOML {
			t.Fatalf("%s: %q is not in the manifest", name, c.old)
		}
		if _, err := ManifestFromTOML("adapter.toml", []byte(text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s:\ngot  %v\nwant %s", name, err, c.want)
		}
	}
	if _, err := ManifestFromTOML("adapter.toml", nil); err == nil || strings.Count(err.Error(), "\n") < 4 {
		t.Errorf("an empty manifest says only %v", err)
	}
	for text, want := range map[string]string{
		`{"id":"a.b","id":"c.d"}`: "the same key again",
		`{"ID":"a.b"}`:            "ID: is no key",
		strings.Replace(goodManifest, `"reason"`, `"because"`, 1): "permission[0]: because: is no key of oriel/1",
		`{}`:                         "manifest: id: is",
		"{\"name\":\"\xff\"}":        "UTF-8",
		`{"abi":"oriel/2","new":[]}`: "needs oriel/2",
	} {
		if _, err := Manifest([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\ngot  %v\nwant %s", text, err, want)
		}
	}
}

// W02
func TestRangeContains(t *testing.T) {
	for _, c := range []struct {
		r, version string
		want       bool
	}{
		{"", "", true},
		{"", "anything", true},
		{">=0.5 <0.7", "0.5", true},
		{">=0.5 <0.7", "0.6.10-1ubuntu2", true},
		{">=0.5 <0.7", "0.7.0", false},
		{">=0.5 <0.7", "0.10", false},
		{">=0.5", "", false},
		{"<1", "unknown", false},
		{"=1.2", "1.2.0", true},
		{"1.2", "1.2.1", false},
		{">1.2", "1.2.0.1", true},
		{"<=3", "3.0", true},
		{"<=3", "3.0.1", false},
	} {
		r, err := ParseRange(c.r)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Contains(c.version); got != c.want {
			t.Errorf("%q contains %q: got %v, want %v", c.r, c.version, got, c.want)
		}
	}
}

// W11
func TestParseScope(t *testing.T) {
	for _, c := range []struct {
		capability hostabi.Capability
		scope      string
		want       string // of the error, "" for none
		check      func(Scope) bool
	}{
		{hostabi.CapInput, "", "", func(s Scope) bool { return s.Chords == nil && !s.Pointer && !s.Typing }},
		{hostabi.CapInput, "window pointer ctrl+s Return +", "", func(s Scope) bool { return s.Pointer && !s.Typing && len(s.Chords) == 3 }},
		{hostabi.CapInput, "hyper+x", `write "pointer", "text" and key combinations`, nil},
		{hostabi.CapTree, "window app=mousepad app=gedit", "", func(s Scope) bool { return len(s.Apps) == 2 }},
		{hostabi.CapTree, "app=", "is no scope", nil},
		{hostabi.CapCapture, "region=1,2,30,40", "", func(s Scope) bool { return *s.Region == hostabi.Region{X: 1, Y: 2, W: 30, H: 40} }},
		{hostabi.CapCapture, "region=1,2,0,40", "is empty", nil},
		{hostabi.CapOCR, "region=1,2,3,4 region=1,2,3,4", "once", nil},
		{hostabi.CapTree, "desktop", "is no scope", nil},
		{hostabi.CapClipboard, "", "", func(s Scope) bool { return s.Read && s.Write && s.Types == nil }},
		{hostabi.CapClipboard, "write image/png", "", func(s Scope) bool { return !s.Read && s.Write && len(s.Types) == 1 }},
		{hostabi.CapKV, "", "", func(s Scope) bool { return s.Bytes == 1<<20 }},
		{hostabi.CapKV, "64 KB", "", func(s Scope) bool { return s.Bytes == 64<<10 }},
		{hostabi.CapKV, "2MB", "the most is 1MB", nil},
		{hostabi.CapKV, "much", "is no size", nil},
		{hostabi.CapLog, "", "", func(Scope) bool { return true }},
		{hostabi.CapLog, "debug", "has no scope", nil},
	} {
		s, err := ParseScope(c.capability, c.scope)
		switch {
		case c.want == "" && (err != nil || !c.check(s)):
			t.Errorf("%s %q: got %+v, %v", c.capability, c.scope, s, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s %q: got %v, want %s", c.capability, c.scope, err, c.want)
		}
	}
}
