package count

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/spill"
)

// The records of entities are counted by sorting their tags.

// tagLister lists the tags of records for one worker.
type tagLister struct {
	of   *formats.Values
	tags []uint64 // by code
	run  *spill.RowRun
}

func (l *tagLister) BeginSplit(formats.Split) {}
func (l *tagLister) EndSplit() error          { return nil }

func (l *tagLister) Batch(b *formats.Batch) error { return l.Block(b, 0, b.Rows) }

// Divides reports whether the list of values is short: every worker that takes a part hashes it.
func (l *tagLister) Divides(b *formats.Batch) bool { return b.Columns[0].Values.Len() <= b.Rows }

func (l *tagLister) Block(b *formats.Batch, from, to int) error {
	values := b.Columns[0].Values
	if l.of != values {
		l.of, l.tags = values, append(l.tags[:0], tagOf(risk.Null))
	}
	for i := len(l.tags) - 1; i < values.Len(); i++ {
		l.tags = append(l.tags, tagOf(hashOf(values, i)))
	}
	for i, code := range b.Columns[0].Codes[from:to] {
		if err := l.run.AppendShort(l.tags[code], b.Records(from+i, from+i+1)); err != nil {
			return err
		}
	}
	return nil
}

// countTags counts the records of every entity of an input.
func (e *entities) countTags(ctx context.Context, r *Request, res *Resources) (err error) {
	const what = "the records of entities"
	share, workers := res.Budget.Grant(&spill.SurveyedValues), r.Dataset.BlockScanners(res.Threads)
	sorter := spill.NewSorter(spill.Sorting{
		Budget: res.Budget, Share: share, Run: spill.UsualRun(share, workers), Readers: share, Short: spill.MostShort,
		What: what, Instead: "run the job on one machine",
		Open: func() (*spill.Store, error) { return res.Open(what) },
	})
	defer func() { err = errors.Join(err, sorter.Close()) }()
	listers, rows := make([]*tagLister, workers), r.Dataset.Rows()
	for i := range listers {
		listers[i] = &tagLister{run: sorter.NewRun()}
	}
	column := []formats.Request{{Column: r.Columns[len(r.Columns)-1].Field, Coded: true}}
	err = dataset.Scan(ctx, r.Dataset, column, listers, func(n int64) { res.Advanced(n, 2*rows) })
	if err != nil {
		return err
	}
	tags, err := sorter.Merge(ctx)
	if err != nil {
		return fmt.Errorf("sort the tags of entities: %w", err)
	}
	defer tags.Close()
	for {
		tag, n, err := tags.Next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = e.add(binary.BigEndian.Uint64(tag), min(uint64(n), greatest))
		}
		if err != nil {
			return err
		}
	}
}

// weigh counts the records of every entity, if the request has these, before anything else is
// counted: it returns the request with them, and resources of which they have taken their part
// until they are released.
func weigh(ctx context.Context, r *Request, res *Resources) (_ *Request, _ *Resources, release func(), err error) {
	if r.Kinds == nil || !r.Kinds.Entities {
		return r, res, func() {}, nil
	}
	rows := r.Dataset.Rows()
	e, err := newEntities(uint64(rows), res.Budget)
	if err != nil {
		return nil, nil, nil, err
	}
	if err := e.countTags(ctx, r, res); err != nil {
		e.release()
		return nil, nil, nil, err
	}
	weighed, left := *r, *res
	if weighed.entities = e; !e.mayBeWeightless() {
		weighed.Groupings = slices.DeleteFunc(slices.Clone(r.Groupings), func(g Grouping) bool { return g.Weightless })
	}
	left.Budget = res.Budget.Part(res.Budget.Left())
	left.Advanced = func(done, total int64) { res.Advanced(rows+done, rows+total) }
	return &weighed, &left, e.release, nil
}
