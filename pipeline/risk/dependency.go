package risk

import (
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/spill"
)

// dependencies hold a sample of rows that shows which columns determine others, alone or in pairs:
// kept columns that determine masked ones, and masked columns of one set that determine kept ones.
// While all distinct rows have room, all are held, and the result is exact. After that, some rows
// are held and, for every column, the rows with some of its values. The size of the samples depends
// only on the table, not on the budget.
type dependencies struct {
	*Request
	columns []int        // positions: the masked ones, then the kept ones
	all     *rowSample   // rows chosen by the hash of the whole row; nil: nothing is counted
	by      []*rowSample // by column: rows chosen by their value there; nil while all has all rows
	most    int          // most distinct rows in the sample of a column
	times   []uint64     // number of records of each row of the block; nil: one
	codes   [][]uint32   // by column: of a block of rows
	ofCodes [][]uint64   // by column: hashes by code
	least   []uint64     // by column: the smallest hash of its codes
	budget  *spill.Budget
	drawn   int64
	failed  error // why there is no room for the rows
}

const (
	// sampledRows is the largest number of distinct rows that are held, and sampledBytes their
	// largest size. leastRows are held in any case, since fewer rows show false dependencies.
	sampledRows  = 1 << 13
	sampledBytes = 1 << 21
	leastRows    = 1 << 8
	// ofColumns is the largest size in bytes of the samples of all columns together. Each has at
	// most mostRows.
	ofColumns = 1 << 22
	mostRows  = 1 << 12
)

// newDependencies returns the samples of one of several scanners for a table of the given number of
// rows. One of the scanners later sorts the rows of all. All scanners draw their largest possible
// memory from the budget.
func newDependencies(r *Request, rows int64, orders bool, budget *spill.Budget) *dependencies {
	d := &dependencies{Request: r, columns: append(append([]int{}, r.Masked...), r.Kept...),
		budget: budget}
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
	if d.failed = budget.Draw("rows that show which columns determine others",
		bytes); d.failed == nil {
		d.all, d.drawn = newRowSample(-1, whole, len(d.columns)), bytes
	}
	return d
}

// fewer halves a number until it fits the room, or has reached the least.
func fewer(n, least, room int) int {
	for n > max(least, room) {
		n /= 2
	}
	return n
}

// close returns the drawn bytes.
func (d *dependencies) close() {
	d.budget.Return(d.drawn)
	d.drawn = 0
}

// counts reports whether there are columns on both sides.
func (d *dependencies) counts() bool { return d.all != nil }

// complete reports whether all distinct rows are held.
func (d *dependencies) complete() bool { return d.by == nil }

// add adds rows of a batch. The given hashes are those of the first columns; add overwrites them.
func (d *dependencies) add(
	b *formats.Batch, values []Hashes, hashes []uint64, columns, from, to int,
) error {
	if !d.counts() {
		return d.failed
	}
	d.codes, d.ofCodes, d.least = d.codes[:0], d.ofCodes[:0], d.least[:0]
	for _, c := range d.columns {
		d.codes, d.ofCodes = append(d.codes, b.Columns[c].Codes[from:to]),
			append(d.ofCodes, values[c].byCode)
		d.least = append(d.least, values[c].least)
	}
	d.times = b.CountsOf(from, to)
	JoinAll(hashes, d.codes[columns:], d.ofCodes[columns:])
	limit := d.all.limit()
	first := 0 // the row from which on the samples of columns lack rows
	for row, hash := range hashes {
		if hash>>32 >= limit {
			continue
		}
		if unset := d.all.add(hash, d.records(row)); unset != nil {
			d.set(unset, row)
			if d.complete() && d.all.full() {
				d.divide()
				first = row + 1
			}
			d.all.settle()
			limit = d.all.limit()
		}
	}
	for _, s := range d.by {
		d.addBy(s, hashes, first)
	}
	return nil
}

// records returns the number of records that a row of the block stands for.
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

// divide starts to hold rows by single columns, since rows will be left out.
func (d *dependencies) divide() {
	for c := range d.columns {
		s := newRowSample(c, d.most, len(d.columns))
		for i := range d.all.hashes {
			s.take(d.all, i)
		}
		d.by = append(d.by, s)
	}
}

// addBy adds the rows of the block, from the first one on, whose value in the sample's column
// chooses them. Mostly there is none.
func (d *dependencies) addBy(s *rowSample, hashes []uint64, first int) {
	limit, byCode := s.limit(), d.ofCodes[s.column]
	if d.least[s.column]>>32 >= limit {
		return
	}
	for row, code := range d.codes[s.column][:len(hashes)] {
		if byCode[code]>>32 >= limit || row < first {
			continue
		}
		if unset := s.add(hashes[row], d.records(row)); unset != nil {
			d.set(unset, row)
			s.settle()
			limit = s.limit()
		}
	}
}

// merge adds the rows of another scanner, and returns what that has drawn.
func (d *dependencies) merge(o *dependencies) {
	defer o.close()
	if !d.counts() {
		return
	}
	if !d.complete() || !o.complete() || !d.all.fits(o.all) {
		for _, one := range []*dependencies{d, o} {
			if one.complete() {
				one.divide()
			}
		}
	}
	d.all.merge(o.all)
	for i, s := range d.by {
		s.merge(o.by[i])
	}
}
