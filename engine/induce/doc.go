// Package induce grows decision trees from counts, by the rules of C4.5 release 8 as J48
// has them (Quinlan, 1993 and 1996): what kACTUS grows its tree with, and what a release is
// judged by.
//
//	Cells ──class counts of every column──▶ best test ──divide──▶ Cells of its branches ──▶ …
//
// A node is a leaf if it is pure or has fewer than two times MinObjects records. Tests:
//
//   - Nominal columns have a branch a code, the null's among them. At least two need
//     MinObjects records.
//   - Numeric columns are split at a code s that records of the node have: below s, at or
//     above s and, if the column has nulls, the null. Both sides need MinObjects records and
//     a tenth of what a class has on average, but not more than 25 for that. The s with the
//     most information gain is taken, the smallest of several; for having been chosen among
//     n, the gain of the test is less by log2(n)/records (MDL).
//
// Of the tests that gain something, and not less than the average of them by more than
// 0.001, the one with the best ratio of gain to the entropy of its branches' sizes is made,
// the first column of several. Nominal columns with so many codes that they nearly name
// records do not count in the average. Equal means within 1e-9: the last bits of sums decide nothing.
//
// Branches that no record takes are leaves of the tree, too, and counted when its nodes are
// numbered, but take no memory.
//
// Not promised: what C4.5 does with unknown values, which are a branch here; subtree raising.
package induce
