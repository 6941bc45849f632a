package verify

import (
	"encoding/json"
	"math"
	"strconv"
	"time"

	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
)

// columnCheck says which values a released column may hold, going by the cut alone.
type columnCheck struct {
	name    string
	numbers map[string]uint32 // of every accepted text, from 0 on
	null    bool              // whether null is accepted
	labels  []acceptedLabel   // in the order of the cut, the mark of a suppressed value last
}

// acceptedLabel is what a label of the cut looks like in the column.
type acceptedLabel struct {
	text string
	null bool
}

// numberOf returns the number of the cut's label at a position.
func (c *columnCheck) numberOf(label uint32) uint32 {
	n, _ := c.number(c.labels[label].text, c.labels[label].null)
	return n
}

// checksOf returns the checks of the columns that a masked column was released as.
func checksOf(c *cutfile.Column) []columnCheck {
	switch c.Render {
	case job.RenderBounds:
		lower := newCheck(c.Name + "_lower")
		upper := newCheck(c.Name + "_upper")
		for _, label := range c.Cut {
			lower.acceptEnd(label.Lower)
			upper.acceptEnd(label.Upper)
		}
		if c.Suppressed != "" {
			lower.accept("", true)
			upper.accept("", true)
		}
		return []columnCheck{lower, upper}
	case job.RenderMidpoint:
		middle := newCheck(c.Name)
		for _, label := range c.Cut {
			middle.acceptMiddle(label)
		}
		if c.Suppressed != "" {
			middle.accept("", true)
		}
		return []columnCheck{middle}
	}
	check := newCheck(c.Name)
	for _, label := range c.Cut {
		check.accept(label.Label, label.Null)
	}
	if c.Suppressed != "" {
		check.accept(c.Suppressed, false)
	}
	return []columnCheck{check}
}

func newCheck(name string) columnCheck {
	return columnCheck{name: name, numbers: make(map[string]uint32)}
}

func (c *columnCheck) accept(text string, null bool) {
	c.labels = append(c.labels, acceptedLabel{text, null})
	if null {
		c.null = true
		return
	}
	if _, ok := c.numbers[text]; !ok {
		c.numbers[text] = uint32(len(c.numbers))
	}
}

// acceptEnd accepts an interval's end, which is null when it is open.
func (c *columnCheck) acceptEnd(end json.RawMessage) {
	text, ok := cutfile.EndText(end)
	c.accept(text, !ok)
}

// acceptMiddle accepts an interval's middle, which is null when an end is open.
func (c *columnCheck) acceptMiddle(interval cutfile.Label) {
	lower, closedBelow := cutfile.EndText(interval.Lower)
	upper, closedAbove := cutfile.EndText(interval.Upper)
	if !closedBelow || !closedAbove {
		c.accept("", true)
		return
	}
	from, err1 := time.Parse(time.DateOnly, lower)
	to, err2 := time.Parse(time.DateOnly, upper)
	if err1 == nil && err2 == nil {
		days := int(to.Unix()-from.Unix()) / 86400 / 2 // a Duration holds 292 years only
		c.accept(from.AddDate(0, 0, days).Format(time.DateOnly), false)
		return
	}
	a, err1 := strconv.ParseFloat(lower, 64)
	b, err2 := strconv.ParseFloat(upper, 64)
	if middle := a + (b-a)/2; err1 == nil && err2 == nil && !math.IsNaN(middle) && !math.IsInf(middle, 0) {
		c.accept(formatFloat(middle), false)
		return
	}
	c.accept("", true)
}

// formatFloat is the text of a 64-bit float as formats prints it.
func formatFloat(x float64) string {
	if a := math.Abs(x); a == 0 || a >= 1e-6 && a < 1e21 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// number returns the number of a released text or of null, and whether the cut accepts it.
// What it does not accept is numbered 0.
func (c *columnCheck) number(text string, null bool) (uint32, bool) {
	if null && c.null {
		return uint32(len(c.numbers)), true
	}
	n, ok := c.numbers[text]
	return n, ok && !null
}

// below returns the number that all numbers are below.
func (c *columnCheck) below() uint64 {
	n := uint64(len(c.numbers))
	if c.null {
		n++
	}
	return max(n, 1)
}
