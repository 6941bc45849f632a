// Package partition holds the compressed table and what the search does with it: counts
// of distinct tuples of codes, value × class histograms, leaf partitions (TIPS) and the
// anonymity of every quasi-identifier set (VITS).
//
// Contract: it knows coded records and counts, no values, files or algorithms. Codes are
// packed into as few bits as their domains need. Counts are integers and sums do not
// depend on the order of additions, so every result is the same whatever the workers were.
// Not promised: any order of the records of a table or of a partition.
package partition
