package records

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"

	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/fileset"
)

// batchRows is the largest number of rows of a batch.
const batchRows = 1 << 16

// Open returns a reader of the rows of a release, in its order. Labels are texts, and columns that
// are names of folders (output.partition_by) come last. The reader uses ctx. Its Release closes the
// files. Open does not recount the release: see kcut.Verify.
func Open(ctx context.Context, release string) (array.RecordReader, error) {
	r := &reader{ctx: ctx}
	r.refs.Store(1)
	err := workers.Fence(func() (err error) {
		if r.parts, err = fileset.Parts(ctx, release); err != nil {
			return err
		}
		cut, err := cutfile.Read(ctx, release)
		if err != nil {
			return err
		}
		return r.start(cut)
	})
	if err != nil {
		r.Release()
		return nil, fault.Advised(err)
	}
	return r, nil
}

// reader reads the parts of a release, one after the other.
type reader struct {
	ctx     context.Context
	parts   []string // those that are not open yet
	schema  *arrow.Schema
	folders []string // columns that are names of folders

	part  storage.File // the open part; nil: there is none
	rows  pqarrow.RecordReader
	label []*string // of each of folders, in the open part; nil: it is null
	batch arrow.Record
	err   error
	refs  atomic.Int64
}

// start opens the first part, and makes the schema of all.
func (r *reader) start(cut *cutfile.File) error {
	first := r.parts[0]
	if err := r.open(); err != nil {
		return err
	}
	fields := r.rows.Schema().Fields()
	for i := range cut.Columns {
		name := cut.Columns[i].Name
		if _, _, found := fileset.LabelIn(first, name); found {
			r.folders = append(r.folders, name)
			fields = append(fields,
				arrow.Field{Name: name, Type: arrow.BinaryTypes.String, Nullable: true})
		}
	}
	r.schema = arrow.NewSchema(fields, nil)
	return r.read(first)
}

// open opens the next part.
func (r *reader) open() error {
	var err error
	if r.part, err = storage.Open(r.ctx, r.parts[0], nil); err != nil {
		return err
	}
	r.parts = r.parts[1:]
	source := io.NewSectionReader(r.part, 0, r.part.Info().Size())
	parquet, err := file.NewParquetReader(source)
	if err != nil {
		return damaged(err)
	}
	properties := pqarrow.ArrowReadProperties{BatchSize: batchRows}
	rows, err := pqarrow.NewFileReader(parquet, properties, memory.DefaultAllocator)
	if err == nil {
		r.rows, err = rows.GetRecordReader(r.ctx, nil, nil)
	}
	return damaged(err)
}

func damaged(err error) error {
	if err == nil {
		return nil
	}
	return fault.Errorf(fault.Input, "kcut verify says whether it is a release, and whole",
		"read release: %w", err)
}

// read remembers the labels that the folders of an open part have.
func (r *reader) read(part string) error {
	r.label = make([]*string, len(r.folders))
	for i, name := range r.folders {
		label, null, found := fileset.LabelIn(part, name)
		if !found {
			return damaged(fmt.Errorf("a part has no label of column %s", name))
		}
		if !null {
			r.label[i] = &label
		}
	}
	return nil
}

// close closes the open part.
func (r *reader) close() {
	if r.rows != nil {
		r.rows.Release()
		r.rows = nil
	}
	if r.part != nil {
		_ = r.part.Close() // it was only read
		r.part = nil
	}
}

// Schema returns the columns of the release.
func (r *reader) Schema() *arrow.Schema { return r.schema }

// Next reads the next batch, and reports whether there is one.
func (r *reader) Next() bool {
	r.drop()
	if r.err != nil {
		return false
	}
	r.err = fault.Advised(workers.Fence(r.next))
	return r.batch != nil
}

func (r *reader) next() error {
	for {
		if r.rows != nil {
			if r.rows.Next() {
				return r.complete(r.rows.Record())
			}
			if err := r.rows.Err(); err != nil && err != io.EOF {
				return damaged(err)
			}
			r.close()
		}
		if len(r.parts) == 0 {
			return nil
		}
		part := r.parts[0]
		if err := r.open(); err != nil {
			return err
		}
		if err := r.read(part); err != nil {
			return err
		}
	}
}

// complete makes a batch with the columns of the folders.
func (r *reader) complete(rows arrow.Record) error {
	columns := append([]arrow.Array{}, rows.Columns()...)
	for _, label := range r.label {
		text := array.NewStringBuilder(memory.DefaultAllocator)
		for range rows.NumRows() {
			if label == nil {
				text.AppendNull()
			} else {
				text.Append(*label)
			}
		}
		columns = append(columns, text.NewArray())
		text.Release()
	}
	r.batch = array.NewRecord(r.schema, columns, rows.NumRows())
	for _, column := range columns[len(columns)-len(r.label):] {
		column.Release() // the batch has it
	}
	return nil
}

// drop releases the current batch.
func (r *reader) drop() {
	if r.batch != nil {
		r.batch.Release()
		r.batch = nil
	}
}

// RecordBatch returns the current batch, which is valid until the next call of Next.
func (r *reader) Record() arrow.Record { return r.batch }

// Err returns the error that has ended the batches.
func (r *reader) Err() error { return r.err }

// Retain adds a holder.
func (r *reader) Retain() { r.refs.Add(1) }

// Release removes a holder; the last one closes the files.
func (r *reader) Release() {
	if r.refs.Add(-1) == 0 {
		r.drop()
		r.close()
	}
}
