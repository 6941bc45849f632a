package release

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/meta"
	"github.com/kcut/kcut/formats/internal/schema"
)

// rowGroup is the metadata of one row group.
type rowGroup struct {
	*meta.Group
	file *File
}

// rowGroup reads the metadata of a row group.
func (r *File) rowGroup(number int) (*rowGroup, error) {
	g, err := r.footer.Group(number)
	if err != nil {
		return nil, fmt.Errorf("read the footer of %s: %w", r.path, err)
	}
	return &rowGroup{g, r}, nil
}

// eachRowGroup reads the metadata of one row group after the other.
func (r *File) eachRowGroup(visit func(*rowGroup) error) error {
	each := func(g *meta.Group) error { return visit(&rowGroup{g, r}) }
	if err := r.footer.EachGroup(int(r.bufferSize()), each); err != nil {
		return fmt.Errorf("read the footer of %s: %w", r.path, err)
	}
	return nil
}

// leaf returns a leaf of the schema.
func (g *rowGroup) leaf(i int) *schema.Leaf { return &g.file.footer.Leaves[i] }

// extents returns the places of all chunks, in the order of the file, adjacent ones joined.
func (g *rowGroup) extents() []formats.Range {
	all := make([]formats.Range, len(g.Columns))
	for leaf := range all {
		all[leaf] = g.Chunk(leaf).Extent()
	}
	return join(all)
}

// join orders extents as in the file, and joins adjacent ones.
func join(extents []formats.Range) (joined []formats.Range) {
	slices.SortFunc(extents, func(a, b formats.Range) int { return cmp.Compare(a.From, b.From) })
	for _, e := range extents {
		joined = touch(joined, e)
	}
	return joined
}

// touch appends an extent, or extends the last one when they are adjacent.
func touch(joined []formats.Range, e formats.Range) []formats.Range {
	if last := len(joined) - 1; last >= 0 && joined[last].From <= e.From &&
		e.From <= joined[last].To {
		joined[last].To = max(joined[last].To, e.To)
		return joined
	}
	return append(joined, e)
}
