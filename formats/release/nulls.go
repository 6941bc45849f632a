package release

import (
	"fmt"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/rle"
)

// ofNull is the number that stands for a null, and whether the cut holds it.
type ofNull struct {
	number uint32
	ok     bool
}

// rows reads rows of the page. It reports whether they show to have the same number, which is then
// the first of dst alone.
func (c *flatChunk) rows(dst []uint32) (same bool, err error) {
	switch {
	case c.page.passed:
		dst[0] = c.nulls[0].number
		return true, nil
	case c.leaf.Definition == 0:
		return c.values(dst)
	}
	level, same := c.page.levels.Repeated(len(dst))
	switch {
	case !same && c.leaf.Definition > 1:
		return false, c.someParts(dst)
	case !same:
		return false, c.someNull(dst)
	case int(level) < c.leaf.Definition:
		dst[0] = c.nullAt(level, len(dst))
		return true, nil
	case int(level) > c.leaf.Definition:
		return false, errLevel
	}
	return c.values(dst)
}

var errLevel = fmt.Errorf("%w: level above the highest", formats.ErrDamaged)

// nullAt returns the number of nulls at a level, and counts so many.
func (c *flatChunk) nullAt(level uint32, n int) uint32 {
	if !c.nulls[level].ok {
		c.wrong.nulls += n
	}
	return c.nulls[level].number
}

// someParts is someNull for a field of structs, which may be null or lack the whole struct.
func (c *flatChunk) someParts(dst []uint32) error {
	levels := c.either[:len(dst)]
	if err := c.page.levels.Read(levels); err != nil {
		return err
	}
	defined := 0
	for _, level := range levels {
		if level > structLevels {
			return errLevel
		}
		if level == structLevels {
			defined++
		}
	}
	if err := c.everyValue(dst[:defined]); err != nil {
		return err
	}
	for row := len(dst) - 1; row >= 0; row-- { // from behind: no value is in the way
		if levels[row] < structLevels {
			dst[row] = c.nullAt(levels[row], 1)
			continue
		}
		defined--
		dst[row] = dst[defined]
	}
	return nil
}

// someNull reads rows some of which are null.
func (c *flatChunk) someNull(dst []uint32) error {
	defined, err := c.page.levels.Bits(c.levels[:], len(dst))
	if err != nil {
		return err
	}
	null := c.nullAt(0, len(dst)-defined)
	if err := c.everyValue(dst[:defined]); err != nil {
		return err
	}
	rle.Spread(dst, c.levels[:], defined, null)
	return nil
}

// everyValue reads rows that are not null, each.
func (c *flatChunk) everyValue(dst []uint32) error {
	if len(dst) == 0 {
		return nil
	}
	same, err := c.values(dst)
	if err == nil && same {
		spread(dst)
	}
	return err
}
