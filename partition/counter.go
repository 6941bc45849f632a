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
	// smallArrayBits is the size of an array that is always worth having: it takes no more
	// than the cache that it stands for.
	smallArrayBits = 15
	// arrayBits is the size up to which an array, 8 MiB then, beats hashing even if most of
	// its entries stay zero.
	arrayBits = 20
	// minCompact is the smallest number of records for which merging a bucket pays.
	minCompact = 1 << 12
)

// Counter counts tuples of codes.
//
//	rows ──▶ cache (direct mapped) ──evicted──▶ 256 buckets by hash, or spill.Sorter
//
// Few distinct tuples never leave the cache; many pass through it to the buckets, where
// equal ones are merged whenever a bucket has doubled, so memory stays within about four
// times the distinct tuples. Tuples of so few bits that an array has a place for each are
// counted there, and neither hashed nor evicted. When a domain outgrows its bits everything
// is packed anew with wider fields. A counter that spills knows its domains beforehand, and has no
// buckets but a sorter, whose rows are keys.
//
// A Counter belongs to one goroutine; Tabulate joins several.
type Counter struct {
	budget  *spill.Budget
	domains []int // every code of column i is below domains[i]
	layout  Layout
	stride  int      // words of a record: the key, then the count
	cache   []uint64 // nil when there is an array
	array   []uint64 // counts by key; nil when keys have too many bits
	buckets [1 << bucketBits]bucket
	slabs   slabs    // the memory of the buckets
	keys    []uint64 // scratch: the packed keys of the rows being added
	records []uint64 // scratch of compact: those of one bucket
	slots   []uint32

	sorter *spill.Sorter // in the place of buckets; nil: everything stays in memory
	run    *spill.RowRun // of the sorter
}

// NewCounter returns a counter of tuples of codes. With a store the codes must be below the given
// domains; besides its cache, a few hundred KiB, the counter draws at most the space's share then,
// and what exceeds that is written to the store.
// Without a store the domains are a beginning.
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

// newArray returns an array of counts by key, or nil when that would be too large or the budget
// refuses. A counter that spills has but a small one, which is not drawn.
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

// returnArray returns what an array takes of the budget.
func (c *Counter) returnArray(array []uint64) {
	if c.sorter == nil {
		c.budget.Return(int64(len(array)) * 8)
	}
}

// Add counts n rows given as one slice of codes a column. Every code of column i must be
// below domains[i], which a counter that spills knows already. It returns an error
// wrapping spill.ErrBudget when the table outgrows the budget, or the store's.
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

// addPairs is Add for two columns that an array counts, as of every column with the class: their keys
// are not stored.
func (c *Counter) addPairs(low, high []uint32) {
	array, shift := c.array, c.layout.Fields[1].Shift&63
	for i, code := range high[:len(low)] {
		array[uint64(code)<<shift|uint64(low[i])]++
	}
}

// AddCounted is Add for rows each of which stands for as many as counts says, none perhaps; nil:
// one.
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
	for i := 0; i < len(codes); {
		if i+4 <= len(codes) && c.layout.Fields[i].Word == c.layout.Fields[i+3].Word {
			packFour(keys[c.layout.Fields[i].Word:], uint(words), c.layout.Fields[i:i+4], n, codes[i:i+4])
			i += 4
			continue
		}
		if field := c.layout.Fields[i]; field.Mask > 0 {
			pack(keys[field.Word:], words, codes[i][:n], field.Shift)
		}
		i++
	}
	return keys
}

// Held returns the number of records in memory, but for those that rows meet first: at most
// four times as many as there are distinct tuples.
func (c *Counter) Held() (records int) {
	for i := range c.buckets {
		records += c.buckets[i].words()
	}
	return records / c.stride
}

// pack puts the codes into a word of every key.
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

// packFour is pack for four columns of one word, which is not stored in between.
func packFour(keys []uint64, words uint, fields []Field, n int, codes [][]uint32) {
	var times [4]uint64
	for i, f := range fields {
		times[i] = 1 << f.Shift
	}
	t, u, v, w := times[0], times[1], times[2], times[3]
	x, y, z := codes[1][:n], codes[2][:n], codes[3][:n]
	at := uint(0)
	for i, code := range codes[0][:n] {
		keys[at] |= uint64(code)*t | uint64(x[i])*u | uint64(y[i])*v | uint64(z[i])*w
		at += words
	}
}

// addShort is add for every key of one word, the common case.
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
		return c.hand([]uint64{key, count})
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

// hand gives a record to the sorter.
func (c *Counter) hand(record []uint64) error {
	words := len(record) - 1
	if err := (rowKey{}).add(c.run, record[:words], record[words]); err != nil {
		return fmt.Errorf("count tuples: %w", err)
	}
	return nil
}

// push appends a record to the bucket its hash belongs to.
func (c *Counter) push(h uint64, record []uint64) error {
	if c.run != nil {
		return c.hand(record)
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
	if c.sorter != nil {
		return fmt.Errorf("count tuples: a code is above its declared domain")
	}
	for i, d := range c.domains { // to the full power of two, so that the next growth is far
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

// eachFront calls f with the records that are not in a bucket, each valid until f returns.
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
