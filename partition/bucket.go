package partition

import (
	"math/bits"

	"github.com/kcut/kcut/spill"
)

// bucket is a list of records. The same tuple may occur in several records.
type bucket struct {
	full  [][]uint64 // full segments
	last  []uint64   // the segment that new records go to
	limit int        // the number of words at which the bucket is merged next
}

// words returns the number of words of all records.
func (b *bucket) words() (n int) {
	for _, segment := range b.full {
		n += len(segment)
	}
	return n + len(b.last)
}

// segments returns all segments. The returned list is valid until a record is added.
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

// fill replaces the content of the bucket with the records, which it copies into the segments. The
// segments have enough room. fill returns the segments that it does not need. If it returns a
// segment, then the last segment of the bucket has room for more records.
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

// makeRoom makes room for one more record in bucket i.
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

// merge merges the equal tuples of a bucket and sets the size for the next merge. After a merge
// that removed few records this size is larger.
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

// compact sets the counter's records to the distinct records of a bucket.
func (c *Counter) compact(b *bucket) {
	c.records = b.appendTo(c.records[:0])
	c.records, c.slots = compact(c.records, c.stride, c.slots)
}

const (
	// segmentRecords is the number of records that a segment has room for.
	segmentRecords = 64
	// segmentExtra is the number of bytes that a bucket needs to refer to a segment.
	segmentExtra = 48
	// A new slab takes 1/slabGrowth of the bytes that are drawn already, and at most maxSlab bytes.
	slabGrowth = 4
	maxSlab    = 4 << 20
)

// slabs provides memory for records in segments of one size. A list of segments can grow without
// copies and without garbage. The segments are parts of slabs. The slabs are drawn from a budget,
// and release returns all of them together.
type slabs struct {
	budget  *spill.Budget
	segment int      // the number of words of a segment
	slab    []uint64 // the unused rest of the last slab
	free    [][]uint64
	drawn   int64 // bytes drawn from the budget
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

// grow makes a slab. If the budget has no room for a large slab, the slab is smaller, down to a
// single segment.
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

// put takes segments back, so that get can return them again.
func (s *slabs) put(segments [][]uint64) {
	for _, segment := range segments {
		s.free = append(s.free, segment[:0])
	}
}

// release returns all drawn bytes to the budget. Afterwards no segment may be used.
func (s *slabs) release() {
	s.budget.Return(s.drawn)
	s.slab, s.free, s.drawn = nil, nil, 0
}

// compact merges the equal tuples of records in place and returns the shorter list. It also returns
// slots, its scratch memory, for the next call.
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
	end := 0 // the end of the distinct records
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

// compactShort merges records whose key is one word, the common case. It returns the end of the
// distinct records. The number of slots is a power of two.
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

// equal reports whether a record starts with key.
func equal(record, key []uint64) bool {
	for i, word := range key {
		if record[i] != word {
			return false
		}
	}
	return true
}

// hashFactor is 2^64 divided by the golden ratio, as an odd number. A hash is the product of a word
// and hashFactor, with both halves of the product combined by xor. Every bit of the word affects
// every bit of the hash.
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
