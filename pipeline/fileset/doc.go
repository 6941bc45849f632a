// Package fileset knows what a release is made of: one file, or a directory of part files on
// a disk or in an object store, what they are called and which bytes they have, and the
// manifest that says so.
//
// Contract: the parts of a release come in their order, which is that of its rows. A place
// without a release is an error of class Input, and one that is no place of class Usage.
//
// Not promised: that a release is complete. Parts looks for no _SUCCESS.
package fileset
