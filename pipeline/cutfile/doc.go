// Package cutfile is the cut of a release as a file has it: JSON under the one metadata key
// of a released file, or a file of its own (docs/metadata.md).
//
// Contract: what Parse returns has sets that demand something, of columns that have one cut
// each, and regions only of labels that are there; Marshal writes it in the same bytes that
// a run wrote. Anything else is an error of class Input. A cut holds released labels only, so
// that it may be shown to whoever may see the release. Diff tells how two cuts differ, column
// by column: its relations say what every possible value becomes, going by the cuts and the job's
// taxonomies alone; where these do not tell it, they are Different or marked as inferred.
//
// Not promised: that a release is like its cut. Package pipeline writes cuts, and its verifier
// compares releases with them. Nor that the coarser release is the safer one: two releases of
// the same people may tell more together than either does.
package cutfile
