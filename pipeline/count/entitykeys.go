package count

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/spill"
)

// The records of entities are counted by sorting the entity keys of all records.

// entityKeyLister lists the entity keys of records for one worker.
type entityKeyLister struct {
	of   *formats.Values // the list of values that keys belong to
	keys []uint64        // by code; 0: the entity is not taken
	take func(hash uint64) bool
	run  *spill.RowRun
}

// key returns the key of the entity with a hash, or 0 if the entity is not taken.
func (l *entityKeyLister) key(hash uint64) uint64 {
	if l.take != nil && !l.take(hash) {
		return 0
	}
	return entityKey(hash)
}

// learn finds the keys of a list of values.
func (l *entityKeyLister) learn(values *formats.Values) {
	if l.of != values {
		l.of, l.keys = values, append(l.keys[:0], l.key(risk.Null))
	}
	for i := len(l.keys) - 1; i < values.Len(); i++ {
		l.keys = append(l.keys, l.key(hashOf(values, i)))
	}
}

func (l *entityKeyLister) Block(b *formats.Batch, from, to int) error {
	l.learn(b.Columns[0].Values)
	for i, code := range b.Columns[0].Codes[from:to] {
		if l.keys[code] == 0 {
			continue
		}
		if err := l.run.AppendShort(l.keys[code], b.Records(from+i, from+i+1)); err != nil {
			return err
		}
	}
	return nil
}

// countKeys counts the records of every entity of an input.
func (e *entities) countKeys(ctx context.Context, r *Request, res *Resources) (err error) {
	const what = "the records of entities"
	share, workers := res.Budget.Grant(&spill.SurveyedValues), r.Dataset.BlockScanners(res.Threads)
	sorter := spill.NewSorter(spill.Sorting{
		Budget: res.Budget, Share: share, Run: spill.UsualRun(share, workers),
		Readers: share, Short: spill.MostShort,
		What: what, Instead: "run the job on one machine",
		Open: func() (*spill.Store, error) { return res.Open(what) },
	})
	defer func() { err = errors.Join(err, sorter.Close()) }()
	listers, rows := make([]*entityKeyLister, workers), r.Dataset.Rows()
	for i := range listers {
		listers[i] = &entityKeyLister{take: r.TakeEntity, run: sorter.NewRun()}
	}
	column := r.Dataset.Coded(r.Columns[len(r.Columns)-1].Field)
	err = dataset.ScanBlocks(ctx, r.Dataset, column, listers,
		func(n int64) { res.Advanced(n, 2*rows) })
	if err != nil {
		return err
	}
	keys, err := sorter.Merge(ctx)
	if err != nil {
		return fmt.Errorf("sort the tags of entities: %w", err)
	}
	defer keys.Close()
	return keys.Each(func(key []byte, n int64) error {
		return e.add(binary.BigEndian.Uint64(key), min(uint64(n), greatest))
	})
}

// withEntities counts the records of every entity before all other counts, if the request has
// entities. It returns the request with the entities. The returned resources are without the memory
// of the entities. The caller must call release when the entities are not needed any more.
func withEntities(
	ctx context.Context, r *Request, res *Resources,
) (_ *Request, _ *Resources, release func(), err error) {
	if r.Profile == nil || !r.Profile.Entities {
		return r, res, func() {}, nil
	}
	rows := r.Dataset.Rows()
	e, err := newEntities(uint64(rows), res.Budget)
	if err != nil {
		return nil, nil, nil, err
	}
	if err := e.countKeys(ctx, r, res); err != nil {
		e.release()
		return nil, nil, nil, err
	}
	weighed, left := *r, *res
	if weighed.entities = e; !e.mayBeWeightless() {
		weighed.Groupings = slices.DeleteFunc(slices.Clone(r.Groupings), func(g Grouping) bool {
			return g.Weightless
		})
	}
	left.Budget = res.Budget.Part(res.Budget.Left())
	left.Advanced = func(done, total int64) { res.Advanced(rows+done, rows+total) }
	return &weighed, &left, e.release, nil
}
