package risk

import (
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/spill"
)

// dependencies finds the kept columns of which every value goes with one value of a masked column.
// Most pairs of columns fail within the first rows, and cost nothing from then on.
type dependencies struct {
	kept   []*determining
	masked []int // positions
	budget *spill.Budget
	share  int64 // bytes that may be drawn
	drawn  int64
}

// determining is a kept column that still tells some masked ones.
type determining struct {
	column  int
	values  map[uint64]uint32 // by hash: the row of tells
	tells   [][]uint64        // of every masked column, by value: the one hash that goes with it, as seen; nil: several do
	learned []uint32          // by code: the row
	of      *formats.Values
}

const (
	// valueBytes is what a value of a kept column takes, beside 8 bytes for every masked column.
	valueBytes = 64
	// mostValues is how many values a kept column has at most that is looked at.
	mostValues = 1 << 16
)

func newDependencies(r *Request, budget *spill.Budget, share int64) *dependencies {
	d := &dependencies{masked: r.Masked, budget: budget, share: share}
	for _, column := range r.Kept {
		k := &determining{column: column, values: make(map[uint64]uint32), tells: make([][]uint64, len(r.Masked))}
		for m := range k.tells {
			k.tells[m] = []uint64{}
		}
		d.kept = append(d.kept, k)
	}
	return d
}

// unseen is no hash of a value that was seen.
const unseen = 0

// seen returns a hash that is not unseen.
func seen(hash uint64) uint64 { return max(hash, 1) }

// add looks at rows of a batch.
func (d *dependencies) add(b *formats.Batch, byCode [][]uint64, from, to int) {
	for i := 0; i < len(d.kept); i++ {
		k := d.kept[i]
		if !d.learn(k, b.Columns[k.column], byCode[k.column]) || !k.add(b, d.masked, byCode, from, to) {
			d.kept = append(d.kept[:i:i], d.kept[i+1:]...)
			i--
		}
	}
}

// learn gives the values of a column rows. It reports whether there is room for them.
func (d *dependencies) learn(k *determining, column *formats.Column, byCode []uint64) bool {
	if k.of != column.Values {
		k.of, k.learned = column.Values, k.learned[:0]
	}
	for _, hash := range byCode[len(k.learned):] {
		row, ok := d.row(k, hash)
		if !ok {
			return false
		}
		k.learned = append(k.learned, row)
	}
	return true
}

// row returns the row of a value, which it gives a new one if it has none and there is room.
func (d *dependencies) row(k *determining, hash uint64) (uint32, bool) {
	row, ok := k.values[hash]
	if ok {
		return row, true
	}
	need := int64(valueBytes + 8*len(d.masked))
	if len(k.values) == mostValues || d.drawn+need > d.share || d.budget.Draw("the values of kept columns", need) != nil {
		return 0, false
	}
	d.drawn += need
	row = uint32(len(k.values))
	k.values[hash] = row
	for m, tells := range k.tells {
		if tells != nil {
			k.tells[m] = append(tells, unseen)
		}
	}
	return row, true
}

// add looks at rows, and reports whether the column still tells another one.
func (k *determining) add(b *formats.Batch, masked []int, byCode [][]uint64, from, to int) (any bool) {
	codes := b.Columns[k.column].Codes
	for m, tells := range k.tells {
		if tells == nil {
			continue
		}
		others, hashes := b.Columns[masked[m]].Codes, byCode[masked[m]]
		for row := from; row < to; row++ {
			if !put(tells, k.learned[codes[row]], seen(hashes[others[row]])) {
				k.tells[m] = nil
				break
			}
		}
		any = any || k.tells[m] != nil
	}
	return any
}

// put notes that a value goes with a hash, and reports whether it goes with no other.
func put(tells []uint64, row uint32, hash uint64) bool {
	if tells[row] == unseen {
		tells[row] = hash
	}
	return tells[row] == hash
}

// merge adds what another worker has seen, and gives back what that has drawn.
func (d *dependencies) merge(o *dependencies) {
	for i := 0; i < len(d.kept); i++ {
		if !d.mergeColumn(d.kept[i], o) {
			d.kept = append(d.kept[:i:i], d.kept[i+1:]...)
			i--
		}
	}
	o.close()
}

// mergeColumn reports whether the column still tells another one.
func (d *dependencies) mergeColumn(k *determining, o *dependencies) bool {
	for _, other := range o.kept {
		if other.column != k.column {
			continue
		}
		for hash, from := range other.values {
			row, ok := d.row(k, hash)
			if !ok {
				return false
			}
			for m, tells := range k.tells {
				if tells == nil || other.tells[m] == nil || other.tells[m][from] != unseen && !put(tells, row, other.tells[m][from]) {
					k.tells[m] = nil
				}
			}
		}
		return slices.ContainsFunc(k.tells, func(tells []uint64) bool { return tells != nil })
	}
	return false // the other has seen that it tells none
}

// LeastRows is how many rows a value of a kept column must have on average: with fewer it tells
// everything by chance, and is reported for how many rows it tells apart.
const LeastRows = 2

// found returns the pairs of columns that are left after so many rows, without those in which
// the masked column has one value.
func (d *dependencies) found(rows int64) (pairs [][2]int) {
	for _, k := range d.kept {
		for m, tells := range k.tells {
			if values, several := count(tells); several && values*LeastRows <= rows {
				pairs = append(pairs, [2]int{k.column, d.masked[m]})
			}
		}
	}
	return pairs
}

// count returns how many values rows have, of all that were learned, and whether several go with them.
func count(tells []uint64) (values int64, several bool) {
	first := uint64(unseen)
	for _, hash := range tells {
		if hash == unseen {
			continue
		}
		if values++; values == 1 {
			first = hash
		}
		several = several || hash != first
	}
	return values, several
}

// close gives back what is drawn.
func (d *dependencies) close() {
	d.budget.Return(d.drawn)
	d.drawn = 0
}
