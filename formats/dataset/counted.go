package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
)

// counted is a file whose rows stand for as many records as one of its columns says, without that
// column: its batches have counts. Nested columns cannot be read.
type counted struct {
	formats.Source
	opt    formats.ReadOptions
	path   string
	column int // of the counts
	fields []formats.Field
	chunks []int64 // records
}

// Kept implements formats.Kept.
func (c *counted) Kept() bool { return formats.IsKept(c.Source) }

// newCounted reads the counts of a file once, to learn how many records there are.
func newCounted(ctx context.Context, src formats.Source, path string, opt formats.ReadOptions) (_ formats.Source, err error) {
	c := &counted{Source: src, opt: opt, path: path, column: -1}
	for i, field := range src.Fields() {
		if field.Name == opt.Count {
			c.column = i
			continue
		}
		c.fields = append(c.fields, field)
	}
	if c.column < 0 {
		return nil, fault.Errorf(fault.Input, "name in count the column that says how many records a row stands for", "open %s: it has no column %s", path, opt.Count)
	}
	kind := src.Fields()[c.column].Type.Kind
	if kind != formats.Int && kind != formats.Uint && rowsOf(src) > 0 { // the column of an empty CSV has no type
		return nil, fault.Errorf(fault.Input, "export it as an integer, or name another column in count", "open %s: column %s counts records, and is no integer", path, opt.Count)
	}
	if err := c.sum(ctx); err != nil {
		return nil, fmt.Errorf("count the records of %s: %w", path, err)
	}
	return c, nil
}

// rowsOf returns how many rows a file has.
func rowsOf(src formats.Source) (rows int64) {
	for _, chunk := range src.Chunks() {
		rows += chunk
	}
	return rows
}

// sum finds the records of every chunk.
func (c *counted) sum(ctx context.Context) error {
	rows := c.Source.Chunks()
	c.chunks = make([]int64, len(rows))
	for chunk := range rows {
		reader, err := c.read(ctx, chunk, 1, nil)
		if err != nil {
			return err
		}
		for err == nil {
			var batch *formats.Batch
			if batch, err = reader.Next(ctx); err != nil {
				break
			}
			if c.chunks[chunk] += batch.Records(0, batch.Rows); c.chunks[chunk] > formats.MostRecords {
				err = fmt.Errorf("%w: more than %d records in one chunk", formats.ErrUnsupported, int64(formats.MostRecords))
			}
		}
		if err = errors.Join(ended(err), reader.Close()); err != nil {
			return err
		}
	}
	return nil
}

// ended returns an error but io.EOF.
func ended(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// Notes implements formats.Noting.
func (c *counted) Notes() []string {
	if noting, ok := c.Source.(formats.Noting); ok {
		return noting.Notes()
	}
	return nil
}

// Settle implements formats.Inferring.
func (c *counted) Settle(fields map[string]formats.Field) {
	settle(c.Source, fields)
	for i := range c.fields {
		at := i
		if at >= c.column {
			at++
		}
		c.fields[i] = c.Source.Fields()[at]
	}
}

// Fields implements formats.Source.
func (c *counted) Fields() []formats.Field { return c.fields }

// Chunks implements formats.Source.
func (c *counted) Chunks() []int64 { return c.chunks }

// Read implements formats.Source.
func (c *counted) Read(ctx context.Context, first, count int, columns []formats.Request) (formats.BatchReader, error) {
	return c.read(ctx, first, count, columns)
}

func (c *counted) read(ctx context.Context, first, count int, columns []formats.Request) (*countedReader, error) {
	if err := formats.CheckRead(c, first, count, columns); err != nil {
		return nil, err
	}
	r := &countedReader{of: c}
	var inFile []formats.Request
	for _, request := range columns {
		if c.fields[request.Column].Type.Kind == formats.Nested {
			return nil, fmt.Errorf("read %s: column %q is nested, and its rows are counted: %w", c.path, c.fields[request.Column].Name, formats.ErrUnsupported)
		}
		if request.Column >= c.column {
			request.Column++
		}
		inFile = append(inFile, request)
		r.batch.Columns = append(r.batch.Columns, &formats.Column{})
	}
	var err error
	r.BatchReader, err = c.Source.Read(ctx, first, count, append(inFile, formats.Request{Column: c.column, Coded: true}))
	return r, err
}

// countedReader hands out batches with the counts of their rows, but for those that stand for no
// record.
type countedReader struct {
	formats.BatchReader // the columns asked for, and behind them the counts
	of                  *counted
	batch               formats.Batch
	rows                []int // of the file's batch that stand for records
	next                int64 // record
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

// count finds the rows of a batch that stand for records, and how many these are.
func (r *countedReader) count(in *formats.Batch) error {
	counts := in.Columns[len(in.Columns)-1]
	signed := counts.Values.Type.Kind == formats.Int
	r.batch.Counts = r.batch.Counts[:0]
	for row, code := range counts.Codes[:in.Rows] {
		times := uint64(math.MaxUint64)
		if code > 0 {
			if times = counts.Values.Words[code-1]; signed {
				times = uint64(formats.WordInt(times)) // of a negative one: very many
			}
		}
		if times > formats.MostRecords {
			return fault.Errorf(fault.Input, "mend the column that count names: every row stands for a number of records, 0 or more",
				"read column %s of %s: row %d of a chunk has no count, or one below 0 or above %d", r.of.opt.Count, r.of.path, in.Row+int64(row)+1, uint64(formats.MostRecords))
		}
		if times > 0 {
			r.rows, r.batch.Counts = append(r.rows, row), append(r.batch.Counts, times)
		}
	}
	return nil
}

// Share implements formats.SharedReader, if the file's reader does.
func (r *countedReader) Share(share formats.Share) { formats.ShareColumns(r.BatchReader, share) }

// singlesReader hands out the records of batches one by one.
type singlesReader struct {
	formats.BatchReader
	formats.Singles
}

// newSingles returns a reader of the records that another one's rows stand for.
func newSingles(r formats.BatchReader, opt *formats.ReadOptions) *singlesReader {
	return &singlesReader{BatchReader: r, Singles: formats.Singles{Most: opt.BatchRows}}
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

// Share implements formats.SharedReader, if the other reader does.
func (r *singlesReader) Share(share formats.Share) { formats.ShareColumns(r.BatchReader, share) }
