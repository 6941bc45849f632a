package csvfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
)

// header returns the names of the columns, from the record at a place, and the place of the first
// record of values.
func (s *source) header(ctx context.Context, start place) (names []string, _ place, err error) {
	r, err := s.text(ctx, start.offset, -1)
	if err != nil {
		return nil, start, err
	}
	scan := newScanner(r, s.dialect, start.line, maxColumns, s.hold)
	defer scan.close()
	scan.offset, scan.skip = start.offset, true
	fields, err := scan.record()
	if err == io.EOF {
		return nil, start, fault.Errorf(fault.Input, "write a header, or leave the file out",
			"%w: %w: no header", formats.ErrSchema, formats.ErrBlank)
	}
	if err != nil {
		return nil, start, err
	}
	names = textsOf(fields)
	if !s.csv.Headless {
		start = place{scan.offset, scan.next}
		// an error comes again when all records are read
		first, err := scan.record()
		if err == nil && isShifted(names, first) {
			s.shifted, names = true, slices.Insert(names, 0, "")
		}
		questions := textsOf(first)
		if second, err := scan.record(); err == nil && areImports(second) {
			s.asked, start = questions, place{scan.offset, scan.next}
		}
	}
	names, err = s.names(names)
	return names, start, err
}

// isShifted reports whether the first record of values shows that the header lacks the name of the
// first column, as in a table that R writes with names of its rows: the record has one field more,
// and a value at its end. A header of one name may be one over numbers with decimal commas.
func isShifted(names []string, first []field) bool {
	return len(names) > 1 && !slices.Contains(names, "") && len(first) == len(names)+1 &&
		namedFields(first) == len(first)
}

// areImports reports whether a record has the numbers of questions that Qualtrics writes behind the
// header and the questions.
func areImports(record []field) bool {
	return !slices.ContainsFunc(record, func(f field) bool {
		return !bytes.HasPrefix(f.text, []byte(`{"ImportId":`))
	})
}

// surveyNamed makes the columns, still without types, and returns their evidence. It passes over
// unnamed columns at the end, unless they have values and the reader names columns.
func (s *source) surveyNamed(ctx context.Context, names []string, start place,
	types map[string]formats.Type) (columns []evidence, err error) {
	width := len(names)
	for width > 1 && names[width-1] == "" {
		width--
	}
	s.headed = len(names)
	for surplus := s.surplus; ; {
		s.surplus = surplus || width < len(names)
		if err := s.columns(names[:width]); err != nil {
			return nil, err
		}
		columns, err = s.survey(ctx, start, types)
		if err == nil && s.shifted && s.schema[0].Name == "" {
			return nil, fault.Errorf(fault.Input, nameHint(1), "%w: all lines have one field more "+
				"than the header: column 1 has no name", formats.ErrSchema)
		}
		var unnamed *unnamedError
		if !errors.As(err, &unnamed) || !s.namesPosition(unnamed.column) {
			return columns, err
		}
		width = unnamed.column
	}
}

// namesPosition reports whether a column that has no name, or that of another one, gets one by its
// position: if the reader names columns, or the job has it.
func (s *source) namesPosition(position int) bool {
	return s.csv.Naming || s.csv.Known != nil && s.csv.Known(formats.NameOfPosition(position))
}

// unnamedError is about a value in a column at the end of the header that has no name.
type unnamedError struct{ column int } // from 1 on

func (e *unnamedError) Error() string {
	return fmt.Sprintf("column %d has values, and no name in the header", e.column)
}

// nameHint returns the hint for a column without a name.
func nameHint(column int) string {
	return fmt.Sprintf("name it in the job, as note: {mask: drop, rename: %d}, or in the header",
		column)
}

// columns makes the columns from their names.
func (s *source) columns(names []string) error {
	s.schema = nil
	seen := make(map[string]int, len(names)) // positions, from 1 on
	for i, name := range names {
		position := 0
		if (i > 0 || s.shifted) && (name == "" || seen[name] > 0) && s.namesPosition(i+1) {
			position = i + 1
			name = formats.NameOfPosition(position)
		}
		switch {
		case strings.Contains(name, "\x00"):
			return fault.Errorf(fault.Input, encodingHint, "%w: line 1 has a zero byte in column "+
				"%d, as UTF-16 has", formats.ErrDamaged, i+1)
		// the whole file is one line: values follow
		case strings.Contains(strings.ReplaceAll(name, "\r\n", ""), "\r"):
			return fault.Errorf(fault.Input, "write it with line feeds between records, "+
				`as tr '\r' '\n' < old.csv > new.csv`,
				"%w: line 1 has a carriage return in column %d: lines must end with a line feed",
				formats.ErrSchema, i+1)
		case name == "" && (i > 0 || len(names) == 1): // the first may be the row numbers of pandas
			return fault.Errorf(fault.Input, nameHint(i+1), "%w: column %d has no name in the "+
				"header", formats.ErrSchema, i+1)
		case seen[name] > 0:
			return s.sameName(name, seen[name], i+1)
		}
		seen[name] = i + 1
		field := formats.Field{Name: name, Position: position}
		if i < len(s.asked) {
			field.Question = s.asked[i]
		}
		s.schema = append(s.schema, field)
	}
	return nil
}

