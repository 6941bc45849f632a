package partition

import (
	"fmt"
	"math/bits"
	"slices"

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

// Counter counts tuples of codes.
//
//	rows ──▶ cache (direct mapped, counts in place) ──evicted──▶ 256 buckets by hash ──full──▶ store
//
// Few distinct tuples never leave the cache; many pass through it to the buckets, where
// equal ones are merged whenever a bucket has doubled, so memory stays within about three
// times the distinct tuples. When a domain outgrows its bits everything is packed anew
// with wider fields. A counter that spills knows its domains beforehand, and writes a
// bucket that has grown to its part of the counter's share to the store.
//
// A Counter belongs to one goroutine; Tabulate or TabulateSpilled joins several.
type Counter struct {
	budget  *spill.Budget
	domains []int // every code of column i is below domains[i]
	layout  Layout
	stride  int // words of a record: the key, then the count
	cache   []uint64
	buckets [1 << bucketBits]bucket
	keys    []uint64 // scratch: the packed keys of the rows being added
	slots   []uint32 // scratch of compact
	outlet  *outlet  // nil: everything stays in memory
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

// NewSpillCounter returns a counter of tuples whose codes are below the given domain
// sizes. Besides its cache, a few hundred KiB, it draws at most the space's share, and
// writes what exceeds that or the budget to the store.
func NewSpillCounter(domains []int, space Space) *Counter {
	return newSpillCounter(domains, space.Budget, space.store(), space.Share)
}

func newSpillCounter(domains []int, budget *spill.Budget, s store, share int64) *Counter {
	c := &Counter{budget: budget, domains: slices.Clone(domains)}
	c.reset()
	c.outlet = newOutlet(c.layout, s, share)
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
// below domains[i], which a counter that spills knows already. It returns an error
// wrapping spill.ErrBudget when the table outgrows the budget, or the store's.
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
	i := h >> (64 - bucketBits)
	b := &c.buckets[i]
	if len(b.records)+c.stride > cap(b.records) {
		if err := c.makeRoom(int(i)); err != nil {
			return err
		}
	}
	b.records = append(b.records, record...)
	return nil
}

// makeRoom lets bucket i take one more record.
func (c *Counter) makeRoom(i int) error {
	b := &c.buckets[i]
	if len(b.records) >= b.limit {
		b.records, c.slots = compact(b.records, c.stride, c.slots)
		b.limit = max(b.limit, 2*len(b.records))
		if 2*len(b.records) <= cap(b.records) {
			return nil
		}
	}
	size := max(64*c.stride, 3*cap(b.records)/2)
	if c.outlet != nil {
		if size = min(size, c.outlet.limit); size <= cap(b.records) {
			return c.drain(i)
		}
	}
	if err := c.budget.Draw("distinct tuples", int64(size)*8); err != nil {
		if c.outlet != nil && cap(b.records) > 0 {
			return c.drain(i)
		}
		return err
	}
	grown := make([]uint64, len(b.records), size)
	copy(grown, b.records)
	c.budget.Return(int64(cap(b.records)) * 8)
	b.records = grown
	return nil
}

// drain merges bucket i and, unless that halves it, writes it to the store.
func (c *Counter) drain(i int) error {
	b := &c.buckets[i]
	b.records, c.slots = compact(b.records, c.stride, c.slots)
	if 2*len(b.records) <= cap(b.records) {
		return nil
	}
	err := c.outlet.write(i, b.records)
	b.records = b.records[:0]
	return err
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
	if c.outlet != nil {
		return fmt.Errorf("count tuples: a code is above its declared domain")
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
