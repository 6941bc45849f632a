package pipeline

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/writer"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/binding"
	"github.com/kcut/kcut/pipeline/count"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/masking"
	"github.com/kcut/kcut/pipeline/output"
	"github.com/kcut/kcut/spill"
)

// maskInput writes the part files of the release: the input's rows with the labels of the cut that
// was found.
func maskInput(ctx context.Context, b *binding.Bound, found *Found, res *resources, to *ledger) error {
	elsewhere := to.masksElsewhere(b, found)
	if elsewhere { // workers do not have the lists of values
		found.unlist(res.budget)
	}
	m, err := found.masker(b, res)
	if err != nil {
		return err
	}
	res.report.Columns = columnReports(b.Dataset.Schema(), b.Specs, m.Plan)
	to.target.Columns = m.Plan.Outputs()
	parts := &output.Parts{
		Target: to.target, Metadata: map[string]string{cutfile.Key: string(found.Cut)},
		Footer: spill.NewLedger(res.budget, "the footer of the release"),
	}
	order := masking.Order{Rows: int64(b.Job.Output.RowGroupRows), Store: res.storeRows}
	switch {
	case elsewhere:
		err = to.maskElsewhere(ctx, b, found.Cut, m, order, parts)
	case b.Job.Order == job.OrderReleased:
		err = m.MaskInOrder(ctx, order, parts)
	default:
		err = m.Mask(ctx, b.Tasks(), parts)
	}
	if err == nil {
		err = b.CheckUnchanged(ctx)
	}
	if err = errors.Join(err, parts.Close(err == nil)); err == nil {
		notePartitions(b, to.target.Finished, res)
	}
	return err
}

// notePartitions tells of partitions with fewer rows than the largest k of a set that has one of their columns: of columns of
// several sets not every combination has as many.
func notePartitions(b *binding.Bound, parts []fileset.Part, res *resources) {
	k, rows, small := 0, make(map[string]int64), 0
	for i := range b.Job.Sets {
		if set := &b.Job.Sets[i]; slices.ContainsFunc(b.Job.Output.PartitionBy, func(name string) bool { return slices.Contains(set.Columns, name) }) {
			k = max(k, set.K)
		}
	}
	for _, part := range parts {
		rows[path.Dir(part.Name)] += part.Rows
	}
	for _, n := range rows {
		if n < int64(k) {
			small++
		}
	}
	if small > 0 {
		res.events.Noted(fmt.Sprintf("%d of %s have fewer than k = %d rows: their folders tell of few people what they have in common", small, text.Count(len(rows), "partition"), k))
	}
}

// masker returns what masks the input by what was found.
func (f *Found) masker(b *binding.Bound, res *resources) (*masking.Masker, error) {
	recoder, err := f.recoder(b, res.budget)
	if err != nil {
		return nil, err
	}
	m, err := maskerOf(b, recoder, res)
	if err == nil {
		m.Plan.List(f.listed.Of)
	}
	return m, err
}

// maskerOf returns what masks the input by a recoder.
func maskerOf(b *binding.Bound, recoder masking.Recoder, res *resources) (*masking.Masker, error) {
	plan, err := masking.NewPlan(b.Job, b.Dataset.Schema(), b.Specs, b.Masked, recoder.Recoding, b.Keys)
	if err != nil {
		return nil, err
	}
	for _, field := range b.Counted() { // what tells records apart
		recoder.Tuples = append(recoder.Tuples, formats.Request{Column: field, Coded: true})
	}
	return &masking.Masker{
		Dataset: b.Dataset, Plan: plan, Recoder: recoder,
		Write:   writer.Options{Compression: b.Job.Output.Compression, Level: b.Job.Output.Level},
		Threads: res.threads, Budget: res.budget,
		Advanced: func(done, total int64) { res.events.Advanced(StageMask, Progress{Done: done, Total: total}) },
	}, nil
}

// recoder returns what leads from values to labels: the cut's own text, or the recoding when labels
// depend on more than their own column.
func (f *Found) recoder(b *binding.Bound, budget *spill.Budget) (masking.Recoder, error) {
	if f.search == nil {
		return cutRecoder(b, f.Cut, budget)
	}
	return f.search.recoder(f.recoding, f.counts, budget)
}

// recoder returns what leads from values by way of their codes to the labels of a recoding.
func (s *search) recoder(recoding engine.Recoding, counts *count.Counts, budget *spill.Budget) (recoder masking.Recoder, err error) {
	recoder.Recoding = recoding
	request := s.request(count.Tuning{})
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

// cutRecoder returns a recoder of a cut's text alone.
func cutRecoder(b *binding.Bound, of []byte, budget *spill.Budget) (recoder masking.Recoder, err error) {
	cut, err := domain.ParseCut(of)
	if err != nil {
		return recoder, err
	}
	if err := cut.Bind(b.Job, b.MaskedSpecs()); err != nil {
		return recoder, err
	}
	labelers, err := b.Labelers(cut, budget)
	if err != nil {
		return recoder, err
	}
	recoder.Recoding = cut.Recoding()
	for _, l := range labelers {
		recoder.Coders = append(recoder.Coders, l)
	}
	return recoder, nil
}
