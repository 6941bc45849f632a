package csvfile

import (
	"context"
	"io"
	"math"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/fence"
)

// survey reads all records from a place on, on several goroutines: it makes the chunks and
// returns what each column's texts allow.
func (s *source) survey(ctx context.Context, start place, types map[string]formats.Type) ([]evidence, error) {
	stretches := []stretch{{place: start, end: -1}}
	if s.unpack == nil {
		var err error
		if stretches, err = s.cut(ctx, start); err != nil {
			return nil, err
		}
	}
	found := make([][]evidence, len(stretches))
	err := fence.Each(len(stretches), s.threads, func(i int) (err error) {
		found[i] = s.newEvidence(types)
		return s.surveyStretch(ctx, &stretches[i], found[i])
	})
	if err != nil {
		return nil, err
	}
	s.parts = s.chunks(stretches)
	columns := s.newEvidence(types)
	for _, f := range found {
		for c := range columns {
			columns[c].join(f[c])
		}
	}
	return columns, nil
}

// chunks cuts the records of all stretches into chunks of equally many. A compressed file,
// which can only be read from its start, has one.
func (s *source) chunks(stretches []stretch) (parts []part) {
	size := s.cutting.chunk
	if s.unpack != nil {
		size = math.MaxInt64
	}
	row := int64(0)
	for _, t := range stretches {
		for at := int64(0); at < t.rows; {
			if n := len(parts); n == 0 || parts[n-1].rows == size {
				parts = append(parts, part{place: t.marks[at/s.cutting.mark], skip: at % s.cutting.mark, row: row + at})
			}
			last := &parts[len(parts)-1]
			n := min(size-last.rows, t.rows-at)
			last.rows, last.end = last.rows+n, t.end
			at += n
		}
		row += t.rows
	}
	return parts
}

// newEvidence returns what the columns' texts allow before one is seen. What a column that
// has a declared type could be is not asked.
func (s *source) newEvidence(types map[string]formats.Type) []evidence {
	columns := make([]evidence, len(s.schema))
	for i := range columns {
		if _, declared := types[s.schema[i].Name]; !declared {
			columns[i].guess = guessAny
		}
	}
	return columns
}

// surveyStretch counts the records of a stretch, marks some, and sees all their fields.
func (s *source) surveyStretch(ctx context.Context, t *stretch, columns []evidence) error {
	scan, err := s.scan(ctx, t.place, t.end)
	if err != nil {
		return err
	}
	defer scan.close()
	for {
		at := place{scan.offset, scan.next}
		record, err := s.record(scan)
		if err == io.EOF {
			t.end = scan.offset
			return nil
		}
		if err != nil {
			return err
		}
		if t.rows%s.cutting.mark == 0 {
			t.marks = append(t.marks, at)
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		t.rows++
		for i, f := range record {
			columns[i].see(f)
		}
	}
}

// scan returns a scanner of the records from a place on to the end of the text.
func (s *source) scan(ctx context.Context, from place, end int64) (*scanner, error) {
	text, err := s.text(ctx, from.offset, end)
	if err != nil {
		return nil, err
	}
	scan := newScanner(text, s.delim, from.line, len(s.schema), s.hold)
	scan.offset = from.offset
	scan.skip, scan.names = len(s.schema) > 1, s.schema
	return scan, nil
}
