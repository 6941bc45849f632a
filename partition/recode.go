package partition

import (
	"math/bits"
	"slices"
)

const (
	// shardRecords is the largest number of records of a shard, unless there are maxShards shards.
	// The keys of a shard and the slots of its hash table stay in a second-level cache.
	shardRecords = 4096
	maxShards    = 1024
	// Coarsen always merges a table of fewer records than mergePays. The merge of a larger table
	// costs about as much as a search with a quarter more records.
	mergePays = 1 << 16
	// At least sampleBits bits of a tuple's hash determine whether the tuple is in a sample. More
	// bits do so if the sample would have more than about sampleRecords records.
	sampleBits    = 6
	sampleRecords = 1 << 15
)

// Recode replaces every code c of column i by maps[i][c], below domains[i], and merges the tuples
// that become equal, on the given number of goroutines. No domain may grow. The result uses the
// memory of the table, so the old records are lost.
func (t *Table) Recode(maps [][]uint32, domains []int, threads int) *Table {
	t.Translate(maps, domains, threads)
	t.merge(threads)
	return t
}

// Coarsen is Recode for a search that accepts equal tuples in several records. It merges equal
// tuples only if that pays.
func (t *Table) Coarsen(maps [][]uint32, domains []int, threads int) *Table {
	t.Translate(maps, domains, threads)
	if t.Len() < mergePays || t.repeated(threads) {
		t.merge(threads)
	}
	return t
}

// Translate is Recode without the merge, for maps that keep different tuples different. Domains may
// grow. If the keys do not become longer, they stay in the same memory.
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

// repacking writes keys with new codes. It replaces the codes of neighbouring fields together if
// the fields have few bits.
type repacking struct {
	from, to int // words of an old key and of a new key
	fields   []repackedField
}

// repackedField is a field, or several neighbouring fields that are joined to one.
type repackedField struct {
	from, to Field
	codes    []uint32 // the new codes by the old codes
}

// joinedBits is the largest number of bits of joined fields. Their codes take 16 KiB and stay in a
// first-level cache.
const joinedBits = 12

func newRepacking(from, to Layout, maps [][]uint32) repacking {
	r := repacking{from: from.Words, to: to.Words}
	for i, codes := range maps {
		most := min(len(codes), int(from.Fields[i].Mask)+1) // no key has a larger code
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

// precedes reports whether next directly follows the field f, in old keys and in new keys, and both
// together have few bits.
func (f repackedField) precedes(next repackedField) bool {
	return f.from.precedes(next.from) && f.to.precedes(next.to) &&
		f.from.bits()+next.from.bits() <= joinedBits && f.to.bits()+next.to.bits() <= 32
}

func (f Field) precedes(next Field) bool {
	return f.Word == next.Word && f.Shift+f.bits() == next.Shift
}

func (f Field) bits() uint { return uint(bits.Len64(f.Mask)) }

// join returns the field that joins f with next, the field that follows f.
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

// run writes the new keys of a table, one block after another. It may write them over the old keys
// if they are not longer.
func (r repacking) run(keys []uint64, t *Table) {
	const block = 512
	buffer := make([]uint64, block*r.to)
	for lo := 0; lo < t.Len(); lo += block {
		hi := min(lo+block, t.Len())
		fresh := buffer[:(hi-lo)*r.to]
		clear(fresh)
		for _, f := range r.fields {
			old := t.Keys[lo*r.from+f.from.Word : hi*r.from]
			f.repack(fresh[f.to.Word:], uint(r.to), old, uint(r.from))
		}
		copy(keys[lo*r.to:], fresh)
	}
}

// repack puts the new codes of a field into a word of every new key. New keys have to words, and
// old keys have from words.
func (f repackedField) repack(fresh []uint64, to uint, old []uint64, from uint) {
	shift, mask, toShift, codes := f.from.Shift&63, f.from.Mask, f.to.Shift&63, f.codes
	for i, at := uint(0), uint(0); at < uint(len(old)); i, at = i+to, at+from {
		fresh[i] |= uint64(codes[old[at]>>shift&mask]) << toShift
	}
}

// merge adds up the counts of equal tuples. It first distributes the records among shards by hash,
// so that the hash table of each shard is small. The result overwrites the table from its start.
func (t *Table) merge(threads int) {
	shards, slots := t.distribute(threads), make([][]uint32, max(1, threads))
	Each(len(shards), threads, func(worker, i int) {
		shards[i].last, slots[worker] = compact(shards[i].last, t.Layout.Words+1, slots[worker])
	})
	t.place(shards, threads)
}

// repeated reports whether a merge would leave at most three quarters of the records. It estimates
// this from a sample: the tuples whose hashes start with zero bits.
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

// distribute returns the records of every shard. Each record has its count behind its key.
func (t *Table) distribute(threads int) []bucket {
	shards, stride := 1, t.Layout.Words+1
	for shards < maxShards && t.Len() > shards*shardRecords {
		shards *= 2
	}
	ranges := cut(t.Len(), threads)
	// By range and shard: first the number of records, then the position of the next record.
	next := make([][]int, len(ranges))
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

// shardOf returns the shard of a hash. The number of shards is a power of two.
func shardOf(h uint64, shards int) int { return int(h >> 48 & uint64(shards-1)) }
