// Package kcut anonymizes big tables. It finds a version of a table in which every combination
// of quasi-identifier values is shared by at least k records, keeps that version as useful as
// possible for training a classifier, and writes it as Parquet with the rule it applied, the
// cut, in the file's metadata.
//
//	Job ──Run──▶ release ──Verify──▶ holds, or not
//	               │
//	               └─ReadCut──▶ Cut ──Apply──▶ the next release, with the same labels
//
// A [Job] says what is read, what must hold, how every column is masked and where the release
// goes; [LoadJob] reads one, and [Init] drafts one for an input that nobody has described. [Run]
// does it: counts the input, searches a cut, masks with it, recounts every quasi-identifier set
// from what was written, and only then publishes. [Plan] tells beforehand what that takes, and
// [Evaluate] how useful releases would be. [Apply] masks another input with the cut of an
// earlier release. [Verify] and [Inspect] recount any release from its files alone, [ReadCut]
// shows its cut, and [Diff] compares two.
//
// # Contract
//
// Equal inputs and jobs give equal bytes, whatever the number of threads and the memory. A
// function that returns an error has published nothing. A context that is cancelled ends a
// function soon, and it removes what it has written. The memory that a job allows is kept to,
// but for an overhead that Plan tells; what does not fit goes to a private folder on disk.
//
// All errors are an [*Error], whose class says whether another try may help: errors.Is(err,
// ErrPrivacy) tells that a k cannot be met, and so on. A bug comes back as an error of class
// ErrInternal, not as a panic. No error, event or report holds a cell's value.
//
// Functions may be called from several goroutines at a time. Of two runs that write the same
// output one fails with ErrTransient.
//
// # What is promised to importers
//
// Within a major version, whatever uses what this package exports goes on to compile and to
// mean the same: its functions, and its types with their exported fields and methods, of types
// that it gives another name to (type Job = ...), too. Functions, constants, fields and methods may be
// added, so that structs are to be written with the names of their fields. Job files, and the
// cuts of releases, of earlier versions go on to be read.
//
// Not promised: anything else of the packages below this one; they change from version to
// version. The texts of errors, notices and hints. That another version finds the same cut:
// only equal versions give equal bytes. That a release protects against more than the
// quasi-identifier sets it declares; see docs/privacy.md.
package kcut
