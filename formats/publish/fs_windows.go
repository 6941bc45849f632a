package publish

import "os"

const (
	noFollow = 0
	umask    = os.FileMode(0)
)

// lock does nothing: two runs with one output are not told apart here.
func lock(*os.File) error { return nil }
