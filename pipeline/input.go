package pipeline

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/pipeline/jobfile"
)

// openInput opens the job's input.
func openInput(ctx context.Context, job *jobfile.Job, options formats.ReadOptions) (*dataset.Dataset, error) {
	dataset, err := dataset.Open(ctx, job.Input, options)
	if err != nil {
		return nil, fmt.Errorf("open input: %w", err)
	}
	return dataset, nil
}

// statInputs returns what the file system, or the object store, says of every input file.
func statInputs(ctx context.Context, files []string) ([]storage.Info, error) {
	infos := make([]storage.Info, len(files))
	var work errgroup.Group
	work.SetLimit(lookers)
	for i, file := range files {
		work.Go(func() (err error) {
			if infos[i], err = storage.Stat(ctx, file); err != nil {
				return fmt.Errorf("look at input: %w", err)
			}
			return nil
		})
	}
	return infos, work.Wait()
}

// lookers is how many input files are looked at a time: a store takes its time to answer.
const lookers = 8

// checkUnchanged compares the input files with what they were when the run began. Two
// readings of different data could agree in every value and count and still not in which
// rows have them.
func checkUnchanged(ctx context.Context, files []string, before []storage.Info) error {
	now, err := statInputs(ctx, files)
	if err != nil {
		return err
	}
	for i, was := range before {
		if !was.Same(now[i]) {
			return fmt.Errorf("read %s again: it was changed during the run: %w", files[i], formats.ErrDamaged)
		}
	}
	return nil
}
