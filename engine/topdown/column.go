package topdown

import (
	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// column is one column of the search: its values, masked and released, and its candidates.
// A candidate's node is the column's own number for it.
type column interface {
	// codes returns the codes that the search uses: those of the attribute that no
	// specialization can tell apart are one.
	codes() engine.CodeMerge
	// start puts the first candidates into the search.
	start(s *search)
	// refine performs a candidate, in the view too, and puts those it brings into the search.
	refine(s *search, node int) partition.Refinement
	// gain returns what refining a candidate gains now.
	gain(node int) float64
	// labels returns the value of a candidate and the children it is refined into.
	labels(node int) (value engine.Label, children []engine.Label)
	// outcome returns what refining a node makes, as far as it is known before.
	outcome(node int) prospect
	// rarest returns the records of the cut's rarest value.
	rarest() uint64
	// cut returns the cut that was reached.
	cut() engine.ColumnCut
	// stops says why every label of that cut was not refined further, in their order.
	stops(s *search) []engine.Stop
}

func newColumn(p profile) column {
	switch p.attribute.Mask {
	case engine.Suppress:
		return newSuppressed(p)
	case engine.Discretize:
		return newRefined(p, &intervals{p})
	default:
		return newRefined(p, &taxonomy{p})
	}
}
