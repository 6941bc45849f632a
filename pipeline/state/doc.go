// Package state is the form in which a checkpoint has a recoding of regions: their labels and
// where they are, and the attributes in whose codes that is said.
//
//	Save…    writes one, into a file that a checkpoint.Writer makes
//	Load…    reads what Save… has written, in the same order
//
// Contract: what is loaded is what was saved. What is wrong with a file is the reader's error,
// or one that wraps checkpoint.ErrNone; what may be large is drawn from a budget first.
//
// Not promised: that another kcut can read it. Checkpoints are keyed by the program, too, so no
// form has a version.
package state
