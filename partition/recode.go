package partition

import (
	"math"
	"math/bits"
)

// shardRecords is the number of records that are merged at a time: their keys and the
// slots of their hash table stay in a second-level cache.
const (
	shardRecords = 4096
	maxShards    = 1024
	// mergePays is the size of a table that is merged without asking. Merging a larger one
	// costs about as much as a search with a quarter more records.
	mergePays = 1 << 16
	// sampleBits is how many bits of its hash say, at least, whether a tuple is in a sample, which
	// is to have at most so many records.
	sampleBits    = 6
	sampleRecords = 1 << 15
)

// Recode replaces every code c of column i by maps[i][c], below domains[i], and merges
// the tuples that become equal, on the given number of goroutines. No domain may grow. The
// table is consumed: its memory is the result's. A merged count that would not fit stays apart
// in a record of its own.
func (t *Table) Recode(maps [][]uint32, domains []int, threads int) *Table {
	r := &Table{Layout: NewLayout(domains), Counts: t.Counts}
	r.Keys = t.recoded(r.Layout, maps, threads)
	r.merge(threads)
	return r
}

// Coarsen is Recode for a search, which may meet a tuple twice: tuples that become equal are
// merged only where that pays.
func (t *Table) Coarsen(maps [][]uint32, domains []int, threads int) *Table {
	r := &Table{Layout: NewLayout(domains), Counts: t.Counts}
	r.Keys = t.recoded(r.Layout, maps, threads)
	if r.Len() < mergePays || r.repeated(threads) {
		r.merge(threads)
	}
	return r
}

// Translate is Recode where tuples stay distinct: it is for renaming codes, not for joining
// them. Domains may grow.
func (t *Table) Translate(maps [][]uint32, domains []int, threads int) {
	to := NewLayout(domains)
	t.Keys, t.Layout = t.recoded(to, maps, threads), to
}

