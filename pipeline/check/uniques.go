package check

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/count"
	"github.com/kcut/kcut/spill"
)

// Uniques is the minimal sample uniques of a table: a row with a set of columns in which no other
// row has its values, while another row shares its values in each part of the set. A row can be
// found by each of its sets, and the fewer columns a set has, the more people know them (SUDA2:
// Manning, Haglin and Keane, A recursive search algorithm for statistical disclosure assessment,
// 2008).
type Uniques struct {
	Subsets int     `json:"subsets"` // the largest number of columns of a set
	Minimal int64   `json:"minimal_uniques"`
	Sizes   []int64 `json:"by_size"` // the minimal uniques of one column, of two, ...
	Share   float64 `json:"share"`   // of the rows that have at least one
	// SUDA scores: for each minimal unique of a row (columns - size)!, as sdcMicro's suda2 has it
	HighestScore float64        `json:"highest_score"`
	AverageScore float64        `json:"average_score"` // of all rows
	Columns      []Contribution `json:"contributions"`
	Sets         []UniqueSet    `json:"sets"` // that have minimal uniques, most of them first
}

// Contribution is the part of all scores that comes from sets with a column. A set counts for each
// of its columns.
type Contribution struct {
	Column string  `json:"column"`
	Share  float64 `json:"share"`
}

// UniqueSet is a set of columns, and its number of minimal uniques.
type UniqueSet struct {
	Columns []string `json:"columns"`
	Minimal int64    `json:"minimal_uniques"`
}

