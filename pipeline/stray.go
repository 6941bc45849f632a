package pipeline

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/coding"
	"github.com/kcut/kcut/pipeline/jobfile"
	"github.com/kcut/kcut/pipeline/labeling"
)

// strays are values of a column that have no place in a taxonomy or a given cut. They are
// looked for only to say what is wrong with an input that was counted.
type strays struct {
	is    func(values *formats.Values, i int) bool
	most  int    // different ones that are told apart; 0: the first row is all that is asked for
	first string // "file F, row N"
	found map[[sha256.Size]byte]bool
	more  bool // than that

	of    *formats.Values // of the reader
	stray []bool          // by local code
}

// mostStrays is how many different values are told apart.
const mostStrays = 1 << 16

// words describes so many records.
func (s *strays) words(records uint64) string {
	more := ""
	if s.more {
		more = "more than "
	}
	return fmt.Sprintf("%s%s of %s, first in %s,", more, text.Count(len(s.found), "distinct value"), text.Count(records, "row"), s.first)
}

// findStrays reads the column of an attribute again, until it has found what is asked for.
func (r *run) findStrays(ctx context.Context, attribute int, s *strays) error {
	s.found = make(map[[sha256.Size]byte]bool)
	requests := []formats.Request{{Column: r.prepared.masked[attribute], Coded: true}}
	file, start := "", int64(0)
	for _, split := range r.dataset.Splits() {
		if split.File != file {
			file, start = split.File, split.Row
		}
		reader, err := r.dataset.Read(ctx, split, requests)
		if err != nil {
			return err
		}
		if err := errors.Join(s.read(ctx, reader, split, start), reader.Close()); err != nil {
			return err
		}
		if s.most == 0 && s.first != "" {
			return nil
		}
	}
	if s.first == "" {
		return errors.New("find the first row of a value that was counted: no row has it")
	}
	return nil
}

// read looks at the rows of a split, whose file starts at a row of the input.
func (s *strays) read(ctx context.Context, reader formats.BatchReader, split formats.Split, start int64) error {
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
		s.learn(column.Values)
		for i, code := range column.Codes {
			if !s.stray[code] {
				continue
			}
			if s.first == "" {
				s.first = fmt.Sprintf("%s, row %d", split.File, row+int64(i)+1)
			}
			if s.most == 0 {
				return nil
			}
			s.add(coding.TextOf(column.Values, int(code)-1))
		}
		row += int64(batch.Rows)
	}
}

// learn looks at the values of a reader that are new to it.
func (s *strays) learn(values *formats.Values) {
	if s.of != values {
		s.of, s.stray = values, append(s.stray[:0], false) // a null is none
	}
	for i := len(s.stray) - 1; i < values.Len(); i++ {
		s.stray = append(s.stray, s.is(values, i))
	}
}

// add notes a value by its digest: as many long texts might not fit the memory.
func (s *strays) add(value string) {
	digest := sha256.Sum256([]byte(value))
	if !s.found[digest] && len(s.found) == s.most {
		s.more = true
		return
	}
	s.found[digest] = true
}

// locate adds to the error of a value that a taxonomy lacks where the first such row is.
func (r *run) locate(ctx context.Context, attribute int, err error) error {
	var lacking *coding.Uncovered
	if !errors.As(err, &lacking) {
		return err
	}
	s := &strays{is: func(values *formats.Values, i int) bool {
		_, ok := lacking.Tree.Code(coding.TextOf(values, i))
		return !ok
	}}
	if err := r.findStrays(ctx, attribute, s); err != nil {
		return err
	}
	lacking.First = s.first
	return &fault.Error{
		Class: fault.Input,
		Hint:  "add the values to the taxonomy, or set unknown: root for the column",
		Err:   lacking,
	}
}

// strayError is the error of values that the given cut has no place for.
func (r *run) strayError(ctx context.Context, attribute int, l labeling.Labeler, records uint64) error {
	spec := r.prepared.specs[r.prepared.masked[attribute]]
	if spec.Mask == jobfile.MaskSuppress {
		return coding.Marked(spec.Name, records)
	}
	found := &strays{is: l.IsStray, most: mostStrays}
	if err := r.findStrays(ctx, attribute, found); err != nil {
		return err
	}
	if spec.Mask == jobfile.MaskDiscretize {
		return &fault.Error{
			Class: fault.Input,
			Hint:  "run the job anew with wider bounds",
			Err:   fmt.Errorf("mask column %s: %s lie outside the bounds", spec.Name, found.words(records)),
		}
	}
	return &fault.Error{
		Class: fault.Input,
		Hint:  "add the values to the taxonomy, or set unknown: root for the column",
		Err:   fmt.Errorf("mask column %s: its cut has no place for %s", spec.Name, found.words(records)),
	}
}
