package masking

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/kcut/kcut/formats"
)

// learnNested finds the bytes of every row of a nested column. They start with their number in 4
// bytes. Then follow, for each leaf, the number of its entries, their levels, and the defined
// values, each with its length in front.
func (f *keptField) learnNested(k *keptCells, c *formats.Column, rows int) error {
	if len(c.Leaves) != len(f.levels) {
		return fmt.Errorf("%w: %d leaves, %d declared", formats.ErrSchema, len(c.Leaves),
			len(f.levels))
	}
	k.data, k.ends = k.data[:0], k.ends[:0]
	entry, value := make([]int, len(c.Leaves)), make([]int, len(c.Leaves))
	for range rows {
		from := len(k.data)
		k.data = append(k.data, 0, 0, 0, 0)
		for i := range c.Leaves {
			if err := f.appendEntries(k, i, &c.Leaves[i], &entry[i], &value[i]); err != nil {
				return err
			}
		}
		binary.BigEndian.PutUint32(k.data[from:], uint32(len(k.data)-from-4))
		k.ends = append(k.ends, len(k.data))
	}
	return nil
}

// appendEntries appends the entries of the row that begins at a given entry of a leaf, and their
// values from a given number on.
func (f *keptField) appendEntries(k *keptCells, i int, l *formats.Leaf, entry, value *int) error {
	from, to := *entry, *entry+1
	for l.Repetition != nil && to < l.Entries && l.Repetition[to] != 0 {
		to++
	}
	if to > l.Entries || l.Repetition != nil && len(l.Repetition) != l.Entries ||
		l.Definition != nil && len(l.Definition) != l.Entries {
		return fmt.Errorf("%w: a leaf lacks entries or levels", formats.ErrDamaged)
	}
	*entry = to
	k.data = binary.BigEndian.AppendUint32(k.data, uint32(to-from))
	highest := byte(f.levels[i].Definition)
	defined := to - from
	for _, levels := range []struct {
		of   []byte
		same byte
	}{{l.Repetition, 0}, {l.Definition, highest}} {
		if levels.of == nil {
			k.data = append(k.data, bytes.Repeat([]byte{levels.same}, to-from)...)
		} else {
			k.data = append(k.data, levels.of[from:to]...)
		}
	}
	if l.Definition != nil {
		defined = bytes.Count(l.Definition[from:to], []byte{highest})
	}
	if *value+defined > l.Values.Len() {
		return fmt.Errorf("%w: a leaf lacks values", formats.ErrDamaged)
	}
	for range defined {
		text := l.Values.Bytes(*value)
		k.data = append(binary.BigEndian.AppendUint32(k.data, uint32(len(text))), text...)
		*value++
	}
	return nil
}

// appendLeaves appends the entries in a row's bytes to leaves.
func (f *keptField) appendLeaves(leaves []formats.Leaf, b []byte) {
	b = b[4:]
	for i := range leaves {
		l, n := &leaves[i], int(binary.BigEndian.Uint32(b))
		repetition, definition := b[4:4+n], b[4+n:4+2*n]
		b = b[4+2*n:]
		l.Entries += n
		if f.levels[i].Repetition > 0 {
			l.Repetition = append(l.Repetition, repetition...)
		}
		if f.levels[i].Definition > 0 {
			l.Definition = append(l.Definition, definition...)
		}
		for _, level := range definition {
			if level == byte(f.levels[i].Definition) {
				size := int(binary.BigEndian.Uint32(b))
				l.Values.AppendBytes(b[4 : 4+size])
				b = b[4+size:]
			}
		}
	}
}
