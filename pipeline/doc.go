// Package pipeline is where files, counts and decisions meet: it runs the job that a job
// file describes. Its stages are functions with values between them, all on one screen in
// jobRun.release:
//
//	job ──bind──▶ Search ──Count──▶ Counts ──Find──▶ Found ──maskInput──▶ parts ──verifyRelease──▶ Publish
//
// Count and mask work split by split, and their results do not depend on which worker did which
// split, so equal inputs and jobs give equal bytes. Masking is applying the cut: of what was
// found a later run, or a worker in another process, needs no more than that.
//
// With a Runner, other processes mask the rows, and this one does all else as it does alone.
// Workers find the job and the cut in a folder that all see, and leave masked rows there, in
// files whose names end with a digest: it does not matter how often a task is done. Where the cut
// does not say all that masking takes, this process masks the rows.
//
//	job, cut ──▶ shared folder ──Worker.Do──▶ row groups, or sorted rows of a split ──▶ shared folder ──▶ parts
//
// This package decides what is done when, and what a run leaves for the next one. How it is done
// lies below it, each part for itself:
//
//	algorithm   the engine of the algorithm that a job names
//	resources   what a run takes of the machine
//	search      how a bound job comes to its cut
//	binding     what every column of a job's input is, and what is asked of it
//	guard       how alike rows are, held against what the job accepts
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
