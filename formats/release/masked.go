package release

import (
	"fmt"

	"github.com/kcut/kcut/formats"
)

// Masked is a released column whose labels a cut gives.
type Masked struct {
	Name string
	// Number returns the number that stands for a label, or for null, and whether the cut
	// holds it. It is asked for every entry of a dictionary, every value that is stored without
	// one, and the bounds of the column, by several goroutines when several scanners read, or one
	// shares.
	Number func(label string, null bool) (number uint32, ok bool)
}

// Numbers are those of a block of rows in one column.
type Numbers struct {
	Same  bool     // all rows have the number One
	One   uint32   // when they are the same
	Every []uint32 // one a row, otherwise
}

// maskedChunk reads the pages of a masked column's chunk as numbers, and counts what is
// wrong with them.
type maskedChunk struct {
	pages
	masked *Masked
	form   form
	wrong  wrongPages
	blocks [windowBlocks]Numbers // the last rows that were read
	every  []uint32              // of all blocks

	null   uint32
	nullOK bool
	labels []uint32 // numbers of the entries of the dictionary
	used   []bool   // by a row
	unused int

	// Of the current data page:
	left    int      // rows that are not read yet
	levels  runs     // 1 for a value, 0 for a null
	indexes runs     // of values in the dictionary
	plain   []uint32 // numbers of values without one
	isPlain bool

	scratch []uint32
}

// wrongPages counts what is wrong with the pages of a chunk.
type wrongPages struct {
	foreign int // dictionary entries that are no labels
	values  int // values in pages that are no labels
	nulls   int // rows with a null that the cut does not hold
	bounds  int // statistics that are no labels
	spare   int // bytes after levels and values
}

// open goes to the first row of a chunk.
func (c *maskedChunk) open(g *rowGroup, masked *Masked) error {
	leaf, err := g.file.leaf(masked.Name)
	if err != nil {
		return err
	}
	if c.form, err = formOf(g.column(leaf)); err != nil {
		return err
	}
	if err := c.pages.open(g, leaf); err != nil {
		return err
	}
	if c.codec, err = g.codecOf(leaf, c.out); err != nil {
		return err
	}
	if c.every == nil {
		c.every, c.scratch = make([]uint32, windowBlocks*BlockRows), make([]uint32, BlockRows)
	}
	c.masked, c.wrong = masked, wrongPages{}
	c.null, c.nullOK = masked.Number("", true)
	c.labels, c.used, c.unused, c.left = c.labels[:0], c.used[:0], 0, 0
	return nil
}

// readWindow reads the numbers of the next n rows, block by block.
func (c *maskedChunk) readWindow(n int) (err error) {
	for b := 0; b*BlockRows < n; b++ {
		every := c.every[b*BlockRows : min((b+1)*BlockRows, n)]
		if c.blocks[b], err = c.read(every); err != nil {
			return err
		}
	}
	return nil
}

// read reads the numbers of the next rows, as many as every has room for.
func (c *maskedChunk) read(every []uint32) (Numbers, error) {
	n := len(every)
	for done := 0; done < n; {
		if c.left == 0 {
			if err := c.turn(); err != nil {
				return Numbers{}, err
			}
		}
		part := min(n-done, c.left)
		one, same, err := c.rowsOf(every[done : done+part])
		if err != nil {
			return Numbers{}, err
		}
		c.left -= part
		if same && part == n {
			return Numbers{Same: true, One: one}, nil
		}
		if same {
			fill(every[done:done+part], one)
		}
		done += part
	}
	return Numbers{Every: every}, nil
}

func fill(dst []uint32, n uint32) {
	for i := range dst {
		dst[i] = n
	}
}

// rowsOf reads rows of the page: into dst, unless it shows that they have the same number.
func (c *maskedChunk) rowsOf(dst []uint32) (one uint32, same bool, err error) {
	level, same, err := c.levels.same(len(dst))
	switch {
	case err != nil:
		return 0, false, err
	case !same:
		return 0, false, c.mixed(dst)
	case level == 0:
		if !c.nullOK {
			c.wrong.nulls += len(dst)
		}
		return c.null, true, nil
	}
	return c.values(dst)
}

