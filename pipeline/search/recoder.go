package search

import (
	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/pipeline/binding"
	"github.com/kcut/kcut/pipeline/count"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/masking"
	"github.com/kcut/kcut/spill"
)

// Recoder returns the map from values to labels: from the cut itself, or from the recoding if
// labels depend on more than their own column.
func (f *Found) Recoder(b *binding.Bound, budget *spill.Budget) (masking.Recoder, error) {
	if f.search == nil {
		return CutRecoder(b, f.Cut, budget)
	}
	return f.search.recoder(f.recoding, f.counts, budget)
}

// recoder returns the map from values, through their codes, to the labels of a recoding.
func (s *Search) recoder(recoding engine.Recoding, counts *count.Counts,
	budget *spill.Budget) (recoder masking.Recoder, err error) {
	recoder.Recoding = recoding
	request := s.Request(count.Tuning{})
	for a, c := range counts.Columns {
		coder, err := request.Coder(a, c, budget)
		if err != nil {
			return recoder, err
		}
		recoder.Coders = append(recoder.Coders, coder)
		recoder.Domains = append(recoder.Domains, c.Attribute.Len()+1)
	}
	if recoding.ByClass() && s.Class >= 0 {
		recoder.Class, err = request.ClassCoder(counts.Table.ClassNames, budget)
		recoder.Domains = append(recoder.Domains, counts.Table.Classes)
	}
	return recoder, err
}

// CutRecoder returns a recoder only from a cut.
func CutRecoder(b *binding.Bound, of *cutfile.File, budget *spill.Budget) (recoder masking.Recoder,
	err error) {
	cut := &domain.Cut{File: of}
	if err := b.BindCut(cut); err != nil {
		return recoder, err
	}
	labelers, err := cut.Labelers(budget)
	if err != nil {
		return recoder, err
	}
	recoder.Recoding = cut.Recoding()
	for _, l := range labelers {
		recoder.Coders = append(recoder.Coders, l)
	}
	return recoder, nil
}
