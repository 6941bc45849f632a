package release

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow/go/v17/parquet/metadata"
	"github.com/apache/arrow/go/v17/parquet/schema"

	"github.com/kcut/kcut/formats"
)

// rowGroup is what the footer says of one row group: a footer with no other.
type rowGroup struct {
	*metadata.FileMetaData
	raw    []byte // what it was read from
	file   *File
	number int
}

// A row group's entry is decoded between the bytes that make a footer of it: version 1, a
// schema of a root without a name and columns, no rows, and no column orders, in Thrift's
// compact protocol.
const (
	beforeEntry = "\x15\x02\x19\x1c\x48\x00\x00\x16\x00\x19\x1c"
	afterEntry  = "\x39\x0c\x00"
)

// rowGroup reads what the footer says of a row group.
func (r *File) rowGroup(number int) (*rowGroup, error) {
	entry := r.footer.groups[number]
	return r.readRowGroup(number, io.NewSectionReader(r.file, entry.at, entry.end-entry.at))
}

// eachRowGroup reads what the footer says of one row group after the other.
func (r *File) eachRowGroup(visit func(*rowGroup) error) error {
	if len(r.footer.groups) == 0 {
		return nil
	}
	from, to := r.footer.groups[0].at, r.footer.groups[len(r.footer.groups)-1].end
	in := bufio.NewReaderSize(io.NewSectionReader(r.file, from, to-from), r.bufferSize())
	for number := range r.footer.groups {
		g, err := r.readRowGroup(number, in)
		if err != nil {
			return err
		}
		if err := visit(g); err != nil {
			return err
		}
	}
	return nil
}

// readRowGroup decodes the entry of a row group, which comes next.
func (r *File) readRowGroup(number int, in io.Reader) (_ *rowGroup, err error) {
	entry := r.footer.groups[number]
	size := len(beforeEntry) + int(entry.end-entry.at)
	raw := append(make([]byte, 0, size+len(afterEntry)), beforeEntry...)[:size]
	if _, err := io.ReadFull(in, raw[len(beforeEntry):]); err != nil {
		return nil, fmt.Errorf("read the footer's row group %d of %s: %w", number, r.path, endOfFile(err))
	}
	g := &rowGroup{raw: append(raw, afterEntry...), file: r, number: number}
	if g.FileMetaData, err = decodeFooter(g.raw); err == nil {
		err = g.check()
	}
	if err != nil {
		return nil, fmt.Errorf("read the footer's row group %d of %s: %w", number, r.path, err)
	}
	return g, nil
}

// check makes sure of what everything else relies on: that there is a chunk with metadata for
// every leaf.
func (g *rowGroup) check() error {
	if chunks, leaves := len(g.RowGroups[0].Columns), g.file.footer.Schema.NumColumns(); chunks != leaves {
		return fmt.Errorf("%w: %d columns, the schema has %d", formats.ErrDamaged, chunks, leaves)
	}
	for _, c := range g.RowGroups[0].Columns {
		if c.MetaData == nil || c.FilePath != nil && *c.FilePath != "" {
			return fmt.Errorf("%w: a column outside this file", formats.ErrUnsupported)
		}
	}
	return nil
}

// rows returns the number of rows.
func (g *rowGroup) rows() int64 { return g.RowGroups[0].NumRows }

// column returns what the schema says of a leaf.
func (g *rowGroup) column(leaf int) *schema.Column { return g.file.footer.Schema.Column(leaf) }

// extent is a range of bytes of the file.
type extent struct{ from, to int64 }

// extent returns where a chunk is.
func (g *rowGroup) extent(leaf int) extent {
	m := g.RowGroups[0].Columns[leaf].MetaData
	from := m.DataPageOffset
	if m.IsSetDictionaryPageOffset() && m.GetDictionaryPageOffset() > 0 {
		from = min(from, m.GetDictionaryPageOffset())
	}
	return extent{from, from + m.TotalCompressedSize}
}

// section returns the bytes of a chunk.
func (g *rowGroup) section(e extent) (*io.SectionReader, error) {
	if e.from < 0 || e.to < e.from || e.to > g.file.size {
		return nil, fmt.Errorf("%w: column chunk lies outside the file", formats.ErrDamaged)
	}
	return io.NewSectionReader(g.file.file, e.from, e.to-e.from), nil
}

// extents returns where all chunks are, in the order of the file, those that touch as one.
func (g *rowGroup) extents() (joined []extent) {
	all := make([]extent, len(g.RowGroups[0].Columns))
	for leaf := range all {
		all[leaf] = g.extent(leaf)
	}
	return join(all)
}

// join puts extents in the order of the file, and makes one of those that touch.
func join(extents []extent) (joined []extent) {
	slices.SortFunc(extents, func(a, b extent) int { return cmp.Compare(a.from, b.from) })
	for _, e := range extents {
		joined = touch(joined, e)
	}
	return joined
}

// touch appends an extent, or lengthens the last one when it touches that.
func touch(joined []extent, e extent) []extent {
	if last := len(joined) - 1; last >= 0 && joined[last].from <= e.from && e.from <= joined[last].to {
		joined[last].to = max(joined[last].to, e.to)
		return joined
	}
	return append(joined, e)
}

// isPlain reports whether the entry has the bytes that its fields have when they are written
// again.
func (g *rowGroup) isPlain() (bool, error) { return isPlain(g.FileMetaData, g.raw) }
