// Package kcut anonymizes big tables. It finds a version of a table in which every combination
// of quasi-identifier values is shared by at least k records, keeps that version as useful as
// possible for training a classifier, and writes it as Parquet with the rule it applied, the
// cut, in the file's metadata.
//
//	Job ──Run──▶ release ──Verify──▶ holds, or not
//	               │
//	               └─ReadCut──▶ Cut ──Apply──▶ the next release, with the same labels
//
// A [Job] says which input to read, which k must hold, how to mask every column and where to write
// the release. [LoadJob] reads a job file, and [Init] drafts one for an input that nobody has
// described. [Run] carries out a job: it counts the input, searches a cut, masks with the cut,
// recounts every quasi-identifier set from the written files, and only then publishes them. [Plan]
// predicts what a run takes, and [Evaluate] how useful releases would be. [Apply] masks another
// input with the cut of an earlier release. [Verify] and [Inspect] recount any release from its
// files alone, [ReadCut] reads the cut of a release, and [Diff] compares two cuts. Package
// github.com/kcut/kcut/pipeline/records lets the input be an array.RecordReader of Arrow batches,
// and reads a release back as one.
//
// # Contract
//
// Equal inputs and jobs give equal bytes, whatever the number of threads and the memory. A
// function that returns an error has published nothing. A function whose context is cancelled
// returns soon, and removes the files that it has written. A run keeps to the memory that its job
// allows, except for an overhead that Plan reports; data that do not fit go to a private folder on
// disk.
//
// All errors are an [*Error], whose class says whether another try may help: errors.Is(err,
// ErrPrivacy) reports that a k cannot be met, for example. A bug comes back as an error of class
// ErrInternal, not as a panic. No error, event or report holds a cell's value.
//
// Several goroutines may call functions at a time. If two runs write the same output, one of them
// fails with ErrTransient.
//
// # What is promised to importers
//
// Within a major version, code that uses the exported names of this package, and of package
// pipeline/records, still compiles and means the same. That covers functions, types, and the
// exported fields and methods of these types, also of types that they only rename (type Job = ...).
// A version may add functions, constants, fields and methods, so write structs with the names of
// their fields. Later versions read the job files and the cuts of earlier ones.
//
// Not promised: names of the other packages below this one, which change from version to version;
// fields that are for tests of this module alone, such as RunOptions.System;
// the texts of errors, notices and hints; that another version finds the same cut, since only
// equal versions give equal bytes; that a release protects against more than the quasi-identifier
// sets it declares, see docs/privacy.md.
package kcut
