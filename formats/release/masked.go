package release

import (
	"cmp"
	"fmt"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/meta"
	"github.com/kcut/kcut/formats/internal/page"
	"github.com/kcut/kcut/formats/internal/plain"
	"github.com/kcut/kcut/formats/internal/rle"
	"github.com/kcut/kcut/formats/internal/schema"
)

// Masked is a released column whose labels a cut gives.
type Masked struct {
	Name string
	// Number returns the number that stands for a label, or for null, and whether the cut
	// holds it. It is asked for every entry of a dictionary, every value that is stored without
	// one, and the bounds of the column, by several goroutines when several scanners read, or one
	// shares.
	Number func(label string, null bool) (number uint32, ok bool)
	Fits   func(formats.Type) bool // whether labels are released as values of a type; nil: of any
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
	page   maskedPage

	scratch []uint32
}

// maskedPage is a data page that is being read.
type maskedPage struct {
	header  *page.Header
	rows    int
	left    int // rows that are not read yet
	defined int // rows that are read and not null

	levelBytes []byte
	levels     rle.Reader // 1 for a value, 0 for a null
	indexBytes []byte
	width      int        // of an index
	indexes    rle.Reader // of values in the dictionary
	plain      []byte     // values without one, to come
	isPlain    bool
}

// wrongPages counts what is wrong with the pages of a chunk.
type wrongPages struct {
	kind    int // 1: the column is not of the type of labels
	foreign int // dictionary entries that are no labels
	unused  int // dictionary entries that no row uses
	values  int // values in pages that are no labels
	nulls   int // rows with a null that the cut does not hold
	counts  int // pages that say another number of nulls or rows than they have
	spare   int // bytes after levels and values
}

