// Package sample makes synthetic census-like people, for trying and benchmarking.
package sample

import (
	"cmp"
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
	if err = write(ctx, target.File(), filepath.Ext(path), opt); err == nil {
		err = target.Publish()
	}
	if err = errors.Join(err, target.Discard()); err != nil {
		return fmt.Errorf("write sample %s: %w", path, err)
	}
	return nil
}

// check refuses, before anything is made, what makes no sense, and a path that could not be published.
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

func write(ctx context.Context, file io.Writer, extension string, opt Options) (err error) {
	began := time.Now()
	if opt.Events.Start != nil {
		opt.Events.Start(Stage)
	}
	var w blockWriter
	if people := newPeople(opt.Seed); extension == ".csv" {
		w, err = newCSV(file, people)
	} else {
		w, err = newParquet(file, people)
	}
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
	err = workers.Ordered(ctx, blocks, opt.Threads, encode, func(b block) error {
		done += int64(b.rows)
		if opt.Events.Progress != nil {
			opt.Events.Progress(Stage, kcut.Progress{Done: done, Total: opt.Rows})
		}
		return w.write(b)
	})
	if err != nil {
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
