package masking

import (
	"fmt"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/writer"
)

// intervalParts is the number of fields of interval structs.
const intervalParts = 3

// renderIntervals makes a column of structs from a column's labels. A struct has the ends of an
// interval, null for open ends, and the name of the ends that belong to the interval. For null and
// the mark of suppressed records there is no struct.
func renderIntervals(
	field formats.Field, labels []engine.Label, intervals []engine.Interval,
) (releaseColumn, error) {
	c, err := newRendered(field.Name, formats.Type{Kind: formats.String}, len(labels),
		func(values *formats.Values, label int) error {
			if label < len(intervals) && !labels[label].Mark {
				values.AppendBytes([]byte(intervals[label].Label))
			}
			return nil
		})
	if err != nil {
		return c, err
	}
	ends, closed := typeOfBounds(field.Type, intervals), formats.Type{Kind: formats.String}
	parts := [intervalParts]writer.Part{
		{Name: "lower", Values: &formats.Values{Type: ends}},
		{Name: "upper", Values: &formats.Values{Type: ends}},
		{Name: "closed", Values: &formats.Values{Type: closed}},
	}
	for label, i := range intervals {
		if labels[label].Mark {
			continue
		}
		for p, text := range [intervalParts]string{i.Lower, i.Upper, closedEnds(i)} {
			part := &parts[p]
			if err := addEnd(part.Values, text); err != nil {
				return c, err
			}
			code := uint32(part.Values.Len())
			if text == "" {
				code = 0
			}
			part.Codes = append(part.Codes, code)
		}
	}
	c.output.Field.Type = formats.Type{Kind: formats.Nested,
		Nested: fmt.Sprintf("{lower: %s, upper: %[1]s, closed: %s}", ends, closed)}
	c.output.Parts = parts[:]
	return c, nil
}

// closedEnds returns the ends of an interval that belong to it, in the words of pandas. It ignores
// open ends.
func closedEnds(i engine.Interval) string {
	if i.Closed() {
		return "both"
	}
	return "left"
}
