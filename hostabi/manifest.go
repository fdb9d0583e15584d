package hostabi

// AppendManifest appends m as JSON: what stands in the custom section.
func AppendManifest(dst []byte, m *Manifest) []byte { return write(dst, m.fields) }

// ParseManifest reads a manifest's JSON. It checks the form alone; what a
// manifest must hold is up to hostabi/check.
func ParseManifest(b []byte) (*Manifest, error) {
	m := &Manifest{}
	if err := read("manifest", string(b), m.fields); err != nil {
		return nil, err
	}
	return m, nil
}

func (m *Manifest) fields(c *codec) {
	text(c, "id", &m.ID)
	text(c, "name", &m.Name)
	text(c, "version", &m.Version)
	text(c, "abi", &m.ABI)
	text(c, "description", &m.Description)
	text(c, "license", &m.License)
	c.strings("needs", &m.Needs)
	objects(c, "match", &m.Match, (*Match).fields)
	objects(c, "permission", &m.Permissions, (*Permission).fields)
	c.member("limits", m.Limits != Limits{}, m.Limits.fields)
}

func (m *Match) fields(c *codec) {
	text(c, "app", &m.App)
	text(c, "toolkit", &m.Toolkit)
	text(c, "role", &m.Role)
	text(c, "title", &m.Title)
	text(c, "app_version", &m.AppVersion)
}

func (p *Permission) fields(c *codec) {
	text(c, "capability", &p.Capability)
	text(c, "scope", &p.Scope)
	text(c, "reason", &p.Reason)
}

func (l *Limits) fields(c *codec) {
	integer(c, "translate_ms", &l.TranslateMS)
	integer(c, "invoke_ms", &l.InvokeMS)
	integer(c, "memory_mb", &l.MemoryMB)
}
