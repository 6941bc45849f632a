// Package compare tells how two cuts differ, column by column: which of them is coarser, and
// which labels are gone or new.
//
// Contract: a relation is said of what every possible value becomes, going by the cuts and
// the job's taxonomies alone; where these do not tell it, it is Different or marked as inferred.
//
// Not promised: that the coarser release is the safer one: two releases of the same people
// may tell more together than either does.
package compare
