package partition

import (
	"context"
	"math/bits"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/kcut/kcut/spill"
)

const (
	// bucketBits splits the tuples by hash so finely that the distinct tuples of one bucket
	// of a 10M-tuple table stay in the second-level cache while they are merged.
	bucketBits = 8
	// cacheBits sizes the table that rows meet first: 8,192 tuples, at most a few hundred KiB.
	cacheBits = 13
	// minCompact is the smallest number of records for which merging a bucket pays.
	minCompact = 1 << 12
)

// Counter counts tuples of codes whose domains are not known beforehand.
//
//	rows ──▶ cache (direct mapped, counts in place) ──evicted──▶ 256 buckets by hash
//
// Few distinct tuples never leave the cache; many pass through it to the buckets, where
// equal ones are merged whenever a bucket has doubled, so memory stays within about three
// times the distinct tuples. When a domain outgrows its bits everything is packed anew
// with wider fields. A Counter belongs to one goroutine; Tabulate joins several.
type Counter struct {
	budget  *spill.Budget
	domains []int // every code of column i is below domains[i]
	layout  Layout
	stride  int // words of a record: the key, then the count
	cache   []uint64
	buckets [1 << bucketBits]bucket
	keys    []uint64 // scratch: the packed keys of the rows being added
	slots   []uint32 // scratch of compact
}

// bucket is a list of records; tuples may occur more than once.
type bucket struct {
	records []uint64
	limit   int // length at which it is compacted next
}

// NewCounter returns a counter of tuples of the given number of columns.
func NewCounter(columns int, budget *spill.Budget) *Counter {
	c := &Counter{budget: budget, domains: make([]int, columns)}
	for i := range c.domains {
		c.domains[i] = 1
	}
	c.reset()
	return c
}

func (c *Counter) reset() {
	c.layout = NewLayout(c.domains)
	c.stride = c.layout.Words + 1
	c.cache = make([]uint64, c.stride<<cacheBits)
	for i := range c.buckets {
		c.buckets[i] = bucket{limit: minCompact * c.stride}
	}
}

// Add counts n rows given as one slice of codes a column. Every code of column i must be
// below domains[i]. It returns an error wrapping spill.ErrBudget when the table outgrows
// the budget.
func (c *Counter) Add(n int, codes [][]uint32, domains []int) error {
	if err := c.widen(domains); err != nil {
		return err
	}
	words := c.layout.Words
	if cap(c.keys) < n*words {
		c.keys = make([]uint64, n*words)
	}
	keys := c.keys[:n*words]
	clear(keys)
	for i, field := range c.layout.Fields {
		word, shift := field.Word, field.Shift
		for row, code := range codes[i][:n] {
			keys[row*words+word] |= uint64(code) << shift
		}
	}
	if words == 1 {
		return c.addShort(keys)
	}
	for i := 0; i < len(keys); i += words {
		if err := c.add(keys[i:i+words], 1); err != nil {
			return err
		}
	}
	return nil
}

// addShort is add for every key of one word, the common case.
func (c *Counter) addShort(keys []uint64) error {
	for _, key := range keys {
		slot := hash1(key) & (1<<cacheBits - 1) * 2
		entry := c.cache[slot : slot+2 : slot+2]
		if entry[0] == key && entry[1] > 0 {
			entry[1]++
			continue
		}
		if entry[1] > 0 {
			if err := c.push(hash1(entry[0]), entry); err != nil {
				return err
			}
		}
		entry[0], entry[1] = key, 1
	}
	return nil
}

func (c *Counter) add(key []uint64, count uint64) error {
	slot := int(hash(key)&(1<<cacheBits-1)) * c.stride
	entry := c.cache[slot : slot+c.stride]
	last := len(key)
	if entry[last] > 0 {
		if equal(entry, key) {
			entry[last] += count
			return nil
		}
		if err := c.push(hash(entry[:last]), entry); err != nil {
			return err
		}
	}
	copy(entry, key)
	entry[last] = count
	return nil
}

// push appends a record to the bucket its hash belongs to, merging the bucket first when
// it is full.
func (c *Counter) push(h uint64, record []uint64) error {
	b := &c.buckets[h>>(64-bucketBits)]
	if len(b.records)+c.stride > cap(b.records) {
		if err := c.makeRoom(b); err != nil {
			return err
		}
	}
	b.records = append(b.records, record...)
	return nil
}

