package cells

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

// FrequencySet is the histogram of one column of a part, only for the codes that occur (LeFevre,
// DeWitt and Ramakrishnan). The entries of Codes[i] are those that Histogram has for i.
type FrequencySet struct {
	Codes []uint32 // ascending
	partition.Histogram
	// by code: sums for every class, where Mass is a record; empty without probabilities
	Masses partition.Histogram
}

// MassBits is the number of bits of the sum of the probabilities of all classes of a record.
const MassBits = 16

// Size returns the number of records of Codes[i].
func (f *FrequencySet) Size(i int) uint64 {
	return partition.Sum(f.Count[f.Start[i]:f.Start[i+1]])
}

// reset empties the set.
func (f *FrequencySet) reset(classes int) {
	f.Classes = classes
	f.Codes, f.Class, f.Count = f.Codes[:0], f.Class[:0], f.Count[:0]
	f.Start = append(f.Start[:0], 0)
	m := &f.Masses
	m.Start, m.Class, m.Count = append(m.Start[:0], 0), m.Class[:0], m.Count[:0]
}

// close ends the entries of a code, if it has any.
func (f *FrequencySet) close(code uint32) {
	if n := len(f.Count); n > f.Start[len(f.Start)-1] {
		f.Codes, f.Start = append(f.Codes, code), append(f.Start, n)
	}
}

// closeMasses ends the masses of the last code: those of all classes except the last one are there.
func (f *FrequencySet) closeMasses(classes int) {
	m, last := &f.Masses, len(f.Codes)-1
	left := f.Size(last) << MassBits
	for _, mass := range m.Count[m.Start[last]:] {
		left -= mass
	}
	m.Count = append(m.Count, left)
	for class := range classes {
		m.Class = append(m.Class, uint32(class))
	}
	m.Start = append(m.Start, len(m.Count))
}

// Bytes for counting one column: of a sum, of a pair, and of an entry of a set.
const (
	sumBytes   = 8
	pairBytes  = 16
	entryBytes = 4 + 8 + 4 + 8
)

// denseSums is a number of sums that take little time to look through, even for the smallest part.
const denseSums = 512

// isDense reports whether records with this number of sums are counted in sums: this is the case if
// looking through the sums costs no more than looking through the records.
func isDense(sums uint64, records int) bool { return sums <= 2*uint64(records)+denseSums }

// countBytes returns the largest memory for counting a column of some records.
func (s *shared) countBytes(column, records int) int64 {
	sums := s.sums(column)
	entries := int64(min(sums, uint64(records)*uint64(1+s.probabilities)))
	bytes := entries*entryBytes + int64(min(sums, 2*uint64(records)+denseSums))*sumBytes
	if !isDense(sums, records) {
		bytes += entries * 2 * pairBytes
	}
	return bytes
}

// sums returns the number of sums of a column: of its codes and classes, and of masses.
func (s *shared) sums(column int) uint64 {
	return (s.layout.Fields[column].Mask + 1) * uint64(max(1, s.classes)+s.probabilities)
}

// Histograms counts the classes of columns, and calls visit with the frequency set of each in their
// order. A set is valid until visit returns. It takes memory for one column at a time, or for as
// many as there is room for when the cells are in the store: these are counted in one scan.
func (c *Cells) Histograms(ctx context.Context, columns []int,
	visit func(i int, set *FrequencySet) error) error {
	err := c.fetch(ctx)
	together := 1
	if c.chunks != nil {
		together = len(columns)
	}
	for first := 0; err == nil && first < len(columns); {
		some := columns[first:min(first+together, len(columns))]
		if err = c.count(ctx, some); len(some) > 1 && errors.Is(err, spill.ErrBudget) {
			c.releaseCounts()
			together, err = len(some)/2, nil
			continue
		}
		for i := 0; err == nil && i < len(some); i++ {
			err = visit(first+i, c.counts[i].finish())
		}
		first += len(some)
	}
	if c.chunks != nil {
		c.releaseCounts()
	}
	if err != nil {
		return fmt.Errorf("count cells: %w", err)
	}
	return nil
}

// span returns the smallest and the largest code.
func span(keys []uint64, words int, f partition.Field) (lo, hi uint64) {
	lo = f.Mask
	for at := 0; at < len(keys); at += words {
		code := keys[at] >> f.Shift & f.Mask
		lo, hi = min(lo, code), max(hi, code)
	}
	return lo, hi
}

