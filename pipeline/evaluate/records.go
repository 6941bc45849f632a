package evaluate

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/judge"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/algorithm"
	"github.com/kcut/kcut/pipeline/binding"
	"github.com/kcut/kcut/pipeline/count"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/masking"
	"github.com/kcut/kcut/pipeline/output"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/pipeline/search"
	"github.com/kcut/kcut/spill"
)

// Records are the distinct records of an input, with all columns that a release has. They can be
// divided and masked many times, while the input is read once.
type Records struct {
	Attributes []engine.Attribute // masked columns, in job order
	// Kept are the kept columns without the class, in the input's order: of kind Discretize if
	// their values are ordered, otherwise Suppress.
	Kept       []engine.Attribute
	ClassNames []engine.Label // empty without a class

	// Table has the records in order, with their counts. It has a field for every attribute, every
	// kept column, the class and, if records are split, the side of the split, in this order.
	// Without a class all records are of class 0.
	Table *partition.Table

	specs []*job.Column // the entries of the masked columns
	types []formats.Type

	// Space has the rest of the budget, and the store with the table and data that do not fit; nil:
	// all data must fit.
	Space partition.Space
}

// withRecords reads the records of the jobs' input and passes them to use. It notes kept columns
// that are left out. If spilled, it reads the input twice, and counts in a store what does not fit
// the memory.
func (e *evaluation) withRecords(
	ctx context.Context, spilled bool, use func(*Records) error,
) (err error) {
	job, err := e.Variants[0].OfRows()
	if err != nil {
		return err
	}
	r, err := resources.New(job, spill.Options{}, e.Events)
	if err != nil {
		return err
	}
	defer spill.LimitHeap(r.Budget.Limit())()
	defer func() {
		_, closed := r.Scratch.Close()
		err = fault.Join(err, closed)
	}()
	if r.Scratch.Output, err = output.Local(job); err != nil {
		return err
	}
	threads := r.Threads // all threads: binding a job lowers r.Threads
	records, err := e.readRecords(ctx, job, spilled, r)
	if err == nil {
		records.Space = partition.Space{
			Budget: r.Budget, Store: r.Scratch.Opened(), Threads: threads,
		}
		err = use(records)
	}
	if errors.Is(err, spill.ErrBudget) {
		return spill.Instead(fmt.Errorf("work on the distinct records: %w", r.Budget.Advise(err)),
			"drop columns, or take a sample of the rows with --sample")
	}
	return err
}

