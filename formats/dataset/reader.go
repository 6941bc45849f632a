package dataset

import (
	"context"
	"fmt"

	"github.com/kcut/kcut/formats"
)

// reader reads a split: the file's columns as the file has them, and hive columns.
type reader struct {
	formats.BatchReader
	release func() error
	batch   formats.Batch
	slots   []slot
}

// slot says where a column of a batch comes from: a column of the file's batch, or a hive column.
type slot struct {
	column int
	hive   *formats.Column
	code   uint32
}

func (d *Dataset) newReader(ctx context.Context, src formats.Source, file *member, s formats.Split, columns []formats.Request) (*reader, error) {
	r := &reader{release: func() error { return d.sources.release(s.File) }}
	r.batch.Columns = make([]*formats.Column, len(columns))
	var inFile []formats.Request
	own := len(d.schema.Fields) - len(d.hive)
	for i, request := range columns {
		if request.Column < 0 || request.Column >= len(d.schema.Fields) {
			return nil, fmt.Errorf("read %s: there is no column %d", s.File, request.Column)
		}
		if request.Column < own {
			r.slots = append(r.slots, slot{column: len(inFile)})
			inFile = append(inFile, formats.Request{Column: file.columns[request.Column], Coded: request.Coded})
			continue
		}
		hive := &d.hive[request.Column-own]
		r.batch.Columns[i] = &formats.Column{Values: hive.values}
		r.slots = append(r.slots, slot{hive: r.batch.Columns[i], code: hive.codes[d.byPath[s.File]]})
	}
	var err error
	r.BatchReader, err = src.Read(ctx, s.First, s.Count, inFile)
	return r, err
}

// Next implements BatchReader.
func (r *reader) Next(ctx context.Context) (*formats.Batch, error) {
	batch, err := r.BatchReader.Next(ctx)
	if err != nil {
		return nil, err
	}
	r.batch.Row, r.batch.Rows = batch.Row, batch.Rows
	for i, s := range r.slots {
		if s.hive == nil {
			r.batch.Columns[i] = batch.Columns[s.column]
			continue
		}
		s.hive.Codes = s.hive.Codes[:0]
		for range batch.Rows {
			s.hive.Codes = append(s.hive.Codes, s.code)
		}
	}
	return &r.batch, nil
}

// Share implements SharedReader, if the file's reader does.
func (r *reader) Share(share formats.Share) { formats.ShareColumns(r.BatchReader, share) }

// Close implements BatchReader.
func (r *reader) Close() error {
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
