// Package sample makes synthetic census-like people, for trying and benchmarking.
package sample

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"time"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/formats/publish"
	"github.com/kcut/kcut/formats/writer"
	"github.com/kcut/kcut/internal/workers"
)

// Options say how much to make of what Write makes.
type Options struct {
	Rows         int64       // number of people; 0 makes a file without rows
	Seed         uint64      // equal seeds give equal people, one by one, whatever Rows is
	RowGroupRows int         // rows of a Parquet row group; 0: 131,072
	Threads      int         // 0: as many as the machine has
	Overwrite    bool        // replace a file that exists
	Events       kcut.Events // told of Stage
}

// Stage is the one that Events is told of.
const Stage kcut.Stage = "sample"

// rowGroupRows is large enough for dictionaries to pay and small enough for a few
// row groups in flight to need little memory.
const rowGroupRows = 1 << 17

// blockWriter writes blocks of people in one file format.
type blockWriter interface {
	// encode turns people first to first+rows−1 into bytes of the format. It may be called
	// from several goroutines at a time.
	encode(first int64, rows int) (block, error)
	// write appends a block; blocks come in order.
	write(block) error
	close() error
}

// block is what a writer's encode made: bytes, or a row group.
type block struct {
	rows  int
	text  []byte
	group *writer.EncodedRowGroup
}

// Write writes a file of synthetic people that resemble a census extract: correlated
// attributes, nulls, direct identifiers and an income class. The format follows the path's
// extension, .parquet or .csv. The same rows, seed and row group size give the same bytes,
// whatever the number of threads, and the memory does not depend on the number of rows.
//
// It returns an *kcut.Error of kcut.ErrUsage for options that make no sense and of kcut.ErrExists when
// the file exists and Overwrite is not set.
func Write(ctx context.Context, path string, opt Options) error {
	opt.ensureDefaults()
	if err := opt.validate(); err != nil {
		return err
	}
	if err := checkTarget(path, opt.Overwrite); err != nil {
		return err
	}
	target, err := publish.File(path)
	if err != nil {
		return err
	}
	if err = write(ctx, target.File(), filepath.Ext(path), opt); err == nil {
		err = target.Publish()
	}
	if err = errors.Join(err, target.Discard()); err != nil {
		return fmt.Errorf("write sample %s: %w", path, err)
	}
	return nil
}

func (o *Options) ensureDefaults() {
	if o.RowGroupRows == 0 {
		o.RowGroupRows = rowGroupRows
	}
	if o.Threads <= 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
}

func (o *Options) validate() error {
	switch {
	case o.Rows < 0:
		return usage("choose sample size: %d rows is less than 0", o.Rows)
	case o.RowGroupRows < 0:
		return usage("choose row group size: %d rows is less than 1", o.RowGroupRows)
	}
	return nil
}

func usage(format string, args ...any) error {
	return &kcut.Error{Class: kcut.ErrUsage, Err: fmt.Errorf(format, args...), Hint: "see kcut sample --help"}
}

// checkTarget refuses, before anything is made, a path that could not be published.
func checkTarget(path string, overwrite bool) error {
	if ext := filepath.Ext(path); ext != ".parquet" && ext != ".csv" {
		return &kcut.Error{
			Class: kcut.ErrUsage,
			Err:   fmt.Errorf("choose sample format: %s ends in neither .parquet nor .csv", path),
			Hint:  "give the file one of these extensions",
		}
	}
	return kcut.CheckFile("sample", path, overwrite)
}

func write(ctx context.Context, file io.Writer, extension string, opt Options) error {
	began := time.Now()
	if opt.Events.Start != nil {
		opt.Events.Start(Stage)
	}
	w, err := newWriter(file, extension, newPeople(opt.Seed))
	if err != nil {
		return err
	}
	size := int64(opt.RowGroupRows)
	blocks := int((opt.Rows + size - 1) / size)
	encode := func(ctx context.Context, _ workers.Worker, i int, emit func(block) error) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		first := int64(i) * size
		b, err := w.encode(first, int(min(size, opt.Rows-first)))
		if err != nil {
			return err
		}
		return emit(b)
	}
	var done int64
	append := func(b block) error {
		done += int64(b.rows)
		if opt.Events.Progress != nil {
			opt.Events.Progress(Stage, kcut.Progress{Done: done, Total: opt.Rows})
		}
		return w.write(b)
	}
	if err := workers.Ordered(ctx, blocks, opt.Threads, encode, append); err != nil {
		return err
	}
	if err := w.close(); err != nil {
		return err
	}
	if opt.Events.End != nil {
		opt.Events.End(Stage, time.Since(began))
	}
	return nil
}

func newWriter(file io.Writer, extension string, p *people) (blockWriter, error) {
	if extension == ".csv" {
		return newCSV(file, p)
	}
	return newParquet(file, p)
}
