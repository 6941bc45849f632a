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

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/spill"
)

// The records of entities may be counted split by split, too: of a split that makes a list of tags
// in order, with the records of each. The lists of all splits are summed up in ranges of tags, by as
// many processes.

// tagLister counts the tags of a split's records.
type tagLister struct {
	entityScanner
	tags *spill.RowRun
}

func (l *tagLister) Batch(b *formats.Batch) error { return l.Block(b, 0, b.Rows) }

func (l *tagLister) Block(b *formats.Batch, from, to int) error {
	l.learn(b.Columns[0].Values)
	for i, code := range b.Columns[0].Codes[from:to] {
		l.tags.Bytes = binary.BigEndian.AppendUint64(l.tags.Bytes, tagOf(l.hashes[code]))
		if err := l.tags.End(b.Records(from+i, from+i+1)); err != nil {
			return err
		}
	}
	return nil
}

// newSorter returns what puts tags in order.
func (r *Resources) newSorter() *spill.Sorter {
	const what = "the records of entities"
	share := r.Budget.Grant(&spill.SurveyedValues)
	return spill.NewSorter(spill.Sorting{
		Budget: r.Budget, Share: share, Run: spill.UsualRun(share, 1), Readers: share,
		What: what, Instead: "run the job on one machine",
		Open: func() (*spill.Store, error) { return r.Open(what) },
	})
}

// tagList is tags in order, with the records of each.
type tagList struct {
	*spill.SortedRows
	tag     uint64 // of the first one that is left
	records uint64
	ended   bool // none is left
}

// list returns the sorted tags.
func list(ctx context.Context, s *spill.Sorter) (*tagList, error) {
	rows, err := s.Merge(ctx)
	if err != nil {
		return nil, fmt.Errorf("sort the tags of entities: %w", err)
	}
	l := &tagList{SortedRows: rows}
	if err := l.advance(); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
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

// CountEntities counts the records of every entity in some splits, and returns the counts as bytes,
// in parts: MergeEntities takes the parts of one number of all splits. The bytes are the caller's.
func CountEntities(ctx context.Context, r *Request, res *Resources, splits []formats.Split, parts int) (encoded [][]byte, err error) {
	sorter := res.newSorter()
	defer func() { err = errors.Join(err, sorter.Close()) }()
	e := r.newEntities(res.Budget)
	l := &tagLister{entityScanner: entityScanner{entities: e}, tags: sorter.NewRun()}
	err = workers.Each(len(splits), 1, func(w workers.Worker, i int) error {
		return dataset.ScanSplit(ctx, r.Dataset, splits[i], r.ofEntities(), []*tagLister{l}, w, func(int64) {})
	})
	if err != nil {
		return nil, err
	}
	tags, err := list(ctx, sorter)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, tags.Close()) }()
	for part := range parts {
		b, err := e.encode(res.Budget, tags, firstTag(part+1, parts))
		if err != nil {
			return nil, err
		}
		encoded = append(encoded, b)
	}
	return encoded, nil
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

// encode returns the tags before end as bytes.
func (e *entities) encode(budget *spill.Budget, tags *tagList, end uint64) ([]byte, error) {
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

// load reads what encode has written, and calls add with every tag.
func (e *entities) load(r *checkpoint.Reader, add func(tag, records uint64) error) error {
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

// MergeEntities returns the sums of the counts of splits in one part. They come in any order.
func MergeEntities(ctx context.Context, r *Request, res *Resources, encoded iter.Seq2[[]byte, error]) (sums []byte, err error) {
	sorter := res.newSorter()
	defer func() { err = errors.Join(err, sorter.Close()) }()
	e, run := r.newEntities(res.Budget), sorter.NewRun()
	err = decodeAll(entitiesForm, encoded, func(r *checkpoint.Reader) error {
		return e.load(r, func(tag, records uint64) error {
			run.Bytes = binary.BigEndian.AppendUint64(run.Bytes, tag)
			return run.End(int64(records))
		})
	})
	if err != nil {
		return nil, err
	}
	tags, err := list(ctx, sorter)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, tags.Close()) }()
	return e.encode(res.Budget, tags, math.MaxUint64)
}

// Weighed returns the request of an input of which the records of every entity have been counted, in parts. It returns
// how many bytes of the budget they take.
func (r *Request) Weighed(budget *spill.Budget, parts iter.Seq2[[]byte, error]) (_ *Request, held int64, err error) {
	e := r.newEntities(budget)
	if err = e.loadParts(parts); err != nil {
		e.release(e.held)
		return nil, 0, err
	}
	return r.weighedBy(e), e.held, nil
}

// loadParts counts the sums of all parts.
func (e *entities) loadParts(parts iter.Seq2[[]byte, error]) error {
	if err := e.makeTable(); err != nil {
		return err
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	sum, full := uint64(0), false
	err := decodeAll(entitiesForm, parts, func(r *checkpoint.Reader) error {
		return e.load(r, func(tag, records uint64) error {
			if e.table != nil && e.table.records(tag) > 0 {
				return ErrDamaged
			}
			sum, full = sum+records, full || records == greatest
			return e.add(tag, records)
		})
	})
	if err == nil && !full && sum != e.rows {
		err = fmt.Errorf("read the entities of %d rows of an input of %d: %w", sum, e.rows, ErrDamaged)
	}
	return err
}
