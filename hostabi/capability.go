package hostabi

// Capability is a power that an adapter asks for in its manifest and an
// administrator grants. It is also the name of the import module that holds the
// functions.
type Capability string

// The capabilities. A module named oriel:host is always there and is none.
const (
	CapTree      Capability = "oriel:tree"      // read more of the own window
	CapA11y      Capability = "oriel:a11y"      // act by accessibility
	CapWindow    Capability = "oriel:window"    // close and activate the own window
	CapInput     Capability = "oriel:input"     // pointer and keys
	CapCapture   Capability = "oriel:capture"   // pixels of the own window
	CapOCR       Capability = "oriel:ocr"       // text of those pixels
	CapClipboard Capability = "oriel:clipboard" // by type
	CapKV        Capability = "oriel:kv"        // 1 MB of the adapter's own
	CapWait      Capability = "oriel:wait"      // wait for a change
	CapLog       Capability = "oriel:log"       // write to the host's log
)

// HostModule is the import module that every adapter may use; it holds "take".
const HostModule = "oriel:host"

// Function is one host function.
type Function struct {
	Capability Capability
	Name       string
	// Translate is set when the function may be called during translate.
	Translate bool
}

// Lookup returns the function that an import names.
func Lookup(module, name string) (Function, bool) {
	for _, f := range Functions {
		if string(f.Capability) == module && f.Name == name {
			return f, true
		}
	}
	return Function{}, false
}

// Functions is the one table of capability and function. What is not in it does
// not exist; the runner links nothing else and the host checks every call
// against it.
var Functions = []Function{
	{CapTree, "observe", false},
	{CapTree, "children", false},
	{CapTree, "cells", false},
	{CapTree, "text", false},
	{CapA11y, "action", false},
	{CapA11y, "set_text", false},
	{CapA11y, "set_value", false},
	{CapA11y, "select", false},
	{CapA11y, "select_text", false},
	{CapA11y, "focus", false},
	{CapA11y, "scroll_to", false},
	{CapWindow, "close", false},
	{CapWindow, "activate", false},
	{CapInput, "move", false},
	{CapInput, "click", false},
	{CapInput, "drag", false},
	{CapInput, "scroll", false},
	{CapInput, "keys", false},
	{CapInput, "text", false},
	{CapCapture, "window", true},
	{CapCapture, "find", false},
	{CapOCR, "text", true},
	{CapClipboard, "types", false},
	{CapClipboard, "read", false},
	{CapClipboard, "write", false},
	{CapKV, "get", false},
	{CapKV, "set", false},
	{CapKV, "delete", false},
	{CapWait, "change", false},
	{CapLog, "write", true},
}

// Manifest says who an adapter is, what it is for and what it asks for. It is
// JSON in the module's custom section [ManifestSection], made from adapter.toml.
type Manifest struct {
	ID          string       `json:"id" toml:"id"` // reverse domain: "dev.oriel.mousepad"
	Name        string       `json:"name" toml:"name"`
	Version     string       `json:"version" toml:"version"` // semver
	ABI         string       `json:"abi" toml:"abi"`
	Description string       `json:"description" toml:"description"`
	License     string       `json:"license" toml:"license"`
	Needs       []string     `json:"needs,omitempty" toml:"needs"` // "pixels": translate looks at the frame
	Match       []Match      `json:"match" toml:"match"`
	Permissions []Permission `json:"permission,omitempty" toml:"permission"`
	Limits      Limits       `json:"limits,omitzero" toml:"limits"`
}

// Match says which windows an adapter takes. Empty fields match everything; a
// Match with no field set takes every window that nobody claims.
type Match struct {
	App     string `json:"app,omitempty" toml:"app"`         // desktop file's name, class or process, case ignored
	Toolkit string `json:"toolkit,omitempty" toml:"toolkit"` // as in tree.Window
	Role    string `json:"role,omitempty" toml:"role"`       // EWMH type
	Title   string `json:"title,omitempty" toml:"title"`     // regular expression (RE2)
	// AppVersion is a range such as ">=0.5 <0.7".
	AppVersion string `json:"app_version,omitempty" toml:"app_version"`
}

// Permission asks for a capability with a reason that a person reads.
type Permission struct {
	Capability Capability `json:"capability" toml:"capability"`
	Scope      string     `json:"scope,omitempty" toml:"scope"`
	Reason     string     `json:"reason" toml:"reason"`
}

// Limits tighten the host's limits; 0 keeps the host's.
type Limits struct {
	TranslateMS int `json:"translate_ms,omitzero" toml:"translate_ms"`
	InvokeMS    int `json:"invoke_ms,omitzero" toml:"invoke_ms"`
	MemoryMB    int `json:"memory_mb,omitzero" toml:"memory_mb"`
}
