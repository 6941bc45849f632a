package pipeline

import (
	"context"
	"errors"
	"fmt"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/census"
	"github.com/kcut/kcut/pipeline/coding"
	"github.com/kcut/kcut/pipeline/jobfile"
	"github.com/kcut/kcut/spill"
)

// Records are the distinct records of an input, with all columns that a release has: what
// can be divided and masked again and again while the input is read once.
type Records struct {
	Attributes []engine.Attribute // masked columns, in job order
	Kept       []engine.Attribute // kept columns but the class, in the input's order: Discretize when their values are ordered, else Suppress
	ClassNames []engine.Label     // empty without a class

	// Table counts the records, in order. It has a field for every attribute, every kept
	// column, the class and, if records are split, the side of the split, in this order.
	Table *partition.Table

	Budget  *spill.Budget // what is left of it may be drawn
	Store   *spill.Store  // what does not fit is there, the table too; nil: all must fit
	Threads int
}

// RecordsOptions say what is read, and what besides the job's columns.
type RecordsOptions struct {
	// SplitColumn and SplitValue split records in two: side 0 has the value in the column, which
	// is no feature then, side 1 has not. Without a column they are not split.
	SplitColumn, SplitValue string

	Spill    bool                        // read the input twice, and count what does not fit the memory in a store
	Take     func(row, rows uint64) bool // of a row by its position in the input, of so many; nil: all
	MaxTexts int                         // kept columns without an order that have more values are left out
	Events   Events
}

// WithRecords reads the records of a job's input, and hands them to use. Unless they may
// spill, they must fit into half of the job's memory: else the error wraps spill.ErrBudget.
// Kept columns that are left out are noted.
func WithRecords(ctx context.Context, job *jobfile.Job, opt RecordsOptions, use func(*Records) error) (err error) {
	r := &run{job: job, report: &Report{}, opt: RunOptions{Events: opt.Events}}
	if err := r.provide(); err != nil {
		return err
	}
	defer spill.LimitHeap(r.budget.Limit())()
	r.meter = &meter{budget: r.budget}
	r.listen()
	defer func() {
		if closed := r.closeStore(); !errors.Is(err, closed) {
			err = errors.Join(err, closed)
		}
	}()
	threads := r.threads
	records, err := r.records(ctx, opt)
	if err := errors.Join(err, r.closeInput()); err != nil {
		return outgrown(err)
	}
	records.Budget, records.Store, records.Threads = r.budget, r.store, threads
	return outgrown(use(records))
}

// outgrown tells the user what to do when records do not fit the memory.
func outgrown(err error) error {
	if !errors.Is(err, spill.ErrBudget) {
		return err
	}
	return &fault.Error{
		Class: fault.Resources,
		Hint:  "give more memory with --memory, drop columns, or take a sample of the rows with --sample",
		Err:   fmt.Errorf("work on the distinct records: %w", err),
	}
}

// records reads the input.
func (r *run) records(ctx context.Context, opt RecordsOptions) (*Records, error) {
	if err := r.stage(ctx, StagePlan, r.plan); err != nil {
		return nil, err
	}
	b := newRecordsReader(r, opt)
	if err := b.choose(); err != nil {
		return nil, err
	}
	if opt.Spill {
		return b.records, r.stage(ctx, StageCompress, b.readTwice)
	}
	return b.records, r.stage(ctx, StageCompress, b.read)
}

// recordsReader counts whole records: of provisional codes first, then of those of the domains.
type recordsReader struct {
	*run
	opt     RecordsOptions
	budget  *spill.Budget
	records *Records

	requests  []formats.Request   // masked and kept columns, the class, then the one to split by
	interners []*coding.Interner  // of masked and kept columns, and the class
	coders    []coding.Coder      // of the requests
	kept      []*coding.Shortlist // nil of those with an order
	keptSpecs []*jobfile.Column
	censuses  []*census.Column // when the input is read twice: of the masked columns and the kept ones with an order
}

