// Package mcp does.
package mcp

import _ "github.com/tetratelabs/wazero/api"
