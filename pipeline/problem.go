package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/coding"
	"github.com/kcut/kcut/pipeline/compress"
	"github.com/kcut/kcut/pipeline/jobfile"
	"github.com/kcut/kcut/spill"
)

// problem is what compress makes of the input: the table that the engine searches, and the
// way from values to its codes.
type problem struct {
	table  *engine.Table
	coders []coding.Coder // of every attribute
	class  coding.ClassCoder
}

// wants returns the counts that the engine needs. It is asked once: with thousands of sets, to
// compare them takes longer than to count.
func (r *run) wants() engine.Plan {
	if r.wanted == nil {
		plan := r.engine.Plan(r.prepared.requirement)
		r.wanted = &plan
	}
	return *r.wanted
}

// compress counts the input in memory, in one reading when its values are not too many for
// that, and out of core when memory is not enough.
func (r *run) compress(ctx context.Context) error {
	if !r.opt.spill {
		err := r.countInMemory(ctx)
		switch {
		case errors.Is(err, coding.ErrManyValues), errors.Is(err, compress.ErrManyTuples):
			r.forget()
			return r.countTwice(ctx)
		case !errors.Is(err, spill.ErrBudget):
			return err
		}
	}
	return r.leaveMemory(ctx, "the distinct values and tuples")
}

// countInMemory reads the input once. What it holds may take half of the budget: the other
// half is for the search, the readers and what Go's collector has not collected.
func (r *run) countInMemory(ctx context.Context) error {
	part := r.budget.Part(r.budget.Limit() / 2)
	count := r.countWithin
	if r.given != nil {
		count = r.countLabels
	}
	err := count(ctx, part)
	if err != nil {
		part.Return(part.Used())
	}
	return err
}

func (r *run) countWithin(ctx context.Context, budget *spill.Budget) error {
	reading := &compress.Reading{
		Dataset: r.dataset, Requests: r.prepared.requests(), Attributes: len(r.prepared.masked), Class: r.job.Class,
		Plan: r.wants(), Pairs: true, Most: r.most(manyTuples),
		Budget: budget, Threads: r.threads, Advanced: r.counted(0, 1),
	}
	counts := &compression{}
	fields := r.dataset.Schema().Fields
	for _, field := range r.prepared.masked {
		in := coding.NewInterner(fields[field], r.prepared.specs[field].Mask == jobfile.MaskDiscretize, budget)
		in.Most = r.most(manyValues)
		counts.columns = append(counts.columns, in)
		reading.Coders = append(reading.Coders, in)
	}
	if r.prepared.class >= 0 {
		counts.class = coding.NewInterner(fields[r.prepared.class], false, budget)
		reading.Coders = append(reading.Coders, counts.class)
	}
	counted, err := reading.Count(ctx)
	if err != nil {
		return err
	}
	// Tuples are joined while columns are bound: either has parts that one thread does alone.
	var domains []*coding.Domain
	err = workers.Each(2, r.threads, func(_ workers.Worker, task int) (err error) {
		if task == 0 {
			counts.groupings, err = counted.Tables(ctx)
			return err
		}
		if counts.pairs, err = counted.Pairs(ctx); err == nil {
			domains, err = r.bind(ctx, counts, budget)
		}
		return err
	})
	if err != nil {
		return err
	}
	r.order(counts, domains)
	return nil
}

// Many values of a column, or tuples of a set, are counted faster in two readings of the input
// than in one: first every column in order, without a table of its values, then tuples of the
// few codes that a search tells apart. Of that many tuples the buckets outgrow the caches.
const (
	manyValues = 1 << 19
	manyTuples = 1 << 24
)

// most returns how many values or tuples are counted in one reading, 0: any number. An engine
// that wants to know every value would hold them anyway.
func (r *run) most(many int) int {
	if r.wants().Whole {
		return 0
	}
	return cmp.Or(r.opt.many, many)
}

// counted returns a function that tells the progress of one of several readings.
func (r *run) counted(reading, readings int64) func(rows int64) {
	total := r.dataset.Rows()
	return func(rows int64) {
		r.events.Advanced(StageCompress, Progress{Done: reading*total + rows, Total: readings * total})
	}
}

// compression is what one reading of the input leaves: the distinct values of every masked
// column and of the class, and the counts an engine asked for, all in provisional codes.
type compression struct {
	columns   []*coding.Interner // masked columns, in attribute order
	class     *coding.Interner   // nil without a class
	groupings []*partition.Table
	pairs     []partition.Pairs // (value, class) of every attribute
}

// pruning says which values of an attribute no search tells apart: none when the engine
// wants to know every value. The k is the largest of the sets with the attribute: each must
// hold by itself, and a named value of fewer records stands out in the set that asks for most.
// A set without the attribute says nothing of its values.
func (r *run) pruning(attribute int) engine.Pruning {
	k, _ := r.prepared.requirement.LargestK(attribute) // every attribute is in a set
	switch plan := r.wants(); {
	case !plan.Whole:
		return engine.Pruning{K: k, Classes: r.prepared.class >= 0}
	case plan.Pool && r.prepared.specs[r.prepared.masked[attribute]].Mask == jobfile.MaskSuppress:
		return engine.Pruning{K: k}
	}
	return engine.Pruning{}
}

