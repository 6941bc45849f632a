package masking

import (
	"fmt"
	"math"
	"strconv"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/writer"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/job"
)

// render makes the released columns of one attribute, whose label numbers index labels. Intervals
// has one entry for every label of a discretized attribute but the null, and is nil otherwise.
func render(spec *job.Column, field formats.Field, labels []engine.Label, intervals []engine.Interval) ([]column, error) {
	switch spec.Render {
	case job.RenderBounds:
		lower, err := boundColumn(field, "_lower", intervals, func(i engine.Interval) string { return i.Lower })
		if err != nil {
			return nil, err
		}
		upper, err := boundColumn(field, "_upper", intervals, func(i engine.Interval) string { return i.Upper })
		if err != nil {
			return nil, err
		}
		lower.codes, upper.codes = nullLast(lower.codes, len(labels)), nullLast(upper.codes, len(labels))
		return []column{lower, upper}, nil
	case job.RenderMidpoint:
		middle, err := midpointColumn(field, intervals)
		middle.codes = nullLast(middle.codes, len(labels))
		return []column{middle}, err
	}
	return []column{labelColumn(field, labels)}, nil
}

// newRendered returns an empty masked column. It is always nullable, so that the schema does
// not tell whether a null occurs.
func newRendered(name string, t formats.Type) column {
	return column{
		output: writer.Column{Field: formats.Field{Name: name, Type: t, Nullable: true}, Masked: true},
		values: &formats.Values{Type: t},
	}
}

// add appends the value that the next label number stands for; none is null.
func (c *column) add(text string, null bool) error {
	if null {
		c.codes = append(c.codes, 0)
		return nil
	}
	if err := c.values.Parse(text); err != nil {
		return err
	}
	c.codes = append(c.codes, uint32(c.values.Len()))
	return nil
}

// nullLast gives the null label, which comes after all intervals, its code.
func nullLast(codes []uint32, labels int) []uint32 {
	for len(codes) < labels {
		codes = append(codes, 0)
	}
	return codes
}

func labelColumn(field formats.Field, labels []engine.Label) column {
	c := newRendered(field.Name, formats.Type{Kind: formats.String})
	for _, label := range labels {
		if label.Null {
			c.codes = append(c.codes, 0)
			continue
		}
		c.values.AppendBytes([]byte(label.Text))
		c.codes = append(c.codes, uint32(c.values.Len()))
	}
	return c
}

// boundColumn holds one end of every interval in the source column's type; open ends and
// the null are null.
func boundColumn(field formats.Field, suffix string, intervals []engine.Interval, end func(engine.Interval) string) (column, error) {
	c := newRendered(field.Name+suffix, field.Type)
	for _, interval := range intervals {
		text := end(interval)
		if err := c.add(text, text == ""); err != nil {
			return c, err
		}
	}
	return c, nil
}

// midpointColumn holds the middle of every interval: of numbers as a float, halfway between
// the floats nearest to the ends' texts; of dates as the date, rounded down. An interval with
// an open end has none.
func midpointColumn(field formats.Field, intervals []engine.Interval) (column, error) {
	t := formats.Type{Kind: formats.Float, Bits: 64}
	switch field.Type.Kind {
	case formats.Date:
		t = field.Type
	case formats.Time, formats.Timestamp:
		return column{}, &fault.Error{
			Class: fault.Usage,
			Hint:  "render its bounds or labels",
			Err:   fmt.Errorf("a column of times has no midpoints"),
		}
	}
	c := newRendered(field.Name, t)
	for _, interval := range intervals {
		if err := c.addMiddle(field.Type, interval); err != nil {
			return c, err
		}
	}
	return c, nil
}

func (c *column) addMiddle(source formats.Type, interval engine.Interval) error {
	if interval.Lower == "" || interval.Upper == "" {
		return c.add("", true)
	}
	if source.Kind == formats.Date {
		return c.addMiddleDate(interval)
	}
	lower, err := strconv.ParseFloat(interval.Lower, 64)
	if err != nil {
		return err
	}
	upper, err := strconv.ParseFloat(interval.Upper, 64)
	if err != nil {
		return err
	}
	middle := lower + (upper-lower)/2
	return c.add(floatText(middle), math.IsInf(middle, 0) || math.IsNaN(middle))
}

func (c *column) addMiddleDate(interval engine.Interval) error {
	ends := &formats.Values{Type: c.values.Type}
	for _, text := range []string{interval.Lower, interval.Upper} {
		if err := ends.Parse(text); err != nil {
			return err
		}
	}
	c.values.Words = append(c.values.Words, ends.Words[0]+(ends.Words[1]-ends.Words[0])/2)
	c.codes = append(c.codes, uint32(c.values.Len()))
	return nil
}

// floatText is the text of a 64-bit float as formats prints it.
func floatText(x float64) string {
	if a := math.Abs(x); a == 0 || a >= 1e-6 && a < 1e21 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
