package records

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/job"
)

// Input reads all batches of a table, and returns a copy of a job whose input they are, for
// kcut.Run and every other function that takes a job. The batches go to a private file in
// job.Limits.SpillDir, or in the system's folder for temporary files if that is empty. The caller
// calls remove, which removes the file, when no function uses the job any more. Input does not
// release the reader.
func Input(ctx context.Context, j *job.Job, table array.RecordReader) (_ *job.Job,
	remove func() error, err error) {
	spill := cmp.Or(j.Limits.SpillDir, os.TempDir())
	if err := fileset.CheckFolder("record batches", filepath.Join(spill, "records")); err != nil {
		return nil, nil, err
	}
	folder, err := os.MkdirTemp(spill, "kcut-records-")
	if err != nil {
		return nil, nil, fault.Advised(fmt.Errorf("write record batches: %w", err))
	}
	remove = func() error { return fault.Advised(os.RemoveAll(folder)) }
	path := filepath.Join(folder, "records.arrows")
	if err := workers.Fence(func() error { return write(ctx, path, table) }); err != nil {
		_ = remove()
		return nil, nil, fault.Advised(err)
	}
	bound := *j
	bound.Input = []string{path}
	return &bound, remove, nil
}

// write writes batches as a stream of Arrow, in which they may have different dictionaries.
func write(ctx context.Context, path string, table array.RecordReader) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	stream := ipc.NewWriter(file, ipc.WithSchema(table.Schema()))
	for table.Next() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := stream.Write(table.Record()); err != nil {
			return fmt.Errorf("write record batches: %w", err)
		}
	}
	if err := table.Err(); err != nil {
		return fault.Errorf(fault.Input, "the error is that of the program's own reader",
			"read record batches: %w", err)
	}
	if err := stream.Close(); err != nil {
		return fmt.Errorf("write record batches: %w", err)
	}
	return file.Close()
}
