package risk

import (
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/spill"
)

// dependencies sample rows that show which columns, or pairs of them, tell others: kept ones masked
// ones, and masked ones of one set kept ones. While all rows that differ have room they are held, and
// what is found is exact. Then some are, and with them those of some values of every column. How many
// that are depends on the table alone, and not on the budget.
type dependencies struct {
	*Request
	columns []int        // positions: the masked ones, then the kept ones
	all     *rowSample   // by whole rows; nil: nothing is counted
	by      []*rowSample // by every column; nil while all has all rows
	most    int          // rows that differ of each column's
	times   []uint64     // likewise: the records of each; nil: one
	codes   [][]uint32
	ofCodes [][]uint64
	least   []uint64 // of the hashes of a column's codes
	budget  *spill.Budget
	drawn   int64
	failed  error // there is no room for the rows
}

const (
	// sampledRows is how many rows that differ are held, and sampledBytes what they take at most,
	// unless leastRows take more: fewer show what is not so.
	sampledRows  = 1 << 13
	sampledBytes = 1 << 21
	leastRows    = 1 << 8
	// ofColumns is how many bytes the samples of single columns take at most together, each with
	// mostRows.
	ofColumns = 1 << 22
	mostRows  = 1 << 12
)

// newDependencies returns the samples of one of several scanners of so many rows. One of them puts
// the rows of all in order in the end. All draw what they may take from the budget.
func newDependencies(r *Request, rows int64, orders bool, budget *spill.Budget) *dependencies {
	d := &dependencies{Request: r, columns: append(append([]int{}, r.Masked...), r.Kept...), budget: budget}
	if len(r.Kept) == 0 || len(r.Masked) == 0 {
		return d
	}
	each := rowBytes + 4*len(d.columns)
	whole := int(min(rows, int64(fewer(sampledRows, leastRows, sampledBytes/each))))
	if rows > int64(whole) {
		d.most = fewer(mostRows, 0, ofColumns/each/len(d.columns))
	}
	bytes := int64(whole+len(d.columns)*d.most) * int64(each)
	if orders {
		bytes += int64(whole+2*d.most) * tupleRowBytes
	}
	if d.failed = budget.Draw("rows that show which columns tell others", bytes); d.failed == nil {
		d.all, d.drawn = newRowSample(-1, whole, len(d.columns)), bytes
	}
	return d
}

// fewer halves a number until there is room for it, or it is at the least.
func fewer(n, least, room int) int {
	for n > max(least, room) {
		n /= 2
	}
	return n
}

// close gives back what is drawn.
func (d *dependencies) close() {
	d.budget.Return(d.drawn)
	d.drawn = 0
}

// counts reports whether there are columns on both sides.
func (d *dependencies) counts() bool { return d.all != nil }

// complete reports whether all rows that differ are held.
func (d *dependencies) complete() bool { return d.by == nil }

// add looks at rows of a batch, whose hashes by the first columns are given, and are lost.
func (d *dependencies) add(b *formats.Batch, values []Hashes, hashes []uint64, columns, from, to int) error {
	if !d.counts() {
		return d.failed
	}
	d.codes, d.ofCodes, d.least = d.codes[:0], d.ofCodes[:0], d.least[:0]
	for _, c := range d.columns {
		d.codes, d.ofCodes = append(d.codes, b.Columns[c].Codes[from:to]), append(d.ofCodes, values[c].byCode)
		d.least = append(d.least, values[c].least)
	}
	d.times = b.CountsOf(from, to)
	JoinAll(hashes, d.codes[columns:], d.ofCodes[columns:])
	first := 0
	if d.complete() {
		if first = d.addWhole(hashes); d.complete() {
			return nil
		}
	}
	d.addTo(d.all, hashes, first)
	for _, s := range d.by {
		d.addBy(s, hashes, first)
	}
	return nil
}

// addWhole adds rows to those of which none is left out, until they are too many. It returns how many it has added.
func (d *dependencies) addWhole(hashes []uint64) int {
	for row, hash := range hashes {
		if unset := d.all.add(hash, d.records(row)); unset != nil {
			d.set(unset, row)
			if d.all.full() {
				d.divide()
				return row + 1
			}
		}
	}
	return len(hashes)
}

// records returns how many records a row of the block is.
func (d *dependencies) records(row int) uint64 {
	if d.times == nil {
		return 1
	}
	return d.times[row]
}

// set sets the values of a row of the block.
func (d *dependencies) set(values []uint32, row int) {
	for c, codes := range d.codes {
		values[c] = uint32(d.ofCodes[c][codes[row]] >> 32)
	}
}

// divide begins to hold rows by single columns, too, and leaves out others.
func (d *dependencies) divide() {
	for c := range d.columns {
		s := newRowSample(c, d.most, len(d.columns))
		for i := range d.all.hashes {
			s.take(d.all, i)
		}
		d.by = append(d.by, s)
	}
	d.all.settle()
}

// addTo adds the rows of the block from one on that are chosen by all that they have.
func (d *dependencies) addTo(s *rowSample, hashes []uint64, first int) {
	limit := s.limit()
	for row := first; row < len(hashes); row++ {
		if hashes[row]>>32 < limit {
			d.addRow(s, hashes[row], row)
			limit = s.limit()
		}
	}
}

// addBy adds the rows of the block from one on that are chosen by their value in a column: mostly
// none has one that is.
func (d *dependencies) addBy(s *rowSample, hashes []uint64, first int) {
	limit, byCode := s.limit(), d.ofCodes[s.column]
	if d.least[s.column]>>32 >= limit {
		return
	}
	for row, code := range d.codes[s.column][:len(hashes)] {
		if byCode[code]>>32 < limit && row >= first {
			d.addRow(s, hashes[row], row)
			limit = s.limit()
		}
	}
}

func (d *dependencies) addRow(s *rowSample, hash uint64, row int) {
	if unset := s.add(hash, d.records(row)); unset != nil {
		d.set(unset, row)
		s.settle()
	}
}

// merge adds what another worker has seen, and gives back what that has drawn.
func (d *dependencies) merge(o *dependencies) {
	defer o.close()
	if !d.counts() {
		return
	}
	if d.complete() && o.complete() {
		d.mergeWhole(o)
		return
	}
	for _, one := range []*dependencies{d, o} {
		if one.complete() {
			one.divide()
		}
	}
	d.all.merge(o.all)
	for i, s := range d.by {
		s.merge(o.by[i])
	}
}

// mergeWhole adds the rows of another worker; neither has left out any so far.
func (d *dependencies) mergeWhole(o *dependencies) {
	for i, hash := range o.all.hashes {
		if d.complete() {
			if unset := d.all.add(hash, o.all.counts[i]); unset != nil {
				if copy(unset, o.all.row(i)); d.all.full() {
					d.divide()
				}
			}
			continue
		}
		d.all.take(o.all, i)
		for _, s := range d.by {
			s.take(o.all, i)
		}
	}
}
