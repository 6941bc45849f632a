package verify

import (
	"github.com/kcut/kcut/formats/release"
	"github.com/kcut/kcut/spill"
)

// A set with fewer combinations of labels than mostCells, sound or not, is counted in a
// table with a cell for each.
const mostCells = 1 << 19

// tallyRows is how many keys a tally gathers, at most, before it looks for their groups.
const tallyRows = 1 << 15

// gatheredRows returns how many keys a tally gathers when so many words of them are gathered a
// row, by all tallies, and what that takes.
func gatheredRows(memory int64, words int) (rows int, bytes int64) {
	row := 2 * 8 * int64(words) // as they come, and by shard
	if row == 0 {
		return 0, 0
	}
	rows = int(min(max(spill.RecountedKeys.Part(memory)/row, release.BlockRows), tallyRows))
	return rows, int64(rows) * row
}

// labelTally counts the rows of blocks by their labels in a set's columns. One goroutine
// uses it.
type labelTally struct {
	key  *labelKey
	keys []uint64 // scratch: a word of every row of a block, shared with the goroutine's other tallies

	cells []uint64 // records of every key; nil when there may be too many

	counts *labelCounts // shared with other tallies; nil when there are cells
	rows   []uint64     // keys that are not yet counted
	sorted []uint64     // the same, by shard
	ends   [labelShards]int
}

// newLabelTally counts in cells, or in counts when they are not nil, of which it gathers some
// rows; keys has room for a block.
func newLabelTally(key *labelKey, counts *labelCounts, rows int, keys []uint64) *labelTally {
	t := &labelTally{key: key, keys: keys, counts: counts}
	if counts == nil {
		t.cells = make([]uint64, key.cells)
		return t
	}
	t.rows, t.sorted = make([]uint64, 0, rows*key.size), make([]uint64, rows*key.size)
	return t
}

// add counts a block of rows.
func (t *labelTally) add(rows int, numbers []release.Numbers) error {
	if t.cells == nil {
		return t.gather(rows, numbers)
	}
	keys := t.keys[:rows]
	one, same := t.key.pack(0, keys, numbers)
	if same {
		t.cells[one] += uint64(rows)
		return nil
	}
	for _, key := range keys {
		t.cells[key]++
	}
	return nil
}

// gather takes over the keys of a block.
func (t *labelTally) gather(rows int, numbers []release.Numbers) error {
	if len(t.rows)+rows*t.key.size > cap(t.rows) {
		if err := t.flush(); err != nil {
			return err
		}
	}
	size, done := t.key.size, len(t.rows)
	t.rows = t.rows[:done+rows*size]
	for word := range size {
		keys := t.keys[:rows]
		if one, same := t.key.pack(word, keys, numbers); same {
			for i := range keys {
				keys[i] = one
			}
		}
		for i, key := range keys {
			t.rows[done+i*size+word] = key
		}
	}
	return nil
}

// flush counts the keys that were gathered, as far as they belong to the pass, shard by
// shard: a shard is locked once.
func (t *labelTally) flush() error {
	if len(t.rows) == 0 {
		return nil
	}
	t.sort()
	begin := 0
	for shard, end := range t.ends {
		if err := t.counts.add(shard, t.sorted[begin:end]); err != nil {
			return err
		}
		begin = end
	}
	return nil
}

// sort moves the gathered keys of the pass to sorted, where those of a shard end at its end.
func (t *labelTally) sort() {
	size := t.key.size
	from, until := uint(t.counts.from), uint(t.counts.until.Load())
	t.ends = [labelShards]int{}
	for at := 0; at < len(t.rows); at += size {
		t.ends[shardOf(labelHash(t.rows[at:at+size]))] += size
	}
	end := 0
	for shard, n := range t.ends {
		t.ends[shard] = end
		if uint(shard)-from < until-from {
			end += n
		}
	}
	for at := 0; at < len(t.rows); at += size {
		key := t.rows[at : at+size]
		if shard := shardOf(labelHash(key)); uint(shard)-from < until-from {
			copy(t.sorted[t.ends[shard]:], key)
			t.ends[shard] += size
		}
	}
	t.rows = t.rows[:0]
}

// eachCell hands out the keys that have records in the cells of several tallies together.
// The key is valid during the call.
func eachCell(tallies []*labelTally, visit func(key []uint64, count uint64)) {
	key := make([]uint64, 1)
	for cell := range tallies[0].cells {
		n := uint64(0)
		for _, t := range tallies {
			n += t.cells[cell]
		}
		if n > 0 {
			key[0] = uint64(cell)
			visit(key, n)
		}
	}
}
