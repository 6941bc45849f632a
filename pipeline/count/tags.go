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

// tagList is tags in order, with the records of each.
type tagList struct {
	*spill.SortedRows
	tag     uint64 // of the first one that is left
	records uint64
	ended   bool // none is left
}

// advance goes on to the next tag.
func (l *tagList) advance() error {
	row, n, err := l.Next()
	if err == io.EOF {
		l.ended = true
		return nil
	}
	if err == nil {
		l.tag, l.records = binary.BigEndian.Uint64(row), min(uint64(n), greatest)
	}
	return err
}

// sortTags puts the tags in order that fill adds by some workers, and has them used.
func sortTags(ctx context.Context, res *Resources, workers int, fill func([]*spill.RowRun) error, use func(*tagList) error) (err error) {
	const what = "the records of entities"
	share := res.Budget.Grant(&spill.SurveyedValues)
	sorter := spill.NewSorter(spill.Sorting{
		Budget: res.Budget, Share: share, Run: spill.UsualRun(share, workers), Readers: share, Short: spill.MostShort,
		What: what, Instead: "run the job on one machine",
		Open: func() (*spill.Store, error) { return res.Open(what) },
	})
	defer func() { err = errors.Join(err, sorter.Close()) }()
	runs := make([]*spill.RowRun, workers)
	for i := range runs {
		runs[i] = sorter.NewRun()
	}
	if err := fill(runs); err != nil {
		return err
	}
	rows, err := sorter.Merge(ctx)
	if err != nil {
		return fmt.Errorf("sort the tags of entities: %w", err)
	}
	tags := &tagList{SortedRows: rows}
	defer tags.Close()
	if err := tags.advance(); err != nil {
		return err
	}
	return use(tags)
}

// scanTags lists the tags of some splits in order, and has them used.
func scanTags(ctx context.Context, r *Request, res *Resources, splits []formats.Split, advanced func(int64), use func(*tagList) error) error {
	fill := func(runs []*spill.RowRun) error {
		var listers []*tagLister
		for _, run := range runs {
			listers = append(listers, &tagLister{run: run})
		}
		column := []formats.Request{{Column: r.Columns[len(r.Columns)-1].Field, Coded: true}}
		return dataset.ScanSplits(ctx, r.Dataset, splits, column, listers, advanced)
	}
	return sortTags(ctx, res, r.Dataset.BlockScanners(res.Threads), fill, use)
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
	err = scanTags(ctx, r, res, r.Dataset.Splits(), func(n int64) { res.Advanced(n, 2*rows) }, func(tags *tagList) (err error) {
		for err == nil && !tags.ended {
			if err = e.add(tags.tag, tags.records); err == nil {
				err = tags.advance()
			}
		}
		return err
	})
	if err != nil {
		e.release()
		return nil, nil, nil, err
	}
	left := *res
	left.Budget = res.Budget.Part(res.Budget.Left())
	left.Advanced = func(done, total int64) { res.Advanced(rows+done, rows+total) }
	return r.weighedBy(e), &left, e.release, nil
}

// weighedBy returns the request with entities whose records have been counted.
func (r *Request) weighedBy(e *entities) *Request {
	weighed := *r
	weighed.entities = e
	if !e.mayBeWeightless() {
		weighed.Groupings = slices.DeleteFunc(slices.Clone(r.Groupings), func(g Grouping) bool { return g.Weightless })
	}
	return &weighed
}
