// Package tree does.
package tree

import _ "oriel.dev/oriel"