// mixed reads rows some of which are null.
func (c *maskedChunk) mixed(dst []uint32) error {
	levels := c.scratch[:len(dst)]
	if err := c.levels.read(levels); err != nil {
		return err
	}
	defined := 0
	for _, level := range levels {
		defined += int(level)
	}
	if !c.nullOK {
		c.wrong.nulls += len(dst) - defined
	}
	if defined > 0 {
		one, same, err := c.values(dst[:defined])
		if err != nil {
			return err
		}
		if same {
			fill(dst[:defined], one)
		}
	}
	for row := len(dst) - 1; row >= 0; row-- { // from behind: a value moves to its row or stays
		if levels[row] == 0 {
			dst[row] = c.null
		} else {
			defined--
			dst[row] = dst[defined]
		}
	}
	return nil
}

// values reads rows that are not null.
func (c *maskedChunk) values(dst []uint32) (one uint32, same bool, err error) {
	if c.isPlain {
		c.plain = c.plain[copy(dst, c.plain):]
		return 0, false, nil
	}
	index, same, err := c.indexes.same(len(dst))
	if err != nil {
		return 0, false, err
	}
	if same {
		number := [1]uint32{index}
		err = c.number(number[:])
		return number[0], true, err
	}
	if err := c.indexes.read(dst); err != nil {
		return 0, false, err
	}
	return 0, false, c.number(dst)
}

// number replaces indexes by the numbers of their entries.
func (c *maskedChunk) number(indexes []uint32) error {
	if c.unused > 0 {
		for _, index := range indexes {
			if int(index) < len(c.used) && !c.used[index] {
				c.used[index] = true
				c.unused--
			}
		}
	}
	numbers := c.labels
	for i, index := range indexes {
		if int(index) >= len(numbers) {
			return fmt.Errorf("%w: index %d, dictionary of %d", formats.ErrDamaged, index, len(numbers))
		}
		indexes[i] = numbers[index]
	}
	return nil
}

// finish reads to the end of the chunk, where the last row must have been read, and returns
// what is wrong with it in words.
func (c *maskedChunk) finish() ([]string, error) {
	for c.left == 0 {
		h, err := c.next()
		if err != nil {
			return nil, err
		}
		if h == nil {
			c.statistics()
			return append(c.report(), c.wrong.report(c.unused)...), nil
		}
		if err := c.page(h); err != nil {
			return nil, err
		}
	}
	return nil, errRows
}

// statistics looks at the smallest and largest values that the footer names.
func (c *maskedChunk) statistics() {
	s := c.group.RowGroups[0].Columns[c.leaf].MetaData.Statistics
	if s == nil {
		return
	}
	for _, bound := range [][]byte{s.Min, s.Max, s.MinValue, s.MaxValue} {
		if bound != nil && !c.isBound(bound) {
			c.wrong.bounds++
		}
	}
}

// isBound reports whether a smallest or largest value is a label. The format asks for a
// smallest 0 of floats to be written as -0.
func (c *maskedChunk) isBound(value []byte) bool {
	if c.form.size > 0 && len(value) != c.form.size {
		return false
	}
	text := c.form.text(value)
	_, ok := c.masked.Number(text, false)
	if !ok && text == "-0" {
		_, ok = c.masked.Number("0", false)
	}
	return ok
}

// report says in words what was counted, and how many entries of the dictionary were not used.
func (w *wrongPages) report(unused int) []string {
	return counted{
		{w.foreign, "dictionary entries that are no labels of the cut"},
		{unused, "dictionary entries that no row uses"},
		{w.values, "values that are no labels of the cut"},
		{w.nulls, "nulls, which the cut does not hold"},
		{w.bounds, "statistics that are no labels of the cut"},
		{w.spare, "bytes after the values of a page"},
	}.words()
}
