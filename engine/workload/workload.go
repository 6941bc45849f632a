// Package workload tells how well a release answers counting queries: a fixed workload of range
// counts, and its relative error.
//
//	domains, histograms ──New──▶ Workload ──Truth──▶ answers of the original tuples ─────┐
//	                                 └─Estimate──▶ answers of the released labels ──Error──▶ mean, median
//
// A query asks how many records have, in each of one to three columns, a value of a run of
// neighbouring codes. It is estimated from a release as who has nothing else must do it: the records
// of a label are spread evenly over the values that it covers (package engine/cover), whatever their other labels are.
//
// A record that is not released is missing from every estimate.
//
// Contract: a workload depends on its attributes and their histograms alone, and an error on these, the
// tuples and the labels that records get: numbers are added up in the order of tuples of labels. All
// that grows with the domains or labels is told by Bytes, for the caller to draw.
// Not promised: that another version of the package asks the same.
package workload

import (
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/kcut/kcut/engine"
)

// What is asked. A query of c columns asks each of them for as many records as make Share in all, if the
// columns were independent of each other.
const (
	Queries     = 500
	MostColumns = 3    // queries ask one column, two, three, one, ...
	Share       = 0.05 // of the records that a query is meant to count
	Bound       = 0.001
	seed        = 20
)

// shares are Share's roots: the share of the records in a range of a query, by its number of columns.
var shares = [MostColumns + 1]float64{1: Share, 2: 0.22360679774997896, 3: 0.3684031498640387}

// Workload is a list of queries.
type Workload struct {
	Queries []Query

	attributes []engine.Attribute
	asked      []bool // by attribute: by some query
}

// Query counts the records that are in all its ranges, which are of different attributes.
type Query []Range

// Range has some codes of an attribute: Lo ≤ code < Hi. The null's is the last one.
type Range struct {
	Attribute int
	Lo, Hi    uint32
}

// New returns the workload of attributes of which sizes has the records, by code. Attributes of which
// fewer than two codes have records are not asked; without any there is no query.
//
// A range begins at the value of a record that is drawn, and ends where it has the share that is wanted;
// so a frequent value is asked often and by itself. One that would have all records is cut down to its first
// value. Columns and records are drawn by PCG (O'Neill, 2014) from a seed that is always the same.
func New(attributes []engine.Attribute, sizes [][]uint64) *Workload {
	w := &Workload{attributes: attributes, asked: make([]bool, len(attributes))}
	var columns []column
	for a := range attributes {
		if c := newColumn(a, sizes[a]); c.last > c.first {
			columns = append(columns, c)
		}
	}
	if len(columns) == 0 {
		return w
	}
	random := rand.NewPCG(seed, 0)
	for i := range Queries {
		var q Query
		n := min(1+i%MostColumns, len(columns))
		for drawn := range n {
			at := drawn + int(random.Uint64()%uint64(len(columns)-drawn))
			columns[drawn], columns[at] = columns[at], columns[drawn]
			c := &columns[drawn]
			q = append(q, c.draw(shares[n], random))
			w.asked[c.attribute] = true
		}
		w.Queries = append(w.Queries, q)
	}
	return w
}

// column draws ranges of an attribute.
type column struct {
	attribute   int
	before      []uint64 // by code: records of smaller codes, and at the end all
	first, last int      // codes with records
}

func newColumn(attribute int, sizes []uint64) column {
	c := column{attribute: attribute, before: make([]uint64, len(sizes)+1), first: len(sizes)}
	for code, n := range sizes {
		c.before[code+1] = c.before[code] + n
		if n > 0 {
			c.first, c.last = min(c.first, code), code
		}
	}
	return c
}

// draw returns a range of about a share of the records.
func (c *column) draw(share float64, random *rand.PCG) Range {
	all := c.before[len(c.before)-1]
	wanted := max(1, uint64(float64(share*float64(all))))
	from := random.Uint64() % (all - wanted + 1)
	lo, hi := c.code(from), c.code(from+wanted-1)+1
	if lo == c.first && hi > c.last {
		hi = lo + 1
	}
	return Range{Attribute: c.attribute, Lo: uint32(lo), Hi: uint32(hi)}
}

// code returns the code of a record by its number.
func (c *column) code(record uint64) int {
	at, _ := slices.BinarySearch(c.before, record+1) // the first code before whose end the record is
	return at - 1
}

// Bytes returns about how much memory an error of the workload takes while it is computed, beside what
// Estimate takes.
func (w *Workload) Bytes() (bytes int64) {
	for a, asked := range w.asked {
		if asked {
			bytes += 4 * int64(w.attributes[a].Len())
		}
	}
	return bytes
}

// querySet has a bit for every query.
type querySet [(Queries + 63) / 64]uint64

func (s *querySet) add(query int) { s[query/64] |= 1 << (query % 64) }

// counted returns by code or label of an attribute, of which there are n, the queries that may count records
// with it: those that ask for nothing of the attribute do. Common tells whether a range has some of one.
func (w *Workload) counted(attribute, n int, common func(code int, r Range) bool) []querySet {
	sets := make([]querySet, n)
	for number, q := range w.Queries {
		at := slices.IndexFunc(q, func(r Range) bool { return r.Attribute == attribute })
		for code := range sets {
			if at < 0 || common(code, q[at]) {
				sets[code].add(number)
			}
		}
	}
	return sets
}

// each hands out the queries that may count a tuple, ascending. It has a code or label of every attribute.
func (w *Workload) each(counted [][]querySet, tuple []uint32, visit func(query int)) {
	if len(w.Queries) == 0 {
		return
	}
	var left querySet
	for i := range left {
		left[i] = ^uint64(0)
	}
	for a, asked := range w.asked {
		if asked {
			for i, of := range &counted[a][tuple[a]] {
				left[i] &= of
			}
		}
	}
	for i, word := range left {
		for ; word != 0; word &= word - 1 {
			visit(i*64 + bits.TrailingZeros64(word))
		}
	}
}
