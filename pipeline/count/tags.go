package count

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"math/bits"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/spill"
)

// The records of entities are counted by sorting their tags. Of a split that makes a list of tags
// in order, with the records of each. The lists of several splits are summed up in ranges of tags,
// by as many processes.

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

// CountEntities counts the records of every entity in some splits, and returns the counts as bytes,
// in parts: MergeEntities takes the parts of one number of all splits. The bytes are the caller's.
func CountEntities(ctx context.Context, r *Request, res *Resources, splits []formats.Split, parts int) (encoded [][]byte, err error) {
	return encoded, scanTags(ctx, r, res, splits, func(int64) {}, func(tags *tagList) error {
		for part := range parts {
			b, err := encodeTags(res.Budget, tags, firstTag(part+1, parts))
			if err != nil {
				return err
			}
			encoded = append(encoded, b)
		}
		return nil
	})
}

// MergeEntities returns the sums of the counts of splits in one part. They come in any order.
func MergeEntities(ctx context.Context, res *Resources, encoded iter.Seq2[[]byte, error]) (sums []byte, err error) {
	fill := func(runs []*spill.RowRun) error {
		return decodeAll(entitiesForm, encoded, func(r *checkpoint.Reader) error {
			return loadTags(r, func(tag, records uint64) error { return runs[0].AppendShort(tag, int64(records)) })
		})
	}
	return sums, sortTags(ctx, res, 1, fill, func(tags *tagList) (err error) {
		sums, err = encodeTags(res.Budget, tags, math.MaxUint64)
		return err
	})
}

// firstTag returns the first tag of a part. The part behind the last one begins behind all tags.
func firstTag(part, parts int) uint64 {
	if part == parts {
		return math.MaxUint64 // no tag: these end with bits that are 0
	}
	high, low := bits.Mul64(uint64(part), math.MaxUint64)
	first, _ := bits.Div64(high, low, uint64(parts))
	return first
}

// encodeTags returns the tags before end as bytes.
func encodeTags(budget *spill.Budget, tags *tagList, end uint64) ([]byte, error) {
	return encode(entitiesForm, budget, func(w *checkpoint.Writer) {
		w.Uint(unit)
		next := uint64(0)
		for !tags.ended && tags.tag < end && w.Err() == nil {
			w.Uint(tags.records)
			w.Uint(tags.tag - next)
			next = tags.tag + 1
			w.Fail(tags.advance())
		}
		w.Uint(0)
	})
}

// loadTags reads what encodeTags has written, and calls add with every tag.
func loadTags(r *checkpoint.Reader, add func(tag, records uint64) error) error {
	if r.Uint() != unit {
		return cmp.Or(r.Err(), error(ErrDamaged))
	}
	next := uint64(0)
	for records := r.Uint(); records > 0; records = r.Uint() {
		tag := next + r.Uint()
		if records > greatest || tag < next || tag != tagOf(tag) {
			return cmp.Or(r.Err(), error(ErrDamaged))
		}
		if err := add(tag, records); err != nil {
			return err
		}
		next = tag + 1
	}
	return r.Err()
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

// Weighed returns the request of an input of which the records of every entity have been counted,
// in parts that come in order. It returns how many bytes of the budget they take.
func (r *Request) Weighed(budget *spill.Budget, parts iter.Seq2[[]byte, error]) (_ *Request, held int64, err error) {
	e, err := newEntities(uint64(r.Dataset.Rows()), budget)
	if err != nil {
		return nil, 0, err
	}
	sum, next, full := uint64(0), uint64(0), false
	err = decodeAll(entitiesForm, parts, func(r *checkpoint.Reader) error {
		return loadTags(r, func(tag, records uint64) error {
			if tag < next {
				return ErrDamaged
			}
			sum, next, full = sum+records, tag+1, full || records == greatest
			return e.add(tag, records)
		})
	})
	if err == nil && !full && sum != e.rows {
		err = fmt.Errorf("read the entities of %d rows of an input of %d: %w", sum, e.rows, ErrDamaged)
	}
	if err != nil {
		e.release()
		return nil, 0, err
	}
	return r.weighedBy(e), e.held, nil
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
