package verify

import (
	"cmp"
	"fmt"
	"iter"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/kcut/kcut/formats/release"
	"github.com/kcut/kcut/spill"
)

// errManyGroups is returned if not even the smallest share of a set's groups fits.
var errManyGroups = fmt.Errorf("count groups: %w", spill.ErrBudget)

// hashShares is the number of shares into which hashes divide the groups of a set. If memory is
// short, a few shares are counted at a time.
const hashShares = 1 << 10

const fewestSlots = 16

// shareRange is the shares of a set's groups that a pass counts. If groups do not fit, the pass
// gives up half of the shares at a time, and a later pass counts them. Several tables use the same
// range.
type shareRange struct {
	limit int64 // most bytes of the tables
	held  atomic.Int64
	from  uint64
	until atomic.Uint64
}

func newShareRange(limit int64) *shareRange {
	s := &shareRange{limit: limit}
	s.until.Store(hashShares)
	return s
}

// has reports whether the pass counts keys with a hash.
func (s *shareRange) has(hash uint64) bool {
	share := hash >> (64 - 10)
	return share >= s.from && share < s.until.Load()
}

// all reports whether the pass counts all keys.
func (s *shareRange) all() bool { return s.from == 0 && s.until.Load() == hashShares }

// hold takes memory, or reports that there is not enough.
func (s *shareRange) hold(bytes int64) bool {
	if s.held.Add(bytes) <= s.limit {
		return true
	}
	s.held.Add(-bytes)
	return false
}

// narrow leaves half of the shares to a later pass.
func (s *shareRange) narrow() error {
	until := s.until.Load()
	if until <= s.from+1 {
		return errManyGroups
	}
	// If this fails, another table has just narrowed the range.
	s.until.CompareAndSwap(until, s.from+(until-s.from)/2)
	return nil
}

// next moves on to the shares after those of the pass, a few more than had room. It returns false
// if there are none. All tables must be empty.
func (s *shareRange) next() bool {
	until := s.until.Load()
	width := until - s.from
	s.from = until
	s.until.Store(min(hashShares, until+width*5/4+1))
	return until < hashShares
}

// table counts the records of keys with a number of words. It is a hash table with open addressing
// that holds only keys and counts, so that millions of groups fit. One goroutine uses it.
type table struct {
	size int
	lone int // number of columns of which each key has the value of all its records, or mixed
	// class is the number of words that choose the share: keys with these words in common are
	// counted in one pass.
	class  int
	shares *shareRange
	// slots has for each slot its key, its lone values, and its count, which is 0 if the slot is
	// free.
	slots []uint64
	room  int // number of slots, a power of two
	used  int
}

func newTable(size int, s *shareRange) *table { return newLoneTable(size, 0, s) }

// newLoneTable returns a table that also has, for each key, the lone values of some columns.
func newLoneTable(size, lone int, s *shareRange) *table {
	t := &table{size: size, lone: lone, class: size, shares: s}
	t.empty(fewestSlots)
	return t
}

// empty makes an empty table with the given number of slots.
func (t *table) empty(slots int) {
	t.slots, t.room, t.used = make([]uint64, slots*t.stride()), slots, 0
}

// stride returns the number of words of a slot.
func (t *table) stride() int { return t.size + t.lone + 1 }

// hashOf spreads keys: its high bits choose the share, its low bits the slot.
func hashOf(key []uint64) uint64 {
	h := uint64(0x9e3779b97f4a7c15)
	for _, word := range key {
		high, low := bits.Mul64(h^word, 0xd1342543de82ef95)
		h = high ^ low
	}
	return h ^ h>>29
}

// add counts records of an entry, a key with its lone values, if the pass counts the key. It
// returns errManyGroups if there is no room and nothing left to give up.
func (t *table) add(entry []uint64, records uint64) error {
	key := entry[:t.size]
	hash := hashOf(key)
	if !t.counts(hash, key) {
		return nil
	}
	slot := t.find(hash, key)
	if last := len(slot) - 1; slot[last] == 0 {
		if t.used*4 >= t.room*3 {
			if err := t.makeRoom(); err != nil {
				return err
			}
			return t.add(entry, records)
		}
		t.used++
		copy(slot, entry)
		slot[last] = records
		return nil
	}
	for i := t.size; i < t.size+t.lone; i++ {
		if slot[i] != entry[i] {
			slot[i] = mixed
		}
	}
	slot[len(slot)-1] += records
	return nil
}

// counts reports whether the pass counts a key with a hash.
func (t *table) counts(hash uint64, key []uint64) bool {
	switch {
	case t.class == t.size:
	case t.shares.all():
		return true
	default:
		hash = hashOf(key[:t.class])
	}
	return t.shares.has(hash)
}

