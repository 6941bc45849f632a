package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"

	"golang.org/x/sync/errgroup"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/pipeline/coding"
	"github.com/kcut/kcut/pipeline/fault"
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

// locate adds to the error of an uncovered value where the first such row is.
func (r *run) locate(ctx context.Context, attribute int, err error) error {
	var lacking *coding.Uncovered
	if !errors.As(err, &lacking) {
		return err
	}
	lacking.First, err = r.firstRow(ctx, attribute, lacking.Tree)
	if err != nil {
		return err
	}
	return &fault.Error{
		Class: fault.Input,
		Hint:  "add the values to the taxonomy, or set unknown: root for the column",
		Err:   lacking,
	}
}

// coverage codes values by whether a taxonomy covers them.
type coverage struct{ tree *engine.Tree }

const covered, lacked = 0, 1

func (c coverage) Null() uint32 { return covered }

func (c coverage) Encode(values *formats.Values, from int, codes []uint32) ([]uint32, int, error) {
	for i := from; i < values.Len(); i++ {
		code := uint32(lacked)
		if _, ok := c.tree.Code(values.Text(i)); ok {
			code = covered
		}
		codes = append(codes, code)
	}
	return codes, lacked + 1, nil
}

// firstRow returns the place of the first row whose value a taxonomy lacks.
func (r *run) firstRow(ctx context.Context, attribute int, tree *engine.Tree) (string, error) {
	m := coding.NewMapping(coverage{tree})
	request := []formats.Request{{Column: r.prepared.masked[attribute], Coded: true}}
	start := int64(0) // of the split's file
	file := ""
	for _, split := range r.dataset.Splits() {
		if split.File != file {
			file, start = split.File, split.Row
		}
		row, err := firstInSplit(ctx, r.dataset, split, request, &m)
		if err != nil {
			return "", err
		}
		if row >= 0 {
			return fmt.Sprintf("%s, row %d", file, split.Row-start+row+1), nil
		}
	}
	return "", errors.New("find the first row of a value that was counted: no row has it")
}

// firstInSplit returns the position of the first such row in a split, or -1.
func firstInSplit(ctx context.Context, dataset *dataset.Dataset, split formats.Split, request []formats.Request, m *coding.Mapping) (row int64, err error) {
	reader, err := dataset.Read(ctx, split, request)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	var codes []uint32
	for {
		batch, err := reader.Next(ctx)
		if err == io.EOF {
			return -1, nil
		}
		if err != nil {
			return 0, err
		}
		if codes, err = m.Translate(batch.Columns[0], codes); err != nil {
			return 0, err
		}
		for i, code := range codes {
			if code == lacked {
				return row + int64(i), nil
			}
		}
		row += int64(batch.Rows)
	}
}
