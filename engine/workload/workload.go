// Package workload measures how well a release answers counting queries: it has a fixed workload of
// range counts, and computes their relative error.
//
//	domains, histograms ──New──▶ Workload ──Truth──▶ answers of the original tuples ─────┐
//	                                 └─Estimate──▶ answers of the released labels ──Error──▶ mean,
//	                                                                                        median
//
// A query asks how many records have, in each of one to three columns, a value from a run of
// neighbouring codes. The estimate uses only the release: it spreads the records of a label evenly
// over the values that it covers (package engine/cover), whatever their other labels are.
//
// Records that are not released are missing from every estimate.
//
// Contract: a workload depends only on its attributes and their histograms; an error depends on
// these, the tuples and the labels of records: numbers are added up in the order of tuples of
// labels. Bytes returns the memory that grows with the domains or labels, for the caller to draw.
// Limits: another version of the package may ask other queries.
package workload

import (
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/kcut/kcut/engine"
)

// The parameters of the queries. A query of several columns asks each for an equal share, so that
// it would count the share Share of all records if the columns were independent.
const (
	Queries     = 500
	MostColumns = 3    // queries ask one column, two, three, one, ...
	Share       = 0.05 // target share of the records that a query counts
	Bound       = 0.001
	seed        = 20
)

// shares are the roots of Share: the share of the records in a range of a query, by its number of
// columns.
var shares = [MostColumns + 1]float64{1: Share, 2: 0.22360679774997896, 3: 0.3684031498640387}

// Workload is a list of queries.
type Workload struct {
	Queries []Query

	attributes []engine.Attribute
	asked      []bool // by attribute: some query asks it
}

// Query counts the records that are in all its ranges, which are of different attributes.
type Query []Range

// Range has some codes of an attribute: Lo ≤ code < Hi. The null's is the last one.
type Range struct {
	Attribute int
	Lo, Hi    uint32
}

// New returns the workload of attributes with the given numbers of records, by code. Queries do not
// ask attributes that have records with fewer than two codes; without other attributes there is no
// query.
//
// A range begins at the value of a random record, and ends when it has the wanted share; so a
// frequent value is often asked for, by itself. A range that would have all records is cut down to
// its first value. PCG (O'Neill, 2014) draws columns and records, from a constant seed.
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
	before      []uint64 // by code: number of records of smaller codes, and at the end of all
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

// draw returns a range with about a share of the records.
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
	// the first code whose records end after the record
	at, _ := slices.BinarySearch(c.before, record+1)
	return at - 1
}

// Bytes returns the approximate memory for computing an error of the workload, without that of
// Estimate.
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

// counted returns, by code or label of an attribute, which has n of them, the queries that may
// count records with it. They include the queries that do not ask the attribute. Common reports
// whether a range overlaps a code or label.
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

// each calls visit with the queries that may count a tuple, ascending. The tuple has a code or
// label for every attribute.
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
