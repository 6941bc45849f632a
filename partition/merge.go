package partition

import (
	"context"
	"slices"

	"github.com/kcut/kcut/spill"
)

const (
	// splitBits is how many bits of the hash a bucket is split by that does not fit.
	splitBits = 4
	// maxLevel is how often: tuples that still agree are merged in whatever memory it takes.
	maxLevel = 9
)

// merger merges buckets that are in the store, one at a time.
type merger struct {
	recordWriter
	ctx     context.Context
	stride  int
	limit   int // words of records that are merged at a time
	records []uint64
	slots   []uint32
	result  func(records []uint64) error // receives distinct records, valid until it returns
}

// memory returns the bytes that merging takes at most: the records, their slots, and the
// chunks of a bucket that is split.
func (m *merger) memory() int64 {
	records := int64(m.limit / m.stride)
	return records*int64(8*m.stride+16) + int64(m.chunk*8*m.stride)<<splitBits
}

// merge merges the records of some sequences, which are freed. All agree in the bits of
// the hash that the levels above have used.
func (m *merger) merge(sources []spill.Sequence, level int) error {
	if err := m.ctx.Err(); err != nil {
		return err
	}
	m.records = m.records[:0]
	var split *deal
	for _, source := range sources {
		err := readChunks(m.ctx, m.store, func(chunk []byte) error {
			if err := m.load(chunk); err != nil {
				return err
			}
			if split == nil && !m.fits() && level < maxLevel {
				split = newDeal(m, level)
			}
			if split == nil {
				return nil
			}
			return split.add()
		}, source)
		if err == nil {
			err = m.store.Free(source)
		}
		if err != nil {
			return err
		}
	}
	if split != nil {
		return split.merge(level + 1)
	}
	m.records, m.slots = compact(m.records, m.stride, m.slots)
	return m.result(m.records)
}

// load appends the records of a chunk.
func (m *merger) load(chunk []byte) error {
	m.table.Truncate()
	if err := m.codec.Decode(chunk, &m.table); err != nil {
		return err
	}
	words := m.stride - 1
	m.records = slices.Grow(m.records, m.table.Len()*m.stride)
	for i, n := range m.table.Counts {
		m.records = append(m.records, m.table.Keys[i*words:(i+1)*words]...)
		m.records = append(m.records, uint64(n))
	}
	return nil
}

// fits merges the records when they have reached the limit, and reports whether that made
// enough room to go on.
func (m *merger) fits() bool {
	if len(m.records) < m.limit {
		return true
	}
	m.records, m.slots = compact(m.records, m.stride, m.slots)
	return 2*len(m.records) <= m.limit
}

// deal splits a bucket by the next bits of the hash.
type deal struct {
	*merger
	shift   uint
	buckets [1 << splitBits][]uint64 // records
	sources [1 << splitBits]spill.Sequence
}

func newDeal(m *merger, level int) *deal {
	d := &deal{merger: m, shift: uint(64 - bucketBits - splitBits*(level+1))}
	for i := range d.sources {
		d.sources[i] = m.store.NewSequence()
	}
	return d
}

// add deals the merger's records out.
func (d *deal) add() error {
	for i := 0; i < len(d.records); i += d.stride {
		record := d.records[i : i+d.stride]
		to := hash(record[:d.stride-1]) >> d.shift & (1<<splitBits - 1)
		b := append(d.buckets[to], record...)
		if len(b) >= d.chunk*d.stride {
			if err := d.write(d.sources[to], b); err != nil {
				return err
			}
			b = b[:0]
		}
		d.buckets[to] = b
	}
	d.records = d.records[:0]
	return nil
}

// merge merges bucket after bucket.
func (d *deal) merge(level int) error {
	for i := range d.buckets {
		if err := d.write(d.sources[i], d.buckets[i]); err != nil {
			return err
		}
		d.buckets[i] = nil
	}
	for _, source := range d.sources {
		if err := d.merger.merge([]spill.Sequence{source}, level); err != nil {
			return err
		}
	}
	return nil
}
