// Package oriel holds what is embedded from the root of the repository.
package oriel

import "embed"

// DefaultConfig is config.toml: every setting with its default and a comment.
//
//go:embed config.toml
var DefaultConfig string

// SDKs are the sources that an adapter in another language than Go is compiled
// with, in the folders that they have in the project.
//
//go:embed pluginsdk/rust/*.rs pluginsdk/as/assembly/*.ts pluginsdk/c/*.c pluginsdk/c/*.h
var SDKs embed.FS
