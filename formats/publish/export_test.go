package publish

// Sibling returns the hidden name next to a target, and Umask the permissions that new files lack.
var (
	Sibling = sibling
	Umask   = umask
)
