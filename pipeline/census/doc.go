// Package census counts the values of columns that may have more of them than fit the memory,
// and makes the columns' domains of what it has counted.
//
//	rows ──Survey──▶ a Column's (value, class) pairs, in memory and in sorted runs ──Bind──▶ domain and coder
//
// It is the first of two readings of an input: what codes a search will tell apart is known
// then, and these are few.
//
// Contract: a Column has the domain that package coding would bind interned values to, whatever
// was spilled. What is held of the values is drawn from the budget; what exceeds a column's room
// goes to the store. Errors name columns and counts, never a value.
//
// Not promised: that a search may name every value. Of a generalized or suppressed column only
// those are held that some release could tell apart, of a discretized one quantile edges.
package census
