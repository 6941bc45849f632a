package parquetfile

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/meta"
	"github.com/kcut/kcut/formats/internal/page"
	"github.com/kcut/kcut/formats/internal/schema"
)

const (
	stepRows     = 1024          // smallest number of rows of a column to read at a time
	mostStepRows = 16 * stepRows // of a column, before the next one takes its turn
)

// maxTableValues is the largest number of distinct values of pages without a dictionary that are
// kept. With more, a later batch starts with new Values.
const maxTableValues = 1 << 18

// flatColumn reads one flat column of a split.
type flatColumn struct {
	entryReader
	to    *formats.Column
	kind  formats.Type
	coded bool // returns codes, whatever the encoding
	limit int  // number of values of pages without a dictionary to keep from batch to batch

	values     *formats.Values   // values to which codes refer
	dictionary int               // number of entries of the chunk's dictionary
	translated []uint32          // codes of entries
	table      *formats.Distinct // of values, after the first page without a dictionary
	// the chunk's dictionary; nil: values start with it, and codes are indexes plus one
	entries *formats.Values

	codes  []uint32
	listed bool // the batch has values that were not looked up: one for each row
	before int  // bytes of values at the start of the batch
	known  int  // number of values at the start of the batch
	// fleeting means that nearly all values are different.
	fleeting bool
	scratch  formats.Values
}

func newFlatColumn(leaf *schema.Leaf, to *formats.Column, t formats.Type, coded bool,
	limit int) *flatColumn {
	c := &flatColumn{to: to, kind: t, coded: coded, limit: limit}
	c.init(leaf, t)
	c.entryReader.weight = c.weight
	c.values, c.scratch.Type = &formats.Values{Type: t}, t
	return c
}

// open starts with the column's chunk of a row group.
func (c *flatColumn) open(f *source, from io.ReaderAt, chunk *meta.Column, room columnRoom) {
	c.entryReader.open(f, from, chunk, room)
	c.dictionary, c.translated, c.entries = 0, nil, nil
}

// begin starts a batch of at most rows rows.
func (c *flatColumn) begin(rows int) error {
	switch {
	case c.listed:
		c.relist()
	case c.table != nil && !c.worthwhile():
		c.restart()
	}
	c.buffers.codes = slices.Grow(c.buffers.codes[:0], rows)
	c.codes = c.buffers.codes
	c.before, c.known = len(c.values.Data), c.values.Len()
	return c.holdBeside(c.weight())
}

// worthwhile reports, after a batch, whether the values so far are worth keeping: they are not too
// many, and values of a long list were found again. While they are not, as in an identifier, every
// batch starts without values: a short list fits in a fast cache.
func (c *flatColumn) worthwhile() bool {
	if c.values.Len() > c.limit || len(c.values.Data) > 64*c.limit {
		return false
	}
	found := 2*(c.values.Len()-c.known) <= len(c.codes) // at most half of the batch was new
	if found {
		c.fleeting = false
	} else if c.values.Len() > c.limit/2 {
		c.fleeting = true
	}
	return !c.fleeting
}

// restart leaves the values to those who still use them and starts with an empty list.
func (c *flatColumn) restart() {
	c.keepEntries()
	c.table = c.table.Restarted()
	c.values, c.translated = c.table.Values, nil
}

// relist starts with an empty list, in the memory of the values of the last batch's rows.
func (c *flatColumn) relist() {
	if c.keepEntries() {
		c.values = &formats.Values{Type: c.kind}
	}
	c.values, c.table, c.translated, c.listed = c.values.Emptied(), nil, nil, false
}

// keepEntries keeps the entries of a dictionary with which the values start, if they do.
func (c *flatColumn) keepEntries() bool {
	start := c.dictionary > 0 && c.entries == nil
	if start {
		c.entries = headOf(c.values, c.dictionary)
	}
	return start
}

func equal(a, b *formats.Values) bool {
	return slices.Equal(a.Words, b.Words) && slices.Equal(a.Ends, b.Ends) &&
		bytes.Equal(a.Data, b.Data)
}

// headOf returns the first n values.
func headOf(v *formats.Values, n int) *formats.Values {
	if n == 0 {
		return &formats.Values{Type: v.Type}
	}
	if v.Type.InWords() {
		return &formats.Values{Type: v.Type, Words: v.Words[:n:n]}
	}
	size := v.Ends[n-1]
	return &formats.Values{Type: v.Type, Ends: v.Ends[:n:n], Data: v.Data[:size:size]}
}

// read appends n rows to the batch.
func (c *flatColumn) read(n int) error {
	for n > 0 {
		if err := c.load(c.loadDictionary); err != nil {
			return notEOF(err)
		}
		levels, err := c.Levels(min(n, c.Ahead))
		if err == nil {
			err = c.readRows(levels.Definition, levels.Entries, levels.Defined)
		}
		if err != nil {
			return err
		}
		n -= levels.Entries
	}
	return nil
}

// readRows reads the next n rows of the page. Defined of them have a value.
func (c *flatColumn) readRows(levels []byte, n, defined int) error {
	if c.kind.Kind == formats.Null && defined > 0 {
		return fmt.Errorf("read %d values of a column without a type: %w", defined,
			formats.ErrDamaged)
	}
	at := len(c.codes)
	c.codes = slices.Grow(c.codes, n)
	var err error
	switch {
	case c.Indexed:
		err = c.readIndexes(defined)
	case c.coded:
		err = c.codeValues(defined)
	default:
		err = c.listValues(defined)
	}
	if err != nil {
		return err
	}
	if c.codes = c.codes[:at+n]; defined < n {
		page.Spread(c.codes[at:], levels, defined, oneNull[:])
	}
	return nil
}

