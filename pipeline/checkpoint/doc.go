// Package checkpoint keeps results of a run for the next run of the same job. They are in files of
// a private folder. Each file is written in one step: after a power failure at any time there is
// the old file, the new file, or no file.
//
// Encode joins blocks of bytes, and Decode returns the same blocks. They are for files and for
// messages between processes.
//
//	head | length (uvarint), block | length, block | … | hash of everything before
//
// Contract: Decode returns blocks only if they are whole and if the caller has the head that they
// were encoded with. Files have mode 0600 and folders have mode 0700, because they contain personal
// data. Only one run at a time can claim a folder.
//
// Not promised: that a file survives. A reader gets ErrNone for a file that is missing, is damaged,
// or has another head.
package checkpoint
