// Package sample makes synthetic census-like people, for trials and benchmarks.
package sample

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"time"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/formats/publish"
	"github.com/kcut/kcut/internal/workers"
)

// Options are the options of Write.
type Options struct {
	Rows         int64       // number of people; 0 makes a file without rows
	Seed         uint64      // equal seeds give equal people, one by one, for any number of rows
	RowGroupRows int         // number of rows of a Parquet row group; 0: 131,072
	Threads      int         // 0: as many as the machine has
	Overwrite    bool        // replace a file that exists
	Events       kcut.Events // gets Stage
}

// Stage is the stage that Events gets.
const Stage kcut.Stage = "sample"

// rowGroupRows is large enough for dictionaries to pay and small enough that a few row groups in
// progress need little memory.
const rowGroupRows = 1 << 17

// Write writes a file of synthetic people that resemble a census extract: correlated attributes,
// nulls, direct identifiers and an income class. The format follows the path's extension, .parquet
// or .csv. The same rows, seed and row group size give the same bytes, for any number of threads,
// and the memory does not depend on the number of rows.
//
// It returns a *kcut.Error of kcut.ErrUsage for invalid options and of kcut.ErrExists when the file
// exists and Overwrite is not set.
func Write(ctx context.Context, path string, opt Options) error {
	opt.RowGroupRows = cmp.Or(opt.RowGroupRows, rowGroupRows)
	if opt.Threads <= 0 {
		opt.Threads = runtime.GOMAXPROCS(0)
	}
	if err := opt.check(path); err != nil {
		return err
	}
	target, err := publish.File(path)
	if err != nil {
		return err
	}
	began := time.Now()
	if opt.Events.Start != nil {
		opt.Events.Start(Stage)
	}
	write := writeParquet
	if filepath.Ext(path) == ".csv" {
		write = writeCSV
	}
	if err = write(ctx, target.File(), opt); err == nil {
		if opt.Events.End != nil {
			opt.Events.End(Stage, time.Since(began))
		}
		err = target.Publish()
	}
	if err = errors.Join(err, target.Discard()); err != nil {
		return fmt.Errorf("write sample %s: %w", path, err)
	}
	return nil
}

// check refuses, before anything is made, invalid options, and a path that could not be published.
func (o *Options) check(path string) error {
	ext, hint := filepath.Ext(path), "see kcut sample --help"
	var err error
	switch {
	case o.Rows < 0:
		err = fmt.Errorf("choose sample size: %d rows is less than 0", o.Rows)
	case o.RowGroupRows < 0:
		err = fmt.Errorf("choose row group size: %d rows is less than 1", o.RowGroupRows)
	case ext != ".parquet" && ext != ".csv":
		err = fmt.Errorf("choose sample format: %s ends in neither .parquet nor .csv", path)
		hint = "give the file one of these extensions"
	default:
		return kcut.CheckFile("sample", path, o.Overwrite)
	}
	return &kcut.Error{Class: kcut.ErrUsage, Err: err, Hint: hint}
}

// writeBlocks encodes people block by block, on several goroutines, and writes the blocks in order.
func writeBlocks[B any](ctx context.Context, opt Options,
	encode func(first int64, rows int) (B, error), write func(B) error) error {
	size := int64(opt.RowGroupRows)
	blocks := int((opt.Rows + size - 1) / size)
	encodeBlock := func(ctx context.Context, _ workers.Worker, i int, emit func(B) error) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		first := int64(i) * size
		block, err := encode(first, int(min(size, opt.Rows-first)))
		if err != nil {
			return err
		}
		return emit(block)
	}
	var done int64
	return workers.Ordered(ctx, blocks, opt.Threads, encodeBlock, func(block B) error {
		done = min(done+size, opt.Rows)
		if opt.Events.Progress != nil {
			opt.Events.Progress(Stage, kcut.Progress{Done: done, Total: opt.Rows})
		}
		return write(block)
	})
}
