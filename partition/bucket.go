package partition

import (
	"math/bits"

	"github.com/kcut/kcut/spill"
)

// bucket is a list of records; tuples may occur more than once.
type bucket struct {
	full  [][]uint64 // segments
	last  []uint64   // segment to which records are added
	limit int        // words at which it is merged next
}

// words returns the length of the list.
func (b *bucket) words() (n int) {
	for _, segment := range b.full {
		n += len(segment)
	}
	return n + len(b.last)
}

// segments returns all segments. The list is valid until a record is added.
func (b *bucket) segments() [][]uint64 {
	if b.last == nil {
		return b.full
	}
	return append(b.full, b.last)
}

// appendTo appends all records to a list.
func (b *bucket) appendTo(records []uint64) []uint64 {
	for _, segment := range b.segments() {
		records = append(records, segment...)
	}
	return records
}

// fill makes the bucket that of the records, which have room in the segments, and returns the
// segments that it does without. The last one has room if there are any.
func (b *bucket) fill(segments [][]uint64, records []uint64) (spare [][]uint64) {
	b.full, b.last = segments[:0], nil
	for i, segment := range segments {
		n := min(len(records), cap(segment))
		segment = append(segment[:0], records[:n]...)
		if records = records[n:]; n < cap(segment) {
			b.last = segment
			return segments[i+1:]
		}
		b.full = append(b.full, segment)
	}
	return nil
}

// makeRoom lets bucket i take one more record.
func (c *Counter) makeRoom(i int) error {
	b := &c.buckets[i]
	if b.last != nil {
		b.full, b.last = append(b.full, b.last), nil
	}
	if len(b.full)*c.slabs.segment >= b.limit {
		if c.merge(b); b.last != nil {
			return nil
		}
	}
	segment, err := c.slabs.get()
	if err == nil {
		b.last = segment
	}
	return err
}

// merge merges equal tuples of a bucket, and sets when it will be tried again: later when it
// did not pay.
func (c *Counter) merge(b *bucket) {
	before := b.words()
	c.compact(b)
	next := 2 * len(c.records)
	if len(c.records) > before/8*7 {
		next *= 2
	}
	b.limit = max(b.limit, next)
	c.slabs.put(b.fill(b.segments(), c.records))
}

// compact makes the counter's records the distinct ones of a bucket.
func (c *Counter) compact(b *bucket) {
	c.records = b.appendTo(c.records[:0])
	c.records, c.slots = compact(c.records, c.stride, c.slots)
}

const (
	// segmentRecords is how many records a segment has, unless a bucket may have fewer.
	segmentRecords = 64
	// segmentExtra is the bytes that a bucket takes to know a segment.
	segmentExtra = 48
	// slabGrowth is the part of what is drawn already that a further slab takes, and maxSlab
	// the most bytes.
	slabGrowth = 4
	maxSlab    = 4 << 20
)

// slabs hands out memory for records in segments of one size, so that no list of them is
// copied when it grows, and none leaves garbage behind. They are cut from slabs, which are
// drawn from a budget until all segments are given up at once.
type slabs struct {
	budget  *spill.Budget
	segment int      // words
	slab    []uint64 // what is left of the last one
	free    [][]uint64
	drawn   int64
}

func segmentBytes(words int) int64 { return int64(words)*8 + segmentExtra }

// get returns an empty segment.
func (s *slabs) get() ([]uint64, error) {
	if n := len(s.free); n > 0 {
		segment := s.free[n-1]
		s.free = s.free[:n-1]
		return segment, nil
	}
	if len(s.slab) == 0 {
		if err := s.grow(); err != nil {
			return nil, err
		}
	}
	segment := s.slab[:0:s.segment]
	s.slab = s.slab[s.segment:]
	return segment, nil
}

// grow makes a slab, in need one of a single segment.
func (s *slabs) grow() error {
	bytes := segmentBytes(s.segment)
	n := max(1, min(s.drawn/slabGrowth, maxSlab)/bytes)
	err := s.budget.Draw("distinct tuples", n*bytes)
	for err != nil && n > 1 {
		n /= 2
		err = s.budget.Draw("distinct tuples", n*bytes)
	}
	if err != nil {
		return err
	}
	s.slab = make([]uint64, int(n)*s.segment)
	s.drawn += n * bytes
	return nil
}

// put takes back segments that are to be handed out again.
func (s *slabs) put(segments [][]uint64) {
	for _, segment := range segments {
		s.free = append(s.free, segment[:0])
	}
}

// release returns what was drawn. Nobody uses a segment any more.
func (s *slabs) release() {
	s.budget.Return(s.drawn)
	s.slab, s.free, s.drawn = nil, nil, 0
}

// compact merges equal tuples of records in place and returns the shorter list. slots is
// scratch that is returned for reuse.
func compact(records []uint64, stride int, slots []uint32) ([]uint64, []uint32) {
	n := len(records) / stride
	if n < 2 {
		return records, slots
	}
	size := 1 << bits.Len(uint(2*n-1))
	if cap(slots) < size {
		slots = make([]uint32, size)
	}
	slots = slots[:size]
	clear(slots)
	if stride == 2 {
		return records[:compactShort(records, slots)], slots
	}
	mask := uint64(size - 1)
	words := stride - 1
	end := 0 // of the distinct records
	for i := 0; i < len(records); i += stride {
		key := records[i : i+words]
		slot := hash(key) & mask
		for {
			at := int(slots[slot])
			if at == 0 {
				copy(records[end:], records[i:i+stride])
				end += stride
				slots[slot] = uint32(end / stride)
				break
			}
			if found := (at - 1) * stride; equal(records[found:], key) {
				records[found+words] += records[i+words]
				break
			}
			slot = (slot + 1) & mask
		}
	}
	return records[:end], slots
}

// compactShort merges records whose key is one word, the common case, and returns the end
// of the distinct ones. The number of slots is a power of two.
func compactShort(records []uint64, slots []uint32) (end int) {
	mask := uint64(len(slots) - 1)
	for i := 0; i+1 < len(records); i += 2 {
		key, count := records[i], records[i+1]
		slot := hash1(key) & mask
		for slots[slot] != 0 && records[2*slots[slot]-2] != key {
			slot = (slot + 1) & mask
		}
		if at := int(slots[slot]); at != 0 {
			records[2*at-1] += count
			continue
		}
		records[end], records[end+1] = key, count
		end += 2
		slots[slot] = uint32(end / 2)
	}
	return end
}

// equal reports whether record starts with key.
func equal(record, key []uint64) bool {
	for i, word := range key {
		if record[i] != word {
			return false
		}
	}
	return true
}

// hashFactor is 2^64 divided by the golden ratio, odd: multiplying by it and folding the
// halves of the product mixes every bit of a word into every bit of the hash.
const hashFactor = 0x9e3779b97f4a7c15

func hash1(word uint64) uint64 {
	hi, lo := bits.Mul64(word^0xd6e8feb86659fd93, hashFactor)
	return hi ^ lo
}

func hash(key []uint64) uint64 {
	h := hash1(key[0])
	for _, word := range key[1:] {
		hi, lo := bits.Mul64(h^word, hashFactor)
		h = hi ^ lo
	}
	return h
}
