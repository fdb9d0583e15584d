// Package oriel holds what is embedded from the root of the repository.
package oriel

import _ "embed"

// DefaultConfig is config.toml: every setting with its default and a comment.
//
//go:embed config.toml
var DefaultConfig string