// count counts columns of the cells; for cells in memory, one column.
func (c *Cells) count(ctx context.Context, columns []int) error {
	counts, bytes, records := c.reserve(len(columns)), int64(0), c.Len()
	for _, column := range columns {
		if c.chunks == nil || isDense(c.sums(column), records) {
			bytes += c.countBytes(column, records)
		}
	}
	if err := c.drawCounts(bytes); err != nil {
		return err
	}
	if c.chunks == nil {
		t, f := c.home(), c.layout.Fields[columns[0]]
		lo, hi := uint64(0), f.Mask
		if c.sums(columns[0]) > 2*uint64(records) {
			lo, hi = span(t.Keys[f.Word:], c.layout.Words, f)
		}
		counts[0].begin(c.shared, columns[0], lo, hi, records, records)
		counts[0].add(t.Keys, c.layout.Words, t.Counts)
		return nil
	}
	for i, column := range columns {
		counts[i].begin(c.shared, column, 0, c.layout.Fields[column].Mask, records, 2*c.block)
	}
	var refusal error // separate from errors of reading, which must not be lost
	err := c.scan(ctx, c.chunks, false, func() error {
		if refusal != nil {
			return nil
		}
		bytes := int64(0)
		for i := range counts {
			counts[i].add(c.read.Keys, c.layout.Words, c.read.Counts)
			bytes += counts[i].bytes()
		}
		refusal = c.drawCounts(bytes)
		return nil
	})
	return cmp.Or(err, refusal)
}

// reserve returns counts for n columns.
func (s *shared) reserve(n int) []columnCount {
	for len(s.counts) < n {
		s.counts = append(s.counts, columnCount{})
	}
	return s.counts[:n]
}

// columnCount counts the classes of one column of a part: in sums that are looked through in the
// end, or, if there would be many for the part, in a list that is sorted.
type columnCount struct {
	field, class partition.Field
	masses       []partition.Field // of the probabilities
	classes      uint64
	width        uint64   // number of sums of a code: of the classes, followed by masses
	base, codes  uint64   // the code of the first sum, and the number of codes
	dense        bool     // sums are used, not pairs
	sums         []uint64 // by code - base, then class; all zero between two uses
	pairs, spare partition.Pairs
	limit        int // number of pairs at which they are merged next
	set          FrequencySet
}

// begin prepares the counting of a column of some records with codes lo ≤ code ≤ hi. A list of more
// than limit pairs is merged during counting.
func (x *columnCount) begin(s *shared, column int, lo, hi uint64, records, limit int) {
	x.field, x.classes = s.layout.Fields[column], uint64(max(1, s.classes))
	x.base, x.codes = lo, hi-lo+1
	x.class = partition.Field{}
	if s.classes > 0 {
		x.class = s.layout.Fields[s.columns]
	}
	x.masses = s.layout.Fields[len(s.layout.Fields)-s.probabilities:]
	x.width = x.classes + uint64(s.probabilities)
	sums := x.codes * x.width
	if x.dense = isDense(sums, records); x.dense {
		if uint64(len(x.sums)) < sums {
			x.sums = make([]uint64, sums)
		}
		return
	}
	x.limit = limit
	x.pairs = slices.Grow(x.pairs[:0], limit)
}

// add counts records.
func (x *columnCount) add(keys []uint64, words int, counts []uint64) {
	switch {
	case !x.dense:
		x.list(keys, words, counts)
	case x.width == 1:
		at := x.field.Word
		for _, n := range counts {
			x.sums[keys[at]>>x.field.Shift&x.field.Mask-x.base] += n
			at += words
		}
	default:
		at, class := x.field.Word, x.class.Word
		for _, n := range counts {
			first := (keys[at]>>x.field.Shift&x.field.Mask - x.base) * x.width
			x.sums[first+keys[class]>>x.class.Shift&x.class.Mask] += n
			for i, f := range x.masses {
				mass := keys[class-x.class.Word+f.Word] >> f.Shift & f.Mask
				x.sums[first+x.classes+uint64(i)] += n * mass
			}
			at, class = at+words, class+words
		}
	}
}

