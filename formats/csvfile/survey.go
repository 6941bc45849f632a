package csvfile

import (
	"bytes"
	"context"
	"io"
	"math"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/fence"
)

// survey reads all records from a place on, on several goroutines: it makes the chunks and returns
// the evidence of each column.
func (s *source) survey(ctx context.Context, start place,
	types map[string]formats.Type) ([]evidence, error) {
	sections := []section{{place: start, end: -1}}
	if !s.inSequence() && s.dialect.escape == 0 { // otherwise nothing marks the start of a record
		var err error
		if sections, err = s.cut(ctx, start); err != nil {
			return nil, err
		}
	}
	found := make([][]evidence, len(sections))
	err := fence.Each(len(sections), s.threads, func(i int) (err error) {
		found[i] = s.newEvidence(types)
		return s.surveySection(ctx, &sections[i], found[i])
	})
	if err != nil {
		return nil, err
	}
	s.parts = s.chunks(sections)
	for _, t := range sections {
		s.surplus, s.held = s.surplus || t.surplus, max(s.held, t.held)
	}
	columns := s.newEvidence(types)
	for _, f := range found {
		for c := range columns {
			columns[c].join(&f[c], 0)
		}
	}
	for i := range columns {
		s.sizes = append(s.sizes, textSizes{columns[i].bytes, int64(columns[i].longest)})
	}
	return columns, nil
}

// chunks divides the records of all sections into chunks of equal numbers of records. A compressed
// file, which can only be read from its start, has one chunk.
func (s *source) chunks(sections []section) (parts []part) {
	size := s.cutting.chunk
	if s.inSequence() {
		size = math.MaxInt64
	}
	row := int64(0)
	for _, t := range sections {
		for at := int64(0); at < t.rows; {
			if n := len(parts); n == 0 || parts[n-1].rows == size {
				parts = append(parts, part{
					place: t.marks[at/s.cutting.mark],
					skip:  at % s.cutting.mark,
					row:   row + at,
				})
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

// newEvidence returns the evidence of the columns before the first text. Columns with a declared
// type need none.
func (s *source) newEvidence(types map[string]formats.Type) []evidence {
	columns, files := make([]evidence, len(s.schema)), []string{s.path}
	for i := range columns {
		name := s.schema[i].Name
		columns[i] = newEvidence(files, s.numerals)
		columns[i].name, columns[i].delim = name, s.dialect.delim
		if _, declared := types[name]; declared {
			columns[i].guess, columns[i].looks = 0, looks{}
		}
	}
	return columns
}

// surveySection counts the records of a section, marks some, and adds all their fields to the
// evidence.
func (s *source) surveySection(ctx context.Context, t *section, columns []evidence) error {
	scan, err := s.scan(ctx, t.place, t.end)
	if err != nil {
		return err
	}
	defer scan.close()
	for {
		at := place{scan.offset, scan.next}
		record, err := s.record(scan)
		if err == io.EOF {
			t.end, t.surplus, t.held = scan.offset, scan.surplus, scan.holding.Reported()
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
			columns[i].see(f, scan.line)
		}
	}
}

// scan returns a scanner of the records from a place on to the end of the text.
func (s *source) scan(ctx context.Context, from place, end int64) (*scanner, error) {
	text, err := s.text(ctx, from.offset, end)
	if err != nil {
		return nil, err
	}
	scan := newScanner(text, s.dialect, from.line, len(s.schema), s.hold)
	scan.nulls, scan.headed, scan.measure = s.nulls, s.headed, s.measure()
	scan.offset = from.offset
	scan.skip, scan.names = len(s.schema) > 1, s.schema
	return scan, nil
}

// cutting is the sizes for dividing a file. They do not depend on the number of threads, and so
// neither do the chunks.
type cutting struct {
	block int64 // bytes of a block; blocks are surveyed in parallel
	chunk int64 // number of records of a chunk
	mark  int64 // number of records from one mark to the next
}

var usualCutting = cutting{block: 1 << 20, chunk: 65536, mark: 512}

// block describes a range of bytes before it is known whether it starts inside quotes, which
// depends on all quotes before it. In well-formed CSV a newline ends a record when the number of
// quotes before it is even.
type block struct {
	quote  []byte
	size   int64
	quotes int64
	lines  int64
	// the first record that starts behind a newline of the block, if the block starts outside
	// quotes, and if inside
	starts [2]recordStart
}

// recordStart is a position in a block and the number of newlines before it in the block.
type recordStart struct{ at, lines int64 }

// section is a range of whole records that one goroutine surveys.
type section struct {
	place
	end   int64
	rows  int64
	marks []place // of its records 0, mark, 2·mark, …

	surplus bool  // lines end in delimiters followed by nothing
	held    int64 // most bytes that reading its records reported
}

// place is the start of a record: a position in the text, and a line, from 1.
type place struct{ offset, line int64 }

// cut divides the text from a record's start to the end of the file into sections, about one for
// each block. In well-formed CSV, they start where records do.
func (s *source) cut(ctx context.Context, start place) ([]section, error) {
	size := s.info.Size()
	blocks := make([]block, (max(size-start.offset, 0)+s.cutting.block-1)/s.cutting.block)
	err := fence.Each(len(blocks), s.threads, func(i int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		from := start.offset + int64(i)*s.cutting.block
		return s.look(ctx, &blocks[i], from, min(from+s.cutting.block, size))
	})
	if err != nil {
		return nil, err
	}
	found := []section{{place: start, end: size}}
	inside, line := int64(0), start.line
	for i, b := range blocks {
		if first := b.starts[inside]; i > 0 && first.at > 0 {
			at := start.offset + int64(i)*s.cutting.block + first.at
			found[len(found)-1].end = at
			found = append(found, section{place: place{at, line + first.lines}, end: size})
		}
		inside = (inside + b.quotes) & 1
		line += b.lines
	}
	return found, nil
}

// look describes a block.
func (s *source) look(ctx context.Context, b *block, from, to int64) error {
	text, err := s.text(ctx, from, to)
	if err != nil {
		return err
	}
	defer text.Close()
	memory := takeBuffer()
	defer leaveBuffer(memory)
	b.quote = []byte{s.dialect.quote}
	_, err = io.CopyBuffer(b, text, *memory)
	return err
}

var newline = []byte{'\n'}

// Write counts quotes and newlines of more bytes of the block.
func (b *block) Write(text []byte) (int, error) {
	for rest := text; len(rest) > 0; {
		line, behind, ended := bytes.Cut(rest, newline)
		b.quotes += int64(bytes.Count(line, b.quote))
		b.size += int64(len(line))
		if ended {
			b.size++
			b.lines++
			if first := &b.starts[b.quotes&1]; first.at == 0 {
				*first = recordStart{b.size, b.lines}
			}
		}
		rest = behind
	}
	return len(text), nil
}
