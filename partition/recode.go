package partition

import (
	"math/bits"
	"slices"
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
// table is consumed: its memory is the result's.
func (t *Table) Recode(maps [][]uint32, domains []int, threads int) *Table {
	t.Translate(maps, domains, threads)
	t.merge(threads)
	return t
}

// Coarsen is Recode for a search, which may meet a tuple twice: tuples that become equal are
// merged only where that pays.
func (t *Table) Coarsen(maps [][]uint32, domains []int, threads int) *Table {
	t.Translate(maps, domains, threads)
	if t.Len() < mergePays || t.repeated(threads) {
		t.merge(threads)
	}
	return t
}

// Translate is Recode where tuples stay distinct: it is for renaming codes, not for joining
// them. Domains may grow. Keys stay where they are when they do not become longer.
func (t *Table) Translate(maps [][]uint32, domains []int, threads int) {
	to := NewLayout(domains)
	keys, words := t.Keys, max(t.Layout.Words, to.Words)
	if to.Words > t.Layout.Words {
		keys = make([]uint64, t.Len()*words)
	}
	ranges, r := cut(t.Len(), threads), newRepacking(t.Layout, to, maps)
	Each(len(ranges), threads, func(_, i int) {
		r.run(keys[ranges[i].Lo*words:], t.Slice(ranges[i]))
	})
	if words > to.Words {
		for _, share := range ranges[1:] {
			copy(keys[share.Lo*to.Words:share.Hi*to.Words], keys[share.Lo*words:])
		}
	}
	t.Keys, t.Layout = keys[:t.Len()*to.Words], to
}

// repacking writes keys in new codes: those of neighbours of few bits together.
type repacking struct {
	from, to int // words of a key
	fields   []repackedField
}

// repackedField is a field, or neighbours that are taken for one.
type repackedField struct {
	from, to Field
	codes    []uint32 // the new ones by the old ones
}

// joinedBits is how many bits fields have at most that are taken for one: their codes take 16 KiB,
// and stay in a first-level cache.
const joinedBits = 12

func newRepacking(from, to Layout, maps [][]uint32) repacking {
	r := repacking{from: from.Words, to: to.Words}
	for i, codes := range maps {
		most := min(len(codes), int(from.Fields[i].Mask)+1) // no key has others
		f := repackedField{from.Fields[i], to.Fields[i], codes[:most]}
		if f.to.Mask == 0 {
			continue
		}
		if last := len(r.fields) - 1; last >= 0 && r.fields[last].precedes(f) {
			r.fields[last] = r.fields[last].join(f)
			continue
		}
		r.fields = append(r.fields, f)
	}
	return r
}

// precedes reports whether a field is followed by another one, in old keys and new ones, and both
// have few bits.
func (f repackedField) precedes(next repackedField) bool {
	return f.from.precedes(next.from) && f.to.precedes(next.to) &&
		f.from.bits()+next.from.bits() <= joinedBits && f.to.bits()+next.to.bits() <= 32
}

func (f Field) precedes(next Field) bool {
	return f.Word == next.Word && f.Shift+f.bits() == next.Shift
}

func (f Field) bits() uint { return uint(bits.Len64(f.Mask)) }

// join takes a field and the one that follows it for one.
func (f repackedField) join(next repackedField) repackedField {
	fromBits, toBits := f.from.bits(), f.to.bits()
	codes := make([]uint32, len(next.codes)<<fromBits)
	for high, code := range next.codes {
		for low, lower := range f.codes {
			codes[high<<fromBits|low] = code<<toBits | lower
		}
	}
	f.from.Mask |= next.from.Mask << fromBits
	f.to.Mask |= next.to.Mask << toBits
	f.codes = codes
	return f
}

// run writes the keys of a table, a block at a time. They may go where the keys are when they are
// not longer.
func (r repacking) run(keys []uint64, t *Table) {
	const block = 512
	buffer := make([]uint64, block*r.to)
	for lo := 0; lo < t.Len(); lo += block {
		hi := min(lo+block, t.Len())
		fresh := buffer[:(hi-lo)*r.to]
		clear(fresh)
		for _, f := range r.fields {
			f.repack(fresh[f.to.Word:], uint(r.to), t.Keys[lo*r.from+f.from.Word:hi*r.from], uint(r.from))
		}
		copy(keys[lo*r.to:], fresh)
	}
}

// repack puts the new codes of a field into a word of every new key.
func (f repackedField) repack(fresh []uint64, to uint, old []uint64, from uint) {
	shift, mask, toShift, codes := f.from.Shift&63, f.from.Mask, f.to.Shift&63, f.codes
	for i, at := uint(0), uint(0); at < uint(len(old)); i, at = i+to, at+from {
		fresh[i] |= uint64(codes[old[at]>>shift&mask]) << toShift
	}
}

// merge sums the counts of equal tuples. Records are first distributed into shards by hash, so that
// each shard's hash table is small; the result overwrites the table from its start.
func (t *Table) merge(threads int) {
	shards, slots := t.distribute(threads), make([][]uint32, max(1, threads))
	Each(len(shards), threads, func(worker, i int) {
		shards[i].last, slots[worker] = compact(shards[i].last, t.Layout.Words+1, slots[worker])
	})
	t.place(shards, threads)
}

// repeated reports whether merging would leave at most three quarters of the records. It looks
// at the tuples of a part of all hashes.
func (t *Table) repeated(threads int) bool {
	rare := max(sampleBits, bits.Len(uint(t.Len()/sampleRecords)))
	ranges := cut(t.Len(), threads)
	samples := make([][]uint64, len(ranges))
	Each(len(ranges), threads, func(_, i int) {
		var sample []uint64
		for at := ranges[i].Lo; at < ranges[i].Hi; at++ {
			if key := t.key(at); hash(key)>>(64-rare) == 0 {
				sample = append(append(sample, key...), t.Counts[at])
			}
		}
		samples[i] = sample
	})
	sample := slices.Concat(samples...)
	words := len(sample)
	distinct, _ := compact(sample, t.Layout.Words+1, nil)
	return 4*len(distinct) <= 3*words
}

// distribute returns the records as those of shards, each with its count behind its key.
func (t *Table) distribute(threads int) []bucket {
	shards, stride := 1, t.Layout.Words+1
	for shards < maxShards && t.Len() > shards*shardRecords {
		shards *= 2
	}
	ranges := cut(t.Len(), threads)
	next := make([][]int, len(ranges)) // by share and shard: how many, then where to
	Each(len(ranges), threads, func(_, i int) {
		next[i] = make([]int, shards)
		for at := ranges[i].Lo; at < ranges[i].Hi; at++ {
			next[i][shardOf(hash(t.key(at)), shards)]++
		}
	})
	distributed, records, end := make([]bucket, shards), make([]uint64, t.Len()*stride), 0
	for s := range shards {
		from := end
		for i := range ranges {
			next[i][s], end = end, end+next[i][s]
		}
		distributed[s].last = records[from*stride : end*stride]
	}
	Each(len(ranges), threads, func(_, i int) {
		for at := ranges[i].Lo; at < ranges[i].Hi; at++ {
			key := t.key(at)
			to := &next[i][shardOf(hash(key), shards)]
			record := records[*to*stride : (*to+1)*stride]
			copy(record, key)
			record[len(key)] = t.Counts[at]
			*to++
		}
	})
	return distributed
}

// key returns the key of record i.
func (t *Table) key(i int) []uint64 {
	w := t.Layout.Words
	return t.Keys[i*w : (i+1)*w]
}

// shardOf maps a hash to one of shards, a power of two.
func shardOf(h uint64, shards int) int { return int(h >> 48 & uint64(shards-1)) }
