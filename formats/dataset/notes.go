package dataset

import (
	"fmt"

	"github.com/kcut/kcut/internal/text"
)

// mostNotes are the columns of which one and the same is noted.
const mostNotes = 20

// Notes says what may not be as it was meant: of the files, and of the columns that somebody reads.
func (d *Dataset) Notes(reads func(column string) bool) (notes []string) {
	more := 0
	for _, f := range d.schema.Fields {
		switch {
		case !f.Text.Number || !reads(f.Name):
		case len(notes) == mostNotes:
			more++
		default:
			notes = append(notes, fmt.Sprintf("column %s is read as text: line %s of %s has a number that would be written otherwise, as 10 of 10.0 or 1e1; declare its type, as type: number, where its text is of no matter",
				text.Printable(f.Name, ""), text.Grouped(f.Text.Line), text.WithoutPartitions(f.Text.File)))
		}
	}
	if more > 0 {
		notes = append(notes, fmt.Sprintf("%s are read as text for the same reason", text.Count(int64(more), "more column")))
	}
	return notes
}
