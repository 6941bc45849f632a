package count

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/job"
)

// unmapped is the error of values that a labeler has no place for.
type unmapped struct {
	labeler domain.Labeler
	records uint64
}

func (u *unmapped) Error() string { return "values that the cut has no place for" }

// finder looks for values of a column that have no place in a taxonomy or a given cut, only to say
// what is wrong with an input that was counted.
type finder struct {
	isUnmapped func(values *formats.Values, i int) (bool, error)
	most       int    // different ones that are told apart; 0: the first row is all that is asked for
	first      string // "file F, row N"
	found      map[[sha256.Size]byte]bool
	more       bool // than that

	of      *formats.Values // of the reader
	missing []bool          // by local code
}

// mostUnmapped is how many different values are told apart.
const mostUnmapped = 1 << 16

// find reads a column again, until it has found what is asked for.
func (f *finder) find(ctx context.Context, r *Request, column int) error {
	f.found = make(map[[sha256.Size]byte]bool)
	requests := []formats.Request{{Column: r.Columns[column].Field, Coded: true}}
	file, start := "", int64(0)
	for _, split := range r.Dataset.Splits() {
		if split.File != file {
			file, start = split.File, split.Row
		}
		reader, err := r.Dataset.Read(ctx, split, requests)
		if err != nil {
			return err
		}
		if err := errors.Join(f.read(ctx, reader, split, start), reader.Close()); err != nil {
			return err
		}
		if f.most == 0 && f.first != "" {
			return nil
		}
	}
	if f.first == "" {
		return errors.New("find the first row of a value that was counted: no row has it")
	}
	return nil
}

// read looks at the rows of a split, whose file starts at a row of the input.
func (f *finder) read(ctx context.Context, reader formats.BatchReader, split formats.Split, start int64) error {
	row := split.Row - start
	for {
		batch, err := reader.Next(ctx)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		column := batch.Columns[0]
		if err := f.learn(column.Values); err != nil {
			return err
		}
		for i, code := range column.Codes {
			if !f.missing[code] {
				continue
			}
			if f.first == "" {
				f.first = fmt.Sprintf("%s, row %d", split.File, row+int64(i)+1)
			}
			if f.most == 0 {
				return nil
			}
			// By its digest: as many long texts might not fit the memory.
			digest := sha256.Sum256([]byte(domain.TextOf(column.Values, int(code)-1)))
			if f.more = f.more || !f.found[digest] && len(f.found) == f.most; !f.more {
				f.found[digest] = true
			}
		}
		row += int64(batch.Rows)
	}
}

// learn looks at the values of a reader that are new to it.
func (f *finder) learn(values *formats.Values) error {
	if f.of != values {
		f.of, f.missing = values, append(f.missing[:0], false) // a null is none
	}
	for i := len(f.missing) - 1; i < values.Len(); i++ {
		missing, err := f.isUnmapped(values, i)
		if err != nil {
			return err
		}
		f.missing = append(f.missing, missing)
	}
	return nil
}

// locate completes the error of values that have no place in a taxonomy, or in the given cut: where
// the first such row is.
func (r *Request) locate(ctx context.Context, column int, err error) error {
	var lacking *domain.Uncovered
	var missing *unmapped
	spec, f := r.Columns[column].Spec, &finder{}
	switch {
	case errors.As(err, &lacking):
		f.isUnmapped = func(values *formats.Values, i int) (bool, error) {
			_, ok := lacking.Tree.Code(domain.TextOf(values, i))
			return !ok, nil
		}
	case errors.As(err, &missing) && spec.Mask == job.MaskSuppress:
		return domain.Marked(spec.Name, missing.records)
	case errors.As(err, &missing):
		labels := domain.NewMapping(missing.labeler)
		f.most = mostUnmapped
		f.isUnmapped = func(values *formats.Values, i int) (bool, error) {
			err := labels.Learn(values)
			_, codes := labels.Learned()
			return err == nil && codes[i+1] == missing.labeler.Unmapped(), err
		}
	default:
		return err
	}
	if err := f.find(ctx, r, column); err != nil {
		return err
	}
	located := &fault.Error{Class: fault.Input, Hint: "add the values to the taxonomy, or set unknown: root for the column"}
	if lacking != nil {
		lacking.First = f.first
		located.Err = lacking
		return located
	}
	found := fmt.Sprintf("%s of %s, first in %s,", text.Count(len(f.found), "distinct value"), text.Count(missing.records, "row"), f.first)
	if f.more {
		found = "more than " + found
	}
	located.Err = fmt.Errorf("mask column %s: its cut has no place for %s", spec.Name, found)
	if spec.Mask == job.MaskDiscretize {
		located.Hint = "run the job anew with wider bounds"
		located.Err = fmt.Errorf("mask column %s: %s lie outside the bounds", spec.Name, found)
	}
	return located
}
