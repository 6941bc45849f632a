package release

import (
	"fmt"

	"github.com/parquet-go/parquet-go/format"

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
	labels labels
	blocks [windowBlocks]Numbers // the last rows that were read
	every  []uint32              // of all blocks

	null   uint32
	nullOK bool
	entry  []uint32 // numbers of the entries of the dictionary
	used   []bool   // by a row
	wrong  wrongPages

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
	unused  int // dictionary entries that no row uses
	values  int // values in pages that are no labels
	nulls   int // rows with a null that the cut does not hold
	bounds  int // statistics that are no labels
	spare   int // bytes after levels and values
}

// open goes to the first row of a chunk.
func (c *maskedChunk) open(g *rowGroup, masked *Masked) error {
	leaf, err := g.file.footer.leaf(masked.Name)
	if err != nil {
		return err
	}
	if c.labels, err = newLabels(g.leaf(leaf)); err != nil {
		return err
	}
	if err := c.pages.open(g, leaf); err != nil {
		return err
	}
	if c.codec, err = newCodec(c.chunk, c.out); err != nil {
		return err
	}
	if c.every == nil {
		c.every, c.scratch = make([]uint32, windowBlocks*BlockRows), make([]uint32, BlockRows)
	}
	c.masked, c.wrong = masked, wrongPages{}
	c.null, c.nullOK = masked.Number("", true)
	c.entry, c.used, c.left = c.entry[:0], c.used[:0], 0
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
	for done := 0; done < len(every); {
		if err := c.toRows(); err != nil {
			return Numbers{}, err
		}
		part := every[done:min(done+c.left, len(every))]
		same, err := c.rows(part)
		if err != nil {
			return Numbers{}, err
		}
		c.left -= len(part)
		done += len(part)
		if same && len(part) == len(every) {
			return Numbers{Same: true, One: part[0]}, nil
		}
		if same {
			spread(part)
		}
	}
	return Numbers{Every: every}, nil
}

// spread makes all numbers the first.
func spread(numbers []uint32) {
	one := numbers[0]
	for i := range numbers {
		numbers[i] = one
	}
}

// rows reads rows of the page. It reports whether they show to have the same number, which is then
// the first of dst alone.
func (c *maskedChunk) rows(dst []uint32) (same bool, err error) {
	levels := c.scratch[:len(dst)]
	same, err = c.levels.read(levels)
	switch {
	case err != nil:
		return false, err
	case !same:
		return false, c.someNull(dst, levels)
	case levels[0] == 0:
		c.countNulls(len(dst))
		dst[0] = c.null
		return true, nil
	}
	return c.values(dst)
}

func (c *maskedChunk) countNulls(n int) {
	if !c.nullOK {
		c.wrong.nulls += n
	}
}

// someNull reads rows some of which are null.
func (c *maskedChunk) someNull(dst, levels []uint32) error {
	defined := 0
	for _, level := range levels {
		defined += int(level)
	}
	c.countNulls(len(dst) - defined)
	if defined > 0 {
		same, err := c.values(dst[:defined])
		if err != nil {
			return err
		}
		if same {
			spread(dst[:defined])
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

// values reads rows that are not null, as rows does.
func (c *maskedChunk) values(dst []uint32) (same bool, err error) {
	if c.isPlain {
		c.plain = c.plain[copy(dst, c.plain):]
		return false, nil
	}
	if same, err = c.indexes.read(dst); err != nil {
		return false, err
	}
	if same {
		dst = dst[:1]
	}
	return same, c.number(dst)
}

// number replaces indexes by the numbers of their entries.
func (c *maskedChunk) number(indexes []uint32) error {
	if c.wrong.unused > 0 {
		for _, index := range indexes {
			if int(index) < len(c.used) && !c.used[index] {
				c.used[index] = true
				c.wrong.unused--
			}
		}
	}
	numbers := c.entry
	for i, index := range indexes {
		if int(index) >= len(numbers) {
			return fmt.Errorf("%w: index %d, dictionary of %d", formats.ErrDamaged, index, len(numbers))
		}
		indexes[i] = numbers[index]
	}
	return nil
}

// toRows goes to the next data page that has rows, unless the current one has some.
func (c *maskedChunk) toRows() error {
	for c.left == 0 {
		h, err := c.next()
		if err == nil && h == nil {
			err = errRows
		}
		if err != nil {
			return err
		}
		if err := c.page(h); err != nil {
			return err
		}
	}
	return nil
}

var errRows = fmt.Errorf("%w: pages have not as many rows as the row group", formats.ErrDamaged)

// finish reads to the end of the chunk, where the last row must have been read, and returns
// what is wrong with it in words.
func (c *maskedChunk) finish() ([]string, error) {
	for c.left == 0 {
		h, err := c.next()
		if err != nil {
			return nil, err
		}
		if h == nil {
			c.checkBounds()
			return c.report(
				counted{c.wrong.foreign, "dictionary entries that are no labels of the cut"},
				counted{c.wrong.unused, "dictionary entries that no row uses"},
				counted{c.wrong.values, "values that are no labels of the cut"},
				counted{c.wrong.nulls, "nulls, which the cut does not hold"},
				counted{c.wrong.bounds, "statistics that are no labels of the cut"},
				counted{c.wrong.spare, "bytes after the values of a page"}), nil
		}
		if err := c.page(h); err != nil {
			return nil, err
		}
	}
	return nil, errRows
}

// checkBounds looks at the smallest and largest values that the footer names. The format asks for
// a smallest 0 of floats to be written as -0.
func (c *maskedChunk) checkBounds() {
	s := &c.chunk.Statistics.V
	for _, bound := range [][]byte{s.Min, s.Max, s.MinValue, s.MaxValue} {
		if bound == nil {
			continue
		}
		ok := c.labels.width == 0 || len(bound) == c.labels.width
		if ok {
			label := c.labels.of(bound)
			if _, ok = c.masked.Number(label, false); !ok && label == "-0" {
				_, ok = c.masked.Number("0", false)
			}
		}
		if !ok {
			c.wrong.bounds++
		}
	}
}

// numberOf returns the number of a value, and counts one that is no label.
func (c *maskedChunk) numberOf(value []byte, wrong *int) uint32 {
	number, ok := c.masked.Number(c.labels.of(value), false)
	if !ok {
		*wrong++
	}
	return number
}

// page begins to read a page.
func (c *maskedChunk) page(h *pageHeader) error {
	switch h.Type {
	case format.DictionaryPage:
		return c.dictionary(h)
	case format.DataPage, format.DataPageV2:
		return c.data(h)
	}
	return c.pass(h)
}
