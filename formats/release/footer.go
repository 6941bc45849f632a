package release

import (
	"fmt"
	"math"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/meta"
)

// maxRowGroups is the largest number of row groups of a Parquet file, whose numbers have 15 bits.
const maxRowGroups = math.MaxInt16 + 1

// readFooter reads the footer. The entries of row groups stay in the file.
func (r *File) readFooter() error {
	var first [len(meta.Magic)]byte
	var err error
	if r.footerAt, r.footerEnd, err = meta.FindFooter(r.file, r.size); err != nil {
		return err
	}
	if _, err := r.file.ReadAt(first[:], 0); err != nil {
		return meta.EndOfFile(err)
	}
	if string(first[:]) != meta.Magic {
		return fmt.Errorf("%w: it does not begin with %s", formats.ErrDamaged, meta.Magic)
	}
	atOnce := int(r.bufferSize())
	r.footer, err = meta.ReadFooter(r.file, r.footerAt, r.footerEnd, atOnce, holdPage)
	if err != nil {
		return err
	}
	if groups := r.RowGroups(); groups > maxRowGroups {
		return fmt.Errorf("%w: %d row groups, a file has at most %d", formats.ErrDamaged, groups,
			maxRowGroups)
	}
	return nil
}

// leaf returns the number of the leaf of a flat column or, if a part is given, of that field of a
// column of structs.
func (r *File) leaf(name, part string) (int, error) {
	i, f := r.footer.Column(name), r.footer
	switch {
	case i < 0:
		return 0, fmt.Errorf("%w: no such column", formats.ErrSchema)
	case part == "" && !f.Columns[i].Flat():
		return 0, fmt.Errorf("%w: nested column", formats.ErrUnsupported)
	case part == "":
		return f.Columns[i].First, nil
	}
	for leaf := f.Columns[i].First; leaf < f.Columns[i].Last; leaf++ {
		if l := &f.Leaves[leaf]; l.Definition == structLevels && l.Repetition == 0 &&
			slices.Equal(l.Path, []string{name, part}) {
			return leaf, nil
		}
	}
	return 0, fmt.Errorf("%w: no structs with %s", formats.ErrSchema, part)
}

// structLevels is the definition level of the fields of structs, where both struct and field may be
// null.
const structLevels = 2
