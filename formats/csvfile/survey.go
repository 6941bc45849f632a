package csvfile

import (
	"context"
	"io"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/fence"
)

// survey reads all records behind the header, on several goroutines: it makes the chunks
// and returns what each column's texts allow.
func (s *source) survey(ctx context.Context, start, line int64, types map[string]formats.Type) ([]evidence, error) {
	parts := []part{{offset: start, end: -1, line: line}}
	if s.packed == 0 {
		var err error
		if parts, err = s.cut(ctx, start, line); err != nil {
			return nil, err
		}
	}
	found := make([][]evidence, len(parts))
	err := fence.Each(len(parts), s.threads, func(i int) (err error) {
		found[i] = s.newEvidence(types)
		return s.surveyPart(ctx, &parts[i], found[i])
	})
	if err != nil {
		return nil, err
	}
	row := int64(0)
	for i := range parts {
		parts[i].row = row
		row += parts[i].rows
	}
	s.parts = slices.DeleteFunc(parts, func(p part) bool { return p.rows == 0 })
	columns := s.newEvidence(types)
	for _, f := range found {
		for c := range columns {
			columns[c].join(f[c])
		}
	}
	return columns, nil
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

// surveyPart counts the records of a part, and sees all their fields.
func (s *source) surveyPart(ctx context.Context, p *part, columns []evidence) error {
	scan, err := s.scan(p.offset, p.end, p.line)
	if err != nil {
		return err
	}
	defer scan.close()
	for {
		record, err := s.record(scan)
		if err == io.EOF {
			p.end = scan.offset
			return nil
		}
		if err != nil {
			return err
		}
		if p.rows%batchRows == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		p.rows++
		for i, f := range record {
			columns[i].see(f)
		}
	}
}

// scan returns a scanner of the records from offset to end of the text.
func (s *source) scan(offset, end, line int64) (*scanner, error) {
	text, err := s.text(offset, end)
	if err != nil {
		return nil, err
	}
	scan := newScanner(text, s.delim, line, len(s.schema))
	scan.offset = offset
	scan.skip, scan.names = len(s.schema) > 1, s.schema
	return scan, nil
}
