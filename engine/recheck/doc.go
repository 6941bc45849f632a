// Package recheck holds the cut of an earlier release against another table: whether every
// set still has its k, and what to do when one has not.
//
//	table in the codes of the cut ──▶ classes of every set ──▶ all of k records: the cut
//	                                          │
//	                                          └─ smaller ones: fail, coarsen or suppress
//
// The domains of the table are the cut: every code is one of its released values. So what
// is counted are equivalence classes, and never more than there were before, but for what
// is new.
//
// Coarsening rolls back steps of the search that made the cut: a node takes the place of its
// children, two neighbouring intervals become one, a disclosed value is suppressed again. A
// coarser cut only joins classes, so what holds goes on holding, whatever else is rolled back.
//
// Suppressing leaves the cut as it is and takes records away from it: those of classes that
// are too small are released with marks alone. They are an equivalence class, too.
package recheck