// recoded returns the keys in new codes: where the keys are, when they are not longer.
func (t *Table) recoded(to Layout, maps [][]uint32, threads int) []uint64 {
	keys, words := t.Keys, max(t.Layout.Words, to.Words)
	if to.Words > t.Layout.Words {
		keys = make([]uint64, t.Len()*words)
	}
	ranges := cut(t.Len(), threads)
	Each(len(ranges), threads, func(_, i int) {
		t.Slice(ranges[i]).repack(keys[ranges[i].Lo*words:], to, maps)
	})
	if words > to.Words {
		for _, share := range ranges[1:] {
			copy(keys[share.Lo*to.Words:share.Hi*to.Words], keys[share.Lo*words:])
		}
	}
	return keys[:t.Len()*to.Words]
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

// merge sums the counts of equal tuples. Records are first dealt into shards by hash, so that
// each shard's hash table is small; the result overwrites the table from its start.
func (t *Table) merge(threads int) {
	shards := 1
	for shards < maxShards && t.Len() > shards*shardRecords {
		shards *= 2
	}
	source, bounds := t.deal(shards, threads)
	merged := make([]*Table, min(len(cut(t.Len(), threads)), shards))
	Each(len(merged), threads, func(_, i int) {
		first, last := shards*i/len(merged), shards*(i+1)/len(merged)
		to := t.Slice(Rows{Lo: bounds[first], Hi: bounds[last]})
		to.Truncate()
		var slots []uint32
		for s := first; s < last; s++ {
			slots = to.Absorb(source, bounds[s], bounds[s+1], slots)
		}
		merged[i] = to
	})
	t.Truncate()
	for _, part := range merged {
		t.Keys, t.Counts = append(t.Keys, part.Keys...), append(t.Counts, part.Counts...)
	}
}

// repeated reports whether merging would leave at most three quarters of the records. It looks
// at the tuples of a part of all hashes.
func (t *Table) repeated(threads int) bool {
	ranges, rare := cut(t.Len(), threads), max(sampleBits, bits.Len(uint(t.Len()/sampleRecords)))
	samples := make([]*Table, len(ranges))
	Each(len(ranges), threads, func(_, i int) { samples[i] = t.Slice(ranges[i]).sampled(rare) })
	distinct, records := &Table{Layout: t.Layout}, 0
	for _, sample := range samples {
		records += sample.Len()
		distinct.Keys, distinct.Counts = append(distinct.Keys, sample.Keys...), append(distinct.Counts, sample.Counts...)
	}
	sample := distinct.Slice(Rows{Hi: records})
	distinct.Truncate()
	distinct.Absorb(sample, 0, records, nil)
	return 4*distinct.Len() <= 3*records
}

// sampled returns the records with the tuples of a sample: those with so many bits of their
// hashes zero.
func (t *Table) sampled(rare int) *Table {
	sample, w := &Table{Layout: t.Layout}, t.Layout.Words
	room := t.Len()>>rare + t.Len()>>(rare+2)
	sample.Keys, sample.Counts = make([]uint64, 0, room*w), make([]uint32, 0, room)
	for i, n := range t.Counts {
		if t.hash(i)>>(64-rare) == 0 {
			sample.Keys, sample.Counts = append(sample.Keys, t.Keys[i*w:(i+1)*w]...), append(sample.Counts, n)
		}
	}
	return sample
}

// deal returns a table of the same records in which those of shard s are at
// bounds[s] ≤ i < bounds[s+1]. One shard is the table itself: Absorb never writes past
// the record it reads.
func (t *Table) deal(shards int, threads int) (dealt *Table, bounds []int) {
	if shards == 1 {
		return &Table{Layout: t.Layout, Keys: t.Keys, Counts: t.Counts}, []int{0, t.Len()}
	}
	dealt = &Table{Layout: t.Layout, Keys: make([]uint64, len(t.Keys)), Counts: make([]uint32, t.Len())}
	ranges := cut(t.Len(), threads)
	next := make([][]int, len(ranges)) // by share and shard: how many, then where to
	Each(len(ranges), threads, func(_, i int) { next[i] = t.Slice(ranges[i]).countShards(shards) })
	end := 0
	for s := range shards {
		bounds = append(bounds, end)
		for i := range ranges {
			next[i][s], end = end, end+next[i][s]
		}
	}
	Each(len(ranges), threads, func(_, i int) { t.Slice(ranges[i]).dealInto(dealt, next[i]) })
	return dealt, append(bounds, end)
}

// countShards returns the number of records of every shard.
func (t *Table) countShards(shards int) []int {
	records := make([]int, shards)
	for i := range t.Counts {
		records[shardOf(t.hash(i), shards)]++
	}
	return records
}

// dealInto copies records to where their shards' next ones go.
func (t *Table) dealInto(dealt *Table, next []int) {
	w := t.Layout.Words
	if w == 1 {
		for i, key := range t.Keys {
			s := shardOf(hash1(key), len(next))
			dealt.Keys[next[s]], dealt.Counts[next[s]] = key, t.Counts[i]
			next[s]++
		}
		return
	}
	for i, n := range t.Counts {
		key := t.Keys[i*w : (i+1)*w]
		s := shardOf(hash(key), len(next))
		copy(dealt.Keys[next[s]*w:], key)
		dealt.Counts[next[s]] = n
		next[s]++
	}
}

// Absorb appends the distinct tuples of source[lo:hi], none of which it holds yet. It
// returns slots, grown as needed, for the next call.
func (t *Table) Absorb(source *Table, lo, hi int, slots []uint32) []uint32 {
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

// hash returns the hash of record i's key.
func (t *Table) hash(i int) uint64 {
	w := t.Layout.Words
	if w == 1 {
		return hash1(t.Keys[i])
	}
	return hash(t.Keys[i*w : (i+1)*w])
}

// shardOf maps a hash to one of shards, a power of two.
func shardOf(h uint64, shards int) int { return int(h >> 48 & uint64(shards-1)) }
