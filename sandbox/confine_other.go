//go:build !linux

package sandbox

// Confinement returns what this system will hold a runner with.
func Confinement() Confined {
	return Confined{Missing: "this system has no Landlock; it is Linux's"}
}

func confineAndExec(_, _ string) error { return errUnconfined }
