package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/topdown"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/formats/writer"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

// RunOptions are what the command line adds to a job.
type RunOptions struct {
	Overwrite bool      // replace an existing output
	Trace     io.Writer // one JSON line per performed specialization; may be nil
	RunJSON   string    // file that receives the report, before publishing; empty: none
	Events    Events
}

// Run carries out the job and publishes its release. On an error nothing is published.
func Run(ctx context.Context, job *Job, opt RunOptions) (*Report, error) {
	r := &run{job: job, opt: opt, report: &Report{Output: job.Output.Path}, threads: job.Limits.Threads}
	if r.threads == 0 {
		r.threads = runtime.GOMAXPROCS(0)
	}
	memory := job.Limits.Memory
	if memory == 0 {
		memory = spill.DefaultLimit()
	}
	r.budget = spill.NewBudget(memory)
	r.listen()
	err := r.do(ctx)
	if r.dataset != nil {
		err = errors.Join(err, r.dataset.Close())
	}
	if err != nil {
		return nil, err
	}
	return r.report, nil
}

// run is a job being carried out.
type run struct {
	job     *Job
	opt     RunOptions
	events  Events
	report  *Report
	threads int
	budget  *spill.Budget

	dataset    *dataset.Dataset
	inputs     []fs.FileInfo // of the dataset's files, when they were opened
	prepared   *prepared
	taxonomies map[string]Taxonomy // of generalized columns
	counts     *compression
	domains    []*domain
	recoding   engine.Recoding
	cut        []byte // the embedded cut
}

// listen keeps what the events tell in the report, too.
func (r *run) listen() {
	r.events = r.opt.Events
	notice := r.events.Notice
	r.events.Notice = func(text string) {
		r.report.Notices = append(r.report.Notices, text)
		if notice != nil {
			notice(text)
		}
	}
}

func (r *run) do(ctx context.Context) error {
	if err := checkTarget(r.job, r.opt.Overwrite); err != nil {
		return err
	}
	stages := []struct {
		name Stage
		do   func(context.Context) error
	}{
		{StagePlan, r.plan},
		{StageCompress, r.compress},
		{StageSearch, r.search},
	}
	for _, s := range stages {
		if err := r.stage(ctx, s.name, s.do); err != nil {
			return err
		}
	}
	return r.release(ctx)
}

