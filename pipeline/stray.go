package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/coding"
	"github.com/kcut/kcut/pipeline/labeling"
)

// strays are values of a column that have no place in a given cut.
type strays struct {
	labeler labeling.Labeler
	values  map[string]bool
	more    bool   // than mostStrays
	first   string // "file F, row N"
}

// mostStrays is how many different ones are told apart.
const mostStrays = 1 << 16

// words describes so many records.
func (s *strays) words(records uint64) string {
	more := ""
	if s.more {
		more = "more than "
	}
	return fmt.Sprintf("%s%d distinct values of %d rows, first in %s,", more, len(s.values), records, s.first)
}

// findStrays reads a column again: it is only done to say what is wrong with it.
func (r *run) findStrays(ctx context.Context, attribute int, l labeling.Labeler) (*strays, error) {
	s := &strays{labeler: l, values: make(map[string]bool)}
	requests := []formats.Request{{Column: r.prepared.masked[attribute], Coded: true}}
	file, start := "", int64(0)
	for _, split := range r.dataset.Splits() {
		if split.File != file {
			file, start = split.File, split.Row
		}
		reader, err := r.dataset.Read(ctx, split, requests)
		if err != nil {
			return nil, err
		}
		if err := errors.Join(s.read(ctx, reader, split, start), reader.Close()); err != nil {
			return nil, err
		}
	}
	return s, nil
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
		stray := make([]bool, column.Values.Len()+1)
		for i := range column.Values.Len() {
			stray[i+1] = s.labeler.IsStray(column.Values, i)
		}
		for i, code := range column.Codes {
			if !stray[code] {
				continue
			}
			s.add(coding.TextOf(column.Values, int(code)-1))
			if s.first == "" {
				s.first = fmt.Sprintf("%s, row %d", split.File, row+int64(i)+1)
			}
		}
		row += int64(batch.Rows)
	}
}

func (s *strays) add(value string) {
	if !s.values[value] && len(s.values) == mostStrays {
		s.more = true
		return
	}
	s.values[value] = true
}
