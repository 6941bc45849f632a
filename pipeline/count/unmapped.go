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

// words describes so many records.
func (f *finder) words(records uint64) string {
	more := ""
	if f.more {
		more = "more than "
	}
	return fmt.Sprintf("%s%s of %s, first in %s,", more, text.Count(len(f.found), "distinct value"), text.Count(records, "row"), f.first)
}

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
			f.add(domain.TextOf(column.Values, int(code)-1))
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

// add notes a value by its digest: as many long texts might not fit the memory.
func (f *finder) add(value string) {
	digest := sha256.Sum256([]byte(value))
	if !f.found[digest] && len(f.found) == f.most {
		f.more = true
		return
	}
	f.found[digest] = true
}

// locate completes the error of values that have no place: where the first such row is.
func (r *Request) locate(ctx context.Context, column int, err error) error {
	var lacking *domain.Uncovered
	var missing *unmapped
	switch {
	case errors.As(err, &lacking):
		return r.locateUncovered(ctx, column, lacking)
	case errors.As(err, &missing):
		return r.locateUnmapped(ctx, column, missing)
	}
	return err
}

// locateUncovered completes the error of values that a taxonomy lacks.
func (r *Request) locateUncovered(ctx context.Context, column int, lacking *domain.Uncovered) error {
	f := &finder{isUnmapped: func(values *formats.Values, i int) (bool, error) {
		_, ok := lacking.Tree.Code(domain.TextOf(values, i))
		return !ok, nil
	}}
	if err := f.find(ctx, r, column); err != nil {
		return err
	}
	lacking.First = f.first
	return &fault.Error{
		Class: fault.Input,
		Hint:  "add the values to the taxonomy, or set unknown: root for the column",
		Err:   lacking,
	}
}

// locateUnmapped makes the error of values that the given cut has no place for.
func (r *Request) locateUnmapped(ctx context.Context, column int, u *unmapped) error {
	spec := r.Columns[column].Spec
	if spec.Mask == job.MaskSuppress {
		return domain.Marked(spec.Name, u.records)
	}
	labels := domain.NewMapping(u.labeler)
	f := &finder{most: mostUnmapped, isUnmapped: func(values *formats.Values, i int) (bool, error) {
		err := labels.Learn(values)
		_, codes := labels.Learned()
		return err == nil && codes[i+1] == u.labeler.Unmapped(), err
	}}
	if err := f.find(ctx, r, column); err != nil {
		return err
	}
	if spec.Mask == job.MaskDiscretize {
		return &fault.Error{
			Class: fault.Input,
			Hint:  "run the job anew with wider bounds",
			Err:   fmt.Errorf("mask column %s: %s lie outside the bounds", spec.Name, f.words(u.records)),
		}
	}
	return &fault.Error{
		Class: fault.Input,
		Hint:  "add the values to the taxonomy, or set unknown: root for the column",
		Err:   fmt.Errorf("mask column %s: its cut has no place for %s", spec.Name, f.words(u.records)),
	}
}
