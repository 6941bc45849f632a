package domain

import "github.com/kcut/kcut/engine"

// MaxSplitValues is the most distinct values of a discretized column that a search may
// split at; columns with more are cut into that many quantile bins first.
const MaxSplitValues = 65_536

// Domain is a masked column's attribute, and the way to its codes.
type Domain struct {
	Attribute engine.Attribute
	Codes     []uint32 // by code of the coder that counted the values; nil: no such coder did
	Merges    bool     // several values share a code
	Nulls     uint64   // records without a value
	Binned    int      // number of distinct values when there were too many, else 0
}
