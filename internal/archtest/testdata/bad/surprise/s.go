// Package surprise does.
package surprise
