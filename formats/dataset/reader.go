package dataset

import (
	"context"
	"fmt"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/storage"
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

// RowGroup is one row group of an input file, open for copying. It must be closed.
type RowGroup struct {
	formats.RawSource
	dataset  *Dataset
	file     *member
	rowGroup int
	plan     storage.Plan // of what was announced; may be nil
}

// planner is a source that can be told what will be read.
type planner interface {
	Plan(ctx context.Context, ranges []formats.Range) storage.Plan
}

// Expect announces what ReadAt will read, once: of an object it is fetched ahead.
func (g *RowGroup) Expect(ctx context.Context, ranges []formats.Range) {
	if p, ok := g.RawSource.(planner); ok {
		g.plan = p.Plan(ctx, ranges)
	}
}

// ReadAt implements io.ReaderAt.
func (g *RowGroup) ReadAt(p []byte, off int64) (int, error) {
	if g.plan != nil {
		return g.plan.ReadAt(p, off)
	}
	return g.RawSource.ReadAt(p, off)
}

// RowGroup opens the row group of a split that is Raw.
func (d *Dataset) RowGroup(ctx context.Context, s formats.Split) (*RowGroup, error) {
	file, src, err := d.acquire(ctx, s)
	if err != nil {
		return nil, err
	}
	raw, ok := src.(formats.RawSource)
	if !ok || s.Count != 1 {
		d.sources.release(s.File)
		return nil, fmt.Errorf("copy from %s: %w: not one row group of Parquet", s.File, formats.ErrSchema)
	}
	return &RowGroup{RawSource: raw, dataset: d, file: file, rowGroup: s.First}, nil
}

// Chunks describes the chunks of a column of the dataset's schema, one a leaf, or returns nil
// when the column has to be encoded anew: when RawChunks says so, when the file stores the
// column otherwise than the schema has it, or does not store it at all.
func (g *RowGroup) Chunks(ctx context.Context, column int) ([]formats.RawChunk, error) {
	if column >= len(g.file.columns) {
		return nil, nil // a hive column
	}
	own := g.file.columns[column]
	if declared := g.dataset.schema.Fields[column].Declared; declared == nil || !declared.SamePages(g.Fields()[own].Declared) {
		return nil, nil
	}
	return g.RawChunks(ctx, g.rowGroup, own)
}

// Close lets go of the file.
func (g *RowGroup) Close() error {
	if g.plan != nil {
		g.plan.Close()
	}
	return g.dataset.sources.release(g.file.path)
}
