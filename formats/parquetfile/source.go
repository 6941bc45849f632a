package parquetfile

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/fence"
	"github.com/kcut/kcut/formats/internal/meta"
	"github.com/kcut/kcut/formats/internal/schema"
	"github.com/kcut/kcut/formats/storage"
)

// source is an opened Parquet file. Its footer is read and checked; pages are read by reader.
type source struct {
	path      string
	file      storage.File
	size      int64
	batchRows int
	room      int64                   // formats.ReadOptions.Room
	usual     int64                   // formats.ReadOptions.Usual
	remember  int                     // number of distinct values of a column to keep
	hold      func(bytes int64) error // formats.ReadOptions.Hold
	holding   formats.Holding         // of the footer
	footer    *meta.Footer
	columns   []topColumn

	alwaysCompressed bool // see page.Reader
}

// Open opens a Parquet file and checks its footer.
func Open(ctx context.Context, path string, opt formats.ReadOptions) (_ formats.Source, err error) {
	file, err := storage.Open(ctx, path, opt.Ahead)
	if err != nil {
		return nil, fmt.Errorf("open parquet: %w", err)
	}
	s := &source{
		path:      path,
		file:      file,
		size:      file.Info().Size(),
		hold:      opt.Hold,
		holding:   formats.Holding{Tell: opt.Hold},
		room:      opt.Room,
		usual:     opt.Usual,
		batchRows: cmp.Or(opt.BatchRows, defaultBatchRows),
		remember:  min(maxTableValues, cmp.Or(opt.Remember, maxTableValues)),
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("open %s: %w", path, err)
			s.Close()
		}
	}()
	defer fence.Catch(&err)
	if err := s.readFooter(ctx); err != nil {
		return nil, fmt.Errorf("read footer: %w", err)
	}
	if err := s.readSchema(); err != nil {
		return nil, err
	}
	if err := s.checkRowGroups(); err != nil {
		return nil, err
	}
	return s, nil
}

// topColumn is a column of the file with its field.
type topColumn struct {
	schema.Column
	field formats.Field
}

// readSchema makes the fields from the columns of the footer.
func (s *source) readSchema() (err error) {
	for _, c := range s.footer.Columns {
		root := &c.Elements[0]
		field := formats.Field{
			Name:     root.Name,
			Nullable: root.RepetitionType.V == format.Optional,
			Declared: slices.Clone(c.Elements),
		}
		if c.Flat() {
			field.Type, err = schema.TypeOf(root)
		} else {
			field.Type = formats.Type{Kind: formats.Nested, Nested: c.Structure()}
		}
		if err != nil {
			return err
		}
		s.columns = append(s.columns, topColumn{c, field})
	}
	return nil
}

func (s *source) Fields() []formats.Field {
	fields := make([]formats.Field, len(s.columns))
	for i := range fields {
		fields[i] = s.columns[i].field
	}
	return fields
}

func (s *source) Chunks() []int64 {
	rows := make([]int64, len(s.footer.Entries))
	for i := range rows {
		rows[i] = s.footer.Entries[i].Rows
	}
	return rows
}

func (s *source) Read(ctx context.Context, first, count int,
	columns []formats.Request) (formats.BatchReader, error) {
	if err := formats.CheckRead(s, first, count, columns); err != nil {
		return nil, fmt.Errorf("read %s: %w", s.path, err)
	}
	return newReader(ctx, s, first, count, columns), nil
}

// Close closes the file and releases its footer.
func (s *source) Close() error {
	s.holding.Release()
	return s.file.Close()
}

// defaultBatchRows is the default largest number of rows of a batch.
const defaultBatchRows = 65536
