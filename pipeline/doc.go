// Package pipeline is where files, counts and decisions meet: it runs the job that a job
// file describes.
//
//	read ──▶ compress ──▶ search ──▶ mask ──▶ verify ──▶ publish
//
// Every stage is a plain function of what the one before it made. Compress and mask work
// split by split and their results do not depend on which worker did which split, so equal
// inputs and jobs give equal bytes.
//
// This package decides what is done when, and what a run leaves for the next one. How it is done
// lies below it, each part for itself:
//
//	parallel    readings of the input, and results in order, on goroutines
//	coding      values to codes, and codes to domains
//	compress    distinct tuples and pairs, counted in one reading
//	census      the same domains where values do not fit the memory
//	labeling    the labels of an earlier cut as codes
//	masking     the row groups of a release
//	output      where they go, and how they get there
//	checkpoint  states of a run that the next one goes on from
//	state       what a run works on, as a state has it
//	forecast    what a run will take
//
// What a run has in common with those who only read releases lies lower still: jobfile, fault
// (classes of errors), cutfile (the embedded cut), fileset (the files of a release) and verify,
// which recounts what a run has written without any of its code.
//
// Contract: a run that returns an error has published nothing, and what it had written is
// removed. Errors belong to one fault.Class, which is all that a caller needs to choose an exit
// code. Events and errors carry places and counts, never a cell's value.
//
// Not promised: that a released file protects against more than the quasi-identifier sets
// it declares; see docs/privacy.md.
package pipeline
