package partition

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/kcut/kcut/spill"
)

const (
	// bucketBits is the number of hash bits that determine the bucket of a tuple. In a table of 10M
	// tuples, the distinct tuples of one bucket stay in the second-level cache during a merge.
	bucketBits = 8
	// cacheBits determines the size of the cache: 8,192 tuples, at most a few hundred KiB.
	cacheBits = 13
	// smallArrayBits is the number of key bits for which an array always pays: the array takes no
	// more memory than the cache that it replaces.
	smallArrayBits = 15
	// arrayBits is the largest number of key bits for which an array is faster than hashing, even
	// if most of its entries stay zero. Such an array has 8 MiB.
	arrayBits = 20
	// minCompact is the smallest number of records for which merging a bucket pays.
	minCompact = 1 << 12
)

// Counter counts tuples of codes.
//
//	rows ──▶ cache (direct mapped) ──evicted──▶ 256 buckets by hash, or spill.Sorter
//
// If there are few distinct tuples, they stay in the cache. If there are many, the cache evicts
// them to the buckets. A bucket merges equal tuples each time its size has doubled. So the records
// in memory are at most about four times as many as the distinct tuples. If the keys have few bits,
// an array with one count for every key replaces the cache and the buckets, and nothing is hashed
// or evicted. If a domain needs more bits than its field has, the counter packs all keys again with
// wider fields. A counter that spills gets the final domains at the start. It has a sorter instead
// of buckets, and the rows of the sorter are keys.
//
// Only one goroutine may use a Counter. Tabulate joins several counters.
type Counter struct {
	budget  *spill.Budget
	domains []int // every code of column i is below domains[i]
	layout  Layout
	stride  int      // words of a record: the key, then the count
	cache   []uint64 // nil if there is an array
	array   []uint64 // counts by key; nil if keys have too many bits
	buckets [1 << bucketBits]bucket
	slabs   slabs    // the memory of the buckets
	keys    []uint64 // scratch: the packed keys of the rows being added
	records []uint64 // scratch of compact: the records of one bucket
	slots   []uint32 // scratch of compact

	sorter *spill.Sorter // replaces the buckets; nil: everything stays in memory
	run    *spill.RowRun // the run of the sorter that gets the records
}

// NewCounter returns a counter of tuples of codes. If the space has a store, all codes must be
// below the given domains. Then the counter draws at most the space's share, besides its cache of a
// few hundred KiB, and writes the other records to the store. If the space has no store, the
// domains may grow.
func NewCounter(domains []int, space Space) *Counter {
	c := &Counter{budget: space.Budget, domains: slices.Clone(domains)}
	for i, d := range domains {
		c.domains[i] = max(1, d)
	}
	if space.Store != nil {
		c.sorter = rowKey{}.sorter(NewLayout(c.domains), space)
		c.run = c.sorter.NewRun()
	}
	c.reset()
	return c
}

func (c *Counter) reset() {
	c.layout = NewLayout(c.domains)
	c.stride = c.layout.Words + 1
	c.cache, c.array = nil, c.newArray()
	if c.array == nil {
		c.cache = make([]uint64, c.stride<<cacheBits)
	}
	if segment := segmentRecords * c.stride; segment != c.slabs.segment {
		c.slabs = slabs{budget: c.budget, segment: segment}
	}
	for i := range c.buckets {
		c.buckets[i] = bucket{limit: minCompact * c.stride}
	}
}

// newArray returns an array of counts by key. It returns nil if the array would be too large or if
// the budget has no room. A counter that spills has only a small array, which it does not draw.
func (c *Counter) newArray() []uint64 {
	bits := c.layout.bits()
	if bits > arrayBits || c.sorter != nil && bits > smallArrayBits {
		return nil
	}
	if c.sorter == nil && c.budget.Draw("counts of tuples", 8<<bits) != nil {
		return nil
	}
	return make([]uint64, 1<<bits)
}

