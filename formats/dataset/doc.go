// Package dataset is the front door to input: it finds files, tells their formats, makes
// sure that they have the same columns, and presents them as one table, cut into splits.
//
// Contract: splits lie in the order of the patterns and, within one, of the paths, and
// depend on the files alone. Whatever the number of files, few are open at a time. A file
// that changes while it is in use is refused, as far as its sizes tell.
//
// Not promised: that columns keep the order of a second file, whose columns may be in any.
package dataset
