// Package spill bounds the memory of a run. Budget is what everything that grows with
// the input is drawn from.
//
// Contract: a draw that does not fit fails at once and takes nothing; the peak is exact.
// Not promised: that the process is smaller than the budget by itself. That is so only as
// far as every holder draws what it holds, and the fixed overhead comes on top.
package spill
