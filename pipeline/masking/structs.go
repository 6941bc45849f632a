package masking

import (
	"fmt"
	"strings"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/writer"
)

// intervalParts is how many fields the structs of intervals have.
const intervalParts = 3

// renderIntervals makes a column of structs of a column's labels: the ends of an interval, null where it is open, and which of them
// belong to it. The null and the mark of suppressed records are no struct.
func renderIntervals(field formats.Field, labels []engine.Label, intervals []engine.Interval) (column, error) {
	c, err := newRendered(field.Name, formats.Type{Kind: formats.String}, len(labels), func(values *formats.Values, label int) error {
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
	c.output.Field.Type = formats.Type{Kind: formats.Nested, Nested: fmt.Sprintf("{lower: %s, upper: %[1]s, closed: %s}", ends, closed.Values.Type)}
	parts := [intervalParts]writer.Part{lower.Part, upper.Part, closed.Part}
	c.output.Parts = parts[:]
	return c, nil
}

// closedEnds says which ends of an interval belong to it, as pandas does. Of an open end it says nothing.
func closedEnds(i engine.Interval) string {
	if strings.HasSuffix(i.Label, "]") {
		return "both"
	}
	return "left"
}

// part is a field of structs that is being made.
type part struct{ writer.Part }

func newPart(name string, t formats.Type) part {
	return part{writer.Part{Name: name, Values: &formats.Values{Type: t}}}
}

// add adds what the next label has, nothing for null.
func (p *part) add(text string) error {
	if err := addEnd(p.Values, text); err != nil || text == "" {
		p.Codes = append(p.Codes, 0)
		return err
	}
	p.Codes = append(p.Codes, uint32(p.Values.Len()))
	return nil
}
