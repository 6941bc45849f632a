package parquetfile

import (
	"fmt"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/rle"
)

// dictionaryUsage notes which entries of a chunk's dictionary its rows have.
type dictionaryUsage struct {
	nested  bool
	values  *formats.Values // of the dictionary
	convert converter
	used    []bool // nil before the dictionary page
	unused  int    // entries not met yet
}

func newDictionaryUsage(c *cells, t formats.Type) dictionaryUsage {
	if t.Kind == formats.Nested {
		binary := formats.Type{Kind: formats.Binary}
		return dictionaryUsage{nested: true, values: &formats.Values{Type: binary}, convert: rawConverter(c.width)}
	}
	return dictionaryUsage{values: &formats.Values{Type: t}, convert: converterOf(t, c.physical, c.width)}
}

// open reads the dictionary page. It reports false when the page is not exactly its values, or
// has none: not every reader takes that.
func (u *dictionaryUsage) open(c *cells, p *page) bool {
	if p.values == 0 || c.reset(p.data, p.encoding, p.values) != nil {
		return false
	}
	c.reserve(u.values, p.values)
	if u.convert(u.values, c, p.values) != nil || len(c.data) > 0 {
		return false
	}
	u.unused, u.used = p.values, make([]bool, p.values)
	return true
}

// weight returns the bytes that it holds.
func (u *dictionaryUsage) weight() int64 { return u.values.MemoryBytes() + int64(cap(u.used)) }

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

// readIndexes reads the indexes of a page, while that tells of dictionary entries not met yet,
// and returns how many entries of the page are defined. It reports false when there is nothing
// to point into.
func (w *rawWalk) readIndexes(p *page) (defined int, ok bool, err error) {
	if err := w.start(p); err != nil {
		return 0, false, err
	}
	for left := p.values; left > 0; left -= stepRows {
		n, err := w.defined(w.some[:min(left, stepRows)])
		if err != nil {
			return 0, false, err
		}
		defined += n
	}
	for left := defined; w.usage.used != nil && left > 0 && w.usage.unused > 0; left -= stepRows {
		some := w.some[:min(left, stepRows)]
		if err := w.indexes.Read(some); err != nil {
			return 0, false, err
		}
		if err := w.usage.mark(some); err != nil {
			return 0, false, err
		}
	}
	return defined, w.usage.used != nil, nil
}

// areLevels reports whether stored levels are those of so many entries, and nothing else.
func (w *rawWalk) areLevels(stored []byte, highest int, entries int32) bool {
	if highest == 0 {
		entries = 0
	}
	var levels rle.Reader
	levels.Reset(stored, levelWidth(highest))
	for left := int(entries); left > 0; left -= stepRows {
		if levels.Read(w.some[:min(left, stepRows)]) != nil {
			return false
		}
	}
	return levels.AtEnd()
}