func newRecordsReader(r *run, opt RecordsOptions) *recordsReader {
	return &recordsReader{run: r, opt: opt, budget: r.budget.Part(r.budget.Limit() / 2), records: &Records{}}
}

// choose finds the columns to be read.
func (b *recordsReader) choose() error {
	fields := b.dataset.Schema().Fields
	for _, f := range b.prepared.masked {
		in := b.intern(f, b.prepared.specs[f].Mask == jobfile.MaskDiscretize)
		b.coders = append(b.coders, in)
	}
	for f, spec := range b.prepared.specs {
		if spec.Mask == jobfile.MaskKeep && f != b.prepared.class && spec.Name != b.opt.SplitColumn {
			b.keep(f, fields[f])
		}
	}
	if f := b.prepared.class; f >= 0 {
		b.coders = append(b.coders, b.intern(f, false))
	}
	if b.opt.SplitColumn == "" {
		return nil
	}
	f := b.dataset.Schema().Index(b.opt.SplitColumn)
	if f < 0 || fields[f].Type.Kind == formats.Nested {
		return &fault.Error{Class: fault.Usage, Hint: "name a column of the input", Err: fmt.Errorf("split records by column %s: the input lacks it, or it is nested", b.opt.SplitColumn)}
	}
	b.requests = append(b.requests, formats.Request{Column: f, Coded: true})
	b.coders = append(b.coders, match{b.opt.SplitValue})
	return nil
}

// intern asks for a column.
func (b *recordsReader) intern(field int, nanIsNull bool) *coding.Interner {
	in := coding.NewInterner(b.dataset.Schema().Fields[field], nanIsNull, b.budget)
	b.requests = append(b.requests, formats.Request{Column: field, Coded: true})
	b.interners = append(b.interners, in)
	return in
}

// keep asks for a kept column: as numbers if its values have an order, else as a short list.
func (b *recordsReader) keep(field int, of formats.Field) {
	if of.Type.Kind == formats.Nested {
		b.events.Noted(fmt.Sprintf("column %s is left out: it is nested", of.Name))
		return
	}
	ordered := of.Type.Ordered()
	in := b.intern(field, ordered)
	spec := &jobfile.Column{Name: of.Name, Mask: jobfile.MaskKeep}
	var list *coding.Shortlist
	if ordered {
		spec.Mask = jobfile.MaskDiscretize
		b.coders = append(b.coders, in)
	} else {
		list = coding.NewShortlist(in, b.opt.MaxTexts)
		b.coders = append(b.coders, list)
	}
	b.kept, b.keptSpecs = append(b.kept, list), append(b.keptSpecs, spec)
}

// read counts the records, and binds them to the domains.
func (b *recordsReader) read(ctx context.Context) error {
	workers := make([]*recording, b.dataset.Scanners(b.threads))
	counters := make([]*partition.Counter, len(workers))
	for i := range workers {
		counters[i] = partition.NewCounter(len(b.coders), b.budget)
		workers[i] = b.newRecording(counters[i])
	}
	if err := dataset.Scan(ctx, b.dataset, b.requests, workers, b.counted(0, 1)); err != nil {
		return err
	}
	table, err := partition.Tabulate(ctx, counters, b.budget, b.threads)
	if err != nil {
		return err
	}
	return b.bind(ctx, table)
}

// recoding leads from the provisional codes of a table's columns to those of their domains.
type recoding struct {
	maps  [][]uint32
	sizes []int
}

func (r *recoding) add(codes []uint32, size int) {
	r.maps, r.sizes = append(r.maps, codes), append(r.sizes, size)
}

// bind replaces provisional codes by those of the domains.
func (b *recordsReader) bind(ctx context.Context, t *partition.Table) error {
	to := &recoding{}
	if err := b.bindMasked(ctx, t, to); err != nil {
		return err
	}
	if err := b.bindKept(t, to); err != nil {
		return err
	}
	if b.prepared.class >= 0 {
		in := b.interners[len(b.interners)-1]
		order, names := coding.ClassOrder(in, byClass(occurrences(t, len(b.interners)-1, in)))
		b.records.ClassNames = names
		to.add(order, len(names))
	}
	if b.opt.SplitColumn != "" {
		to.add(engine.Identity(2).Codes, 2)
	}
	t = t.Recode(to.maps, to.sizes, b.threads)
	b.settle(t)
	t.Sort()
	b.records.Table = t
	return nil
}