// names returns the names of the columns: those of the job, or of the first record.
func (s *source) names(written []string) (names []string, err error) {
	if declared := s.csv.Header; declared != nil {
		if len(written) < len(declared) ||
			slices.ContainsFunc(written[len(declared):], func(n string) bool { return n != "" }) {
			return nil, fault.Errorf(fault.Input, "name all columns in csv.header",
				"%w: the first line has %d fields, csv.header has %d names", formats.ErrSchema,
				len(written), len(declared))
		}
		s.surplus = len(declared) < len(written)
		written = declared
	}
	for i, name := range written {
		if s.csv.Headless && s.csv.Header == nil {
			name = formats.NameOfPosition(i + 1)
		}
		if given, ok := s.csv.Names[i+1]; ok {
			name = given
		}
		names = append(names, name)
	}
	return names, nil
}

// sameName refuses a name that two columns have. It shows the name only if the job has it, too:
// without a header it may be a value.
func (s *source) sameName(name string, first, second int) error {
	shown := "the same name"
	if s.csv.Known != nil && s.csv.Known(name) {
		shown = "the name " + strconv.Quote(name)
	}
	return fault.Errorf(fault.Input, fmt.Sprintf("give one of them another name in the header, "+
		"or in its entry of the job, as in home-address: {mask: drop, rename: %d}; set "+
		"csv.header: false if there is no header", second),
		"%w: the header has %s for columns %d and %d", formats.ErrSchema, shown, first, second)
}

// measure returns the record that says how many fields the others have.
func (s *source) measure() string {
	if s.shifted {
		return "line behind the header"
	}
	return "header"
}

// record returns the next record, which has a field for each column, apart from empty ones at its
// end.
func (s *source) record(scan *scanner) ([]field, error) {
	fields, err := scan.record()
	if err != nil {
		return nil, err
	}
	if len(fields) != len(s.schema) {
		return nil, fault.Errorf(fault.Input, fieldsHint, "line %d: %w: %d fields where the %s "+
			"has %d", scan.line, formats.ErrDamaged, len(fields), s.measure(), len(s.schema))
	}
	return fields, nil
}

// isHeader reports whether the names can be no record: one is no value of its column's type, and
// none is of another type than text. Then a name that is a value of its column is so by chance.
func (s *source) isHeader(columns []evidence) (is bool) {
	for i, f := range s.schema {
		if guessText([]byte(f.Name)) != 0 {
			return false
		}
		is = is || f.Name != "" && !s.nulls[f.Name] &&
			columns[i].inferred().Kind != formats.String
	}
	return is
}

// noteHeader notes what was skipped at the end of lines, and names that look like values. It does
// not show these names, since they may be values.
func (s *source) noteHeader(columns []evidence) {
	if s.surplus {
		s.notes = append(s.notes, "lines end in a delimiter with nothing behind it, and no name "+
			"in the header: it is passed over")
	}
	if s.csv.Headless {
		return
	}
	if s.asked != nil {
		s.notes = append(s.notes, "two lines of Qualtrics follow the header, with questions and "+
			"their numbers: they are passed over")
	}
	if s.shifted && s.csv.Naming {
		s.notes = append(s.notes, "all lines have one field more than the header: its names are "+
			"those of columns 2 and on, and column 1 has none")
	}
	var places []string
	isHeader := s.isHeader(columns)
	for i, f := range s.schema {
		if columns[i].named && !isHeader || guessText([]byte(f.Name)) != 0 {
			places = append(places, strconv.Itoa(i+1))
		}
	}
	const most = 5 // largest number of columns in a note
	if len(places) > most {
		places = slices.Concat(places[:most], []string{"..."})
	}
	if len(places) > 0 {
		s.notes = append(s.notes, "names in the header look like values, in column "+
			strings.Join(places, ", ")+": set csv.header to false, or to a list of names, if the "+
			"first line is no header")
	}
}