// list is add for the list.
func (x *columnCount) list(keys []uint64, words int, counts []uint64) {
	at, class := x.field.Word, x.class.Word
	for _, n := range counts {
		code := keys[at]>>x.field.Shift&x.field.Mask - x.base
		x.pairs = append(x.pairs, partition.Pair{
			Code:  uint32(code),
			Class: uint32(keys[class] >> x.class.Shift & x.class.Mask),
			Count: n,
		})
		for i, f := range x.masses {
			mass := n * (keys[class-x.class.Word+f.Word] >> f.Shift & f.Mask)
			x.pairs = append(x.pairs, partition.Pair{
				Code:  uint32(code),
				Class: uint32(x.classes) + uint32(i),
				Count: mass,
			})
		}
		at, class = at+words, class+words
	}
	if len(x.pairs) > x.limit {
		x.pairs, x.spare = x.pairs.MergeBy(x.spare)
		x.limit = max(x.limit, 2*len(x.pairs))
	}
}

// bytes returns the memory of the counting and of its set.
func (x *columnCount) bytes() int64 {
	entries := min(uint64(len(x.pairs)), (x.field.Mask+1)*x.width)
	if x.dense {
		entries = uint64(len(x.sums))
	}
	return int64(len(x.sums))*sumBytes + int64(cap(x.pairs)+cap(x.spare))*pairBytes +
		int64(entries)*entryBytes
}

// finish returns the set.
func (x *columnCount) finish() *FrequencySet {
	x.set.reset(int(x.classes))
	if x.dense {
		x.drain()
		return &x.set
	}
	x.pairs, x.spare = x.pairs.MergeBy(x.spare)
	for i, p := range x.pairs {
		x.enter(uint64(p.Class), p.Count)
		if i+1 == len(x.pairs) || x.pairs[i+1].Code != p.Code {
			x.close(uint32(x.base) + p.Code)
		}
	}
	return &x.set
}

// drain moves the sums to the set.
func (x *columnCount) drain() {
	at := 0
	for code := range x.codes {
		records := uint64(0)
		for class := range x.classes {
			if n := x.sums[at]; n > 0 {
				x.enter(class, n)
				x.sums[at] = 0
				records += n
			}
			at++
		}
		for class := x.classes; class < x.width; class++ {
			if records > 0 {
				x.enter(class, x.sums[at])
				x.sums[at] = 0
			}
			at++
		}
		x.close(uint32(x.base + code))
	}
}

// enter adds a sum to the set: the records of a class or, after the classes, a mass.
func (x *columnCount) enter(class, n uint64) {
	if class < x.classes {
		x.set.Class, x.set.Count = append(x.set.Class, uint32(class)), append(x.set.Count, n)
	} else {
		x.set.Masses.Count = append(x.set.Masses.Count, n)
	}
}

// close ends the entries of a code, if it has any.
func (x *columnCount) close(code uint32) {
	codes := len(x.set.Codes)
	if x.set.close(code); len(x.set.Codes) > codes && len(x.masses) > 0 {
		x.set.closeMasses(len(x.masses) + 1)
	}
}

// Extent is the range of a column's codes in a part: the smallest and the largest below a top, and
// whether there are codes above. Lo > Hi when there are none below.
type Extent struct {
	Lo, Hi uint32
	Above  bool
}

// join extends e by another extent.
func (e *Extent) join(o Extent) {
	*e = Extent{Lo: min(e.Lo, o.Lo), Hi: max(e.Hi, o.Hi), Above: e.Above || o.Above}
}

// none is the extent of no records.
var none = Extent{Lo: 1<<32 - 1}

// Extents returns the extents of the first len(tops) columns, whose tops are given. They
// are valid until the next call.
func (c *Cells) Extents(ctx context.Context, tops []uint32) ([]Extent, error) {
	c.extents = c.extents[:0]
	for range tops {
		c.extents = append(c.extents, none)
	}
	err := c.visit(ctx, func(t *partition.Table) error {
		for i, top := range tops {
			c.extents[i].join(extentOf(t, t.Layout.Fields[i], uint64(top)))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("measure: %w", err)
	}
	return c.extents, nil
}

// extentOf returns the extent of a column of a table.
func extentOf(t *partition.Table, f partition.Field, top uint64) Extent {
	lo, hi := span(t.Keys[f.Word:], t.Layout.Words, f)
	if hi < top {
		return Extent{Lo: uint32(lo), Hi: uint32(hi)}
	}
	e := none
	for at := f.Word; at < len(t.Keys); at += t.Layout.Words {
		if code := t.Keys[at] >> f.Shift & f.Mask; code < top {
			e.join(Extent{Lo: uint32(code), Hi: uint32(code)})
		} else {
			e.Above = true
		}
	}
	return e
}