// returnArray returns the bytes of an array to the budget.
func (c *Counter) returnArray(array []uint64) {
	if c.sorter == nil {
		c.budget.Return(int64(len(array)) * 8)
	}
}

// Add counts n rows. It gets one slice of codes for each column. Every code of column i must be
// below domains[i]. In a counter that spills, domains[i] must not exceed the domain that NewCounter
// got. Add returns an error that wraps spill.ErrBudget if the table needs more memory than the
// budget has, or an error of the store.
func (c *Counter) Add(n int, codes [][]uint32, domains []int) error {
	if err := c.widen(domains); err != nil || n == 0 {
		return err
	}
	if c.array != nil && len(codes) == 2 {
		c.addPairs(codes[0][:n], codes[1][:n])
		return nil
	}
	words := c.layout.Words
	keys := c.pack(n, codes)
	switch {
	case c.array != nil:
		for _, key := range keys {
			c.array[key]++
		}
		return nil
	case words == 1:
		return c.addShort(keys)
	}
	for i := 0; i < len(keys); i += words {
		if err := c.add(keys[i:i+words:i+words], 1); err != nil {
			return err
		}
	}
	return nil
}

// addPairs is Add for two columns that an array counts, such as a column and the class. It does not
// store the keys.
func (c *Counter) addPairs(low, high []uint32) {
	array, shift := c.array, c.layout.Fields[1].Shift&63
	for i, code := range high[:len(low)] {
		array[uint64(code)<<shift|uint64(low[i])]++
	}
}

// AddCounted is Add for rows that occur several times: row i occurs counts[i] times, which may be
// 0. If counts is nil, every row occurs once.
func (c *Counter) AddCounted(n int, counts []uint64, codes [][]uint32, domains []int) error {
	if counts == nil {
		return c.Add(n, codes, domains)
	}
	if err := c.widen(domains); err != nil || len(counts) == 0 {
		return err
	}
	words := c.layout.Words
	keys := c.pack(len(counts), codes)
	for i, count := range counts {
		if count == 0 {
			continue
		}
		if err := c.add(keys[i*words:(i+1)*words:(i+1)*words], count); err != nil {
			return err
		}
	}
	return nil
}

// pack returns the keys of n rows, valid until the next call.
func (c *Counter) pack(n int, codes [][]uint32) []uint64 {
	words := c.layout.Words
	if cap(c.keys) < n*words {
		c.keys = make([]uint64, n*words)
	}
	keys := c.keys[:n*words]
	clear(keys)
	for i, column := range codes {
		if field := c.layout.Fields[i]; field.Mask > 0 {
			pack(keys[field.Word:], words, column[:n], field.Shift)
		}
	}
	return keys
}

// Held returns the number of records in the buckets. It is at most four times the number of
// distinct tuples.
func (c *Counter) Held() (records int) {
	for i := range c.buckets {
		records += c.buckets[i].words()
	}
	return records / c.stride
}

// pack puts the codes of one column into one word of every key.
func pack(keys []uint64, words int, codes []uint32, shift uint) {
	if words > 1 {
		at := 0
		for _, code := range codes {
			keys[at] |= uint64(code) << (shift & 63)
			at += words
		}
		return
	}
	keys = keys[:len(codes)]
	for i, code := range codes {
		keys[i] |= uint64(code) << (shift & 63)
	}
}

// addShort is add for many keys of one word each, the common case.
func (c *Counter) addShort(keys []uint64) error {
	cache := c.cache[: 2<<cacheBits : 2<<cacheBits]
	for _, key := range keys {
		slot := hash1(key) & (1<<cacheBits - 1) * 2
		entry := cache[slot : slot+2 : slot+2]
		known, count := entry[0], entry[1]
		if known == key && count > 0 {
			entry[1] = count + 1
			continue
		}
		entry[0], entry[1] = key, 1
		if count > 0 {
			if err := c.pushShort(known, count); err != nil {
				return err
			}
		}
	}
	return nil
}

