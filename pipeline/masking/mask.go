// Package masking makes the row groups of a release: it reads the input a second time, and
// replaces the values of masked columns by the labels that a recoding gives them.
//
//	Plan: which columns ─┐
//	splits ──Mask──▶ rows, sorted by what is released of them, or as in the input ──▶ encoded row groups ──▶ Sink, in order
//
// Several processes may mask an input whose labels depend on their own column alone:
//
//	split ──MaskSplit──▶ rows as bytes ──Mask──▶ encoded row groups ──▶ Sink, in order
//
// Contract: what is made depends on the input, the recoding and the plan, not on the number of
// threads or the budget. Masked columns are made of labels alone; nothing of the source's
// dictionaries or pages gets into them. Rows that are sorted tell nothing of the input's order, files or row groups.
// Labels are found once for every distinct value, or tuple, of a reader.
//
// Not promised: where row groups go. The Sink writes them, and says which are there already.
package masking

import (
	"sync/atomic"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/formats/writer"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/spill"
)

// Masker reads the input a second time and turns it into encoded row groups of the release. It masks
// once.
type Masker struct {
	Dataset *dataset.Dataset
	Plan    *Plan
	Recoder
	Write    writer.Options
	Threads  int
	Budget   *spill.Budget
	Advanced func(done, total int64) // is told how many rows have been read of those to be read

	done     atomic.Int64 // rows read, and rows written
	encoders *writer.PageEncoders
}

// Recoder leads from the values of a record to its labels: by a recoding of codes, and by the
// coders of these.
type Recoder struct {
	Tuples   []formats.Request // of the attributes and then the class, coded
	Recoding engine.Recoding
	Coders   []domain.Coder // of every attribute
	Domains  []int          // codes of every attribute are below, the null's too if it has none; then of the class. Columnwise: none
	Class    domain.Coder   // nil unless labels depend on the class, too
}

// Columnwise reports whether a recoding gives every column labels that depend on its own value
// alone, as a cut without regions does.
func Columnwise(recoding engine.Recoding, attributes int) bool {
	for a := range attributes {
		if recoding.Codes(a) == nil {
			return false
		}
	}
	return true
}

// Sink takes the row groups of a release, in order.
type Sink interface {
	// Add appends a row group of a folder.
	Add(g *writer.EncodedRowGroup, folder string) error
}

// group is a row group of the release.
type group struct {
	*writer.EncodedRowGroup
	folder string // of a partition that it is of
}
