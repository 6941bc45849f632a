package pipeline

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/writer"
	"github.com/kcut/kcut/internal/text"
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
func maskInput(ctx context.Context, b *Bound, found *Found, res *resources, to *ledger, system *System) error {
	elsewhere := to.masksElsewhere(b, found)
	if elsewhere { // workers do not have the lists of values
		b.unlist(res.budget)
	}
	recoder, err := found.recoder(b, res.budget)
	if err != nil {
		return err
	}
	m, err := b.masker(recoder, res)
	if err != nil {
		return err
	}
	res.report.Columns = columnReports(b.Dataset.Schema(), b.specs, m.Plan)
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
		err = m.Mask(ctx, b.tasks(), parts)
	}
	if err == nil {
		err = b.checkUnchanged(ctx)
	}
	if err = errors.Join(err, parts.Close(err == nil)); err == nil {
		b.notePartitions(to.target.Finished, res)
	}
	return err
}

// notePartitions tells of partitions with fewer rows than the largest k of a set that has one of their columns: of columns of
// several sets not every combination has as many.
func (b *Bound) notePartitions(parts []fileset.Part, res *resources) {
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

// masker returns what masks the input.
func (b *Bound) masker(recoder masking.Recoder, res *resources) (*masking.Masker, error) {
	plan, err := masking.NewPlan(b.Job, b.Dataset.Schema(), b.specs, b.masked, recoder.Recoding, b.keys)
	if err != nil {
		return nil, err
	}
	plan.List(b.listed.of)
	for _, field := range b.counted() { // what tells records apart
		recoder.Tuples = append(recoder.Tuples, formats.Request{Column: field, Coded: true})
	}
	return &masking.Masker{
		Dataset: b.Dataset, Plan: plan, Recoder: recoder,
		Write:   writer.Options{Compression: b.Job.Output.Compression, Level: b.Job.Output.Level},
		Threads: res.threads, Budget: res.budget,
		Advanced: func(done, total int64) { res.events.Advanced(StageMask, Progress{Done: done, Total: total}) },
	}, nil
}

// tasks lays out the row groups of the release.
func (b *Bound) tasks() []masking.Task {
	return masking.PlanRowGroups(b.Dataset.Splits(), int64(b.Job.Output.RowGroupRows))
}

// recoder returns what leads from values to labels: the cut's own text, or the recoding when labels
// depend on more than their own column.
func (f *Found) recoder(b *Bound, budget *spill.Budget) (recoder masking.Recoder, err error) {
	if f.recoding == nil {
		return cutRecoder(b, f.Cut, budget)
	}
	recoder.Recoding = f.recoding
	request := b.request(count.Tuning{})
	for a, c := range f.counts.Columns {
		coder, err := request.Coder(a, c, budget)
		if err != nil {
			return recoder, err
		}
		recoder.Coders = append(recoder.Coders, coder)
		recoder.Domains = append(recoder.Domains, c.Attribute.Len()+1)
	}
	if f.recoding.ByClass() && b.class >= 0 {
		recoder.Class, err = request.ClassCoder(f.counts.Table.ClassNames, budget)
		recoder.Domains = append(recoder.Domains, f.counts.Table.Classes)
	}
	return recoder, err
}

// cutRecoder returns a recoder of a cut's text alone.
func cutRecoder(b *Bound, of []byte, budget *spill.Budget) (recoder masking.Recoder, err error) {
	cut, err := domain.ParseCut(of)
	if err != nil {
		return recoder, err
	}
	if err := cut.Bind(b.Job, b.maskedSpecs()); err != nil {
		return recoder, err
	}
	labelers, err := b.labelers(cut, budget)
	if err != nil {
		return recoder, err
	}
	recoder.Recoding = cut.Recoding()
	for _, l := range labelers {
		recoder.Coders = append(recoder.Coders, l)
	}
	return recoder, nil
}