// pushShort is push for a key of one word.
func (c *Counter) pushShort(key, count uint64) error {
	if c.run != nil {
		return c.addToSorter([]uint64{key, count})
	}
	i := hash1(key) >> (64 - bucketBits)
	b := &c.buckets[i]
	if len(b.last) == cap(b.last) {
		if err := c.makeRoom(int(i)); err != nil {
			return err
		}
	}
	b.last = append(b.last, key, count)
	return nil
}

// add adds a count to the count of a key.
func (c *Counter) add(key []uint64, count uint64) error {
	if c.array != nil {
		c.array[key[0]] += count
		return nil
	}
	slot := int(hash(key)&(1<<cacheBits-1)) * c.stride
	entry := c.cache[slot : slot+c.stride : slot+c.stride]
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
	for w, word := range key {
		entry[w] = word
	}
	entry[last] = count
	return nil
}

// addToSorter adds a record to the sorter.
func (c *Counter) addToSorter(record []uint64) error {
	words := len(record) - 1
	if err := (rowKey{}).add(c.run, record[:words], record[words]); err != nil {
		return fmt.Errorf("count tuples: %w", err)
	}
	return nil
}

// push appends a record to the bucket of its hash, or to the sorter.
func (c *Counter) push(h uint64, record []uint64) error {
	if c.run != nil {
		return c.addToSorter(record)
	}
	i := h >> (64 - bucketBits)
	b := &c.buckets[i]
	if len(b.last) == cap(b.last) {
		if err := c.makeRoom(int(i)); err != nil {
			return err
		}
	}
	at := len(b.last)
	b.last = b.last[:at+len(record)]
	for w, word := range record {
		b.last[at+w] = word
	}
	return nil
}

// widen updates the domains. If a domain needs more bits than its field has, widen packs all keys
// again with wider fields.
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
	if c.sorter != nil {
		return fmt.Errorf("count tuples: a code is above its declared domain")
	}
	for i, d := range c.domains { // up to the power of two, so that a field rarely grows again
		c.domains[i] = 1 << bits.Len(uint(d-1))
	}
	was := *c
	c.reset()
	key := make([]uint64, c.layout.Words)
	repack := func(record []uint64) error {
		clear(key)
		for i, from := range was.layout.Fields {
			to := c.layout.Fields[i]
			key[to.Word] |= uint64(from.Code(record)) << to.Shift
		}
		return c.add(key, record[len(record)-1])
	}
	if err := was.eachFront(repack); err != nil {
		return err
	}
	c.returnArray(was.array)
	for i := range was.buckets {
		segments := was.buckets[i].segments()
		for _, records := range segments {
			for ; len(records) > 0; records = records[was.stride:] {
				if err := repack(records[:was.stride]); err != nil {
					return err
				}
			}
		}
		if was.stride == c.stride {
			c.slabs.put(segments)
		}
	}
	if was.stride != c.stride {
		was.slabs.release()
	}
	return nil
}

// eachFront calls f with every record of the cache and of the array. A record is valid until f
// returns.
func (c *Counter) eachFront(f func(record []uint64) error) error {
	for i := 0; i < len(c.cache); i += c.stride {
		if c.cache[i+c.stride-1] > 0 {
			if err := f(c.cache[i : i+c.stride]); err != nil {
				return err
			}
		}
	}
	record := make([]uint64, 2)
	for key, n := range c.array {
		if n > 0 {
			record[0], record[1] = uint64(key), n
			if err := f(record); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush moves all records to the buckets, or to the sorter.
func (c *Counter) flush() error {
	err := c.eachFront(func(record []uint64) error {
		return c.push(hash(record[:c.stride-1]), record)
	})
	c.returnArray(c.array)
	c.cache, c.array = nil, nil
	return err
}