// listValues appends the next n values of the page without looking them up, and their codes.
func (c *flatColumn) listValues(n int) error {
	c.listed, c.table = true, nil
	code := uint32(c.values.Len())
	for range n {
		code++
		c.codes = append(c.codes, code)
	}
	return c.next(c.values, n)
}

// oneNull are the codes by level.
var oneNull [2]uint32

// loadDictionary reads the chunk's dictionary. If the values already start with it, as when row
// groups share one, they are kept, together with the results that others derived from them.
func (c *flatColumn) loadDictionary(h *page.Header) error {
	if c.dictionary > 0 || c.entries != nil {
		return fmt.Errorf("column chunk with two dictionaries: %w", formats.ErrDamaged)
	}
	entries := &formats.Values{Type: c.kind}
	if err := c.readDictionary(h, entries, c.weight()); err != nil {
		return err
	}
	c.dictionary = h.Entries
	switch {
	// it has no new entries
	case c.values.Len() >= h.Entries && equal(headOf(c.values, h.Entries), entries):
	case len(c.codes) > 0:
		c.entries = entries // the batch has codes already, which must keep their meaning
	default:
		c.values, c.table, c.before, c.known = entries, nil, len(entries.Data), h.Entries
	}
	return c.holdBeside(c.weight())
}

// close implements columnReader. It empties the values, which may fill the memory: their readers
// still compare their pointer, to see whether they are the same.
func (c *flatColumn) close() {
	*c.values = formats.Values{Type: c.kind}
	c.entryReader.close()
}

// weight returns the number of bytes that the column holds in addition to its page, with the codes
// that callers derive from values.
func (c *flatColumn) weight() int64 {
	bytes := c.values.MemoryBytes() + c.scratch.MemoryBytes()
	bytes += derivedBytes*int64(c.values.Len()) + 4*int64(cap(c.translated))
	if c.entries != nil {
		bytes += c.entries.MemoryBytes()
	}
	if c.table != nil {
		bytes += c.table.MemoryBytes()
	}
	return bytes
}

// readIndexes appends the codes of the next n indexes of the page.
func (c *flatColumn) readIndexes(n int) error {
	at := len(c.codes)
	c.codes = c.codes[:at+n]
	codes := c.codes[at:]
	if _, err := c.Indexes(codes); err != nil {
		return err
	}
	if highest := addOne(codes); n > 0 && int64(highest) >= int64(c.dictionary) {
		return fmt.Errorf("dictionary index %d, %d entries: %w", highest, c.dictionary,
			formats.ErrDamaged)
	}
	if c.entries == nil {
		return nil
	}
	if c.translated == nil {
		c.translated = c.codesOf(make([]uint32, 0, c.dictionary), c.entries)
	}
	for i, code := range codes {
		codes[i] = c.translated[code-1]
	}
	return nil
}

// addOne turns indexes into codes, one more than each, and returns the highest index. It processes
// four at a time, since every cell goes through this loop, and a single maximum makes it wait.
func addOne(indexes []uint32) uint32 {
	var a, b, c, d uint32
	for ; len(indexes) >= 4; indexes = indexes[4:] {
		four := (*[4]uint32)(indexes)
		w, x, y, z := four[0], four[1], four[2], four[3]
		a, b, c, d = max(a, w), max(b, x), max(c, y), max(d, z)
		*four = [4]uint32{w + 1, x + 1, y + 1, z + 1}
	}
	for i, index := range indexes {
		a = max(a, index)
		indexes[i] = index + 1
	}
	return max(a, b, c, d)
}

// codeValues appends the codes of the next n values of the page. Texts, which may be large, are
// looked up without copying them.
func (c *flatColumn) codeValues(n int) error {
	if c.kind.Kind == formats.String || c.kind.Kind == formats.Binary {
		if c.table == nil {
			c.table = formats.NewDistinct(c.values)
		}
		values, err := c.Values(n)
		if err != nil {
			return err
		}
		for i := range n {
			value := values.Text(i)
			if err := c.values.Grow(len(value), c.holdMore); err != nil {
				return err
			}
			c.codes = append(c.codes, c.table.CodeOfBytes(value))
		}
		return nil
	}
	c.scratch.Clear()
	err := c.next(&c.scratch, n)
	if err == nil {
		err = c.values.Grow(len(c.scratch.Data), c.holdMore)
	}
	if err == nil {
		c.codes = c.codesOf(c.codes, &c.scratch)
	}
	return err
}

// codesOf appends the codes of some values.
func (c *flatColumn) codesOf(codes []uint32, some *formats.Values) []uint32 {
	if c.table == nil {
		c.table = formats.NewDistinct(c.values)
	}
	if c.kind.InWords() {
		return c.table.AppendCodes(codes, some.Words)
	}
	for i := range some.Ends {
		codes = append(codes, c.table.CodeOfBytes(some.Bytes(i)))
	}
	return codes
}

// finish does nothing: a flat chunk has as many values as rows.
func (c *flatColumn) finish() error { return nil }

// size returns the number of bytes of the batch's new values.
func (c *flatColumn) size() int {
	words := 0
	if c.kind.InWords() {
		words = 8 * (c.values.Len() - c.known)
	}
	return words + len(c.values.Data) - c.before
}

func (c *flatColumn) deliver() { *c.to = formats.Column{Values: c.values, Codes: c.codes} }
