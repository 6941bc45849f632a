// Package pipeline is where files, counts and decisions meet: it runs the job that a job
// file describes. Its stages are functions with values between them, all on one screen in
// assignment.run:
//
//	job ──Bind──▶ Bound ──countInput──▶ Counts ──search──▶ Found ──maskInput──▶ parts ──recount──▶ publish
//
// Count and mask work split by split, and their results do not depend on which worker did which
// split, so equal inputs and jobs give equal bytes. Masking is applying the cut: of what was
// found a later run, or a worker elsewhere, needs no more than that.
//
// With a Runner, other processes do what touches rows, and this one the rest: a Step is tasks of splits, and what Workers make of
// them lies in a folder that all share, under names that say what is in it, so that it does not matter how often a task is done. What
// tasks make by key goes through the runner in blocks; rows do not. Rows whose labels depend on more than workers can be told are masked
// by this process.
//
//	weigh, survey, count ──▶ counts ──search──▶ cut ──▶ mask, or sort and encode ──▶ row groups ──▶ parts ──tally──▶ publish
//
// This package decides what is done when, and what a run leaves for the next one. How it is done
// lies below it, each part for itself:
//
//	domain      values to codes: of their own, or of an earlier cut's labels
//	count       values and tuples of an input, counted in one reading or two
//	masking     the row groups of a release
//	output      where they go, and how they get there
//	checkpoint  what a run keeps for the next one
//	forecast    what a run will take
//
// What a run has in common with those who only read releases lies lower still: job,
// cutfile (the embedded cut), fileset (the files of a release) and verify, which recounts what a
// run has written without any of its code.
//
// Contract: a run that returns an error has published nothing, and what it had written is
// removed. Errors belong to one fault.Class, which is all that a caller needs to choose an exit
// code. Events and errors carry places and counts, never a cell's value.
//
// Not promised: that a released file protects against more than the quasi-identifier sets
// it declares; see docs/privacy.md.
package pipeline
