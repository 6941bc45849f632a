// Package draft drafts the first job for an input that nobody has described:
//
//	Profile   what some of the rows show of a column: counts and patterns, no value
//	Role      what is proposed for a column, and why
//	Job       the job, written as YAML
//
// A draft is a proposal to be read by somebody who knows the data. It errs to the safe side:
// what looks like an identifier is dropped, everything else but the class is masked. It loads
// and runs as it is, but for what only the rows that were not looked at can tell. No text in
// it comes from a cell: it names columns and counts, and its taxonomies are generators.
package draft
