// Package checkpoint keeps what a run has done for the next one that does the same: in files
// of a private folder, each written in one step, so that a power cut at any point leaves the
// old file, the new one, or none.
//
// Encode and Decode are for blocks of bytes that must come back as they were, in files and between processes.
//
//	head | length (uvarint), block | length, block | … | hash of all that
//
// Contract: what was encoded is read only by who has the head that it was written with, and only if it is
// whole. Files are of mode 0600, folders of mode 0700: they hold
// personal data. A folder is claimed by one run at a time.
//
// Not promised: that a file survives. One that is missing, damaged, or of another head is the
// same to a reader: ErrNone.
package checkpoint
