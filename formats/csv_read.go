package formats

import (
	"context"
	"fmt"
	"io"
)

// csvBatchBytes ends a batch early: its texts are held in memory.
const csvBatchBytes = 32 << 20

// csvReader reads the records of consecutive chunks.
type csvReader struct {
	src     *csvSource
	text    io.ReadCloser
	scan    *csvScanner
	first   int64 // row of the file of the first row of the split
	row     int64 // rows returned
	left    int64 // rows still to come
	columns []csvTarget
	batch   Batch
}

// csvTarget is a column being built.
type csvTarget struct {
	Request
	field  Field
	out    Column
	coded  *distinct // nil for a plain column
	values Values    // of a plain one
}

// read returns the rows of count chunks from first on.
func (s *csvSource) read(ctx context.Context, first, count int, columns []Request) (BatchReader, error) {
	if err := checkRequest(first, count, len(s.parts), columns, len(s.schema)); err != nil {
		return nil, fmt.Errorf("read %s: %w", s.path, err)
	}
	r := &csvReader{src: s, columns: make([]csvTarget, len(columns))}
	for i, request := range columns {
		r.columns[i] = newCSVTarget(request, s.schema[request.Column])
		r.batch.Columns = append(r.batch.Columns, &r.columns[i].out)
	}
	if count == 0 {
		return r, nil
	}
	start, end := s.parts[first], s.parts[first+count-1]
	text, err := s.text(start.offset, end.end)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", s.path, damage(err))
	}
	r.text, r.first, r.left = text, start.row, end.row+end.rows-start.row
	r.scan = newCSVScanner(text, s.delim, start.line, len(s.schema))
	r.scan.skip, r.scan.names = len(s.schema) > 1, s.schema
	return r, ctx.Err()
}

// checkRequest refuses chunks and columns that a file does not have.
func checkRequest(first, count, chunks int, columns []Request, fields int) error {
	if first < 0 || count < 0 || first > chunks-count {
		return fmt.Errorf("%w: no chunks %d to %d", ErrSchema, first, first+count-1)
	}
	for _, c := range columns {
		if c.Column < 0 || c.Column >= fields {
			return fmt.Errorf("%w: no column %d", ErrSchema, c.Column)
		}
	}
	return nil
}

func newCSVTarget(request Request, field Field) csvTarget {
	t := csvTarget{Request: request, field: field}
	if request.Coded {
		t.coded = newParsed(field.Type)
	}
	t.values.Type = field.Type
	return t
}

// Next returns the next records.
func (r *csvReader) Next(ctx context.Context) (*Batch, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if r.left == 0 {
		return nil, io.EOF
	}
	for i := range r.columns {
		r.columns[i].reset()
	}
	r.batch.Row = r.row
	start := r.scan.offset
	rows := 0
	for ; rows < r.src.batch && r.left > 0 && r.scan.offset-start < csvBatchBytes; rows++ {
		if err := r.add(); err != nil {
			return nil, fmt.Errorf("read %s: %w", r.src.path, damage(err))
		}
	}
	r.batch.Rows = rows
	for i := range r.columns {
		r.columns[i].finish()
	}
	return &r.batch, nil
}

// add adds the next record to all columns.
func (r *csvReader) add() error {
	record, err := r.src.record(r.scan)
	if err == io.EOF {
		return fmt.Errorf("%w: ends after %d rows, it had more when it was opened", ErrDamaged, r.first+r.row)
	}
	if err != nil {
		return err
	}
	for i := range r.columns {
		t := &r.columns[i]
		if err := t.add(record[t.Column]); err != nil {
			return fmt.Errorf("line %d, column %q: %w", r.scan.line, t.field.Name, err)
		}
	}
	r.row++
	r.left--
	return nil
}

// Close frees the decompressor.
func (r *csvReader) Close() error {
	if r.text == nil {
		return nil
	}
	return r.text.Close()
}

// reset empties the column for the next batch.
func (t *csvTarget) reset() {
	if t.coded != nil {
		t.coded = t.coded.renewed()
		t.out.Codes = t.out.Codes[:0]
		return
	}
	t.out.Valid = t.out.Valid[:0]
	t.values.Words, t.values.Ends, t.values.Data = t.values.Words[:0], t.values.Ends[:0], t.values.Data[:0]
}

// finish hands the values to the column.
func (t *csvTarget) finish() {
	t.out.Values = &t.values
	if t.coded != nil {
		t.out.Values = t.coded.values
	}
}

// add adds one row.
func (t *csvTarget) add(f csvField) (err error) {
	switch {
	case t.coded == nil:
		t.out.Valid = append(t.out.Valid, !f.null())
		if !f.null() {
			err = t.values.parseText(f.text)
		}
	case f.null():
		t.out.Codes = append(t.out.Codes, 0)
	default:
		var code uint32
		code, err = t.coded.codeOfText(f.text)
		t.out.Codes = append(t.out.Codes, code)
	}
	if err != nil { // the parser's own words could quote the value
		return fmt.Errorf("%w: a value that is no %s", ErrDamaged, t.field.Type)
	}
	return nil
}
