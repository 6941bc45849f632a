package iac

import (
	"cmp"
	"context"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// tuples are distinct generalized tuples and their records, in memory.
type tuples struct {
	layout  partition.Layout
	index   *partition.Index
	sizes   []uint64 // by number of the index
	weights []uint64 // by number: the weights that k counts; nil: k counts records
	gone    []bool   // by number: suppressed
}

// tupleBytes is the memory of a tuple without its entry in the index: its size, its suppression,
// and its number in a list.
const tupleBytes = 8 + 1 + 8

// newTuples returns an empty list with room for n tuples.
func newTuples(layout partition.Layout, n int) *tuples {
	return &tuples{
		layout: layout,
		index:  partition.NewIndex(layout, n),
		sizes:  make([]uint64, 0, n),
		gone:   make([]bool, 0, n),
	}
}

// add adds records of a tuple, and returns its number.
func (t *tuples) add(key []uint64, size uint64) (number int) {
	number = t.index.Add(key)
	if number == len(t.sizes) {
		t.sizes, t.gone = append(t.sizes, 0), append(t.gone, false)
	}
	t.sizes[number] += size
	return number
}

// filter selects records of a table.
type filter func(key []uint64, size uint64) bool

func everything([]uint64, uint64) bool { return true }

// each calls visit with the records of a table that a filter selects.
func (s *search) each(ctx context.Context, table *partition.Table, keep filter,
	visit func(key []uint64, size uint64)) error {
	return table.Each(ctx, s.space, func(key []uint64, size uint64) {
		if keep(key, size) {
			visit(key, size)
		}
	})
}

// count counts the records of a table that a filter selects.
func (s *search) count(ctx context.Context, table *partition.Table, keep filter) (n int,
	err error) {
	err = s.each(ctx, table, keep, func([]uint64, uint64) { n++ })
	return n, err
}

// collect returns the tuples that a filter selects. Their memory is drawn.
func (s *search) collect(ctx context.Context, keep filter) (*tuples, error) {
	n, err := s.count(ctx, s.table, keep)
	if err == nil {
		err = s.draw("generalized tuples", partition.IndexBytes(s.table.Layout, n)+
			int64(n)*tupleBytes)
	}
	if err != nil {
		return nil, err
	}
	t := newTuples(s.table.Layout, n)
	return t, s.each(ctx, s.table, keep, func(key []uint64, size uint64) { t.add(key, size) })
}

// weigh returns the weights of all tuples that k counts.
func (t *tuples) weigh() []uint64 {
	if t.weights != nil {
		return t.weights
	}
	return t.sizes
}

// left returns the numbers of the tuples that are not suppressed, their records, and their weight.
func (t *tuples) left() (numbers []int, size, weight uint64) {
	weights := t.weigh()
	for i, n := range t.sizes {
		if !t.gone[i] {
			numbers, size, weight = append(numbers, i), size+n, weight+weights[i]
		}
	}
	return numbers, size, weight
}

// compare orders tuples by their codes.
func (t *tuples) compare(i, j int) int {
	return engine.CompareKeys(t.layout.Fields, t.index.Key(i), t.index.Key(j))
}

// bySize orders tuples by weight, then by their codes.
func (t *tuples) bySize(numbers []int) {
	weights := t.weigh()
	slices.SortFunc(numbers, func(i, j int) int {
		return cmp.Or(cmp.Compare(weights[i], weights[j]), t.compare(i, j))
	})
}

// set is a quasi-identifier set over the columns of a table of tuples.
type set struct {
	asked   engine.Set
	columns []bool   // by column of the table
	mask    []uint64 // by word of a key: the bits of the set's columns
	whole   bool     // the set has all columns
}

// newSet returns a set of attributes in a table whose columns are the given attributes.
func newSet(of engine.Set, attributes []int, layout partition.Layout) set {
	s := set{
		asked:   of,
		columns: make([]bool, len(layout.Fields)),
		mask:    make([]uint64, layout.Words),
	}
	for i, a := range attributes {
		if slices.Contains(of.Columns, a) {
			s.columns[i] = true
			f := layout.Fields[i]
			s.mask[f.Word] |= f.Mask << f.Shift
		}
	}
	s.whole = !slices.Contains(s.columns, false)
	return s
}

// project writes the set's part of a key.
func (s *set) project(to, key []uint64) []uint64 {
	for w, mask := range s.mask {
		to[w] = key[w] & mask
	}
	return to
}

// projection maps the codes of the columns that the set does not have to 0. Keys keep their layout.
func (s *set) projection(layout partition.Layout) (maps [][]uint32, domains []int) {
	for i, f := range layout.Fields {
		m := engine.Identity(int(f.Mask) + 1)
		if !s.columns[i] {
			clear(m.Codes)
		}
		maps, domains = append(maps, m.Codes), append(domains, m.Domain)
	}
	return maps, domains
}

// core suppresses the tuples in classes that do not hold, until there are none. The rest is the
// largest table of these tuples that meets the requirement.
type core struct {
	*tuples
	*search
	sets    []set
	of      []uint64   // by tuple: the weight
	classes [][]uint32 // by set and tuple
	weights [][]uint64 // by set and class: the weight of the tuples that are left
}

// newCore finds the classes of all tuples that are left.
func (s *search) newCore(t *tuples, sets []set) (*core, error) {
	n := len(t.sizes)
	bytes := int64(len(sets)) * (partition.IndexBytes(t.layout, n) + 12*int64(n))
	if err := s.draw("equivalence classes", bytes); err != nil {
		return nil, err
	}
	c := &core{tuples: t, search: s, sets: sets, of: t.weigh()}
	for _, of := range sets {
		index, key := partition.NewIndex(t.layout, n), make([]uint64, t.layout.Words)
		classes, weights := make([]uint32, n), make([]uint64, n)
		for i, weight := range c.of {
			class := index.Add(of.project(key, t.index.Key(i)))
			classes[i] = uint32(class)
			if !t.gone[i] {
				weights[class] += weight
			}
		}
		c.classes, c.weights = append(c.classes, classes), append(c.weights, weights)
	}
	return c, nil
}

// suppress removes a tuple from its classes.
func (c *core) suppress(tuple int) {
	c.gone[tuple] = true
	for j := range c.sets {
		c.weights[j][c.classes[j][tuple]] -= c.of[tuple]
	}
}

// spread suppresses until no class is too small.
func (c *core) spread() {
	for again := true; again; {
		again = false
		for i := range c.gone {
			if !c.gone[i] && c.small(i) {
				c.suppress(i)
				again = true
			}
		}
	}
}

// small reports whether a tuple is in a class that is too small.
func (c *core) small(tuple int) bool {
	for j := range c.sets {
		if !c.holds(&c.sets[j].asked, c.weights[j][c.classes[j][tuple]]) {
			return true
		}
	}
	return false
}

// fill suppresses further tuples, the smallest first, until there are none or enough suppressed
// records.
func (s *search) fill(c *core) {
	if !s.TopUp {
		return
	}
	numbers, size, weight := c.left()
	c.bySize(numbers)
	for _, i := range numbers {
		if size == s.input.Rows || s.holds(&s.all, s.weight-weight) {
			return
		}
		if !c.gone[i] {
			c.suppress(i)
			c.spread()
			_, size, weight = c.left()
		}
	}
}
