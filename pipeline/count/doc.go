// Package count counts an input: which values its columns have, and how many records share a
// tuple of these. It is the only such code of a run, of kcut apply and of kcut evaluate.
//
//	Request ──▶ one reading:  values and tuples at once, in provisional codes ─────────────▶ bind ──▶ Counts
//	        └─▶ two readings: survey of the values ──▶ bind ──▶ tuples of the codes that are told apart ──▶ Counts
//
// An input may be counted by processes that share nothing but files, too, split by split: each is a
// function of a request, a split and, for tuples, a code book, and returns bytes.
//
//	split ──SurveySplit──▶ survey ──BindSurveys──▶ Counts ──CodeBook──▶ code book
//	split, code book ──CountSplit──▶ tuples ──Merge──▶ tuples ──BindTuples──▶ Counts
//
// The first way saves decoding the input again; the second holds few codes, and what does not fit
// the memory budget goes to a store: values in sorted runs, tuples in hashed blocks. Input says
// which way is taken. Both make the same table.
//
// Contract: Counts depend on the input and the request alone, not on threads, budget or spilling:
// codes are numbered in the order of values, and counts are integers. Whatever grows with the
// input is drawn from the budget. What a split gives is the same bytes whoever counts it. Errors name columns and counts, never a value.
//
// Not promised: that a search may name every value. Of a generalized or suppressed column only
// those are held that some release could tell apart, of a discretized one quantile edges.
package count
