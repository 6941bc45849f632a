// Package count counts an input: which values its columns have, and how many records share a
// tuple of these. It is the only such code of a run, of kcut apply and of kcut evaluate.
//
//	one reading:   values and tuples at once, in provisional codes ──Bind──▶ Counts
//	two readings:  Survey ──Bind──▶ Counts, without groupings ──NewBook──▶ Book; Count ──Bind──▶ their groupings
//
// The first way saves decoding the input again; the second holds few codes, and what does not fit
// the memory budget goes to a store: values in sorted runs, tuples in hashed blocks. Input says
// which way is taken. Both make the same table.
//
// The second way is one of functions of a request and some splits, and for tuples of a book. A run calls
// them with all splits; processes that share nothing but files call them with one each, and hand each
// other what they return as bytes:
//
//	split ──Survey, Encode──▶ survey ──MergeSurveys, Bind──▶ Counts ──NewBook, Encode──▶ code book
//	split, book ──Count, Encode──▶ tuples ──Merge, Encode──▶ tuples ──Merge, Bind──▶ Counts
//
// Contract: Counts depend on the input and the request alone, not on threads, budget or spilling:
// codes are numbered in the order of values, and counts are integers. Whatever grows with the
// input is drawn from the budget. What a split gives is the same bytes whoever counts it. Errors name columns and counts, never a value.
//
// Not promised: that a search may name every value. Of a generalized or suppressed column only
// those are held that some release could tell apart, of a discretized one quantile edges.
package count
