package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
)

// countRecords finds the column of a file that has the number of records of each row, and reads it
// once, to count the records of the chunks.
func (m *member) countRecords(ctx context.Context, src formats.Source, column string) error {
	m.count = slices.IndexFunc(m.fields, func(f formats.Field) bool { return f.Name == column })
	if m.count < 0 {
		return fault.Errorf(fault.Input, "name in count the column that says how many records a "+
			"row stands for", "open %s: it has no column %s", m.path, column)
	}
	kind, filled := m.fields[m.count].Type.Kind, func(rows int64) bool { return rows > 0 }
	// the column of an empty CSV has no type
	if kind != formats.Int && kind != formats.Uint && slices.ContainsFunc(m.chunks, filled) {
		return fault.Errorf(fault.Input, "export it as an integer, or name another column in count",
			"open %s: column %s counts records, and is no integer", m.path, column)
	}
	m.records = make([]int64, len(m.chunks))
	for chunk := range m.chunks {
		reader, err := m.readCounted(ctx, src, column, chunk, 1, nil)
		if err == nil {
			m.records[chunk], err = recordsOf(ctx, reader)
			err = errors.Join(err, reader.Close())
		}
		if err != nil {
			return fmt.Errorf("count the records of %s: %w", m.path, err)
		}
	}
	return nil
}

// recordsOf reads to the end, and returns the number of records.
func recordsOf(ctx context.Context, r formats.BatchReader) (records int64, err error) {
	for records <= formats.MostRecords {
		batch, err := r.Next(ctx)
		if err == io.EOF {
			return records, nil
		}
		if err != nil {
			return 0, err
		}
		records += batch.Records(0, batch.Rows)
	}
	return 0, fmt.Errorf("%w: more than %d records in one chunk", formats.ErrUnsupported,
		int64(formats.MostRecords))
}

// countedReader returns batches with the counts of their rows, without rows of no records.
type countedReader struct {
	formats.BatchReader // the requested columns, followed by the counts
	path, column        string
	batch               formats.Batch
	rows                []int // the rows of the file's batch that have records
	next                int64 // number of the next record
}

// readCounted reads columns of some chunks of a file that has the counts of its rows in another
// column.
func (m *member) readCounted(
	ctx context.Context, src formats.Source, column string, first, count int,
	requests []formats.Request,
) (*countedReader, error) {
	r := &countedReader{path: m.path, column: column}
	for _, request := range requests {
		if f := src.Fields()[request.Column]; f.Type.Kind == formats.Nested {
			return nil, fmt.Errorf("read %s: column %q is nested, and its rows are counted: %w",
				m.path, f.Name, formats.ErrUnsupported)
		}
		r.batch.Columns = append(r.batch.Columns, &formats.Column{})
	}
	var err error
	r.BatchReader, err = src.Read(ctx, first, count,
		append(requests, formats.Request{Column: m.count, Coded: true}))
	return r, err
}

// Next implements formats.BatchReader.
func (r *countedReader) Next(ctx context.Context) (*formats.Batch, error) {
	r.rows = r.rows[:0]
	for len(r.rows) == 0 {
		in, err := r.BatchReader.Next(ctx)
		if err == nil {
			err = r.count(in)
		}
		if err != nil {
			return nil, err
		}
		for i, c := range r.batch.Columns {
			c.Values, c.Codes = in.Columns[i].Values, c.Codes[:0]
			for _, row := range r.rows {
				c.Codes = append(c.Codes, in.Columns[i].Codes[row])
			}
		}
	}
	r.batch.Row, r.batch.Rows = r.next, len(r.rows)
	r.next += r.batch.Records(0, r.batch.Rows)
	return &r.batch, nil
}

// count finds the rows of a batch that have records, and their counts.
func (r *countedReader) count(in *formats.Batch) error {
	counts := in.Columns[len(in.Columns)-1]
	signed := counts.Values.Type.Kind == formats.Int
	r.batch.Counts = r.batch.Counts[:0]
	for row, code := range counts.Codes[:in.Rows] {
		times := uint64(math.MaxUint64)
		if code > 0 {
			if times = counts.Values.Words[code-1]; signed {
				times = uint64(formats.WordInt(times)) // a negative number becomes very large
			}
		}
		if times > formats.MostRecords {
			return fault.Errorf(fault.Input, "mend the column that count names: every row stands "+
				"for a number of records, 0 or more",
				"read column %s of %s: row %d of a chunk has no count, or one below 0 or above %d",
				r.column, r.path, in.Row+int64(row)+1, uint64(formats.MostRecords))
		}
		if times > 0 {
			r.rows, r.batch.Counts = append(r.rows, row), append(r.batch.Counts, times)
		}
	}
	return nil
}

// singlesReader returns the records of batches one by one.
type singlesReader struct {
	formats.BatchReader
	formats.Singles
}

// Next implements formats.BatchReader.
func (r *singlesReader) Next(ctx context.Context) (*formats.Batch, error) {
	for {
		if batch := r.Singles.Next(); batch != nil {
			return batch, nil
		}
		batch, err := r.BatchReader.Next(ctx)
		if err != nil {
			return nil, err
		}
		r.Of(batch)
	}
}
