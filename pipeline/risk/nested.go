package risk

import (
	"fmt"

	"github.com/kcut/kcut/formats"
)

// nestedRows are the hashes of the rows of a nested column, for one goroutine: they include the
// levels of all entries of the column's leaves, and the bytes of the defined entries.
type nestedRows []uint64

// learn hashes the first rows of a batch.
func (n *nestedRows) learn(leaves []formats.Leaf, rows int) error {
	*n = append((*n)[:0], make([]uint64, rows)...)
	for i := range leaves {
		if err := n.join(&leaves[i]); err != nil {
			return err
		}
	}
	for row, hash := range *n {
		(*n)[row] = Scatter(hash)
	}
	return nil
}

// join adds the entries of a leaf to the rows.
func (n *nestedRows) join(l *formats.Leaf) error {
	if l.Repetition != nil && len(l.Repetition) != l.Entries ||
		l.Definition != nil && len(l.Definition) != l.Entries {
		return fmt.Errorf("%w: a leaf lacks levels", formats.ErrDamaged)
	}
	defined := byte(0) // if there are values, some entry has the level of defined ones
	for _, level := range l.Definition {
		defined = max(defined, level)
	}
	row, value := -1, 0
	for entry := range l.Entries {
		if l.Repetition == nil || l.Repetition[entry] == 0 {
			if row++; row == len(*n) {
				break
			}
		}
		if row < 0 {
			return fmt.Errorf("%w: a leaf begins within a row", formats.ErrDamaged)
		}
		levels, hash := uint64(1), uint64(0)
		if l.Repetition != nil {
			levels += uint64(l.Repetition[entry]) << 16
		}
		if l.Definition != nil {
			levels += uint64(l.Definition[entry]) << 8
		}
		if value < l.Values.Len() && (l.Definition == nil || l.Definition[entry] == defined) {
			hash = HashValue(l.Values, value)
			value++
		}
		(*n)[row] = Scatter(Join(Join((*n)[row], levels), hash))
	}
	return nil
}
