package pipeline

import (
	"context"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/census"
	"github.com/kcut/kcut/pipeline/coding"
	"github.com/kcut/kcut/pipeline/jobfile"
	"github.com/kcut/kcut/pipeline/output"
)

// readTwice counts the records in a store: after a census of all columns with an order and
// of the masked ones, and after the short lists are known.
func (b *recordsReader) readTwice(ctx context.Context) (err error) {
	if b.local, err = output.Local(b.job); err != nil {
		return err
	}
	store, err := b.openStore("the distinct records")
	if err != nil {
		return err
	}
	workers, err := b.survey(ctx)
	if err != nil {
		return err
	}
	sizes, err := b.bindSurveyed(ctx, workers)
	if err != nil {
		return err
	}
	recordings := make([]*recording, len(workers))
	counters := make([]*partition.Counter, len(workers))
	share := (b.run.budget.Limit() - b.run.budget.Used()) / 2
	space := partition.Space{Budget: b.run.budget, Store: store, Share: share / int64(len(workers))}
	for i := range workers {
		counters[i] = partition.NewSpillCounter(sizes, space)
		recordings[i] = b.newRecording(counters[i])
	}
	if err := dataset.Scan(ctx, b.dataset, b.requests, recordings, b.counted(1, 2)); err != nil {
		return err
	}
	space.Share = share / 2
	table, err := partition.TabulateSpilled(ctx, counters, space, b.threads)
	if err != nil {
		return err
	}
	b.settle(table)
	b.records.Table = table
	return table.Order(ctx, space)
}

// recordSurvey is one worker's state in the first of two readings.
type recordSurvey struct {
	dataset.Scanner // of the census
	sampling
	rows     int64
	columns  []int         // with a census, and that of the class: their places in a batch
	surveyed formats.Batch // scratch: these columns
	lists    []enumeration
}

// enumeration counts the values of a kept column without an order.
type enumeration struct {
	column int // its place in a batch
	values coding.Mapping
	codes  []uint32
	counts []uint64 // by provisional code
}

// survey reads the input.
func (b *recordsReader) survey(ctx context.Context) ([]*recordSurvey, error) {
	of := b.newSurvey(b.surveyedColumns())
	class := len(b.interners) - 1
	of.Class = b.interners[class]
	b.censuses = of.Columns
	workers := make([]*recordSurvey, b.dataset.Scanners(b.threads))
	for i := range workers {
		w := &recordSurvey{Scanner: of.Scanner(), sampling: b.sampling()}
		for column := range class {
			if list := b.listOf(column); list != nil {
				w.lists = append(w.lists, enumeration{column: column, values: coding.NewMapping(list)})
			} else {
				w.columns = append(w.columns, column)
			}
		}
		w.columns = append(w.columns, class)
		workers[i] = w
	}
	return workers, dataset.Scan(ctx, b.dataset, b.requests, workers, b.counted(0, 2))
}

// surveyedColumns returns the fields of the columns with a census, and their masks.
func (b *recordsReader) surveyedColumns() (fields []int, masks []string) {
	for _, f := range b.prepared.masked {
		fields, masks = append(fields, f), append(masks, b.prepared.specs[f].Mask)
	}
	for i, list := range b.kept {
		if list == nil {
			fields = append(fields, b.requests[len(b.prepared.masked)+i].Column)
			masks = append(masks, b.keptSpecs[i].Mask)
		}
	}
	return fields, masks
}

// listOf returns the short list of a column, nil if it has a census.
func (b *recordsReader) listOf(column int) *coding.Shortlist {
	if kept := column - len(b.prepared.masked); kept >= 0 {
		return b.kept[kept]
	}
	return nil
}

func (w *recordSurvey) BeginSplit(s formats.Split) { w.sampling.BeginSplit(s) }

func (w *recordSurvey) Batch(b *formats.Batch) error {
	b = w.taken(b)
	w.rows += int64(b.Rows)
	w.surveyed.Rows, w.surveyed.Columns = b.Rows, w.surveyed.Columns[:0]
	for _, column := range w.columns {
		w.surveyed.Columns = append(w.surveyed.Columns, b.Columns[column])
	}
	for i := range w.lists {
		if err := w.lists[i].batch(b.Columns[w.lists[i].column]); err != nil {
			return err
		}
	}
	return w.Scanner.Batch(&w.surveyed)
}

func (l *enumeration) batch(c *formats.Column) (err error) {
	if l.codes, err = l.values.Translate(c, l.codes); err != nil {
		return err
	}
	for len(l.counts) < l.values.Domain() {
		l.counts = append(l.counts, 0)
	}
	for _, code := range l.codes {
		l.counts[code]++
	}
	return nil
}

// bindSurveyed makes the domains of all columns and their coders, and returns the domains' sizes.
func (b *recordsReader) bindSurveyed(ctx context.Context, workers []*recordSurvey) (sizes []int, err error) {
	rows := int64(0)
	for _, w := range workers {
		rows += w.rows
	}
	b.coders = b.coders[:0]
	add := func(c coding.Coder, size int) {
		b.coders, sizes = append(b.coders, c), append(sizes, size)
	}
	next := 0
	bind := func(spec *jobfile.Column) (*census.Bound, error) {
		next++
		s, err := b.censuses[next-1].Bind(ctx, spec, b.taxonomies[spec.Name], engine.Pruning{}, rows)
		if err == nil {
			size := s.Attribute.Len()
			add(coding.Renumbered{Coder: s.Coder, Codes: engine.Identity(size).Codes, Domain: size}, size)
		}
		return s, err
	}
	var classes partition.Pairs
	for a, f := range b.prepared.masked {
		s, err := bind(b.prepared.specs[f])
		if err != nil {
			return nil, b.locate(ctx, a, err)
		}
		b.note(&s.Domain)
		b.records.Attributes, classes = append(b.records.Attributes, s.Attribute), s.Pairs
	}
	for i, spec := range b.keptSpecs {
		if b.kept[i] != nil {
			size, c, err := b.bindList(i, workers)
			if err != nil {
				return nil, err
			}
			add(c, size)
			continue
		}
		s, err := bind(spec)
		if err != nil {
			return nil, err
		}
		b.records.Kept = append(b.records.Kept, s.Attribute)
	}
	class, names := coding.NewClassCoder(b.interners[len(b.interners)-1], classes)
	b.records.ClassNames = names
	add(class, len(names))
	if b.opt.SplitColumn != "" {
		add(match{b.opt.SplitValue}, 2)
	}
	return sizes, nil
}

// bindList makes the domain of a kept column without an order, and returns its size and its
// coder: of one code when the column is left out.
func (b *recordsReader) bindList(kept int, workers []*recordSurvey) (size int, c coding.Coder, err error) {
	list, column := b.kept[kept], len(b.prepared.masked)+kept
	if list.Exceeded() {
		b.leaveOut(list)
		return 1, coding.Renumbered{Coder: list, Codes: make([]uint32, list.Len()), Domain: 1}, nil
	}
	counts := make([]uint64, list.Len())
	for _, w := range workers {
		for _, l := range w.lists {
			for code, n := range l.counts {
				if l.column == column {
					counts[code] += n
				}
			}
		}
	}
	d, _, err := coding.Bind(b.keptSpecs[kept], list.Interner, pairsOf(counts), jobfile.Taxonomy{}, engine.Pruning{})
	if err != nil {
		return 0, nil, err
	}
	b.records.Kept = append(b.records.Kept, d.Attribute)
	return d.Attribute.Len(), coding.NewOrdered(list.Interner, d), nil
}
