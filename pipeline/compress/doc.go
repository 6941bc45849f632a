// Package compress counts an input: of millions of rows it makes the distinct tuples of codes, and
// of every masked column the (value, class) pairs, each with its number of records.
//
//	Reading: splits ──▶ codes of 2048 rows at a time ──▶ a worker's counters ──▶ Counts: Tables, Pairs
//
// Contract: what is counted depends on the input, the coders and the plan; not on the number of
// threads, nor on whether tuples went to a store. Nothing is allocated for a row. Counters draw
// what they hold from the budget, and fail with spill.ErrBudget when it is used up.
//
// Not promised: that codes are the domains' already. Whoever counts in provisional codes
// translates the tables.
package compress
