package verify

import (
	"encoding/json"
	"math"
	"strconv"
	"time"

	"github.com/kcut/kcut/formats"
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
		return []columnCheck{
			newCheck(c, c.Name+"_lower", func(l cutfile.Label) acceptedLabel { return acceptedEnd(l.Lower) }),
			newCheck(c, c.Name+"_upper", func(l cutfile.Label) acceptedLabel { return acceptedEnd(l.Upper) }),
		}
	case job.RenderMidpoint:
		return []columnCheck{newCheck(c, c.Name, acceptedMiddle)}
	}
	return []columnCheck{newCheck(c, c.Name, func(l cutfile.Label) acceptedLabel { return acceptedLabel{l.Label, l.Null} })}
}

// newCheck returns the check of a column that has what accept makes of every label. A mark of
// suppressed values is null in a column of numbers.
func newCheck(c *cutfile.Column, name string, accept func(cutfile.Label) acceptedLabel) columnCheck {
	check := columnCheck{name: name, numbers: make(map[string]uint32)}
	for _, label := range c.Cut {
		check.labels = append(check.labels, accept(label))
	}
	if c.Suppressed != "" {
		check.labels = append(check.labels, acceptedLabel{c.Suppressed, c.Render != ""})
	}
	for _, label := range check.labels {
		if _, known := check.numbers[label.text]; !known && !label.null {
			check.numbers[label.text] = uint32(len(check.numbers))
		}
		check.null = check.null || label.null
	}
	return check
}

// acceptedEnd is an interval's end, which is null when it is open.
func acceptedEnd(end json.RawMessage) acceptedLabel {
	text, ok := cutfile.EndText(end)
	return acceptedLabel{text, !ok}
}

// acceptedMiddle is an interval's middle, which is null when an end is open.
func acceptedMiddle(interval cutfile.Label) acceptedLabel {
	lower, upper := acceptedEnd(interval.Lower), acceptedEnd(interval.Upper)
	if lower.null || upper.null {
		return acceptedLabel{null: true}
	}
	from, err1 := time.Parse(time.DateOnly, lower.text)
	to, err2 := time.Parse(time.DateOnly, upper.text)
	if err1 == nil && err2 == nil {
		days := int(to.Unix()-from.Unix()) / 86400 / 2 // a Duration holds 292 years only
		return acceptedLabel{text: from.AddDate(0, 0, days).Format(time.DateOnly)}
	}
	a, err1 := strconv.ParseFloat(lower.text, 64)
	b, err2 := strconv.ParseFloat(upper.text, 64)
	middle := a + (b-a)/2
	if err1 != nil || err2 != nil || math.IsNaN(middle) || math.IsInf(middle, 0) {
		return acceptedLabel{null: true}
	}
	word := []uint64{formats.FloatWord(math.Float64bits(middle))}
	return acceptedLabel{text: (&formats.Values{Type: formats.Type{Kind: formats.Float, Bits: 64}, Words: word}).Text(0)}
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