func (r *run) stage(ctx context.Context, name Stage, do func(context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	began := r.events.Began(name)
	if err := do(ctx); err != nil {
		return err
	}
	took := r.events.Ended(name, began)
	r.report.Stages = append(r.report.Stages, StageTime{name, took.Seconds()})
	return nil
}

// plan opens the input and binds the job to it.
func (r *run) plan(ctx context.Context) (err error) {
	if r.taxonomies, err = r.job.LoadTaxonomies(); err != nil {
		return err
	}
	if r.dataset, err = openInput(ctx, r.job); err != nil {
		return err
	}
	if err := checkDistinct(r.job, r.dataset); err != nil {
		return err
	}
	if r.inputs, err = statInputs(r.dataset.Files()); err != nil {
		return err
	}
	r.report.Rows, r.report.Inputs = r.dataset.Rows(), r.dataset.Files()
	if r.prepared, err = prepare(r.job, r.dataset.Schema(), r.dataset.Rows()); err != nil {
		return err
	}
	for _, set := range r.prepared.dropped {
		r.events.Noted(fmt.Sprintf("quasi-identifier set %d is redundant: its columns are in another set whose k is not smaller", set+1))
	}
	return nil
}

// compress counts the input and gives every value its place in the order of its domain.
func (r *run) compress(ctx context.Context) error {
	c := &compressor{
		dataset: r.dataset, requests: r.prepared.requests(), plan: topdown.Engine{}.Plan(r.prepared.requirement),
		budget: r.budget, threads: r.threads, events: &r.events,
	}
	fields := r.dataset.Schema().Fields
	for _, field := range r.prepared.masked {
		c.columns = append(c.columns, newInterner(fields[field], r.prepared.specs[field].Mask == MaskDiscretize, r.budget))
	}
	if r.prepared.class >= 0 {
		c.class = newInterner(fields[r.prepared.class], false, r.budget)
	}
	var err error
	if r.counts, err = c.compress(ctx); err != nil {
		return err
	}
	return r.bind(ctx)
}

// bind makes the domains and notes what the user should know of them.
func (r *run) bind(ctx context.Context) error {
	for a, field := range r.prepared.masked {
		spec := r.prepared.specs[field]
		d, err := newDomain(spec, r.counts.columns[a], r.counts.pairs[a], r.taxonomies[spec.Name])
		if err != nil {
			return r.locate(ctx, a, err)
		}
		r.domains = append(r.domains, d)
		if d.nulls > 0 {
			r.report.Nulls = append(r.report.Nulls, NullCount{spec.Name, d.nulls})
			r.events.Noted(fmt.Sprintf("column %s has %d nulls", spec.Name, d.nulls))
		}
		if d.binned > 0 {
			r.events.Noted(fmt.Sprintf("column %s has %d distinct values: split points are restricted to %d quantile edges", spec.Name, d.binned, len(d.attribute.Texts)))
		}
	}
	return nil
}

// table hands the counts over in the codes of the domains.
func (r *run) table() (*engine.Table, error) {
	t := &engine.Table{Rows: uint64(r.dataset.Rows()), Attributes: r.attributes()}
	classes, codes := 1, []uint32(nil)
	if r.counts.class != nil {
		codes, classes = classOrder(r.counts.class, r.counts.pairs[0])
		t.Classes = classes
		if classes == 1 {
			r.events.Noted(fmt.Sprintf("class column %s holds one class: no specialization is beneficial", r.job.Class))
		}
	}
	for a, d := range r.domains {
		pairs := r.counts.pairs[a].Translate(d.codes, codes)
		t.Histograms = append(t.Histograms, pairs.Histogram(d.attribute.Len(), classes))
	}
	plan := topdown.Engine{}.Plan(r.prepared.requirement)
	for g, grouping := range plan.Groupings {
		translated, err := r.translate(r.counts.groupings[g], grouping)
		if err != nil {
			return nil, err
		}
		r.report.Tuples = append(r.report.Tuples, translated.Len())
		t.Groupings = append(t.Groupings, translated)
	}
	return t, nil
}

func (r *run) translate(t *partition.Table, grouping engine.Grouping) (*partition.Table, error) {
	maps := make([][]uint32, len(grouping.Columns))
	domains := make([]int, len(grouping.Columns))
	merges := false
	for i, a := range grouping.Columns {
		maps[i], domains[i] = r.domains[a].codes, r.domains[a].attribute.Len()
		merges = merges || r.domains[a].merges
	}
	if merges {
		return t.Recode(maps, domains), nil
	}
	t.Translate(maps, domains)
	return t, nil
}

// attributes returns the masked columns as the engine sees them.
func (r *run) attributes() []engine.Attribute {
	attributes := make([]engine.Attribute, len(r.domains))
	for a, d := range r.domains {
		attributes[a] = d.attribute
	}
	return attributes
}

// scores are the selection criteria by the job file's names.
var scores = map[string]engine.Score{
	"tdr": engine.ScoreTDR, "tds": engine.ScoreTDS, "infogain": engine.ScoreInfoGain,
}

// maxSteps is the job's limit in the engine's form.
func (r *run) maxSteps() int {
	if r.job.MaxSteps == nil {
		return -1
	}
	return *r.job.MaxSteps
}

// search finds the recoding and writes down what is released.
func (r *run) search(ctx context.Context) error {
	table, err := r.table()
	if err != nil {
		return err
	}
	trace := &tracer{attributes: table.Attributes, out: r.opt.Trace}
	last := make([]uint64, len(r.prepared.requirement.Sets))
	for i := range last {
		last[i] = table.Rows
	}
	recoding, err := topdown.Engine{}.Search(ctx, table, r.prepared.requirement, engine.Options{
		Score:    scores[r.job.Score],
		MaxSteps: r.maxSteps(),
		OnStep: func(s engine.Step) {
			r.report.Steps = s.Number
			copy(last, s.Anonymity)
			trace.step(s)
			r.events.Advanced(StageSearch, Progress{Done: int64(s.Number)})
		},
	})
	if err := errors.Join(err, trace.err); err != nil {
		return err
	}
	r.recoding = recoding
	for i, set := range r.prepared.requirement.Sets {
		report := SetReport{K: set.K, Anonymity: last[i]}
		for _, a := range set.Columns {
			report.Columns = append(report.Columns, table.Attributes[a].Name)
		}
		r.report.Sets = append(r.report.Sets, report)
	}
	r.cut, err = marshalPlain(r.describe())
	return err
}

// release writes, recounts and publishes.
func (r *run) release(ctx context.Context) error {
	target, err := openTarget(r.job.Output.Path)
	if err != nil {
		return err
	}
	err = r.stage(ctx, StageMask, func(ctx context.Context) error { return r.mask(ctx, target) })
	if err == nil {
		err = r.stage(ctx, StageVerify, func(ctx context.Context) error { return r.recount(ctx, target.Path()) })
	}
	if err == nil {
		err = r.writeReport()
	}
	if err == nil {
		err = r.stage(ctx, StagePublish, func(context.Context) error { return target.Publish() })
	}
	if err != nil {
		return errors.Join(err, target.Discard())
	}
	return nil
}

func (r *run) mask(ctx context.Context, target *target) error {
	plan, err := planRelease(r.job, r.dataset.Schema(), r.prepared.specs, r.attributes(), r.recoding)
	if err != nil {
		return err
	}
	coders := make([]coder, len(r.domains))
	for a, in := range r.counts.columns {
		in.frozen = true
		coders[a] = ordered{in, r.domains[a]}
	}
	m := &masker{
		dataset: r.dataset, plan: plan, recoding: r.recoding, coders: coders,
		write:   writer.Options{Compression: r.job.Output.Compression, Level: r.job.Output.Level},
		threads: r.threads, events: &r.events,
	}
	parts := target.parts(plan.outputs(), map[string]string{CutKey: string(r.cut)})
	err = m.mask(ctx, planRowGroups(r.dataset.Splits(), int64(r.job.Output.RowGroupRows)), parts.add)
	if err == nil {
		err = checkUnchanged(r.dataset.Files(), r.inputs)
	}
	return errors.Join(err, parts.close(err == nil))
}

func (r *run) recount(ctx context.Context, path string) error {
	v, err := newVerifier(path, r.threads, &r.events)
	if err != nil {
		return err
	}
	if err := v.scan(ctx); err != nil {
		return err
	}
	_, err = v.conclude()
	return err
}

// writeReport completes the report and writes it where the options say. That comes before
// publishing, so that a run which cannot write it publishes nothing.
func (r *run) writeReport() error {
	r.report.PeakDraw, r.report.PeakRSS = r.budget.Peak(), spill.PeakResident()
	if r.opt.RunJSON == "" {
		return nil
	}
	text, err := json.MarshalIndent(r.report, "", "  ")
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	if err := os.WriteFile(r.opt.RunJSON, append(text, '\n'), 0o600); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}
