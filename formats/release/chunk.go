package release

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/page"
)

// Masked is a released column whose labels come from a cut.
type Masked struct {
	Name string
	Part string // the field to read in a column of structs; empty: the column is flat
	// Whole returns the result of Number for rows whose struct is null; nil: the column is flat.
	Whole func() (number uint32, ok bool)
	// Number returns the number of a label, or of null, and whether the cut contains it. It is
	// called with every entry of a dictionary, every value that is stored without one, and the
	// bounds of the column, by several goroutines if several scanners read, or if one shares its
	// work.
	Number func(label string, null bool) (number uint32, ok bool)
	Fits   func(formats.Type) bool // reports whether values of a type may be labels; nil: any type
}

// Numbers are the numbers of a block of rows in one column.
type Numbers struct {
	Same  bool     // all rows have the number One
	One   uint32   // if they are the same
	Every []uint32 // by row, otherwise
}

// Kept is a released column whose values are only distinguished by a hash.
type Kept struct {
	Name string
	// called by several goroutines, as Masked's Number
	Hash func(values *formats.Values, i int) uint64
	Null uint64 // the hash of null
}

// Hashes are the hashes of a block of rows in one column: numbers are positions in a list.
type Hashes struct {
	Numbers
	List []uint64
}

// chunk walks the pages of a column's chunk, and counts errors in them and in the metadata of their
// values. It returns the rows of a column that is shown as numbers: those of labels, or positions
// of kept values in a list of hashes.
type chunk struct {
	pages
	masked *Masked // nil: it is a kept column
	kept   *Kept   // nil: it is not shown, and may be nested
	// of the entries of a kept column's dictionary, of null, and of other values of the last rows
	hashes []uint64
	values valueReader
	given  bool                  // all rows have one given number, and there are no pages
	blocks [windowBlocks]Numbers // the last rows
	every  []uint32              // numbers of all blocks

	nulls [structLevels + 1]ofNull // by level below that of values; a flat column has one
	entry []uint32                 // numbers of the entries of the dictionary
	used  []bool                   // by entry of the dictionary: a row has it
	wrong wrongPages

	header *page.Header // header of the current page; nil: there is none
	// number of entries left of a page that is skipped: in a kept column, if kcut does not write
	// this form
	passed int
}

// wrongPages counts the errors in the pages of a chunk.
type wrongPages struct {
	kind    int // 1: labels cannot have the type of the column
	foreign int // dictionary entries that are no labels
	unused  int // dictionary entries that no row uses
	values  int // values in pages that are no labels
	nulls   int // rows with a null that the cut does not hold
	counts  int // pages with a wrong number of nulls or rows
	spare   int // bytes that no level and no value needs
}

// column returns the name of the shown column, and of the field of its structs.
func (c *chunk) column() (name, part string) {
	if c.masked != nil {
		return c.masked.Name, c.masked.Part
	}
	return c.kept.Name, ""
}

// name returns the name of the column in findings.
func (c *chunk) name() string {
	column, part := c.column()
	if part != "" {
		return column + "." + part
	}
	return column
}

// openShown moves to the first row of the chunk of a shown column.
func (c *chunk) openShown(g *rowGroup) error {
	if c.masked != nil {
		number, given := g.file.given[c.masked.Name]
		if c.given = given; given {
			for i := range c.blocks {
				c.blocks[i] = Numbers{Same: true, One: number}
			}
			return nil
		}
	}
	leaf, err := g.file.leaf(c.column())
	if err == nil {
		err = c.open(g, leaf)
	}
	if err == nil {
		err = c.values.unknown
	}
	switch {
	case err != nil:
		return err
	case c.masked != nil:
		return c.openMasked()
	}
	c.hashes, c.nulls[0].ok = c.hashes[:0], true
	c.numberNull()
	return nil
}

// openMasked asks for the numbers with which a masked column is checked.
func (c *chunk) openMasked() error {
	if t := c.leaf.Type.V; t == format.Boolean || t == format.Int96 {
		return fmt.Errorf("%w: %v is no type of labels", formats.ErrUnsupported, t)
	}
	if c.masked.Fits != nil && !c.masked.Fits(c.values.Type) {
		c.wrong.kind = 1
	}
	null := &c.nulls[0]
	if c.masked.Whole != nil {
		null.number, null.ok = c.masked.Whole()
		null = &c.nulls[1]
	}
	null.number, null.ok = c.masked.Number("", true)
	return nil
}