// readRecords binds the job and reads the input.
func (e *evaluation) readRecords(
	ctx context.Context, job *job.Job, spilled bool, r *resources.Run,
) (records *Records, err error) {
	var s *search.Search
	defer func() { err = fault.Join(err, s.Close()) }()
	_, err = r.Stage(ctx, resources.StagePlan, func() error {
		t, err := binding.LoadTaxonomies(job, r.Budget)
		if err == nil {
			s, err = search.Open(ctx, job, t, r, &search.Outcome{})
		}
		if err == nil {
			s.NoteJob()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	request, err := e.request(s.Bound, spilled, r)
	if err != nil {
		return nil, err
	}
	_, err = r.Stage(ctx, resources.StageCompress, func() error {
		records, err = countRecords(ctx, s.Bound, request, r)
		return err
	})
	return records, err
}

// request requests the masked columns with every value, the kept columns, the class, the
// side of the split, and the tuples of all these columns.
func (e *evaluation) request(
	b *binding.Bound, spilled bool, run *resources.Run,
) (*count.Request, error) {
	if key := b.Protects(); key != "" {
		return nil, b.Job.LocatedKey(key, "evaluate the job without it",
			errors.New("an evaluation counts records alone"))
	}
	if key := b.Job.CountsPeople(); key != "" {
		return nil, b.Job.LocatedKey(key, "evaluate the job without it",
			errors.New("an evaluation does not count the population"))
	}
	r := &count.Request{Dataset: b.Dataset, Masked: len(b.Masked),
		Class: -1, Tuning: count.Tuning{Spill: spilled}, Whole: true}
	for _, field := range b.Masked {
		spec := b.Specs[field]
		r.Columns = append(r.Columns, count.Column{
			Field: field, Spec: spec, Taxonomy: b.Taxonomies.Of[spec.Name],
		})
	}
	fields := b.Dataset.Schema().Fields
	for f, spec := range b.Specs {
		kept := count.Column{Field: f, Spec: &job.Column{Name: spec.Name, Mask: job.MaskKeep}}
		switch t := fields[f].Type; {
		case spec.Mask != job.MaskKeep || f == b.Class || spec.Name == e.SplitColumn:
			continue
		case t.Kind == formats.Nested:
			run.Noted(fmt.Sprintf("column %s is left out: it is nested", spec.Name))
			continue
		case t.Ordered():
			kept.Spec.Mask = job.MaskDiscretize // as numbers
		default:
			kept.Most = maxTexts // as a short list
		}
		r.Columns = append(r.Columns, kept)
	}
	if b.Class >= 0 {
		r.Class = len(r.Columns)
		r.Columns = append(r.Columns, count.Column{Field: b.Class})
	}
	if e.SplitColumn != "" {
		f := b.Dataset.Schema().Index(e.SplitColumn)
		if f < 0 || fields[f].Type.Kind == formats.Nested {
			return nil, fault.Errorf(fault.Usage, "name a column of the input",
				"split records by column %s: the input lacks it, or it is nested", e.SplitColumn)
		}
		r.Columns = append(r.Columns, count.Column{Field: f, Match: &e.SplitValue})
	}
	all := make([]int, len(r.Columns))
	for i := range all {
		all[i] = i
	}
	r.Groupings = []count.Grouping{{Columns: all}}
	if e.Sample > 0 {
		take, rows := judge.Sampler(e.Sample), uint64(b.Dataset.Rows())
		r.Take = func(row, n uint64) uint64 { return take(row, n, rows) }
	}
	return r, nil
}

// countRecords counts the records and puts them in order.
func countRecords(
	ctx context.Context, b *binding.Bound, request *count.Request, run *resources.Run,
) (*Records, error) {
	counting := count.ResourcesOf(run, resources.StageCompress, request.Dataset.Rows())
	counts, err := count.Input(ctx, request, counting)
	if err != nil {
		return nil, err
	}
	records := &Records{specs: b.MaskedSpecs(), Attributes: counts.Table.Attributes,
		ClassNames: counts.Table.ClassNames, Table: counts.Table.Groupings[0]}
	for _, field := range b.Masked {
		records.types = append(records.types, b.Type(field))
	}
	var fields []partition.Field
	for i, f := range records.Table.Layout.Fields {
		switch {
		case i < request.Masked:
			search.NoteColumn(&counts.Columns[i].Domain, run.Noted)
		case i < len(counts.Columns) && counts.Columns[i].LeftOut:
			run.Noted(fmt.Sprintf("column %s is left out: it has more than %d values without "+
				"an order", request.Columns[i].Spec.Name, maxTexts))
			continue
		case i < len(counts.Columns):
			records.Kept = append(records.Kept, counts.Columns[i].Attribute)
		}
		fields = append(fields, f)
	}
	if request.Class < 0 {
		last := fields[len(fields)-1]
		none := partition.Field{Word: last.Word, Shift: last.Shift + uint(bits.Len64(last.Mask))}
		fields = slices.Insert(fields, len(records.Attributes)+len(records.Kept), none)
	}
	records.Table.Layout.Fields = fields
	if store := run.Scratch.Opened(); store != nil {
		share := run.Budget.Grant(&spill.OrderedRecords)
		return records, records.Table.Order(ctx,
			partition.Space{Budget: run.Budget, Store: store, Share: share})
	}
	records.Table.Sort()
	return records, nil
}

// Requirement returns the requirements of a job on the attributes. The job must have the same
// columns as the job of the records.
func (r *Records) Requirement(job *job.Job) engine.Requirement {
	number := make(map[string]int)
	for a := range r.Attributes {
		number[r.Attributes[a].Name] = a
	}
	kept, _ := binding.Requirement(job, number, int64(r.Table.Size()))
	return kept
}

// Marks returns the labels of suppressed records, one label for each attribute; nil if the
// recoding suppresses no records.
func (r *Records) Marks(attributes []engine.Attribute, recoding engine.Recoding) []uint32 {
	suppressed, _ := recoding.Lost()
	return search.Widest(attributes, recoding, suppressed)
}

// SetBounds chooses the bounds of intervals among the values of released codes, like a run that
// suppresses records. The attributes get bounds of their own.
func (r *Records) SetBounds(
	attributes []engine.Attribute, recoding engine.Recoding, released [][]bool,
) error {
	for a := range attributes {
		starts := search.StartsOf(&attributes[a], recoding, a)
		if len(starts) == 0 {
			continue
		}
		spans := masking.NewSpans(a, starts)
		for code, text := range attributes[a].Texts {
			if !released[a][code] {
				continue
			}
			value := formats.Values{Type: r.types[a]}
			if err := value.Parse(text); err != nil {
				return fmt.Errorf("choose bounds of column %s: %w", r.specs[a].Name, err)
			}
			spans.Add(&value, 0, uint32(code))
		}
		if err := search.Round(&attributes[a], &spans, recoding,
			r.specs[a], r.types[a]); err != nil {
			return err
		}
	}
	return nil
}

// SearchOf returns the engine of a job, and the options of the engine for the records'
// attributes. Algorithm auto calls chose with the name and the engine of the algorithm that it
// chooses; an error ends the search.
func (r *Records) SearchOf(
	job *job.Job, chose func(name string, by engine.Engine) error,
) (engine.Engine, engine.Options) {
	e := algorithm.Noting(algorithm.Engine(job), chose)
	return e, algorithm.Options(job, r.Attributes)
}
