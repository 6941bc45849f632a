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
	ends := typeOfBounds(field.Type, intervals)
	lower, upper := newPart("lower", ends), newPart("upper", ends)
	closed := newPart("closed", formats.Type{Kind: formats.String})
	for label, i := range intervals {
		if labels[label].Mark {
			continue
		}
		if err := lower.add(i.Lower); err != nil {
			return c, err
		}
		if err := upper.add(i.Upper); err != nil {
			return c, err
		}
		if err := closed.add(closedEnds(i)); err != nil {
			return c, err
		}
	}
	c.output.Field.Type = formats.Type{Kind: formats.Nested,
		Nested: fmt.Sprintf("{lower: %s, upper: %[1]s, closed: %s}", ends, closed.Values.Type)}
	parts := [intervalParts]writer.Part{lower.Part, upper.Part, closed.Part}
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

// part is a field of structs while it is made.
type part struct{ writer.Part }

func newPart(name string, t formats.Type) part {
	return part{writer.Part{Name: name, Values: &formats.Values{Type: t}}}
}

// add adds the text of the next label; an empty text is null.
func (p *part) add(text string) error {
	if err := addEnd(p.Values, text); err != nil || text == "" {
		p.Codes = append(p.Codes, 0)
		return err
	}
	p.Codes = append(p.Codes, uint32(p.Values.Len()))
	return nil
}
