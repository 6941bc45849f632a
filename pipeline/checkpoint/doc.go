// Package checkpoint keeps what a run has done for the next one that does the same: in files
// of a private folder, each written in one step, so that a power cut at any point leaves the
// old file, the new one, or none.
//
//	state file: magic, key | block …
//	block:      length (4 bytes) | hash of number and bytes (8) | bytes
//
// Contract: a state file is read only by who has the key that it was written with, and only
// as far as its blocks are whole. Files are of mode 0600, folders of mode 0700: they hold
// personal data. A folder is claimed by one run at a time.
//
// Not promised: that a state survives. One that is missing, damaged, or of another key is the
// same to a reader: ErrNone.
package checkpoint
