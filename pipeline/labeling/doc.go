// Package labeling codes values by the labels of an earlier release's cut, so that the next
// extract is counted and masked with as few codes as there are labels, however many values.
//
//	Read ──▶ Cut ──Bind to a job──▶ Labelers, one a column ──count──▶ their Domains ──▶ Coders
//
// A column is generalized (members of a taxonomy), discretized (spans) or suppressed (a
// disclosure); in a cut of regions its labels may overlap (a cover).
//
// Contract: Bind and Labelers refuse a cut that is none of the job's columns, masks, taxonomies
// and bounds, so that every value has one label, gets one of its own, or is stray; a stray value
// must not be released. Labelers are safe for concurrent use. What they learn of the input is
// drawn from a budget. Errors name columns and counts, never a value.
//
// Not promised: that any k still holds. Whoever applies a cut counts its classes again.
package labeling
