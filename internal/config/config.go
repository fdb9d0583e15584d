// Package config makes one typed [Config] of all the places where settings are
// kept: the embedded config.toml, the user's file, the stored settings, the
// environment and the flags, each winning over the ones before it.
//
// Every fault is a [Problem] that names the source, the key and, in a file, the
// line. Nothing else in the project reads the environment for settings.
package config

import "oriel.dev/oriel/hostabi"

// Config holds every setting. config.toml says what each one means; the doc
// tags of the fields here bound what is allowed.
type Config struct {
	Transport string    `toml:"transport" oneof:"http stdio" env:"GUI_AGENT_TRANSPORT"`
	Tools     string    `toml:"tools" oneof:"fixed dynamic both"`
	Language  string    `toml:"language" oneof:"en zh"`
	HTTP      HTTP      `toml:"http"`
	Log       Log       `toml:"log"`
	Desktop   Desktop   `toml:"desktop"`
	Adapters  Adapters  `toml:"adapters"`
	Limits    Limits    `toml:"limits"`
	Sensitive Sensitive `toml:"sensitive"`
	Audit     Audit     `toml:"audit"`
	Dirs      Dirs      `toml:"dirs"`
}

// The values of Config.Transport.
const (
	TransportHTTP  = "http"
	TransportStdio = "stdio"
)

// HTTP is how HTTP clients reach the host.
type HTTP struct {
	Listen       string   `toml:"listen" check:"listen"`
	Auth         string   `toml:"auth" oneof:"token none"`
	Hosts        []string `toml:"hosts" check:"host"`
	Origins      []string `toml:"origins" check:"origin"`
	IdleTimeoutS int      `toml:"idle_timeout_s" range:"10 86400"`
}

// AuthNone is the value of HTTP.Auth that lets everybody in.
const AuthNone = "none"

// Log is what is logged and where.
type Log struct {
	Level string `toml:"level" oneof:"debug info warn error" env:"GUI_AGENT_LOG_LEVEL"`
	File  string `toml:"file" check:"path" env:"GUI_AGENT_LOG_FILE"`
}

// Desktop is which desktop is served and how it is watched.
type Desktop struct {
	Display             string   `toml:"display" check:"display"`
	Backend             string   `toml:"backend" oneof:"x11 robot"`
	Virtual             string   `toml:"virtual" oneof:"never auto always"`
	VirtualSize         string   `toml:"virtual_size" check:"size"`
	EnableAccessibility bool     `toml:"enable_accessibility"`
	RefusedKeys         []string `toml:"refused_keys" check:"chord"`
	Launch              []string `toml:"launch" check:"launch"`
	QuietMS             int      `toml:"quiet_ms" range:"10 2000"`
	BusyMS              int      `toml:"busy_ms" range:"20 5000"`
	LookMS              int      `toml:"look_ms" range:"100 30000"`
	PatienceMS          int      `toml:"patience_ms" range:"100 30000"`
	SettleMS            int      `toml:"settle_ms" range:"100 30000"`
}

// BackendRobot is the value of Desktop.Backend that is not the usual one.
const BackendRobot = "robot"

// The values of Desktop.Virtual.
const (
	VirtualAuto   = "auto"
	VirtualAlways = "always"
)

// Adapters is where adapters are and what they may do.
type Adapters struct {
	Dirs   []string `toml:"dirs" check:"folder"`
	Grants []Grant  `toml:"grant"`
}

// Grant is what an administrator allows one adapter.
type Grant struct {
	ID           string // "" for any, if there is a digest
	Capabilities []hostabi.Capability
	// Scopes narrow some of the capabilities further than the adapter's manifest.
	Scopes map[hostabi.Capability]string
	Digest string // hex SHA-256 of the module, or "" for every build
}

// Limits bound each adapter.
type Limits struct {
	TranslateMS     int `toml:"translate_ms" range:"10 10000"`
	InvokeMS        int `toml:"invoke_ms" range:"100 60000"`
	TotalMS         int `toml:"total_ms" range:"100 600000"`
	StartMS         int `toml:"start_ms" range:"100 60000"`
	CompileMS       int `toml:"compile_ms" range:"1000 600000"`
	MemoryMB        int `toml:"memory_mb" range:"4 4096"`
	CompileMemoryMB int `toml:"compile_memory_mb" range:"64 65536"`
	ModuleMB        int `toml:"module_mb" range:"1 32"`
	ViewKB          int `toml:"view_kb" range:"16 16384"`
	LogLinesPerS    int `toml:"log_lines_per_s" range:"1 10000"`
	HostCalls       int `toml:"host_calls" range:"100 10000000"`
	IdleS           int `toml:"idle_s" range:"1 86400"`
	CacheMB         int `toml:"cache_mb" range:"16 65536"`
}

// Sensitive is what is masked beyond what applications mark.
type Sensitive struct {
	Labels []string `toml:"labels" check:"regexp"`
}

// Audit is how much of the record of acts is kept.
type Audit struct {
	Days int `toml:"days" range:"1 3650"`
	Rows int `toml:"rows" range:"1000 10000000"`
}

// Dirs are the folders of the host, absolute once loaded.
type Dirs struct {
	State   string `toml:"state" check:"path"`
	Cache   string `toml:"cache" check:"path"`
	Runtime string `toml:"runtime" check:"path"`
}
