// Package inner does.
package inner

import (
	_ "oriel.dev/oriel/bridge"
	_ "oriel.dev/oriel/tree"
)
