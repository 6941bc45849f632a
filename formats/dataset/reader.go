package dataset

import (
	"context"
	"fmt"
	"io"

	"github.com/kcut/kcut/formats"
)

// reader reads a split: it widens the file's columns where other files have wider types, and adds
// the columns that the file does not have.
type reader struct {
	formats.BatchReader
	file    string
	release func() error
	batch   formats.Batch
	slots   []slot
	left    int64 // number of records; negative: all records of the file
}

// slot is the source of a column of a batch: a column of the file's batch, or one value for all
// rows, from a hive column or a null.
type slot struct {
	column   int
	adapter  *adapter // of the file's column; nil: it needs no conversion
	constant *formats.Column
	code     uint32
}

func (d *Dataset) newReader(ctx context.Context, src formats.Source, file *member, s formats.Split,
	columns []formats.Request) (*reader, error) {
	r := &reader{file: s.File, release: func() error { return d.sources.release(s.File) }, left: -1}
	if d.part {
		r.left = s.Rows
	}
	r.batch.Columns = make([]*formats.Column, len(columns))
	var inFile []formats.Request
	for i, request := range columns {
		if request.Column < 0 || request.Column >= len(d.schema.Fields) {
			return nil, fmt.Errorf("read %s: there is no column %d", s.File, request.Column)
		}
		field := &d.schema.Fields[request.Column]
		if field.Differs != nil {
			return nil, fmt.Errorf("read %s: %w", s.File, field.Differs)
		}
		to, position := slot{column: len(inFile)}, file.position(request.Column)
		switch {
		case field.Hive:
			hive := &d.hive[request.Column-(len(d.schema.Fields)-len(d.hive))]
			to.constant, to.code = &formats.Column{Values: hive.values},
				hive.codes[d.byPath[s.File]]
		case position < 0 || src.Fields()[position].Type.Kind == formats.Null &&
			field.Type.Kind != formats.Null:
			to.constant = &formats.Column{Values: &formats.Values{Type: field.Type}}
		default:
			if src.Fields()[position].Type != field.Type {
				to.adapter = &adapter{
					name:    field.Name,
					holding: formats.Holding{Tell: d.sources.opt.Hold},
				}
				to.adapter.out.Values = &formats.Values{Type: field.Type}
			}
			inFile = append(inFile, formats.Request{Column: position, Coded: request.Coded})
		}
		r.batch.Columns[i] = to.constant
		r.slots = append(r.slots, to)
	}
	var err error
	if file.count >= 0 {
		r.BatchReader, err = file.readCounted(ctx, src, d.sources.opt.Count, s.First, s.Count,
			inFile)
	} else {
		r.BatchReader, err = src.Read(ctx, s.First, s.Count, inFile)
	}
	return r, err
}

// Next implements BatchReader.
func (r *reader) Next(ctx context.Context) (*formats.Batch, error) {
	if r.left == 0 {
		return nil, io.EOF
	}
	batch, err := r.BatchReader.Next(ctx)
	if err != nil {
		return nil, err
	}
	if r.left >= 0 {
		batch = head(batch, r.left)
		r.left -= batch.Records(0, batch.Rows)
	}
	r.batch.Row, r.batch.Rows, r.batch.Counts = batch.Row, batch.Rows, batch.Counts
	for i, s := range r.slots {
		switch {
		case s.constant != nil:
			s.constant.Codes = s.constant.Codes[:0]
			for range batch.Rows {
				s.constant.Codes = append(s.constant.Codes, s.code)
			}
		case s.adapter != nil:
			if r.batch.Columns[i], err = s.adapter.adapt(batch.Columns[s.column]); err != nil {
				return nil, fmt.Errorf("read %s: %w", r.file, err)
			}
		default:
			r.batch.Columns[i] = batch.Columns[s.column]
		}
	}
	return &r.batch, nil
}

// head returns the first records of a batch. Nested columns, which have no counts, keep the entries
// of later rows.
func head(b *formats.Batch, records int64) *formats.Batch {
	if b.Records(0, b.Rows) <= records {
		return b
	}
	cut := &formats.Batch{Row: b.Row}
	for left := uint64(records); left > 0; cut.Rows++ {
		n := uint64(1)
		if b.Counts != nil {
			n = min(b.Counts[cut.Rows], left)
			cut.Counts = append(cut.Counts, n)
		}
		left -= n
	}
	for _, column := range b.Columns {
		if column.Leaves == nil {
			column = &formats.Column{Values: column.Values, Codes: column.Codes[:cut.Rows]}
		}
		cut.Columns = append(cut.Columns, column)
	}
	return cut
}

// Close implements BatchReader.
func (r *reader) Close() error {
	for _, s := range r.slots {
		if s.adapter != nil {
			s.adapter.holding.Release()
		}
	}
	err := r.BatchReader.Close()
	if r.release == nil {
		return err
	}
	release := r.release
	r.release = nil
	if failed := release(); err == nil {
		err = failed
	}
	return err
}
