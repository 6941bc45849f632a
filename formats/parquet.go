package formats

import (
	"context"
	"fmt"
	"os"
	"runtime"
)

// parquetFile is an opened Parquet file. Its footer is read and checked; pages are read
// by parquetReader.
type parquetFile struct {
	path   string
	file   *os.File
	size   int64
	footer parquetFooter
	schema *parquetSchema
}

// openParquet opens a Parquet file and checks its footer.
func openParquet(_ context.Context, path string, opt ReadOptions) (_ source, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open parquet: %w", err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("open %s: %w", path, err)
			file.Close()
		}
	}()
	defer fence(&err)
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	f := &parquetFile{path: path, file: file, size: info.Size()}
	if err := f.readFooter(); err != nil {
		return nil, err
	}
	if f.schema, err = readSchema(f.footer.Schema); err != nil {
		return nil, err
	}
	if err := f.checkRowGroups(); err != nil {
		return nil, err
	}
	return &parquetSource{parquetFile: f, batchRows: opt.BatchRows}, nil
}

// fence turns a panic into ErrDamaged. What is read here is checked before it is used, but
// it is unpacked by libraries that were not written for hostile files. Only the runtime's
// own messages are shown: others might hold a value.
func fence(err *error) {
	switch p := recover().(type) {
	case nil:
	case runtime.Error:
		*err = fmt.Errorf("read parquet: %w: %w", p, ErrDamaged)
	default:
		*err = fmt.Errorf("read parquet: %w", ErrDamaged)
	}
}

// parquetSource makes a parquetFile a source.
type parquetSource struct {
	*parquetFile
	batchRows int
}

func (s *parquetSource) fields() []Field {
	fields := make([]Field, len(s.schema.columns))
	for i := range fields {
		fields[i] = s.schema.columns[i].field
	}
	return fields
}

func (s *parquetSource) chunks() []int64 {
	rows := make([]int64, len(s.footer.RowGroups))
	for i := range rows {
		rows[i] = s.footer.RowGroups[i].NumRows
	}
	return rows
}

func (s *parquetSource) read(_ context.Context, first, count int, columns []Request) (BatchReader, error) {
	if first < 0 || count < 0 || first+count > len(s.footer.RowGroups) {
		return nil, fmt.Errorf("read row groups %d to %d of %s: there are %d", first, first+count-1, s.path, len(s.footer.RowGroups))
	}
	return newParquetReader(s.parquetFile, first, count, columns, batchRows(s.batchRows)), nil
}

func (s *parquetSource) close() error { return s.file.Close() }

// defaultBatchRows is the most rows of a batch when nothing else is asked for.
const defaultBatchRows = 65536

func batchRows(asked int) int {
	if asked > 0 {
		return asked
	}
	return defaultBatchRows
}