// numberNull gives null the number behind the entries of a kept column, whose numbers are their
// indexes.
func (c *chunk) numberNull() {
	if c.kept != nil {
		c.nulls[0].number, c.hashes = uint32(len(c.hashes)), append(c.hashes, c.kept.Null)
	}
}

// open moves to the first page of a leaf's chunk.
func (c *chunk) open(g *rowGroup, leaf int) error {
	if c.every == nil {
		c.every = make([]uint32, windowBlocks*BlockRows)
	}
	c.wrong, c.header, c.passed = wrongPages{}, nil, 0
	c.entry, c.used = c.entry[:0], c.used[:0]
	c.values.reset(g.leaf(leaf), &g.Chunk(leaf).Statistics.V)
	return c.pages.open(g, leaf)
}

// readWindow reads the numbers of the next n rows, block by block.
func (c *chunk) readWindow(n int) (err error) {
	if c.kept != nil {
		c.hashes = c.hashes[:1+len(c.entry)]
	}
	for b := 0; b*BlockRows < n; b++ {
		every := c.every[b*BlockRows : min((b+1)*BlockRows, n)]
		if c.blocks[b], err = c.read(every); err != nil {
			return err
		}
	}
	return nil
}

// read reads the numbers of the next rows, as many as fit in every.
func (c *chunk) read(every []uint32) (Numbers, error) {
	for done := 0; done < len(every); {
		if more, err := c.toRows(); err != nil || !more {
			return Numbers{}, cmp.Or(err, errRows)
		}
		part := every[done:min(done+c.passed+c.Ahead, len(every))]
		same, err := c.rows(part)
		if err != nil {
			return Numbers{}, err
		}
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

// spread sets all numbers to the first.
func spread(numbers []uint32) {
	one := numbers[0]
	for i := range numbers {
		numbers[i] = one
	}
}

// numbers reads rows that are not null. It returns the same as rows.
func (c *chunk) numbers(dst []uint32) (same bool, err error) {
	if c.Indexed {
		if same, err = c.Indexes(dst); err != nil {
			return false, err
		}
		if same {
			dst = dst[:1]
		}
		return same, c.look(dst)
	}
	values, err := c.Values(len(dst))
	if err != nil {
		return false, err
	}
	numbers := dst[:0]
	return false, c.values.read(&values, len(dst), func(i int) {
		numbers = append(numbers, c.number(i, &c.wrong.values))
	})
}

// look replaces indexes by the numbers of their entries. In a kept column they are the same.
func (c *chunk) look(indexes []uint32) error {
	if c.wrong.unused > 0 {
		for _, index := range indexes {
			if int(index) < len(c.used) && !c.used[index] {
				c.used[index] = true
				c.wrong.unused--
			}
		}
	}
	if c.masked == nil {
		return c.checkIndex(slices.Max(indexes))
	}
	numbers := c.entry
	for i, index := range indexes {
		if int(index) >= len(numbers) {
			return c.checkIndex(index)
		}
		indexes[i] = numbers[index]
	}
	return nil
}

func (c *chunk) checkIndex(index uint32) error {
	if int(index) >= len(c.used) {
		return fmt.Errorf("%w: index %d, dictionary of %d", formats.ErrDamaged, index, len(c.used))
	}
	return nil
}

// number returns the number of one of the last values, and counts a value that is no label.
func (c *chunk) number(i int, wrong *int) uint32 {
	if c.masked == nil {
		c.hashes = append(c.hashes, c.kept.Hash(&c.values.Values, i))
		return uint32(len(c.hashes) - 1)
	}
	number, ok := c.masked.Number(c.values.Text(i), false)
	if !ok {
		*wrong++
	}
	return number
}

var errRows = fmt.Errorf("%w: pages have not as many rows as the row group", formats.ErrDamaged)

// toRows moves to the next data page that has rows, unless the current one has some left. It
// reports whether there are any.
func (c *chunk) toRows() (more bool, err error) {
	for c.passed+c.Ahead == 0 {
		if err := c.endPage(); err != nil {
			return false, err
		}
		h, err := c.next()
		if err != nil || h == nil {
			return false, err
		}
		if err := c.Load(h); err != nil {
			return false, err
		}
		isData := h.Type == format.DataPage || h.Type == format.DataPageV2
		switch {
		case c.masked == nil && !c.own:
			if isData {
				c.passed = h.Entries
			}
		case h.Type == format.DictionaryPage:
			err = c.dictionary(h)
		case isData:
			err = c.data(h)
		}
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

// walk reads the whole chunk of a column that is not shown, and describes its errors.
func (c *chunk) walk() ([]string, error) {
	for {
		more, err := c.toRows()
		if err != nil {
			return nil, err
		}
		if !more {
			break
		}
		if c.passed > 0 {
			c.passed = 0
			continue
		}
		levels, err := c.Levels(min(c.Ahead, stepValues))
		if err == nil && levels.Defined > 0 {
			err = c.pass(levels.Defined)
		}
		if err != nil {
			return nil, err
		}
	}
	if c.inexact+c.foreign == 0 && c.begun != c.group.NumRows {
		c.wrong.counts++
	}
	return c.findings(), nil
}

// pass reads the next n values of a page that is not shown.
func (c *chunk) pass(n int) error {
	if !c.Indexed {
		values, err := c.Values(n)
		if err == nil {
			err = c.values.read(&values, n, nil)
		}
		return err
	}
	indexes := c.every[:n]
	_, err := c.Indexes(indexes)
	if err == nil && c.wrong.unused > 0 {
		err = c.look(indexes)
	}
	return err
}

// finish reads to the end of the chunk, where the last row must have been read, and describes its
// errors.
func (c *chunk) finish() ([]string, error) {
	if more, err := c.toRows(); err != nil || more {
		return nil, cmp.Or(err, errRows)
	}
	return c.findings(), nil
}

func (c *chunk) findings() []string {
	return c.report(
		counted{c.wrong.kind, "column of another type than its labels have"},
		counted{c.wrong.foreign, "dictionary entries that are no labels of the cut"},
		counted{c.wrong.unused, "dictionary entries that no row uses"},
		counted{c.wrong.values, "values that are no labels of the cut"},
		counted{c.wrong.nulls, "nulls, which the cut does not hold"},
		counted{c.wrong.counts, "pages with other numbers of nulls or rows than is said"},
		counted{c.wrongStatistics(&c.values), "statistics that are not those of its values"},
		counted{c.wrong.spare, "bytes after the values of a page"})
}

func (c *chunk) dictionary(h *page.Header) error {
	values, err := c.pages.dictionary(h)
	if err != nil {
		return err
	}
	c.hashes = c.hashes[:0]
	var show func(i int)
	if c.masked != nil || c.kept != nil {
		show = func(i int) { c.entry = append(c.entry, c.number(i, &c.wrong.foreign)) }
	}
	err = c.values.read(&values, h.Entries, show)
	c.numberNull()
	c.used = append(c.used, make([]bool, h.Entries)...)
	c.wrong.unused = h.Entries
	c.wrong.spare += c.Spare()
	return err
}

// data starts to read a data page.
func (c *chunk) data(h *page.Header) error {
	if !isWritten(h) && h.Encoding != format.PlainDictionary {
		return fmt.Errorf("%w: page encoding %v", formats.ErrUnsupported, h.Encoding)
	}
	c.header = h
	return c.begin(h)
}

// endPage counts the rows, nulls and errors of a data page after its last entry.
func (c *chunk) endPage() error {
	h := c.header
	if c.header = nil; h == nil {
		return nil
	}
	c.missing += int64(c.Nulls)
	c.begun += int64(c.Rows)
	if said, counted := h.Data.V.Statistics.V.NullCount.Get(); counted && said != int64(c.Nulls) {
		c.wrong.counts++
	}
	spare := c.Spare()
	if spare < 0 {
		return fmt.Errorf("%w: runs without values, or with too few", formats.ErrDamaged)
	}
	c.wrong.spare += spare
	return nil
}
