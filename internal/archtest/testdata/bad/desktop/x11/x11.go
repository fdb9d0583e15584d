package x11

import (
	_ "oriel.dev/oriel/desktop"
	_ "oriel.dev/oriel/desktop/atspi"
)
