package partition

import "math"

// shardRecords is the number of records that are merged at a time: their keys and the
// slots of their hash table stay in a second-level cache.
const (
	shardRecords = 4096
	maxShards    = 1024
)

// Recode replaces every code c of column i by maps[i][c], below domains[i], and merges
// the tuples that become equal. No domain may grow. The table is consumed: its memory is
// the result's. A merged count that would not fit stays apart in a record of its own.
func (t *Table) Recode(maps [][]uint32, domains []int) *Table {
	r := &Table{Layout: NewLayout(domains), Keys: t.Keys, Counts: t.Counts}
	t.repack(t.Keys, r.Layout, maps)
	r.Keys = r.Keys[:t.Len()*r.Layout.Words]
	r.merge()
	return r
}

// repack writes the keys in new codes, a block at a time. They may go where the keys are
// when they are not longer.
func (t *Table) repack(keys []uint64, to Layout, maps [][]uint32) {
	const block = 512
	buffer := make([]uint64, block*to.Words)
	for lo := 0; lo < t.Len(); lo += block {
		hi := min(lo+block, t.Len())
		fresh := buffer[:(hi-lo)*to.Words]
		clear(fresh)
		old := t.Keys[lo*t.Layout.Words : hi*t.Layout.Words]
		for i, codes := range maps {
			if to.Fields[i].Mask != 0 {
				translate(fresh, to.Words, to.Fields[i], old, t.Layout.Words, t.Layout.Fields[i], codes)
			}
		}
		copy(keys[lo*to.Words:], fresh)
	}
}

// translate adds one column's new codes to a block of zeroed keys.
func translate(fresh []uint64, freshWords int, to Field, keys []uint64, words int, from Field, codes []uint32) {
	for i, j := from.Word, to.Word; i < len(keys); i, j = i+words, j+freshWords {
		fresh[j] |= uint64(codes[keys[i]>>(from.Shift&63)&from.Mask]) << (to.Shift & 63)
	}
}

// merge sums the counts of equal tuples. Records are first dealt into shards by hash, so
// that each shard's hash table is small; the result overwrites the table from its start.
func (t *Table) merge() {
	shards := 1
	for shards < maxShards && t.Len() > shards*shardRecords {
		shards *= 2
	}
	source, bounds := t.deal(shards)
	merged := Table{Layout: t.Layout, Keys: t.Keys[:0], Counts: t.Counts[:0]}
	var slots []uint32
	for s := range shards {
		slots = merged.absorb(source, bounds[s], bounds[s+1], slots)
	}
	t.Keys, t.Counts = merged.Keys, merged.Counts
}

// deal returns a table of the same records in which those of shard s are at
// bounds[s] ≤ i < bounds[s+1]. One shard is the table itself: absorb never writes past
// the record it reads.
func (t *Table) deal(shards int) (dealt *Table, bounds []int) {
	if shards == 1 {
		return &Table{Layout: t.Layout, Keys: t.Keys, Counts: t.Counts}, []int{0, t.Len()}
	}
	w := t.Layout.Words
	bounds = make([]int, shards+1)
	for i := 0; i < len(t.Keys); i += w {
		bounds[shardOf(hash(t.Keys[i:i+w]), shards)+1]++
	}
	for s := range shards {
		bounds[s+1] += bounds[s]
	}
	dealt = &Table{Layout: t.Layout, Keys: make([]uint64, len(t.Keys)), Counts: make([]uint32, t.Len())}
	next := append([]int(nil), bounds[:shards]...)
	for i, n := range t.Counts {
		key := t.Keys[i*w : (i+1)*w]
		s := shardOf(hash(key), shards)
		copy(dealt.Keys[next[s]*w:], key)
		dealt.Counts[next[s]] = n
		next[s]++
	}
	return dealt, bounds
}

// absorb appends the distinct tuples of source[lo:hi], none of which it holds yet. It
// returns slots, grown as needed, for the next call.
func (t *Table) absorb(source *Table, lo, hi int, slots []uint32) []uint32 {
	size := 16
	for size < 2*(hi-lo) {
		size *= 2
	}
	if len(slots) < size {
		slots = make([]uint32, size)
	}
	table := slots[:size]
	clear(table)
	w := t.Layout.Words
	base := t.Len()
	for i := lo; i < hi; i++ {
		key, n := source.Keys[i*w:(i+1)*w], source.Counts[i]
		at := hash(key) & uint64(size-1)
		for table[at] != 0 && !t.holds(base+int(table[at])-1, key) {
			at = (at + 1) & uint64(size-1)
		}
		if r := base + int(table[at]) - 1; table[at] != 0 && n <= math.MaxUint32-t.Counts[r] {
			t.Counts[r] += n
			continue
		}
		t.Keys = append(t.Keys, key...)
		t.Counts = append(t.Counts, n)
		table[at] = uint32(t.Len() - base)
	}
	return slots
}

// holds reports whether record i has the given key.
func (t *Table) holds(i int, key []uint64) bool {
	for j, word := range key {
		if t.Keys[i*len(key)+j] != word {
			return false
		}
	}
	return true
}

// shardOf maps a hash to one of shards, a power of two.
func shardOf(h uint64, shards int) int { return int(h >> 48 & uint64(shards-1)) }
