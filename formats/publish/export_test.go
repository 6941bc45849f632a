package publish

// Sibling names what is hidden beside a target, and Umask is what new files lack.
var (
	Sibling = sibling
	Umask   = umask
)