// bindMasked makes the domains of the masked columns, in which every value is told apart.
func (b *recordsReader) bindMasked(ctx context.Context, t *partition.Table, to *recoding) error {
	for a, f := range b.prepared.masked {
		spec := b.prepared.specs[f]
		d, _, err := coding.Bind(spec, b.interners[a], occurrences(t, a, b.interners[a]), b.taxonomies[spec.Name], engine.Pruning{})
		if err != nil {
			return b.locate(ctx, a, err)
		}
		b.note(d)
		b.records.Attributes = append(b.records.Attributes, d.Attribute)
		to.add(d.Codes, d.Attribute.Len())
	}
	return nil
}

// bindKept makes the domains of the kept columns, and leaves out those with too many values.
func (b *recordsReader) bindKept(t *partition.Table, to *recoding) error {
	for i, list := range b.kept {
		column := len(b.prepared.masked) + i
		in := b.interners[column]
		if list != nil && list.Exceeded() {
			b.leaveOut(list)
			to.add(make([]uint32, in.Len()), 1)
			continue
		}
		d, _, err := coding.Bind(b.keptSpecs[i], in, occurrences(t, column, in), jobfile.Taxonomy{}, engine.Pruning{})
		if err != nil {
			return err
		}
		b.records.Kept = append(b.records.Kept, d.Attribute)
		to.add(d.Codes, d.Attribute.Len())
	}
	return nil
}

// leaveOut notes that a column is left out.
func (b *recordsReader) leaveOut(list *coding.Shortlist) {
	b.events.Noted(fmt.Sprintf("column %s is left out: it has more than %d values without an order", list.Column, b.opt.MaxTexts))
}

// settle takes the columns that were left out, whose domain is one code, from the table's
// layout.
func (b *recordsReader) settle(t *partition.Table) {
	fields := t.Layout.Fields[:0:0]
	for i, f := range t.Layout.Fields {
		kept := i - len(b.prepared.masked)
		if kept < 0 || kept >= len(b.kept) || b.kept[kept] == nil || !b.kept[kept].Exceeded() {
			fields = append(fields, f)
		}
	}
	t.Layout.Fields = fields
}

// occurrences counts the records of a column's codes.
func occurrences(t *partition.Table, column int, in *coding.Interner) partition.Pairs {
	counts := make([]uint64, in.Len())
	field, words := t.Layout.Fields[column], t.Layout.Words
	for i, n := range t.Counts {
		counts[field.Code(t.Keys[i*words:])] += uint64(n)
	}
	return pairsOf(counts)
}

// pairsOf lists the codes that some records have.
func pairsOf(counts []uint64) (pairs partition.Pairs) {
	for code, n := range counts {
		if n > 0 {
			pairs = append(pairs, partition.Pair{Code: uint32(code), Count: n})
		}
	}
	return pairs
}

// byClass takes codes for classes.
func byClass(pairs partition.Pairs) partition.Pairs {
	for i := range pairs {
		pairs[i].Class = pairs[i].Code
	}
	return pairs
}

// Requirement returns what a job asks of the attributes. The job has the columns of the one
// that the records were read for.
func (r *Records) Requirement(job *jobfile.Job) engine.Requirement {
	number := make(map[string]int)
	for a := range r.Attributes {
		number[r.Attributes[a].Name] = a
	}
	kept, _ := requirementOf(job, number)
	return kept
}

// SearchOf returns the engine of a job, and the options that it gives it.
func SearchOf(job *jobfile.Job) (engine.Engine, engine.Options) {
	r := &run{job: job}
	return newEngine(job.Algorithm), engine.Options{Score: scores[job.Score], MaxSteps: r.maxSteps()}
}
