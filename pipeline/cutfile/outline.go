package cutfile

import (
	"context"
	"errors"
	"slices"

	"github.com/kcut/kcut/formats/release"
	"github.com/kcut/kcut/pipeline/fileset"
)

// Outline is a summary of a release: its cut, and further facts from its schema and statistics.
type Outline struct {
	Cut *File
	// Kept are the columns that are released unchanged, in the order of the release; they are
	// unknown for a file with only the JSON of a cut.
	Kept []string
	// Unmarked are the masked columns in which no record has the mark of a suppressed value, as far
	// as statistics show it.
	Unmarked []string
}

// mostParts is the largest number of files of a directory whose statistics are read: more take long
// in an object store.
const mostParts = 64

// ReadOutline returns the outline of a released file or directory, or of a file with only the cut's
// JSON.
func ReadOutline(ctx context.Context, path string) (o *Outline, err error) {
	cut, parts, err := read(ctx, path)
	if err != nil {
		return nil, err
	}
	defer func() { err = fileset.Advise(err) }()
	o = &Outline{Cut: cut}
	if len(parts) == 0 {
		return o, nil
	}
	for _, c := range o.Cut.Columns {
		if c.Suppressed != "" && c.Render == "" && len(parts) <= mostParts {
			o.Unmarked = append(o.Unmarked, c.Name)
		}
	}
	for i, part := range parts {
		if i > 0 && len(o.Unmarked) == 0 {
			break
		}
		if err := o.readPart(ctx, part); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// readPart reads the metadata of a file; from the first one also the columns.
func (o *Outline) readPart(ctx context.Context, path string) (err error) {
	file, err := release.Open(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if o.Kept == nil {
		o.Kept = slices.DeleteFunc(file.Columns(), o.isMade)
	}
	smallest, err := file.Smallest(o.Unmarked)
	o.Unmarked = slices.DeleteFunc(o.Unmarked, func(name string) bool {
		mark := o.Cut.Columns[o.Cut.Columns.Position(name)].Suppressed
		least, known := smallest[name]
		return !known || string(least) <= mark
	})
	return err
}

// isMade reports whether a released column contains labels or pseudonyms.
func (o *Outline) isMade(name string) bool {
	return slices.Contains(o.Cut.Pseudonyms, name) ||
		slices.ContainsFunc(o.Cut.Columns, func(c Column) bool {
			return name == c.Name || slices.Contains(c.Released(), name)
		})
}
