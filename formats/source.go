package formats

import (
	"context"
	"fmt"
)

// Source is one opened input file of any format, cut into chunks that can be read on
// their own: row groups of Parquet, record batches of Arrow, byte ranges of CSV.
type Source interface {
	// Fields returns the file's columns.
	Fields() []Field
	// Chunks returns the number of rows of every chunk, in file order.
	Chunks() []int64
	// Read returns the rows of chunks first to first+count−1, only the columns asked for.
	// It may be called from several goroutines at a time.
	Read(ctx context.Context, first, count int, columns []Request) (BatchReader, error)
	// Close closes the file. Its readers have been closed before.
	Close() error
}

// Kept is a Source that was costly to open and holds no file open while nobody reads it: it
// is worth keeping.
type Kept interface {
	Source
	Kept()
}

// Request asks a reader for one column.
type Request struct {
	Column int  // position in the schema
	Coded  bool // as codes into distinct values, whatever the file's encoding is; else in the shape that costs least
}

// BatchReader yields the rows of a split in order.
type BatchReader interface {
	// Next returns the next batch, of at least one row, or io.EOF. The batch is valid until
	// the next call. It returns the context's error when that is done.
	Next(ctx context.Context) (*Batch, error)
	Close() error
}

// Share makes calls for 0 to n−1 on any workers, and returns when all have ended, with the
// error of the smallest number. A call is told the number of the worker that makes it.
type Share func(n int, call func(worker, i int) error) error

// Alone is the Share of one worker.
func Alone(worker int) Share {
	return func(n int, call func(worker, i int) error) error {
		for i := range n {
			if err := call(worker, i); err != nil {
				return err
			}
		}
		return nil
	}
}

// SharedReader is a BatchReader that can read columns on several goroutines at a time.
type SharedReader interface {
	BatchReader
	// Share has columns read by way of share.
	Share(share Share)
}

// ShareColumns has a reader's columns read by way of share, if it can.
func ShareColumns(r BatchReader, share Share) {
	if columns, ok := r.(SharedReader); ok {
		columns.Share(share)
	}
}

// ReadOptions say how to read what a file itself does not say.
type ReadOptions struct {
	Types     map[string]Type // declared types of CSV columns; the others are inferred
	Delimiter byte            // of CSV; 0: ',' , or ';' or tab when the header has that and no comma
	BatchRows int             // most rows a batch; 0: 65,536. Tests set it to 1
	Threads   int             // goroutines that open a file, or the files of a dataset; 0: one a processor
	Remember  int             // most distinct values of a column that a reader keeps from batch to batch; 0: as the format likes it. Dictionaries of the file are kept whole
	// Hold is told how many more bytes a reader holds than what is usual for one column, because a page, a
	// dictionary or a record batch is large; fewer when negative. It may refuse, and the reading ends. Nil: nobody asks.
	Hold func(bytes int64) error
	// Ahead is told how many more bytes are held that were fetched from an object store ahead of
	// what is read; fewer when negative. Where it refuses, less is fetched at a time. Nil: nobody asks.
	Ahead func(bytes int64) error
}

// Range is a part of a file, in bytes: from From to before To.
type Range struct{ From, To int64 }

// CheckRead refuses, with ErrSchema, to read chunks or columns that a source does not have.
func CheckRead(s Source, first, count int, columns []Request) error {
	chunks, fields := len(s.Chunks()), len(s.Fields())
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
