// Package cells holds the parts of recursive partitioning: the records of a table are divided
// again and again, and counted by column and class.
//
// Contract: parts and counts do not depend on whether records are in memory or in the store.
// Not promised: any order of the records of a part.
package cells
