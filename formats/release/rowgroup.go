package release

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/fence"
	"github.com/kcut/kcut/formats/internal/meta"
	"github.com/kcut/kcut/formats/internal/schema"
)

// rowGroup is what the footer says of one row group.
type rowGroup struct {
	meta.RowGroup
	file   *File
	number int
	plain  bool // the entry has the bytes that kcut writes for it
}

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
	in := bufio.NewReaderSize(io.NewSectionReader(r.file, from, to-from), int(r.bufferSize()))
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
	g := &rowGroup{file: r, number: number}
	if err := g.read(in); err != nil {
		return nil, fmt.Errorf("read the footer's row group %d of %s: %w", number, r.path, err)
	}
	return g, nil
}

// read reads the entry, and makes sure of what everything else relies on: that there is a chunk
// with metadata for every leaf.
func (g *rowGroup) read(in io.Reader) (err error) {
	defer fence.Catch(&err)
	entry := g.file.footer.groups[g.number]
	raw := make([]byte, entry.end-entry.at)
	if _, err := io.ReadFull(in, raw); err != nil {
		return meta.EndOfFile(err)
	}
	if g.plain, err = decode(raw, &g.RowGroup); err != nil {
		return err
	}
	if chunks, leaves := len(g.Columns), len(g.file.footer.leaves); chunks != leaves {
		return fmt.Errorf("%w: %d columns, the schema has %d", formats.ErrDamaged, chunks, leaves)
	}
	for _, c := range g.Columns {
		if !c.MetaData.Valid || c.FilePath != "" {
			return fmt.Errorf("%w: a column outside this file", formats.ErrUnsupported)
		}
	}
	return nil
}

// leaf returns what the schema says of a leaf.
func (g *rowGroup) leaf(i int) *schema.Leaf { return &g.file.footer.leaves[i] }

// chunk returns what the footer says of the chunk of a leaf.
func (g *rowGroup) chunk(leaf int) *meta.Column { return &g.Columns[leaf].MetaData.V }

// extent returns where a chunk is.
func (g *rowGroup) extent(leaf int) formats.Range {
	m := g.chunk(leaf)
	return meta.ChunkRange(m.DataPageOffset, m.DictionaryPageOffset, m.TotalCompressedSize)
}

// extents returns where all chunks are, in the order of the file, those that touch as one.
func (g *rowGroup) extents() []formats.Range {
	all := make([]formats.Range, len(g.Columns))
	for leaf := range all {
		all[leaf] = g.extent(leaf)
	}
	return join(all)
}

// join puts extents in the order of the file, and makes one of those that touch.
func join(extents []formats.Range) (joined []formats.Range) {
	slices.SortFunc(extents, func(a, b formats.Range) int { return cmp.Compare(a.From, b.From) })
	for _, e := range extents {
		joined = touch(joined, e)
	}
	return joined
}

// touch appends an extent, or lengthens the last one when it touches that.
func touch(joined []formats.Range, e formats.Range) []formats.Range {
	if last := len(joined) - 1; last >= 0 && joined[last].From <= e.From && e.From <= joined[last].To {
		joined[last].To = max(joined[last].To, e.To)
		return joined
	}
	return append(joined, e)
}
