// Package topdown is Top-Down Specialization (TDS) and its successor Top-Down Refinement
// (TDR): start with every value masked as far as it goes, then repeatedly perform the
// valid and beneficial specialization with the best score, until none is left.
//
// Two facts divide the work. What a specialization gains depends on the value × class
// histogram of its own column alone: the columns here grow their candidates, gains and
// splits from it. What it costs in anonymity depends on the leaf partitions of every set
// with that column: package partition keeps these and their minima. The search connects
// the two with a heap of candidates.
//
// Before the search, values that can never be refined are merged into one code, with all
// that is below them, which makes keys short and tables small. It never changes a result.
package topdown
