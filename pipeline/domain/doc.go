// Package domain turns the values of a column into codes: small numbers that count tables,
// searches and masking work with instead.
//
//	values ──Interner──▶ provisional codes ──Bind──▶ Domain ──NewOrdered──▶ codes, in the domain's order
//
// Where the values are too many to number, a survey of sorted runs (package count) finds the domain instead,
// and NewEdgeCoder, ListCoder and the coder of a BoundTree lead to it without a table of all values.
// Either way a column has the same domain. A Mapping translates what one reader has coded locally:
// the work is done once for every distinct value, not for every row.
//
// By the labels of a cut, an earlier release's or this run's, values are coded by a Labeler a column:
//
//	ReadCut, ParseCut ──▶ Cut ──Bind to a job──▶ Labelers ──count──▶ their Domains
//
// Contract: a Coder is safe for concurrent use, a Mapping belongs to one goroutine. A Domain
// depends on the values and their counts alone, not on the order in which they were met. What
// grows with the values is drawn from a budget. Errors name columns, never a value.
//
// Not promised: that provisional codes are the same from run to run. Nothing that is released may
// depend on them.
package domain
