package pipeline

import (
	"cmp"
	"context"
	"errors"

	"github.com/kcut/kcut/formats/writer"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/labeling"
	"github.com/kcut/kcut/pipeline/masking"
	"github.com/kcut/kcut/pipeline/output"
	"github.com/kcut/kcut/pipeline/verify"
	"github.com/kcut/kcut/spill"
)

// release writes, recounts and publishes.
func (r *run) release(ctx context.Context) error {
	target, err := r.openRelease(ctx)
	if err != nil {
		return err
	}
	err = r.stage(ctx, StageMask, func(ctx context.Context) error { return r.mask(ctx, target) })
	if err == nil {
		err = r.stage(ctx, StageVerify, func(ctx context.Context) error { return r.recount(ctx, target.Path()) })
	}
	if err == nil {
		err = r.closeInput()
	}
	if err == nil {
		err = r.weigh(ctx, target.Path())
	}
	if err == nil {
		err = r.announce(ctx, target.Path())
	}
	if err == nil {
		err = r.writeReport()
	}
	if err == nil {
		err = r.stage(ctx, StagePublish, func(ctx context.Context) error { return target.Publish(ctx, r.threads) })
	}
	if err != nil {
		return errors.Join(err, r.withdraw(ctx, target, err))
	}
	r.settleBeside(ctx)
	return r.record()
}

// closeInput lets go of the input, once. That comes before publishing, too.
func (r *run) closeInput() error {
	if r.dataset == nil {
		return nil
	}
	in := r.dataset
	r.dataset = nil
	return in.Close()
}

func (r *run) mask(ctx context.Context, target *output.Target) error {
	recoder, err := r.recoder()
	if err != nil {
		return err
	}
	plan, err := masking.NewPlan(r.job, r.dataset.Schema(), r.prepared.specs, r.prepared.masked, recoder.Recoding)
	if err != nil {
		return err
	}
	r.report.Columns = columnReports(r.dataset.Schema(), r.prepared.specs, plan)
	m := &masking.Masker{
		Dataset: r.dataset, Plan: plan, Recoder: recoder,
		Write:   writer.Options{Compression: r.job.Output.Compression, Level: r.job.Output.Level},
		Threads: r.threads, Budget: r.budget, Tuples: r.prepared.requests(),
	}
	m.Advanced = func(done, total int64) { r.events.Advanced(StageMask, Progress{Done: done, Total: total}) }
	parts := &output.Parts{
		Target: target, Columns: plan.Outputs(), Metadata: map[string]string{cutfile.Key: string(r.cut)},
		Finished: r.masked, Footer: spill.NewLedger(r.budget, "the footer of the release"),
	}
	parts.Ended = func() { r.keepParts(ctx, parts) }
	tasks := masking.PlanRowGroups(r.dataset.Splits(), int64(r.job.Output.RowGroupRows), cmp.Or(r.opt.least, masking.LeastFollowed))
	err = m.Mask(ctx, tasks, parts)
	if err == nil {
		err = checkUnchanged(ctx, r.dataset.Files(), r.inputs)
	}
	return errors.Join(err, parts.Close(err == nil, masking.Place{Task: len(tasks)}))
}

// recoder returns what leads from values to labels: the cut that the release will have, or what
// was searched for when labels depend on more than their own column.
func (r *run) recoder() (masking.Recoder, error) {
	if r.problem == nil || masking.Columnwise(r.recoding, len(r.prepared.masked)) {
		r.problem, r.recoding = nil, nil
		r.budget.Return(r.budget.Used() - r.trees)
		return r.cutRecoder()
	}
	p := r.problem
	recoder := masking.Recoder{Recoding: r.recoding, Coders: p.coders}
	for a := range p.table.Attributes {
		recoder.Domains = append(recoder.Domains, p.table.Attributes[a].Len()+1)
	}
	if r.recoding.ByClass() && r.prepared.class >= 0 {
		recoder.Class, recoder.Domains = p.class, append(recoder.Domains, p.class.Classes)
	}
	return recoder, nil
}

// cutRecoder returns a recoder of the cut's text alone.
func (r *run) cutRecoder() (recoder masking.Recoder, err error) {
	cut, err := labeling.Parse(r.cut)
	if err != nil {
		return recoder, err
	}
	if err := cut.Bind(r.job, r.prepared.maskedSpecs()); err != nil {
		return recoder, err
	}
	labelers, err := cut.Labelers(r.prepared.maskedTypes(r.dataset.Schema()), r.taxonomies, r.budget)
	if err != nil {
		return recoder, err
	}
	recoder.Recoding = cut.Recoding()
	for _, l := range labelers {
		recoder.Coders, recoder.Domains = append(recoder.Coders, l), append(recoder.Domains, l.Size())
	}
	return recoder, nil
}

func (r *run) recount(ctx context.Context, path string) error {
	return verify.Unpublished(ctx, path, r.threads, r.budget.Limit()-r.budget.Used(), r.events.Verifying())
}
