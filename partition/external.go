package partition

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sort"
	"sync"

	"github.com/kcut/kcut/spill"
)

const (
	// partBits says into how many parts records are distributed that do not fit.
	partBits = 4
	// maxLevel is how often: records that still are together stay so in whatever memory it takes.
	maxLevel = 16
	// writtenChunk is the most bytes of records that are written in one chunk.
	writtenChunk = 128 << 10
)

// external works on lists of records in the store in the memory of some: those of a list that
// does not fit are distributed among parts, which are worked on one after the other.
type external struct {
	ctx     context.Context
	store   Store
	limit   int   // records that are in memory at a time
	chunk   int   // records of a part that are written at a time
	records Table // of the list that is being read
	slots   []uint32
	frame   []byte
	// partOf returns a function that says to which part of a list a key belongs. The lists of
	// one level are parts of one of the level before; the first is level 0.
	partOf func(list *ChunkList, level int) func(key []uint64) uint64
	// finish receives the distinct records of a list, valid until it returns.
	finish func(records *Table) error
}

// bytes returns the memory that it takes at most: the records, their slots, and the chunks of
// what is distributed.
func (x *external) bytes() int64 { return externalBytes(x.records.Layout, x.limit, x.chunk) }

func externalBytes(layout Layout, limit, chunk int) int64 {
	return int64(limit)*(layout.TableBytes(1)+16) + layout.TableBytes(chunk)<<partBits
}

// run works on the records of a list, which is freed.
func (x *external) run(list *ChunkList, level int) error {
	if err := x.ctx.Err(); err != nil {
		return err
	}
	x.records.Truncate()
	var distributed *distribution
	for _, sequence := range list.sequences {
		err := x.store.Scan(x.ctx, func(chunk []byte) error {
			if err := x.records.Decode(chunk); err != nil {
				return err
			}
			if distributed == nil && !x.fits() && level < maxLevel {
				distributed = &distribution{external: x, partOf: x.partOf(list, level)}
			}
			if distributed == nil {
				return nil
			}
			return distributed.add()
		}, sequence)
		if err == nil {
			err = x.store.Free(sequence)
		}
		if err != nil {
			return err
		}
	}
	if distributed != nil {
		return distributed.run(level + 1)
	}
	x.slots = x.records.compact(x.slots)
	return x.finish(&x.records)
}

// fits merges equal records when they have reached the limit, and reports whether that made
// enough room to go on.
func (x *external) fits() bool {
	if x.records.Len() < x.limit {
		return true
	}
	x.slots = x.records.compact(x.slots)
	return 2*x.records.Len() <= x.limit
}

// distribution is records that are distributed among parts.
type distribution struct {
	*external
	partOf func(key []uint64) uint64
	parts  [1 << partBits]Table
	lists  [1 << partBits]ChunkList
}

// add distributes the records that were read.
func (d *distribution) add() error {
	w := d.records.Layout.Words
	for i, n := range d.records.Counts {
		key := d.records.Keys[i*w : (i+1)*w]
		part := d.partOf(key)
		t := &d.parts[part]
		t.Keys, t.Counts = append(t.Keys, key...), append(t.Counts, n)
		if t.Len() >= d.chunk {
			if err := d.flush(part); err != nil {
				return err
			}
		}
	}
	d.records.Truncate()
	return nil
}

// flush writes what was distributed to a part.
func (d *distribution) flush(part uint64) (err error) {
	t := &d.parts[part]
	t.Layout = d.records.Layout
	d.frame, err = d.lists[part].writeTable(d.store, t, d.chunk, d.frame)
	t.Truncate()
	return err
}

// run works on one part after the other.
func (d *distribution) run(level int) error {
	for part := range d.parts {
		if err := d.flush(uint64(part)); err != nil {
			return err
		}
		d.parts[part] = Table{}
	}
	for part := range d.lists {
		if list := &d.lists[part]; list.Records > 0 {
			if err := d.external.run(list, level); err != nil {
				return err
			}
		}
	}
	return nil
}

// byHash distributes records by the bits of the hash that come after those of buckets.
func byHash(_ *ChunkList, level int) func(key []uint64) uint64 {
	shift := uint(max(0, 64-bucketBits-partBits*(level+1)))
	return func(key []uint64) uint64 { return hash(key) >> shift & (1<<partBits - 1) }
}