// find returns the slot of a key, or the free slot that it would get.
func (t *table) find(hash uint64, key []uint64) []uint64 {
	stride := t.stride()
	last := uint64(t.room) - 1
	for i := hash & last; ; i = (i + 1) & last {
		slot := t.slots[int(i)*stride:][:stride]
		if slot[stride-1] == 0 || slot[0] == key[0] && slices.Equal(slot[1:t.size], key[1:]) {
			return slot
		}
	}
}

// records returns the count of a key.
func (t *table) records(key []uint64) uint64 {
	slot := t.find(hashOf(key), key)
	return slot[len(slot)-1]
}

// bytes returns the memory of a table with the given number of slots, beyond its first slots.
func (t *table) bytes(slots int) int64 { return 8 * int64(slots-fewestSlots) * int64(t.stride()) }

// makeRoom doubles the table or, if there is no memory for that, gives up keys.
func (t *table) makeRoom() error {
	slots := 2 * t.room
	if !t.shares.hold(t.bytes(slots)) {
		if err := t.giveUp(); err != nil {
			return err
		}
		slots = max(fewestSlots, t.room/2)
		t.shares.held.Add(t.bytes(slots))
	}
	freed := t.bytes(t.room)
	t.rehash(slots)
	t.shares.held.Add(-freed)
	return nil
}

// giveUp narrows the range until the keys that are left need half of the slots.
func (t *table) giveUp() error {
	for {
		left := 0
		for range t.all() {
			left++
		}
		if left*8 <= t.room*3 {
			return nil
		}
		if err := t.shares.narrow(); err != nil {
			return err
		}
	}
}

// rehash moves the keys that the pass counts to the given number of slots.
func (t *table) rehash(slots int) {
	old := *t
	t.empty(slots)
	for entry, records := range old.all() {
		key := entry[:t.size]
		slot := t.find(hashOf(key), key)
		copy(slot, entry)
		slot[len(slot)-1] = records
		t.used++
	}
}

// stripes is the number of times that all goes through the slots. Each time it visits other, evenly
// spaced slots. If it visited the slots in order, another table to which the keys are added would
// fill from its front, and each addition would search an ever longer run of slots.
const stripes = fewestSlots

// all returns the entries with records, in any order, and their counts, without keys that were
// given up. An entry is valid until the next one is returned.
func (t *table) all() iter.Seq2[[]uint64, uint64] {
	return func(yield func(entry []uint64, records uint64) bool) {
		stride, size := t.stride(), t.stride()-1
		for stripe := range stripes {
			for at := stripe * stride; at < len(t.slots); at += stripes * stride {
				entry, records := t.slots[at:][:size:size], t.slots[at+size]
				key := entry[:t.size]
				if records > 0 && t.counts(hashOf(key), key) && !yield(entry, records) {
					return
				}
			}
		}
	}
}

// clear removes all keys, and returns their memory.
func (t *table) clear() {
	t.shares.held.Add(-t.bytes(t.room))
	t.empty(fewestSlots)
}

// labelKey says how the numbers of a set's labels make a key of words: in each word, the numbers of
// its columns are the digits of a number with mixed radix.
type labelKey struct {
	columns []int    // positions in the checks
	below   []uint64 // by column: the number that all its numbers are below
	words   []int
	strides []uint64
	size    int // number of words of a key

	combinations float64 // number of combinations of labels; infinite for a key with a value
	// value is the sensitive column, for the key of a claim, whose values are in the last word;
	// else −1.
	value int
	lone  bool // the keys have lone values
}

// newLabelKey makes keys of numbers below the given limits, which are at least 1.
func newLabelKey(columns []int, below []uint64) labelKey {
	k := labelKey{columns: columns, below: below, size: 1, combinations: 1, value: -1}
	stride := uint64(1)
	for _, n := range below {
		k.combinations *= float64(n)
		over, next := bits.Mul64(stride, n)
		if over > 0 {
			k.size++
			stride, next = 1, n
		}
		k.words, k.strides = append(k.words, k.size-1), append(k.strides, stride)
		stride = next
	}
	return k
}

// share divides memory among the tables of some keys, with the given number of counters for each:
// keys with few combinations take the memory that these need, and leave the rest to the others.
func (r *rules) share(memory int64, keys []int, counters int) map[int]int64 {
	ascending := slices.Clone(keys)
	slices.SortFunc(ascending, func(a, b int) int {
		return cmp.Compare(r.keys[a].combinations, r.keys[b].combinations)
	})
	shares := make(map[int]int64)
	for i, key := range ascending {
		k, most := &r.keys[key], memory/int64(len(keys)-i)
		// Half of the slots are used, and later moved.
		need := (k.combinations + fewestSlots) * float64(4*8*(k.size+r.loneOf(k)+1)*counters)
		shares[key] = int64(min(need, float64(most)))
		memory -= shares[key]
	}
	return shares
}

// of returns the key of one number per check.
func (k *labelKey) of(numbers []uint32) []uint64 {
	key := make([]uint64, k.size)
	for i, column := range k.columns {
		key[k.words[i]] += uint64(numbers[column]) * k.strides[i]
	}
	return key
}

