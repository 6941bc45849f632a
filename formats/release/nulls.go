package release

import (
	"bytes"

	"github.com/kcut/kcut/formats/internal/page"
)

// ofNull is the number of null, and whether the cut contains it.
type ofNull struct {
	number uint32
	ok     bool
}

// rows reads rows of the page. It reports whether they are known to have the same number, which is
// then only in the first element of dst.
func (c *chunk) rows(dst []uint32) (same bool, err error) {
	if c.passed > 0 {
		c.passed -= len(dst)
		dst[0] = c.nulls[0].number
		return true, nil
	}
	l, err := c.Levels(len(dst))
	if err != nil {
		return false, err
	}
	highest, levels, defined := c.leaf.Definition, l.Definition, l.Defined
	if highest == 0 {
		return c.numbers(dst)
	}
	for level := range highest {
		nulls := bytes.Count(levels, []byte{byte(level)})
		if !c.nulls[level].ok {
			c.wrong.nulls += nulls
		}
		if nulls == len(dst) {
			dst[0] = c.nulls[level].number
			return true, nil
		}
	}
	if defined > 0 {
		if same, err = c.numbers(dst[:defined]); err != nil || same && defined == len(dst) {
			return same, err
		}
	}
	if same {
		spread(dst[:defined])
	}
	var ofLevel [structLevels + 1]uint32
	for level := range highest {
		ofLevel[level] = c.nulls[level].number
	}
	page.Spread(dst, levels, defined, ofLevel[:highest+1])
	return false, nil
}
