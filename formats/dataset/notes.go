package dataset

import (
	"fmt"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/text"
)

// mostNotes is the largest number of columns with the same note.
const mostNotes = 20

// Notes returns possible misreadings: of the files, and of the columns that are read.
func (d *Dataset) Notes(reads func(column string) bool) (notes []string) {
	for i, note := range d.notes {
		if others := d.notedIn[i] - 1; others > 0 {
			note += fmt.Sprintf(", and so in %s", text.Count(others, "other file"))
		}
		notes = append(notes, note)
	}
	more, before := 0, len(notes)
	for _, f := range d.schema.Fields {
		why := whyText(&f.Text)
		switch {
		case why == "" || !reads(f.Name):
		case len(notes) == before+mostNotes:
			more++
		default:
			notes = append(notes, fmt.Sprintf("column %s is read as text: %s",
				text.Printable(f.Name, ""), why))
		}
	}
	if more > 0 {
		notes = append(notes, fmt.Sprintf("%s are read as text for such reasons",
			text.Count(int64(more), "more column")))
	}
	return notes
}

// whyText returns the reason why a column may have been read as text by mistake, with advice; else
// nothing.
func whyText(t *formats.TextLine) string {
	switch {
	case t.Number:
		return fmt.Sprintf("line %s of %s has a number in a form that others do not have, as "+
			"10.0 or 1e1 where others are 10; declare its type, as type: number, if its text "+
			"does not matter",
			text.Grouped(t.Line), text.WithoutPartitions(t.File))
	case t.Advice != "":
		return "its values look like " + t.Advice
	}
	return ""
}

// note keeps the notes of a file: of many files with the same note, only the first.
func (d *Dataset) note(file *member) {
	for _, note := range file.notes {
		at := slices.Index(d.noted, note)
		if at < 0 {
			at = len(d.noted)
			d.noted, d.notes, d.notedIn = append(d.noted, note),
				append(d.notes, text.WithoutPartitions(file.path)+": "+note), append(d.notedIn, 0)
		}
		d.notedIn[at]++
	}
	file.notes = nil
}
