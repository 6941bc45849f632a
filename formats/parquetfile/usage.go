package parquetfile

import (
	"fmt"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/plain"
)

// dictionaryUsage notes which entries of a chunk's dictionary its rows have.
type dictionaryUsage struct {
	leaf    *leafColumn
	nested  bool
	values  *formats.Values // of the dictionary
	convert converter

	used    []bool // nil before the dictionary page
	unused  int    // entries not met yet
	levels  runs
	indexes runs
	some    [stepRows]uint32 // scratch
}

func newDictionaryUsage(leaf *leafColumn, t formats.Type) dictionaryUsage {
	width := plain.Width(leaf.physical, leaf.length)
	u := dictionaryUsage{leaf: leaf, convert: converterOf(t, leaf.physical, width)}
	if u.nested = t.Kind == formats.Nested; u.nested {
		t, u.convert = formats.Type{Kind: formats.Binary}, rawConverter(width)
	}
	u.values = &formats.Values{Type: t}
	return u
}

// open reads the dictionary page. It reports false when the page is not exactly its values, or
// has none: not every reader takes that.
func (u *dictionaryUsage) open(p *page) bool {
	c := cells{physical: u.leaf.physical, width: plain.Width(u.leaf.physical, u.leaf.length)}
	if p.values == 0 || c.reset(p.data, p.encoding, p.values) != nil {
		return false
	}
	c.reserve(u.values, p.values)
	if u.convert(u.values, &c, p.values) != nil || len(c.data) > 0 {
		return false
	}
	u.unused, u.used = p.values, make([]bool, p.values)
	return true
}

// weight returns the bytes that it holds.
func (u *dictionaryUsage) weight() int64 { return u.values.MemoryBytes() + int64(cap(u.used)) }

// read reads the indexes of a page, while that tells of entries not met yet, and returns how
// many of its values are defined. It reports false when there is nothing to point into.
func (u *dictionaryUsage) read(p *page) (defined int, ok bool, err error) {
	if defined, err = u.countDefined(p); err != nil {
		return 0, false, err
	}
	if u.used == nil {
		return defined, false, nil
	}
	if err := resetIndexes(&u.indexes, p); err != nil {
		return 0, false, err
	}
	for left := defined; left > 0 && u.unused > 0; {
		some := u.some[:min(left, len(u.some))]
		left -= len(some)
		if err := u.indexes.read(some); err != nil {
			return 0, false, err
		}
		if err := u.mark(some); err != nil {
			return 0, false, err
		}
	}
	return defined, true, nil
}

func (u *dictionaryUsage) mark(indexes []uint32) error {
	used := u.used
	for _, index := range indexes {
		if int(index) >= len(used) {
			return fmt.Errorf("dictionary index %d, %d entries: %w", index, len(used), formats.ErrDamaged)
		}
		if !used[index] {
			used[index] = true
			u.unused--
		}
	}
	return nil
}

// countDefined counts the entries of a page that are defined.
func (u *dictionaryUsage) countDefined(p *page) (defined int, err error) {
	highest := uint32(u.leaf.maxDefinition)
	if highest == 0 {
		return p.values, nil
	}
	u.levels.reset(p.definition, levelWidth(int(highest)))
	for left := p.values; left > 0; {
		n := min(left, len(u.some))
		left -= n
		if u.levels.skipRun(n, highest) {
			defined += n
			continue
		}
		if err := u.levels.read(u.some[:n]); err != nil {
			return 0, err
		}
		for _, level := range u.some[:n] {
			if level == highest {
				defined++
			}
		}
	}
	return defined, nil
}

// fill reports whether stored levels are those of so many entries, and nothing else.
func (u *dictionaryUsage) fill(levels []byte, highest int, entries int32) bool {
	if highest == 0 {
		entries = 0
	}
	u.levels.reset(levels, levelWidth(highest))
	for left := int(entries); left > 0; {
		n := min(left, len(u.some))
		left -= n
		if u.levels.read(u.some[:n]) != nil {
			return false
		}
	}
	return len(u.levels.data) == 0
}

// complete reports whether every entry was met.
func (u *dictionaryUsage) complete() bool { return u.unused == 0 }
