//go:build !cgo || !(linux || windows || darwin)

package robot

import (
	"fmt"

	"oriel.dev/oriel/desktop"
)

// Available tells whether this build has the backend.
const Available = false

// Main says that this build lacks the backend.
func Main() error {
	return fmt.Errorf("serving as the robot backend: this program was built without cgo: %w", desktop.ErrUnsupported)
}
