// Package checkpoint keeps what a run has done for the next one that does the same: in files
// of a private folder, each written in one step, so that a power cut at any point leaves the
// old file, the new one, or none.
//
//	state: magic, key | values … | hash of all that
//
// Encode and Decode are for other bytes that must come back as they were, too: numbers are unsigned
// varints, texts and lists begin with their length.
//
// Contract: a state is read only by who has the key that it was written with, and only if it is
// whole. Files are of mode 0600, folders of mode 0700: they hold
// personal data. A folder is claimed by one run at a time.
//
// Not promised: that a state survives. One that is missing, damaged, or of another key is the
// same to a reader: ErrNone.
package checkpoint
