package pipeline

import (
	"context"
	"fmt"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/pipeline/fileset"
)

// SampleRows are some rows of a release, for people who look at it.
type SampleRows struct {
	Columns []string
	Rows    [][]SampleCell // by row and column
}

// SampleCell is a value as text. The text of a null, and of lists and structs, is empty.
type SampleCell struct {
	Text         string
	Null, Nested bool
}

// lookedAt is the number of cells of the rows among which the rows of a sample are at equal
// distances. A release has its rows in the order of their labels: the first ones are alike.
const lookedAt = 1 << 24

// ReadRows returns at most n rows of a released file or directory, spread over it.
func ReadRows(ctx context.Context, path string, n int) (*SampleRows, error) {
	return sampleRows(ctx, path, n, lookedAt)
}

// sampleRows is ReadRows with another number of cells.
func sampleRows(ctx context.Context, path string, n int, cells int64) (_ *SampleRows, err error) {
	defer func() { err = fileset.Advise(err) }()
	if path, err = fileset.Resolve(path); err != nil {
		return nil, err
	}
	release, err := dataset.Open(ctx, []string{path}, formats.ReadOptions{})
	if err != nil {
		return nil, fmt.Errorf("read rows: %w", err)
	}
	defer release.Close() // it was only read
	sample, columns := &SampleRows{}, []int{}
	for i, field := range release.Schema().Fields {
		sample.Columns, columns = append(sample.Columns, field.Name), append(columns, i)
	}
	rows := min(release.Rows(), max(cells/int64(max(len(columns), 1)), int64(n)))
	n = int(min(int64(n), rows))
	row := int64(0)
	err = release.Sample(ctx, rows, columns, func(b *formats.Batch) error {
		for at := range b.Rows {
			// the first row of each of n equal parts
			if next := len(sample.Rows); next < n && row == int64(next)*rows/int64(n) {
				sample.Rows = append(sample.Rows, cellsOf(b, at))
			}
			row++
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read rows: %w", err)
	}
	return sample, nil
}

// cellsOf returns the cells of a row of a batch, whose columns are coded.
func cellsOf(b *formats.Batch, row int) (cells []SampleCell) {
	for _, column := range b.Columns {
		switch {
		case len(column.Leaves) > 0:
			cells = append(cells, SampleCell{Nested: true})
		case column.Codes[row] == 0:
			cells = append(cells, SampleCell{Null: true})
		default:
			cells = append(cells, SampleCell{Text: column.Values.Text(int(column.Codes[row]) - 1)})
		}
	}
	return cells
}