// byKey distributes the records of a list by the first bits in which their keys differ, so that
// those of one part come before those of the next.
func byKey(list *ChunkList, _ int) func(key []uint64) uint64 {
	word := 0
	for word < len(list.Varying)-1 && list.Varying[word] == 0 {
		word++
	}
	shift := uint(max(0, bits.Len64(list.Varying[word])-partBits))
	return func(key []uint64) uint64 { return key[word] >> shift & (1<<partBits - 1) }
}

// Order puts the records in the order of their keys' words, in which Scan hands them out
// from then on. A spilled table's are read and written again, in the store that they are in, and
// in at most the space's share of memory.
func (t *Table) Order(ctx context.Context, space Space) error {
	if t.chunks == nil {
		t.Sort()
		return nil
	}
	return t.order(ctx, space, space.store())
}

func (t *Table) order(ctx context.Context, space Space, store Store) error {
	return t.arrange(ctx, space, store, byKey, (*Table).Sort)
}

// Gather puts records that agree in all fields but the last next to each other, and Scan hands them out so from
// then on. Else it is Order.
func (t *Table) Gather(ctx context.Context, space Space) error {
	mask := slices.Repeat([]uint64{math.MaxUint64}, t.Layout.Words)
	last := t.Layout.Fields[len(t.Layout.Fields)-1]
	mask[last.Word] &^= last.Mask << last.Shift
	gather := func(t *Table) { sort.Sort(byBits{t, mask}) }
	if t.chunks == nil {
		gather(t)
		return nil
	}
	masked := make([]uint64, len(mask))
	partOf := func(list *ChunkList, level int) func(key []uint64) uint64 {
		of := byHash(list, level)
		return func(key []uint64) uint64 {
			for k := range masked {
				masked[k] = key[k] & mask[k]
			}
			return of(masked)
		}
	}
	return t.arrange(ctx, space, space.store(), partOf, gather)
}

// byBits sorts a table by some bits of its keys.
type byBits struct {
	*Table
	mask []uint64 // by word
}

func (t byBits) Less(i, j int) bool {
	for k, w := 0, t.Layout.Words; k < w; k++ {
		if a, b := t.Keys[i*w+k]&t.mask[k], t.Keys[j*w+k]&t.mask[k]; a != b {
			return a < b
		}
	}
	return false
}

// arrange reads the records of a spilled table and writes them again, those of a part together and each part arranged.
func (t *Table) arrange(
	ctx context.Context, space Space, store Store, partOf func(*ChunkList, int) func([]uint64) uint64, arrange func(*Table),
) error {
	const leastOrdered = 1 << 10
	records := int(space.Share / 2 / externalBytes(t.Layout, 1, 0))
	out := &result{store: store}
	x := &external{
		ctx: ctx, store: store, records: Table{Layout: t.Layout}, partOf: partOf,
		limit: max(records, leastOrdered),
		chunk: max(min(records>>partBits, writtenRecords(t.Layout)), leastOrdered>>partBits),
		finish: func(records *Table) error {
			arrange(records)
			return out.add(records)
		},
	}
	if err := space.Budget.Draw("tuples that are put in order", x.bytes()); err != nil {
		return err
	}
	defer space.Budget.Return(x.bytes())
	if err := x.run(t.chunks, 0); err != nil {
		return fmt.Errorf("put tuples in order: %w", err)
	}
	t.chunks = &out.chunks
	return nil
}

// result collects records in the store. It is safe for concurrent use.
type result struct {
	mu     sync.Mutex
	store  Store
	frame  []byte
	chunks ChunkList
}

func (r *result) add(t *Table) (err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.frame, err = r.chunks.writeTable(r.store, t, writtenRecords(t.Layout), r.frame)
	return err
}

// writtenRecords returns how many records of a layout are written in one chunk at most.
func writtenRecords(layout Layout) int { return writtenChunk / (8 * (layout.Words + 1)) }

// free frees what the sequences of a list have in the store.
func (p *ChunkList) free(store Store) error {
	if len(p.sequences) == 0 {
		return nil
	}
	sequences := p.sequences
	p.sequences = nil
	return store.Free(sequences...)
}

var _ Store = (*spill.Store)(nil)
