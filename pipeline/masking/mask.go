// Package masking makes the row groups of a release: it reads the input a second time, and replaces
// the values of masked columns by the labels that a recoding gives them.
//
//	splits, Plan ──Mask──▶ rows, sorted or in the input's order ──▶ row groups ──▶ Sink, in order
//
// Several processes may mask an input if the labels of each column depend on its own values alone:
//
//	split ──MaskSplit──▶ rows as bytes ──Mask──▶ row groups ──▶ Sink, in order
//
// Contract: the result depends on the input, the recoding and the plan, not on the number of
// threads or the budget. Masked columns consist of labels alone; nothing of the source's
// dictionaries or pages gets into them. Sorted rows show nothing of the input's order, files or row
// groups. A reader finds labels once for every distinct value or tuple.
//
// Not promised: the place of row groups. The Sink writes them.
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

// Masker reads the input a second time and turns it into encoded row groups of the release. A
// Masker masks once.
type Masker struct {
	Dataset *dataset.Dataset
	Plan    *Plan
	Recoder
	Write   writer.Options
	Threads int
	Budget  *spill.Budget
	// Advanced is called with the number of rows that have been read, and that of all rows.
	Advanced func(done, total int64)

	// done is the number of rows read plus the number of rows written.
	done     atomic.Int64
	encoders *writer.PageEncoders
}

// Recoder finds the labels of a record's values: it has the coders of values, and the recoding of
// their codes.
type Recoder struct {
	Tuples   []formats.Request // for the codes of the attributes, then of the class
	Recoding engine.Recoding
	Coders   []domain.Coder // by attribute
	// Domains are the numbers of codes of every attribute, including null if an attribute has none,
	// then of the class. A columnwise recoding has none.
	Domains []int
	Class   domain.Coder // nil if labels do not depend on the class
}

// Columnwise reports whether the labels of each column depend on its own values alone, as with a
// cut without regions.
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
	folder string // of the partition; empty: there are no partitions
}
