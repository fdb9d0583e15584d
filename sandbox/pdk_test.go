//go:build wasip1

package sandbox_test

// The guest in testdata/hello/extism is made with this; go mod tidy does not look
// into testdata.
import _ "github.com/extism/go-pdk"