// digit returns the number of the column at a position in a key.
func (k *labelKey) digit(key []uint64, i int) uint32 {
	return uint32(key[k.words[i]] / k.strides[i] % k.below[i])
}

// pack writes a word of the keys of a block of rows, and reports whether all rows have the same.
func (k *labelKey) pack(word int, keys []uint64, numbers []release.Numbers) (same bool) {
	one := uint64(0)
	for i, column := range k.columns {
		if n := &numbers[column]; k.words[i] == word && n.Same {
			one += uint64(n.One) * k.strides[i]
		}
	}
	for at := word; at < len(keys); at += k.size {
		keys[at] = one
	}
	same = true
	for i, column := range k.columns {
		n, stride := &numbers[column], k.strides[i]
		if k.words[i] != word || n.Same {
			continue
		}
		same = false
		for row, number := range n.Every[:len(keys)/k.size] {
			keys[row*k.size+word] += uint64(number) * stride
		}
	}
	return same
}

// counter counts blocks of rows by their labels, for one goroutine.
type counter struct {
	rules   *rules
	tables  []*table      // by key
	marked  uint64        // number of rows that have only marks
	classes *classCounter // nil: class sizes are not requested
	// labelChanges is, by check, the number of rows with another label than the previous row of
	// their block; nil: not requested.
	labelChanges []uint64
	keys         []uint64   // scratch: keys of a block, one after the other
	lone         [][]uint64 // scratch: hashes of a block, by lone column
	entry        []uint64   // scratch
}

func newCounter(r *rules, shares []*shareRange) *counter {
	c, most := &counter{rules: r}, 0
	for i := range r.keys {
		k := &r.keys[i]
		t := newLoneTable(k.size, r.loneOf(k), shares[i])
		if k.value >= 0 {
			t.class--
		}
		c.tables = append(c.tables, t)
		most = max(most, k.size)
	}
	c.keys = make([]uint64, most*release.BlockRows)
	for range r.lone {
		c.lone = append(c.lone, make([]uint64, release.BlockRows))
	}
	c.entry = make([]uint64, most+len(r.lone))
	return c
}

// count counts a block of rows by a key.
func (c *counter) count(key, rows int, numbers []release.Numbers, kept []release.Hashes) error {
	k, t := &c.rules.keys[key], c.tables[key]
	keys, same := c.keys[:rows*k.size], true
	for word := range k.size {
		same = k.pack(word, keys, numbers) && same
	}
	if k.value >= 0 {
		same = k.packValues(keys, &kept[k.value]) && same
	} else if c.classes != nil && key < len(c.rules.cut.Sets) {
		c.classes.join(key, keys, k.size)
	}
	for from, to := 0, rows; from < rows; from = to { // equal rows often follow each other
		if !same {
			to = from + sameKeys(keys[from*k.size:], k.size)
		}
		entry := keys[from*k.size:][:k.size]
		if k.lone {
			entry = c.withLone(entry, from, to)
		}
		if err := t.add(entry, uint64(to-from)); err != nil {
			return err
		}
	}
	return nil
}

// sameKeys returns how many keys of size words each are the same as the first.
func sameKeys(keys []uint64, size int) int {
	n := size
	for n < len(keys) && slices.Equal(keys[:size], keys[n:][:size]) {
		n += size
	}
	return n / size
}

// readLone reads the lone columns of a block.
func (c *counter) readLone(rows int, kept []release.Hashes) {
	for i, column := range c.rules.lone {
		hashesOf(c.lone[i][:rows], &kept[column.at])
	}
}

// withLone returns the entry of rows of a block that have the same key.
func (c *counter) withLone(key []uint64, from, to int) []uint64 {
	entry := c.entry[:len(key)+len(c.lone)]
	copy(entry, key)
	for i, hashes := range c.lone {
		entry[len(key)+i] = loneOf(hashes[from:to])
	}
	return entry
}

// countLabelChanges counts the changes of labels from row to row of a block.
func (c *counter) countLabelChanges(rows int, numbers []release.Numbers) {
	for i := range numbers {
		if numbers[i].Same {
			continue
		}
		every := numbers[i].Every[:rows]
		for row := 1; row < rows; row++ {
			if every[row] != every[row-1] {
				c.labelChanges[i]++
			}
		}
	}
}

// countMarked counts the rows of a block with the mark in every masked column.
func (c *counter) countMarked(rows int, numbers []release.Numbers) {
	marks := c.rules.marks
	var varying []int
	for i := range numbers {
		switch {
		case !numbers[i].Same:
			varying = append(varying, i)
		case numbers[i].One != marks[i]:
			return
		}
	}
row:
	for row := range rows {
		for _, i := range varying {
			if numbers[i].Every[row] != marks[i] {
				continue row
			}
		}
		c.marked++
	}
}
