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

// read reads the records of the jobs' input and calls use. It notes kept columns that are left out.
// If spilled, it reads the input twice, and counts in a store what does not fit the memory.
func (e *evaluation) read(
	ctx context.Context, spilled bool, use func(context.Context) error,
) (err error) {
	job, err := e.jobs[0].OfRows()
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
	if err = e.readRecords(ctx, job, spilled, r); err == nil {
		e.Space = partition.Space{
			Budget: r.Budget, Store: r.Scratch.Opened(), Threads: threads,
		}
		err = e.count(ctx)
	}
	if err == nil {
		err = use(ctx)
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
) (err error) {
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
		return err
	}
	request, err := e.request(s.Bound, spilled, r)
	if err != nil {
		return err
	}
	_, err = r.Stage(ctx, resources.StageCompress, func() error {
		return e.countRecords(ctx, s.Bound, request, r)
	})
	return err
}

// request requests the masked columns with every value, the kept columns, the class, the
// side of the split, and the tuples of all these columns.
func (e *evaluation) request(
	b *binding.Bound, spilled bool, run *resources.Run,
) (*count.Request, error) {
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
	e.requestGroups(r, b, run)
	all := make([]int, len(r.Columns))
	for i := range all {
		all[i] = i
	}
	e.requestKinds(r, b)
	if r.Profile != nil { // the kind takes the place of the class
		if r.Class >= 0 {
			all[r.Class] = r.ProfilePosition()
		} else if last := len(all) - 1; r.Columns[all[last]].IsBound() {
			all = append(all, r.ProfilePosition())
		} else { // the side of a split, or the group of an entity, is the last field
			all = slices.Insert(all, last, r.ProfilePosition())
		}
	}
	r.Groupings = []count.Grouping{{Columns: all}}
	take, rows := judge.Sampler(e.Sample), uint64(b.Dataset.Rows())
	switch {
	case e.Sample > 0 && b.Entity >= 0:
		r.TakeEntity = func(hash uint64) bool { return take(hash, 1, rows) > 0 }
	case e.Sample > 0:
		r.Take = func(row, n uint64) uint64 { return take(row, n, rows) }
	}
	return r, nil
}

// groupsOfFold is the number of groups of entities for each fold, if folds differ from repeat to
// repeat. More groups make repeats differ more, and more tuples.
const groupsOfFold = 16

// requestGroups requests, if k counts entities, the groups of these of which folds consist: all
// records of an entity are in one fold, so that no classifier is tested on entities that it has
// learned from, and an entity has the same weight in every fold.
func (e *evaluation) requestGroups(r *count.Request, b *binding.Bound, run *resources.Run) {
	if e.groups = 0; b.Entity < 0 {
		return
	}
	if e.SplitColumn == "" {
		if e.groups = e.Folds; e.Repeats > 1 {
			e.groups *= groupsOfFold
		}
		r.Columns = append(r.Columns, count.Column{Field: b.Entity, Groups: e.groups})
	} else {
		run.Noted("k counts entities: one with rows on both sides of the split counts for less " +
			"in training than in a run on these rows, and is tested though it was learned from")
	}
}

// requestKinds requests what protections distinguish: the values of sensitive columns, and the
// entities if k counts these.
func (e *evaluation) requestKinds(r *count.Request, b *binding.Bound) {
	if b.Protects() == "" {
		return
	}
	r.Profile = &count.ProfileColumns{Entities: b.Entity >= 0}
	for _, field := range b.Sensitive {
		at := r.Class
		if field != b.Class || at < 0 {
			at = len(r.Columns)
			r.Columns = append(r.Columns, count.Column{Field: field})
		}
		r.Profile.Sensitive = append(r.Profile.Sensitive, at)
	}
	if b.Entity >= 0 {
		r.Columns = append(r.Columns, count.Column{Field: b.Entity})
	}
}

// countRecords counts the records and puts them in order.
func (e *evaluation) countRecords(
	ctx context.Context, b *binding.Bound, request *count.Request, run *resources.Run,
) error {
	counting := count.ResourcesOf(run, resources.StageCompress, request.Dataset.Rows())
	counts, err := count.Input(ctx, request, counting)
	if err != nil {
		return err
	}
	names, table := counts.Table.ClassNames, counts.Table.Groupings[0]
	records := &judge.Records{Counts: table, Table: &engine.Table{
		Attributes: counts.Table.Attributes, Classes: len(names), ClassNames: names,
		Kinds: counts.Table.Kinds,
	}}
	e.Records, e.specs, e.types, e.taxonomies = records, b.MaskedSpecs(), nil, b.Taxonomies
	for _, field := range b.Masked {
		e.types = append(e.types, b.Type(field))
	}
	var fields []partition.Field
	for i, f := range table.Layout.Fields {
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
	if request.Class < 0 && records.Kinds == nil {
		last := fields[len(fields)-1]
		none := partition.Field{Word: last.Word, Shift: last.Shift + uint(bits.Len64(last.Mask))}
		fields = slices.Insert(fields, len(records.Attributes)+len(records.Kept), none)
	}
	table.Layout.Fields = fields
	if store := run.Scratch.Opened(); store != nil {
		share := run.Budget.Grant(&spill.OrderedRecords)
		return table.Order(ctx, partition.Space{Budget: run.Budget, Store: store, Share: share})
	}
	table.Sort()
	return nil
}

// requirement returns the requirements of a job on the attributes, for the records from which rules
// are made. The job must have the same columns as the job of the records.
func (t *trial) requirement(job *job.Job) engine.Requirement {
	number := make(map[string]int)
	for a := range t.Attributes {
		number[t.Attributes[a].Name] = a
	}
	kept, _ := binding.Requirement(job, number, int64(t.Searched.Stats().Size))
	if t.Searched.Kinds != nil {
		search.BindLimits(kept, job, t.taxonomies, t.Searched)
	}
	return kept
}

// marks returns the labels of suppressed records, one label for each attribute; nil if the
// recoding suppresses no records.
func marks(attributes []engine.Attribute, recoding engine.Recoding) []uint32 {
	suppressed, _ := recoding.Lost()
	return search.Widest(attributes, recoding, suppressed)
}

// chooseBounds chooses the bounds of intervals among the values of released codes, like a run that
// suppresses records. The attributes get bounds of their own.
func (e *evaluation) chooseBounds(
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
			value := formats.Values{Type: e.types[a]}
			if err := value.Parse(text); err != nil {
				return fmt.Errorf("choose bounds of column %s: %w", e.specs[a].Name, err)
			}
			spans.Add(&value, 0, uint32(code))
		}
		if err := search.Round(&attributes[a], &spans, recoding,
			e.specs[a], e.types[a]); err != nil {
			return err
		}
	}
	return nil
}

// searchOf returns the engine of a job, and the options of the engine for the records'
// attributes. Algorithm auto calls chose with the name and the engine of the algorithm that it
// chooses; an error ends the search.
func (e *evaluation) searchOf(
	job *job.Job, chose func(name string, by engine.Engine) error,
) (engine.Engine, engine.Options) {
	return algorithm.Noting(algorithm.Engine(job), chose), algorithm.Options(job, e.Attributes)
}
