// Package archtest holds the policy of which package may import which, and a
// test that keeps it.
//
// The policy is the architecture: what is not named here is not allowed. A new
// package, or a new arrow between two, starts with a line in [Layers] and a
// reason.
package archtest

// Layer says what the packages that match Package may import of ours.
type Layer struct {
	// Package is a path below the module; a trailing /* also matches everything
	// deeper. "." is the root.
	Package string
	// May are the allowed imports, in the same form. A package may always import
	// what lies below itself in the same line's pattern.
	May []string
	// Why says what the line protects.
	Why string
}

// Layers is the policy, from the leaves up.
var Layers = []Layer{
	{".", nil, "only holds what is embedded: config.toml and the SDKs"},
	{"tree", nil, "leaf: host, guests and recordings share it"},
	{"hostabi", []string{"tree"}, "compiled into every guest: nothing heavy, no reflection"},
	{"hostabi/check", []string{"hostabi", "tree"}, "one validator, so that plugintest and the host answer alike"},
	{"pluginsdk", []string{"tree", "hostabi"}, "a guest knows only the contract"},
	{"pluginsdk/plugintest", []string{"pluginsdk", "hostabi", "hostabi/check", "tree"}, "runs an adapter natively, without the host"},
	{"plugins/internal/live", []string{"tree", "hostabi", "hostabi/check", "pluginsdk", "desktop", "desktop/linux", "desktop/linux/virtual"}, "for tests alone: runs adapters natively on a real desktop"},
	{"plugins/internal/odd", []string{"tree", "hostabi", "hostabi/check", "pluginsdk"}, "for tests alone: hands adapters odd observations"},
	{"plugins/*", []string{"tree", "hostabi", "pluginsdk", "plugins/generic/window", "plugins/internal/document"}, "a guest knows only the contract; the first-party ones begin with generic's reading of a window"},
	{"sandbox", []string{"tree", "hostabi", "hostabi/check"}, "asks the desktop through an interface of its own"},
	{"desktop", []string{"tree"}, "no cgo, no D-Bus: all above builds without them"},
	{"desktop/x11", []string{"desktop", "tree"}, "backends do not know each other"},
	{"desktop/atspi", []string{"desktop", "tree"}, "backends do not know each other"},
	{"desktop/robot", []string{"desktop", "tree"}, "backends do not know each other"},
	{"desktop/picture", []string{"desktop", "tree"}, "pure work on pixels"},
	{"desktop/picture/ocr", []string{"desktop", "tree"}, "pure work on pixels"},
	{"desktop/coordinates", nil, "pure arithmetic"},
	{"desktop/desktoptest", []string{"desktop", "tree"}, "the suite and the in-memory desktop know no backend"},
	{"desktop/watchdog", []string{"desktop"}, "how keys are released it is told; it knows no backend"},
	{"desktop/linux", []string{"desktop", "desktop/x11", "desktop/atspi", "tree"}, "the only place where both are known"},
	{"desktop/linux/virtual", nil, "starts the programs of a desktop; knows none of our words"},
	{"desktop/linux/virtual/apps", []string{"desktop", "desktop/desktoptest", "desktop/linux/virtual"}, "real applications for the suites; knows no backend"},
	{"desktop/guard", []string{"desktop", "audit", "tree"}, "the one door to the desktop"},
	{"bridge", []string{"desktop", "desktop/guard", "desktop/picture", "audit", "hostabi", "hostabi/check", "tree"}, "adapters come through an interface of its own"},
	{"mcp", []string{"bridge", "hostabi", "desktop", "desktop/guard", "desktop/picture", "desktop/coordinates", "audit"}, "asks for everything else through interfaces of its own"},
	{"conformance", nil, "checks any server by the protocol alone: what it shared with ours it could not find wrong"},
	{"audit", []string{"internal/store"}, "downwards only"},
	{"internal/store", nil, "leaf: the database"},
	{"internal/config", []string{".", "hostabi"}, "one typed result for everybody; hostabi only for the names of the capabilities"},
	{"internal/authoring", []string{"sandbox", "hostabi", "hostabi/check", "tree"}, "what authors work with where there is no desktop"},
	{"internal/languages", []string{"."}, "runs compilers; the root for the SDKs that it gives them"},
	{"internal/archtest", nil, "reads the sources, links none"},
	{"host", []string{"*"}, "wiring alone"},
	{"cmd/host", []string{"host", "conformance", "internal/authoring", "internal/config", "sandbox", "desktop/robot"}, "no logic; sandbox and desktop/robot because runner and robot are children of the same binary"},
	{"cmd/demo", []string{"desktop/linux/virtual"}, "a client like any other: it knows the host by its protocol alone"},
}

// Foreign says who alone may import a module that is not ours. Tests are free.
type Foreign struct {
	Module  string // an import path and everything below it
	Only    []string
	Because string
}

// Foreigners are the modules that are kept in one place. The standard library's
// "C" stands for cgo.
var Foreigners = []Foreign{
	{"github.com/tetratelabs/wazero", []string{"sandbox"}, "nothing else knows how a guest runs"},
	{"github.com/extism", []string{"sandbox"}, "nothing else knows how a guest runs"},
	{"github.com/modelcontextprotocol/go-sdk", []string{"mcp", "cmd/demo", "conformance"}, "one place speaks the protocol; the demo and the checker are clients"},
	{"github.com/jezek/xgb", []string{"desktop/x11", "desktop/linux/virtual"}, "one place speaks X11"},
	{"github.com/gen2brain/shm", []string{"desktop/x11"}, "one place speaks X11"},
	{"github.com/godbus/dbus", []string{"desktop/atspi", "desktop/linux/virtual"}, "one place speaks to the accessibility bus"},
	{"github.com/go-vgo/robotgo", []string{"desktop/robot"}, "cgo, and Xlib ends the process"},
	{"github.com/kbinani/screenshot", []string{"desktop/robot"}, "belongs to the robot backend"},
	{"C", []string{"desktop/robot"}, "everything else builds without cgo"},
	{"modernc.org/sqlite", []string{"internal/store"}, "one place knows the database"},
	{"github.com/alecthomas/kong", []string{"cmd/host"}, "flags end where the program begins"},
	{"github.com/fsnotify/fsnotify", []string{"internal/authoring"}, "one place watches files"},
	{"github.com/BurntSushi/toml", []string{"internal/config", "hostabi/check"}, "settings, and adapter.toml"},
}
