// Package pipeline carries out the job of a job file: it calls the stages of a run, from the input
// files to the published release. The stages are functions from values to a value, and
// jobRun.release calls all of them:
//
//	job ──bind──▶ Search ──Count──▶ Counts ──Find──▶ Found
//	Found ──maskInput──▶ parts ──verifyRelease──▶ Publish
//
// Count and mask divide their work by splits of the input. The result for a split does not depend
// on the worker, so equal inputs and jobs give equal bytes. Masking applies the cut: a later run,
// or a worker in another process, needs the cut and no other result of the search.
//
// With a Runner, other processes mask the rows, and this process does all other work. Workers
// read the job and the cut in a shared folder and leave masked rows there, in files whose names
// end with a digest: a task may be done several times. If masking needs more than the cut, this
// process masks the rows.
//
//	job, cut ──▶ shared folder ──Worker.Do──▶ row groups, or sorted rows of a split
//	row groups, or sorted rows of a split ──▶ shared folder ──▶ parts
//
// This package decides on the order of the work, and keeps results of a run for the next run. The
// packages below it do the work:
//
//	algorithm   the engine of the algorithm that a job names
//	resources   the memory, threads and disk space of a run
//	search      finds the cut of a bound job
//	binding     the type, the role and the requirements of each column of the input
//	guard       compares class sizes with the limits of the job
//	domain      maps values to codes, or to the labels of an earlier cut
//	count       counts values and tuples of an input, in one reading or two
//	masking     makes the row groups of a release
//	output      writes and publishes the files of a release
//	checkpoint  keeps results of a run for the next run
//	forecast    predicts the resources of a run
//
// The packages that a run shares with readers of releases are lower still: job, cutfile (the
// embedded cut), fileset (the files of a release) and verify, which recounts the files of a run
// without the code that wrote them.
//
// Contract: a run that returns an error has published nothing, and has removed the files that it
// wrote. Each error has a fault.Class, which alone determines the exit code. Events and errors have
// places and counts, never the value of a cell.
//
// Not promised: that a released file protects more than the quasi-identifier sets that it declares;
// see docs/privacy.md.
package pipeline
