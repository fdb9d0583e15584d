// Package tree_test is not looked at.
package tree_test

import _ "oriel.dev/oriel/host"
