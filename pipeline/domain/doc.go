// Package domain turns the values of a column into codes: small numbers that count tables,
// searches and masking work with instead.
//
//	values ──Interner──▶ provisional codes ──count──▶ Domain
//	values ──NewCoder of the domain's attribute──▶ codes, in the domain's order
//
// Which values a column has is counted by package count, with an interner or in sorted runs; either
// way it has the same domain, and the domain's attribute alone says what code a value has. A Mapping
// translates what one reader has coded locally: the work is done once for every distinct value, not
// for every row.
//
// By the labels of a cut, an earlier release's or this run's, values are coded by a Labeler a column:
//
//	ReadCut, ParseCut ──▶ Cut ──Bind to a job──▶ Labelers ──count──▶ their Domains
//
// From a page to a released label a value has at most these numbers: the page's index, the reader's
// local code, the provisional code or that of a label of the cut, the code in the domain, and the
// number of the released label.
//
// Contract: a Coder is safe for concurrent use, a Mapping belongs to one goroutine. A Domain
// depends on the values and their counts alone, not on the order in which they were met. What
// grows with the values is drawn from a budget. Errors name columns, never a value.
//
// Not promised: that provisional codes are the same from run to run. Nothing that is released may
// depend on them.
package domain