// bind makes the domains of the masked columns, and numbers their pairs by them.
func (r *run) bind(ctx context.Context, counts *compression, budget *spill.Budget) ([]*coding.Domain, error) {
	domains := make([]*coding.Domain, len(r.prepared.masked))
	return domains, workers.Each(len(domains), r.threads, func(_ workers.Worker, a int) (err error) {
		spec := r.prepared.specs[r.prepared.masked[a]]
		pruning := r.pruning(a)
		pruning.Hold = coding.HoldFrequent(spec.Name, budget)
		domains[a], counts.pairs[a], err = coding.Bind(spec, counts.columns[a], counts.pairs[a], r.taxonomies[spec.Name], pruning)
		if err != nil {
			return r.locate(ctx, a, err)
		}
		return nil
	})
}

// order orders what was counted by the domains.
func (r *run) order(counts *compression, domains []*coding.Domain) {
	p := &problem{table: &engine.Table{Rows: uint64(r.dataset.Rows())}}
	for a, d := range domains {
		p.table.Attributes = append(p.table.Attributes, d.Attribute)
		p.coders = append(p.coders, coding.NewOrdered(counts.columns[a], d))
	}
	for _, d := range domains {
		r.note(d)
	}
	p.class = r.classify(p.table, counts.class, counts.pairs)
	for g, grouping := range r.wants().Groupings {
		p.table.Groupings = append(p.table.Groupings, r.inDomains(counts.groupings[g], grouping, domains, p.class))
	}
	r.pose(p)
}

// note tells what the user should know of a domain.
func (r *run) note(d *coding.Domain) {
	name := d.Attribute.Name
	if d.Nulls > 0 {
		r.report.Nulls = append(r.report.Nulls, NullCount{name, d.Nulls})
		r.events.Noted(fmt.Sprintf("column %s has %d nulls", name, d.Nulls))
	}
	if d.Binned > 0 {
		r.events.Noted(fmt.Sprintf("column %s has %d distinct values: split points are restricted to %d quantile edges", name, d.Binned, len(d.Attribute.Texts)))
	}
}

// classify numbers the classes in label order and makes the histograms of pairs whose codes
// are the attributes' and whose classes are provisional. It returns the coder of the classes.
func (r *run) classify(t *engine.Table, class *coding.Interner, pairs []partition.Pairs) (coder coding.ClassCoder) {
	classes := 1
	if class != nil {
		coder, t.ClassNames = coding.NewClassCoder(class, pairs[0])
		classes = coder.Classes
		t.Classes = classes
		if classes == 1 {
			r.events.Noted(fmt.Sprintf("class column %s holds one class: no specialization is beneficial", r.job.Class))
		}
	}
	for a := range pairs {
		t.Histograms = append(t.Histograms, pairs[a].Translate(nil, coder.Numbers).Histogram(t.Attributes[a].Len(), classes))
	}
	return coder
}

// inDomains hands a table over in the codes of the domains.
func (r *run) inDomains(t *partition.Table, grouping engine.Grouping, domains []*coding.Domain, class coding.ClassCoder) *partition.Table {
	var maps [][]uint32
	var sizes []int
	merges := false
	for _, a := range grouping.Columns {
		maps, sizes = append(maps, domains[a].Codes), append(sizes, domains[a].Attribute.Len())
		merges = merges || domains[a].Merges
	}
	if grouping.Class && class.In != nil {
		maps, sizes = append(maps, class.Numbers), append(sizes, class.Classes)
	}
	if merges {
		return t.Recode(maps, sizes, r.threads)
	}
	t.Translate(maps, sizes, r.threads)
	return t
}

// pose makes p the problem to be searched.
func (r *run) pose(p *problem) {
	r.problem = p
	r.report.Tuples = nil
	for _, grouping := range p.table.Groupings {
		r.report.Tuples = append(r.report.Tuples, grouping.Len())
	}
}

// leaveMemory starts again, with a store for what did not fit.
func (r *run) leaveMemory(ctx context.Context, what string) error {
	r.forget()
	if _, err := r.openStore(what); err != nil {
		return err
	}
	if r.given != nil {
		return r.countLabelsOutOfCore(ctx)
	}
	return r.countTwice(ctx)
}

// forget drops what was counted, and keeps the taxonomies.
func (r *run) forget() {
	r.problem, r.report.Nulls = nil, nil
	r.budget.Return(r.budget.Used() - r.trees)
	debug.FreeOSMemory()
}

// searchSpace is what the search may take: all that nobody else has drawn.
func (r *run) searchSpace() partition.Space {
	share := r.budget.Limit() - r.budget.Used()
	for _, grouping := range r.problem.table.Groupings {
		share += grouping.Bytes()
	}
	return partition.Space{Budget: r.budget, Store: r.store, Share: share, Threads: r.threads}
}