// CountUniques finds the minimal sample uniques of up to a number of the request's columns. It
// reads the table once. The distinct rows and their values must fit in memory.
func CountUniques(ctx context.Context, r *Request, subsets int, res *count.Resources) (*Uniques,
	error) {
	coded := &Request{Dataset: r.Dataset, Entity: -1, Household: -1, Weight: -1,
		Sensitive: r.Columns}
	space := partition.Space{
		Budget: res.Budget.Part(res.Budget.Limit()),
		Share:  res.Budget.Grant(&spill.SpilledTuples),
	}
	defer func() { space.Budget.Return(space.Budget.Used()) }()
	values := coded.newValues(space.Budget)
	table, err := coded.tabulate(ctx, res, space, values)
	if err != nil {
		return nil, spill.Instead(err, "name fewer columns")
	}
	domains := make([]int, len(values))
	for i, v := range values {
		domains[i] = v.Len()
	}
	s, err := newUniqueSearch(ctx, table, domains, subsets, space.Budget)
	if err == nil {
		err = s.below(nil, s.all(), nil)
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, field := range r.Columns {
		names = append(names, r.field(field).Name)
	}
	return s.result(names, r.Dataset.Rows()), nil
}

// uniqueSearch divides the records of a table into the classes of one set of columns after the
// other. It visits every part of a set before the set: a set comes after those whose last column
// is before its own last column, then those whose last but one is, and so on.
type uniqueSearch struct {
	ctx     context.Context
	table   *partition.Table
	columns int
	most    int       // the largest number of columns of a set
	weights []float64 // the score of a minimal unique, by its number of columns
	budget  *spill.Budget

	scores  []float64 // by record
	found   []foundSet
	uniques map[string]bitset // by set of fewer than most columns: its unique records
	depths  []division        // the division of the set at each depth of the recursion
	tallies []tally           // by code, of one class
	met     []uint32          // codes of that class
	singles []uint32          // records that are unique in the last set, and not in its parent
}

// foundSet is a set of columns with minimal uniques.
type foundSet struct {
	columns []int
	minimal int64
}

// division is the classes of several records, of which one may still become unique, with their
// records one after the other.
type division struct {
	records []uint32
	ends    []uint32 // of the classes, in records
}

// tally counts the records of a class with one code: all, and those of one row. Then it has the
// place of the next record.
type tally struct{ records, rows1, next uint32 }

// bitset is a set of records.
type bitset []uint64

func (b bitset) has(record uint32) bool {
	return b != nil && b[record/64]>>(record%64)&1 == 1
}

func newUniqueSearch(ctx context.Context, table *partition.Table, domains []int, most int,
	budget *spill.Budget) (*uniqueSearch, error) {
	records := int64(table.Len())
	if records > math.MaxUint32 {
		return nil, fmt.Errorf("find minimal uniques of %d distinct rows: more than %d: %w",
			records, uint32(math.MaxUint32), formats.ErrUnsupported)
	}
	widest := slices.Max(domains)
	const ofTally, ofRecord = 12 + 4, 8 + 4 // a tally and a met code; a score and a single
	bytes := records*(ofRecord+8*int64(most+1)) + int64(widest)*ofTally
	if err := draw(budget, bytes); err != nil {
		return nil, err
	}
	s := &uniqueSearch{
		ctx: ctx, table: table, columns: len(domains), most: most, budget: budget,
		weights: make([]float64, most+1), scores: make([]float64, records),
		uniques: make(map[string]bitset), depths: make([]division, most+1),
		tallies: make([]tally, widest),
	}
	for size := 1; size <= most; size++ {
		s.weights[size] = factorial(s.columns - size)
	}
	for i := range s.depths {
		s.depths[i].records = make([]uint32, 0, records)
		s.depths[i].ends = make([]uint32, 0, records)
	}
	return s, nil
}

func draw(budget *spill.Budget, bytes int64) error {
	err := budget.Draw("minimal sample uniques", bytes)
	if err == nil {
		return nil
	}
	return budget.Short(err, bytes, "name fewer columns")
}

func factorial(n int) float64 {
	product := 1.0
	for i := 2; i <= n; i++ {
		product *= float64(i)
	}
	return product
}

// all returns the division of no columns: all records are one class.
func (s *uniqueSearch) all() *division {
	d := &s.depths[0]
	for record := range s.table.Counts {
		d.records = append(d.records, uint32(record))
	}
	if len(d.records) > 0 {
		d.ends = append(d.ends, uint32(len(d.records)))
	}
	return d
}

// below visits the sets that have columns before those of a parent, given the parent's division
// and its unique records. Columns of a set ascend.
func (s *uniqueSearch) below(parent []int, d *division, unique bitset) error {
	first := s.columns
	if len(parent) > 0 {
		first = parent[0]
	}
	for column := range first {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		set := append([]int{column}, parent...)
		child := &s.depths[len(set)]
		s.refine(d, column, child)
		s.countMinimal(set)
		if len(set) == s.most {
			continue
		}
		own, err := s.join(unique)
		if err != nil {
			return err
		}
		s.uniques[keyOf(set)] = own
		if len(child.ends) == 0 { // sets with more columns have the same unique records
			continue
		}
		if err := s.below(set, child, own); err != nil {
			return err
		}
	}
	return nil
}

// refine divides the classes of a set by one more column. It collects the records that become
// unique.
func (s *uniqueSearch) refine(from *division, column int, to *division) {
	field, words := s.table.Layout.Fields[column], s.table.Layout.Words
	to.records, to.ends, s.singles = to.records[:0], to.ends[:0], s.singles[:0]
	code := func(record uint32) uint32 {
		return field.Code(s.table.Keys[int(record)*words:][:words])
	}
	start := uint32(0)
	for _, end := range from.ends {
		class := from.records[start:end]
		start = end
		s.met = s.met[:0]
		for _, record := range class {
			t := &s.tallies[code(record)]
			if t.records++; t.records == 1 {
				s.met = append(s.met, code(record))
			}
			if s.table.Counts[record] == 1 {
				t.rows1++
			}
		}
		at := uint32(len(to.records))
		for _, c := range s.met {
			if t := &s.tallies[c]; t.remains() {
				t.next = at
				at += t.records
				to.ends = append(to.ends, at)
			}
		}
		to.records = to.records[:at]
		for _, record := range class {
			switch t := &s.tallies[code(record)]; {
			case t.remains():
				to.records[t.next] = record
				t.next++
			case t.rows1 == 1:
				s.singles = append(s.singles, record)
			}
		}
		for _, c := range s.met {
			s.tallies[c] = tally{}
		}
	}
}

// remains reports whether a record of the class may become unique in a larger set.
func (t *tally) remains() bool { return t.records > 1 && t.rows1 > 0 }

// countMinimal counts those of the last singles that are unique in no part of their set.
func (s *uniqueSearch) countMinimal(set []int) {
	if len(s.singles) == 0 {
		return
	}
	// The part without the first column is the parent, in which singles are not unique. The others
	// were visited: their last columns have classes, as those of the set have.
	var parts []bitset
	part := make([]int, len(set)-1)
	for without := 1; without < len(set); without++ {
		copy(part, set[:without])
		copy(part[without:], set[without+1:])
		parts = append(parts, s.uniques[keyOf(part)])
	}
	minimal := int64(0)
	for _, record := range s.singles {
		if !slices.ContainsFunc(parts, func(p bitset) bool { return p.has(record) }) {
			s.scores[record] += s.weights[len(set)]
			minimal++
		}
	}
	if minimal > 0 {
		s.found = append(s.found, foundSet{slices.Clone(set), minimal})
	}
}

// join returns the union of a parent's unique records and the last singles.
func (s *uniqueSearch) join(unique bitset) (bitset, error) {
	if len(s.singles) == 0 {
		return unique, nil
	}
	words := (len(s.scores) + 63) / 64
	if err := draw(s.budget, 8*int64(words)); err != nil {
		return nil, err
	}
	joined := make(bitset, words)
	copy(joined, unique)
	for _, record := range s.singles {
		joined[record/64] |= 1 << (record % 64)
	}
	return joined, nil
}

// keyOf returns the key of a set of columns.
func keyOf(set []int) string {
	key := make([]byte, 0, 4*len(set))
	for _, column := range set {
		key = binary.BigEndian.AppendUint32(key, uint32(column))
	}
	return string(key)
}

// result adds up the uniques of all sets, in a table with that number of rows.
func (s *uniqueSearch) result(names []string, rows int64) *Uniques {
	u := &Uniques{Subsets: s.most, Sizes: make([]int64, s.most),
		Columns: make([]Contribution, len(names)), Sets: []UniqueSet{}}
	slices.SortFunc(s.found, func(a, b foundSet) int {
		return cmp.Or(cmp.Compare(b.minimal, a.minimal),
			cmp.Compare(len(a.columns), len(b.columns)), slices.Compare(a.columns, b.columns))
	})
	total := 0.0
	for _, f := range s.found {
		set, score := UniqueSet{Minimal: f.minimal}, float64(f.minimal)*s.weights[len(f.columns)]
		for _, column := range f.columns {
			set.Columns = append(set.Columns, names[column])
			u.Columns[column].Share += score
		}
		u.Sets = append(u.Sets, set)
		u.Sizes[len(f.columns)-1] += f.minimal
		u.Minimal += f.minimal
		total += score
	}
	for i := range u.Columns {
		u.Columns[i].Column = names[i]
		u.Columns[i].Share /= max(total, 1) // without uniques all are 0
	}
	for _, score := range s.scores {
		if score > 0 {
			u.Share++
		}
		u.HighestScore = max(u.HighestScore, score)
	}
	u.Share, u.AverageScore = u.Share/float64(max(rows, 1)), total/float64(max(rows, 1))
	return u
}