// open goes to the first row of a chunk.
func (c *maskedChunk) open(g *rowGroup, masked *Masked) error {
	leaf, err := g.file.footer.leaf(masked.Name)
	if err != nil {
		return err
	}
	if c.labels, err = newLabels(g.leaf(leaf), &g.chunk(leaf).Statistics.V); err != nil {
		return err
	}
	if err := c.pages.open(g, leaf); err != nil {
		return err
	}
	if c.every == nil {
		c.every, c.scratch = make([]uint32, windowBlocks*BlockRows), make([]uint32, BlockRows)
	}
	c.masked, c.wrong, c.page = masked, wrongPages{}, maskedPage{}
	if masked.Fits != nil && !masked.Fits(c.labels.values.Type) {
		c.wrong.kind = 1
	}
	c.null, c.nullOK = masked.Number("", true)
	c.entry, c.used = c.entry[:0], c.used[:0]
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
		if more, err := c.toRows(); err != nil || !more {
			return Numbers{}, cmp.Or(err, errRows)
		}
		part := every[done:min(done+c.page.left, len(every))]
		same, err := c.rows(part)
		if err != nil {
			return Numbers{}, err
		}
		c.page.left -= len(part)
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
	if c.leaf.Definition == 0 {
		return c.values(dst)
	}
	level, same := c.page.levels.Repeated(len(dst))
	switch {
	case !same:
		return false, c.someNull(dst)
	case level == 0:
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
func (c *maskedChunk) someNull(dst []uint32) error {
	levels := c.scratch[:len(dst)]
	if err := c.page.levels.Read(levels); err != nil {
		return err
	}
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
	p := &c.page
	p.defined += len(dst)
	if p.isPlain {
		numbers := dst[:0]
		p.plain, err = c.labels.of(p.plain, len(dst), func(label string) {
			numbers = append(numbers, c.number(label, &c.wrong.values))
		})
		return false, err
	}
	if dst[0], same = p.indexes.Repeated(len(dst)); same {
		dst = dst[:1]
	} else if err := p.indexes.Read(dst); err != nil {
		return false, err
	}
	return same, c.look(dst)
}

// look replaces indexes by the numbers of their entries.
func (c *maskedChunk) look(indexes []uint32) error {
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

// number returns the number of a label, and counts one that is none.
func (c *maskedChunk) number(label string, wrong *int) uint32 {
	number, ok := c.masked.Number(label, false)
	if !ok {
		*wrong++
	}
	return number
}

var errRows = fmt.Errorf("%w: pages have not as many rows as the row group", formats.ErrDamaged)

// toRows goes to the next data page that has rows, unless the current one has some. It reports
// whether there are any.
func (c *maskedChunk) toRows() (more bool, err error) {
	for c.page.left == 0 {
		if err := c.endPage(); err != nil {
			return false, err
		}
		h, err := c.next()
		if err != nil || h == nil {
			return false, err
		}
		switch h.Type {
		case format.DictionaryPage:
			err = c.dictionary(h)
		case format.DataPage, format.DataPageV2:
			err = c.data(h)
		default:
			err = c.Pass(h)
		}
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

// finish reads to the end of the chunk, where the last row must have been read, and returns
// what is wrong with it in words.
func (c *maskedChunk) finish() ([]string, error) {
	if more, err := c.toRows(); err != nil || more {
		return nil, cmp.Or(err, errRows)
	}
	return c.report(
		counted{c.wrong.kind, "column of another type than its labels have"},
		counted{c.wrong.foreign, "dictionary entries that are no labels of the cut"},
		counted{c.wrong.unused, "dictionary entries that no row uses"},
		counted{c.wrong.values, "values that are no labels of the cut"},
		counted{c.wrong.nulls, "nulls, which the cut does not hold"},
		counted{c.wrong.counts, "pages with other numbers of nulls or rows than is said"},
		counted{c.wrongStatistics(&c.labels.extremes), "statistics that are not those of its values"},
		counted{c.wrong.spare, "bytes after the values of a page"}), nil
}

func (c *maskedChunk) dictionary(h *page.Header) error {
	dictionary, err := c.load(h)
	if err != nil {
		return err
	}
	rest, err := c.labels.of(dictionary.Values, h.Entries, func(label string) {
		c.entry, c.used = append(c.entry, c.number(label, &c.wrong.foreign)), append(c.used, false)
	})
	c.wrong.unused = len(c.used)
	c.wrong.spare += len(rest)
	return err
}

// data begins to read a data page.
func (c *maskedChunk) data(h *page.Header) error {
	unpacked, err := c.load(h)
	if err != nil {
		return err
	}
	c.wrong.spare += len(unpacked.Repetition) // of a flat column there are none
	p := &c.page
	*p = maskedPage{header: h, rows: h.Entries, left: h.Entries, levelBytes: unpacked.Definition, isPlain: h.Encoding == format.Plain}
	p.levels.Reset(p.levelBytes, 1)
	switch {
	case p.isPlain:
		p.plain = unpacked.Values
		return nil
	case !isIndexes(h):
		return fmt.Errorf("%w: page encoding %v", formats.ErrUnsupported, h.Encoding)
	case c.dictionaries == 0:
		return fmt.Errorf("%w: indexes without a dictionary", formats.ErrDamaged)
	}
	p.indexBytes, p.width, err = rle.CutWidth(unpacked.Values)
	p.indexes.Reset(p.indexBytes, p.width)
	return err
}

// endPage counts the bytes that belong to no row of the data page.
func (c *maskedChunk) endPage() error {
	p, levels, indexes := &c.page, 0, 0
	if c.leaf.Definition > 0 {
		levels = p.rows
	}
	if !p.isPlain {
		indexes = p.defined
	}
	spare, err := rle.Spare(p.levelBytes, 1, levels)
	if err != nil {
		return err
	}
	c.wrong.spare += spare + len(p.plain)
	if spare, err = rle.Spare(p.indexBytes, p.width, indexes); err != nil {
		return err
	}
	c.wrong.spare += spare
	c.missing += int64(p.rows - p.defined)
	if p.header != nil && saysOther(p.header, p.rows-p.defined, p.rows) {
		c.wrong.counts++
	}
	c.page = maskedPage{}
	return nil
}

// labels makes labels of the PLAIN values of a flat column, and keeps their extremes. One goroutine uses it at a
// time.
type labels struct {
	values   formats.Values
	decode   plain.Decoder
	extremes extremes
}

func newLabels(l *schema.Leaf, said *meta.Statistics) (labels, error) {
	if l.Type.V == format.Boolean || l.Type.V == format.Int96 {
		return labels{}, fmt.Errorf("%w: %v is no type of labels", formats.ErrUnsupported, l.Type.V)
	}
	t, err := schema.TypeOf(l.SchemaElement)
	ls := labels{values: formats.Values{Type: t}, decode: plain.DecoderOf(t, l.Type.V, plain.SizeOf(l.SchemaElement))}
	ls.extremes.reset(l, said)
	return ls, err
}

// of shows the labels of n values, and returns the bytes behind them.
func (l *labels) of(from []byte, n int, show func(label string)) (rest []byte, err error) {
	v := &l.values
	v.Words, v.Ends, v.Data = v.Words[:0], v.Ends[:0], v.Data[:0]
	if rest, err = l.decode(v, from, n); err != nil {
		return nil, err
	}
	for i := range n {
		show(v.Text(i))
	}
	l.extremes.addValues(v)
	return rest, nil
}
