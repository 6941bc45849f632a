package release

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/codec"
	"github.com/kcut/kcut/formats/internal/meta"
	"github.com/kcut/kcut/formats/internal/page"
	"github.com/kcut/kcut/formats/internal/plain"
	"github.com/kcut/kcut/formats/internal/schema"
)

// Masked is a released column whose labels a cut gives.
type Masked struct {
	Name string
	Part string // the field that is read of a column of structs; empty: the column is flat
	// Whole returns the same as Number for rows whose struct is null; nil: the column is flat.
	Whole func() (number uint32, ok bool)
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

// Kept is a released column of which a value is told apart by its hash alone.
type Kept struct {
	Name string
	Hash func(values *formats.Values, i int) uint64 // by several goroutines, as Masked's Number
	Null uint64                                     // the hash of null
}

// Hashes are those of a block of rows in one column: the numbers say where they are in a list.
type Hashes struct {
	Numbers
	List []uint64
}

// flatChunk reads the pages of a masked column's chunk as numbers, or those of a kept one that is not nested, and
// counts what is wrong with them.
type flatChunk struct {
	pages
	masked *Masked // nil: it is a kept column
	kept   *Kept
	hashes []uint64 // of the entries of a kept column's dictionary, of null, and of other values of the last rows
	labels labels
	given  bool                  // all rows have one number, and there are no pages
	blocks [windowBlocks]Numbers // the last rows that were read
	every  []uint32              // of all blocks

	nulls [structLevels + 1]ofNull // by level below that of values; of a flat column there is one
	entry []uint32                 // numbers of the entries of the dictionary
	used  []bool                   // by a row
	wrong wrongPages

	header *page.Header // of the page that is being read; nil: there is none
	passed int          // rows to come of a page that is not read: a kept column's, not of the form that kcut writes
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

// give has all rows have a number.
func (c *flatChunk) give(number uint32) {
	c.given = true
	for i := range c.blocks {
		c.blocks[i] = Numbers{Same: true, One: number}
	}
}

// openMasked goes to the first row of a masked column's chunk.
func (c *flatChunk) openMasked(g *rowGroup, masked *Masked) error {
	if err := c.open(g, masked.Name, masked.Part); err != nil {
		return err
	}
	if t := c.leaf.Type.V; t == format.Boolean || t == format.Int96 {
		return fmt.Errorf("%w: %v is no type of labels", formats.ErrUnsupported, t)
	}
	c.masked = masked
	if masked.Fits != nil && !masked.Fits(c.labels.values.Type) {
		c.wrong.kind = 1
	}
	null := &c.nulls[0]
	if masked.Whole != nil {
		null.number, null.ok = masked.Whole()
		null = &c.nulls[1]
	}
	null.number, null.ok = masked.Number("", true)
	return nil
}

// openKept goes to the first row of a kept column's chunk.
func (c *flatChunk) openKept(g *rowGroup, kept *Kept) error {
	c.masked, c.kept, c.hashes, c.nulls[0].ok = nil, kept, c.hashes[:0], true
	c.numberNull()
	return c.open(g, kept.Name, "")
}

// numberNull numbers null behind the entries of a kept column, whose numbers are their indexes.
func (c *flatChunk) numberNull() {
	if c.masked == nil {
		c.nulls[0].number, c.hashes = uint32(len(c.hashes)), append(c.hashes, c.kept.Null)
	}
}

func (c *flatChunk) open(g *rowGroup, name, part string) error {
	leaf, err := g.file.footer.leaf(name, part)
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
		c.every = make([]uint32, windowBlocks*BlockRows)
	}
	c.wrong, c.header, c.passed = wrongPages{}, nil, 0
	c.entry, c.used = c.entry[:0], c.used[:0]
	return nil
}

// readWindow reads the numbers of the next n rows, block by block.
func (c *flatChunk) readWindow(n int) (err error) {
	if c.masked == nil {
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

// read reads the numbers of the next rows, as many as every has room for.
func (c *flatChunk) read(every []uint32) (Numbers, error) {
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

// spread makes all numbers the first.
func spread(numbers []uint32) {
	one := numbers[0]
	for i := range numbers {
		numbers[i] = one
	}
}

// numbers reads rows that are not null, as rows does.
func (c *flatChunk) numbers(dst []uint32) (same bool, err error) {
	if c.Indexed {
		if err := c.Indexes(dst); err != nil {
			return false, err
		}
		if same = allSame(dst); same {
			dst = dst[:1]
		}
		return same, c.look(dst)
	}
	values, err := c.Values(len(dst))
	if err != nil {
		return false, err
	}
	if c.leaf.Type.V == format.Boolean { // what stands for both is known
		for i, bit := range values.Data {
			dst[i] = c.entry[bit]
		}
		return false, c.labels.extremes.add(&values, len(dst))
	}
	numbers := dst[:0]
	return false, c.labels.of(&values, len(dst), func(i int) {
		numbers = append(numbers, c.number(i, &c.wrong.values))
	})
}

func allSame(numbers []uint32) bool {
	other := uint32(0)
	for _, n := range numbers {
		other |= n ^ numbers[0]
	}
	return other == 0
}

// look replaces indexes by the numbers of their entries, which those of a kept column are themselves.
func (c *flatChunk) look(indexes []uint32) error {
	if c.wrong.unused > 0 {
		for _, index := range indexes {
			if int(index) < len(c.used) && !c.used[index] {
				c.used[index] = true
				c.wrong.unused--
			}
		}
	}
	numbers := c.entry
	if c.masked == nil { // they are their numbers
		return c.checkIndex(slices.Max(indexes))
	}
	for i, index := range indexes {
		if int(index) >= len(numbers) {
			return c.checkIndex(index)
		}
		indexes[i] = numbers[index]
	}
	return nil
}

func (c *flatChunk) checkIndex(index uint32) error {
	if int(index) >= len(c.entry) {
		return fmt.Errorf("%w: index %d, dictionary of %d", formats.ErrDamaged, index, len(c.entry))
	}
	return nil
}

// number returns the number of one of the last values, and counts one that is no label.
func (c *flatChunk) number(i int, wrong *int) uint32 {
	if c.masked == nil {
		c.hashes = append(c.hashes, c.kept.Hash(&c.labels.values, i))
		return uint32(len(c.hashes) - 1)
	}
	number, ok := c.masked.Number(c.labels.values.Text(i), false)
	if !ok {
		*wrong++
	}
	return number
}

var errRows = fmt.Errorf("%w: pages have not as many rows as the row group", formats.ErrDamaged)

// toRows goes to the next data page that has rows, unless the current one has some. It reports
// whether there are any.
func (c *flatChunk) toRows() (more bool, err error) {
	for c.passed+c.Ahead == 0 {
		if err := c.endPage(); err != nil {
			return false, err
		}
		h, err := c.next()
		if err != nil || h == nil {
			return false, err
		}
		isData := h.Type == format.DataPage || h.Type == format.DataPageV2
		switch {
		case c.masked == nil && !(c.own && codec.Exact(c.Codec)):
			if !codec.Exact(c.Codec) {
				c.inexact++
			}
			if isData {
				c.passed = h.Entries
			}
			err = c.Pass(h)
		case h.Type == format.DictionaryPage:
			err = c.dictionary(h)
		case isData:
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
func (c *flatChunk) finish() ([]string, error) {
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

func (c *flatChunk) dictionary(h *page.Header) error {
	values, err := c.pages.dictionary(h)
	if err != nil {
		return err
	}
	c.hashes = c.hashes[:0]
	err = c.labels.of(&values, h.Entries, func(i int) {
		c.entry, c.used = append(c.entry, c.number(i, &c.wrong.foreign)), append(c.used, false)
	})
	c.numberNull()
	c.wrong.unused = len(c.used)
	c.wrong.spare += c.Spare()
	return err
}

// data begins to read a data page.
func (c *flatChunk) data(h *page.Header) error {
	if !isWritten(h) && h.Encoding != format.PlainDictionary {
		return fmt.Errorf("%w: page encoding %v", formats.ErrUnsupported, h.Encoding)
	}
	if err := c.begin(h); err != nil {
		return err
	}
	if c.leaf.Type.V == format.Boolean && len(c.entry) == 0 {
		c.labels.values.Words = append(c.labels.values.Words[:0], 0, 1)
		c.hashes = c.hashes[:0]
		c.entry = append(c.entry, c.number(0, nil), c.number(1, nil))
		c.numberNull()
	}
	c.header = h
	return nil
}

// endPage counts the faults of a data page whose rows were read.
func (c *flatChunk) endPage() error {
	if c.header == nil {
		return nil
	}
	wrong, err := c.end(c.header)
	c.wrong.spare += wrong.spare
	c.wrong.counts += wrong.counts
	c.header = nil
	return err
}

// labels decodes the values of a flat column, and keeps their extremes. One goroutine uses it at a time.
type labels struct {
	values   formats.Values
	decode   plain.Decoder
	extremes extremes
}

func newLabels(l *schema.Leaf, said *meta.Statistics) (labels, error) {
	t, err := schema.TypeOf(l.SchemaElement)
	ls := labels{values: formats.Values{Type: t}, decode: plain.DecoderOf(t, l.Type.V, plain.SizeOf(l.SchemaElement))}
	ls.extremes.reset(l, said)
	return ls, err
}

// of decodes n values of a page and shows where they are.
func (l *labels) of(values *page.Values, n int, show func(i int)) error {
	v := &l.values
	v.Clear()
	if err := values.Append(v, l.decode, 0, n); err != nil {
		return err
	}
	for i := range n {
		show(i)
	}
	l.extremes.addValues(v)
	return nil
}
