package publish

import "os"

const (
	noFollow = 0
	umask    = os.FileMode(0)
)

// lock does nothing: here two runs with one output do not exclude each other.
func lock(*os.File) error { return nil }
