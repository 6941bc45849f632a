package partition

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"github.com/kcut/kcut/spill"
)

// Order puts the records in the order of their keys' words, in which Scan hands them out
// from then on. A spilled table's are read and written once or twice more, in the store that
// they are in, and in at most the space's share of memory.
func (t *Table) Order(ctx context.Context, space Space) error {
	if t.chunks == nil {
		t.Sort()
		return nil
	}
	o := newOrdering(ctx, t.Layout, space)
	if err := space.Budget.Draw("tuples that are put in order", o.bytes()); err != nil {
		return err
	}
	defer space.Budget.Return(o.bytes())
	if err := o.order(t.chunks.sequences, t.chunks.Records, 0); err != nil {
		return fmt.Errorf("put tuples in order: %w", err)
	}
	t.chunks = &o.out
	return nil
}

const (
	// leastOrdered is how many records are sorted at a time at least.
	leastOrdered = 1 << 10
	// mostRanges is into how many ranges of keys records are dealt at a time.
	mostRanges = 64
	// rangeSample is how many keys are looked at for every range, so that ranges get about
	// equally many records.
	rangeSample = 16
)

// ordering sorts what fits, and deals out by ranges of keys what does not.
type ordering struct {
	ctx    context.Context
	store  Store
	codec  Codec
	layout Layout
	limit  int // records that are sorted at a time
	chunk  int // records of a range that are written at a time
	out    ChunkList
	table  Table // scratch: the records of a chunk
	frame  []byte
}

func newOrdering(ctx context.Context, layout Layout, space Space) *ordering {
	records := int(space.Share / 2 / layout.TableBytes(1))
	return &ordering{
		ctx: ctx, store: space.store(), codec: NewCodec(layout), layout: layout, table: Table{Layout: layout},
		limit: max(records, leastOrdered),
		chunk: max(min(records/mostRanges, writtenChunk/int(layout.TableBytes(1))), leastOrdered/mostRanges),
	}
}

// bytes returns the memory that is taken: by what is sorted, or by what is dealt.
func (o *ordering) bytes() int64 {
	return o.layout.TableBytes(max(o.limit, mostRanges*o.chunk))
}

// order appends the records of some sequences, which are freed, to what is in order. After
// maxLevel deals, their keys must be nearly all equal.
func (o *ordering) order(sources []spill.Sequence, records, level int) error {
	if records > o.limit && level < maxLevel {
		return o.deal(sources, records, level)
	}
	all := &Table{Layout: o.layout, Keys: make([]uint64, 0, records*o.layout.Words), Counts: make([]uint32, 0, records)}
	err := readChunks(o.ctx, o.store, func(chunk []byte) error { return o.codec.Decode(chunk, all) }, sources...)
	if err != nil {
		return err
	}
	all.Sort()
	if err := o.store.Free(sources...); err != nil {
		return err
	}
	return o.write(all, &o.out, writtenChunk/int(o.layout.TableBytes(1)))
}

// deal deals the records out by ranges of keys, and orders one range after the other.
func (o *ordering) deal(sources []spill.Sequence, records, level int) error {
	bounds, err := o.bounds(sources, records)
	if err != nil {
		return err
	}
	ranges, dealt := make([]ChunkList, len(bounds)+1), make([]Table, len(bounds)+1)
	err = o.each(sources, func(key []uint64, count uint32) error {
		at := sort.Search(len(bounds), func(i int) bool { return slices.Compare(key, bounds[i]) < 0 })
		d := &dealt[at]
		d.Keys, d.Counts = append(d.Keys, key...), append(d.Counts, count)
		if len(d.Counts) < o.chunk {
			return nil
		}
		return o.flush(d, &ranges[at])
	})
	if err == nil {
		err = o.store.Free(sources...)
	}
	for i := range dealt {
		if err == nil {
			err = o.flush(&dealt[i], &ranges[i])
		}
		dealt[i] = Table{}
	}
	for i := range ranges {
		if err == nil && ranges[i].Records > 0 {
			err = o.order(ranges[i].sequences, ranges[i].Records, level+1)
		}
	}
	return err
}

// bounds returns the keys at which ranges begin, but the first, so that each has about half
// of the records that are sorted at a time.
func (o *ordering) bounds(sources []spill.Sequence, records int) (bounds [][]uint64, err error) {
	ranges := min(2*records/o.limit+1, mostRanges)
	step, seen := max(records/(ranges*rangeSample), 1), 0
	var sample [][]uint64
	err = o.each(sources, func(key []uint64, _ uint32) error {
		if seen++; seen%step == 0 {
			sample = append(sample, slices.Clone(key))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(sample, slices.Compare)
	for i := 1; i < ranges; i++ {
		bounds = append(bounds, sample[i*len(sample)/ranges])
	}
	return bounds, nil
}

// each hands out the records of sequences.
func (o *ordering) each(sources []spill.Sequence, visit func(key []uint64, count uint32) error) error {
	return readChunks(o.ctx, o.store, func(chunk []byte) error {
		o.table.Truncate()
		if err := o.codec.Decode(chunk, &o.table); err != nil {
			return err
		}
		w := o.layout.Words
		for i, n := range o.table.Counts {
			if err := visit(o.table.Keys[i*w:(i+1)*w], n); err != nil {
				return err
			}
		}
		return o.ctx.Err()
	}, sources...)
}

// flush writes what was dealt to a range.
func (o *ordering) flush(dealt *Table, to *ChunkList) error {
	dealt.Layout = o.layout
	err := o.write(dealt, to, len(dealt.Counts))
	dealt.Truncate()
	return err
}

// write appends records to a list, so many in a chunk.
func (o *ordering) write(t *Table, to *ChunkList, step int) error {
	w := o.layout.Words
	for lo := 0; lo < t.Len(); lo += step {
		hi := min(lo+step, t.Len())
		to.record(NewBlock(t, t.Rows(lo, hi)))
		o.frame = o.codec.encode(o.frame[:0], t.Keys[lo*w:hi*w], t.Counts[lo:hi])
		if err := to.write(o.store, o.frame); err != nil {
			return err
		}
	}
	return nil
}
