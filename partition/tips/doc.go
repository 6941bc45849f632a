// Package tips holds the leaf partitions of a top-down search (TIPS, papers/tds-fung-2005.txt
// section 5.3), the links from every value to its partitions, and the anonymity of every
// quasi-identifier set (VITS, section 5.4.2). A search refines a value in the View and then in
// the TIPS of every set with its column; both know what the next refinements would leave.
//
// Small tables stay in memory, where a refinement moves the records of a partition so that those
// of every part are adjacent. Large ones are divided into subpartitions of some hundred records,
// in memory or in the store (section 5.5), by this refinement and by those that the view expects
// to follow, so that records are read and written far less often than they are visited.
//
// Contract: partitions, minima and dead values are those of a recount after every refinement,
// whatever the threads, the memory and what was expected.
// Not promised: any order of partitions or of their records.
package tips