func (c *Counter) makeRoom(b *bucket) error {
	if len(b.records) >= b.limit {
		b.records, c.slots = compact(b.records, c.stride, c.slots)
		b.limit = max(b.limit, 2*len(b.records))
		if 2*len(b.records) <= cap(b.records) {
			return nil
		}
	}
	size := max(64*c.stride, 3*cap(b.records)/2)
	if err := c.budget.Draw("distinct tuples", int64(size)*8); err != nil {
		return err
	}
	grown := make([]uint64, len(b.records), size)
	copy(grown, b.records)
	c.budget.Return(int64(cap(b.records)) * 8)
	b.records = grown
	return nil
}

// widen packs everything anew when a domain has outgrown its field.
func (c *Counter) widen(domains []int) error {
	grown := false
	for i, d := range domains {
		if d > c.domains[i] {
			grown = grown || bits.Len(uint(d-1)) > bits.Len(uint(c.domains[i]-1))
			c.domains[i] = d
		}
	}
	if !grown {
		return nil
	}
	for i, d := range c.domains { // to the full power of two, so that the next growth is far
		c.domains[i] = 1 << bits.Len(uint(d-1))
	}
	from, stride, cache, buckets := c.layout, c.stride, c.cache, c.buckets
	c.reset()
	key := make([]uint64, c.layout.Words)
	if err := c.repack(cache, from, stride, key); err != nil {
		return err
	}
	for i := range buckets {
		if err := c.repack(buckets[i].records, from, stride, key); err != nil {
			return err
		}
		c.budget.Return(int64(cap(buckets[i].records)) * 8)
		buckets[i].records = nil
	}
	return nil
}

func (c *Counter) repack(records []uint64, from Layout, stride int, key []uint64) error {
	for i := 0; i < len(records); i += stride {
		count := records[i+stride-1]
		if count == 0 { // an empty slot of the cache
			continue
		}
		clear(key)
		for j, field := range from.Fields {
			to := c.layout.Fields[j]
			key[to.Word] |= uint64(field.Code(records[i:])) << to.Shift
		}
		if err := c.add(key, count); err != nil {
			return err
		}
	}
	return nil
}

// flush moves the cache's records to the buckets.
func (c *Counter) flush() error {
	for i := 0; i < len(c.cache); i += c.stride {
		entry := c.cache[i : i+c.stride]
		if entry[c.stride-1] > 0 {
			if err := c.push(hash(entry[:c.stride-1]), entry); err != nil {
				return err
			}
		}
	}
	c.cache = nil
	return nil
}

// Tabulate joins what counters of the same columns have counted into one table of distinct
// tuples, on the given number of goroutines. The counters are consumed.
func Tabulate(ctx context.Context, counters []*Counter, budget *spill.Budget, threads int) (*Table, error) {
	first := counters[0]
	for _, c := range counters {
		if err := first.widen(c.domains); err != nil {
			return nil, err
		}
	}
	for _, c := range counters {
		if err := c.widen(first.domains); err != nil {
			return nil, err
		}
		if err := c.flush(); err != nil {
			return nil, err
		}
	}
	stride := first.stride
	merged := make([][]uint64, len(first.buckets))
	scratch := sync.Pool{New: func() any { return new([]uint32) }}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, threads))
	for b := range merged {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			slots := scratch.Get().(*[]uint32)
			merged[b], *slots = joinBucket(counters, b, budget, *slots)
			scratch.Put(slots)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return newTable(first.layout, merged, stride, budget)
}

// joinBucket merges bucket b of all counters into the first counter's.
func joinBucket(counters []*Counter, b int, budget *spill.Budget, slots []uint32) ([]uint64, []uint32) {
	records := counters[0].buckets[b].records
	counters[0].buckets[b].records = nil
	for _, c := range counters[1:] {
		had := cap(records)
		records = append(records, c.buckets[b].records...)
		// Joining replaces buffers that were drawn by one of at most their joint size, or half
		// as much again by append's growth; the books are kept exact either way.
		budget.Return(int64(had+cap(c.buckets[b].records)-cap(records)) * 8)
		c.buckets[b].records = nil
	}
	return compact(records, counters[0].stride, slots)
}

func newTable(layout Layout, merged [][]uint64, stride int, budget *spill.Budget) (*Table, error) {
	n := 0
	for _, records := range merged {
		n += len(records) / stride
	}
	t := &Table{Layout: layout}
	if err := budget.Draw("the compressed table", int64(n)*(int64(layout.Words)*8+4)); err != nil {
		return nil, err
	}
	t.Keys = make([]uint64, 0, n*layout.Words)
	t.Counts = make([]uint32, 0, n)
	for b, records := range merged {
		for i := 0; i < len(records); i += stride {
			t.Keys = append(t.Keys, records[i:i+stride-1]...)
			t.Counts = append(t.Counts, uint32(records[i+stride-1]))
		}
		budget.Return(int64(cap(records)) * 8)
		merged[b] = nil
	}
	return t, nil
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
