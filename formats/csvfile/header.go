package csvfile

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
)

// header makes the columns from the first record, still without types.
func (s *source) header(scan *scanner) error {
	scan.skip = true
	fields, err := scan.record()
	if err == io.EOF {
		return fault.Errorf(fault.Input, "write a header, or leave the file out",
			"%w: %w: no header", formats.ErrSchema, formats.ErrBlank)
	}
	if err != nil {
		return err
	}
	names, err := s.names(fields)
	if err != nil {
		return err
	}
	seen := make(map[string]int, len(names)) // positions, from 1 on
	for i, name := range names {
		position := 0
		if s.csv.Naming && i > 0 && (name == "" || seen[name] > 0) {
			position = i + 1
			name = formats.NameOfPosition(position)
		}
		switch {
		case strings.Contains(name, "\x00"):
			return fault.Errorf(fault.Input, encodingHint, "%w: line 1 has a zero byte in column "+
				"%d, as UTF-16 has", formats.ErrDamaged, i+1)
		// the whole file is one line: values follow
		case strings.Contains(strings.ReplaceAll(name, "\r\n", ""), "\r"):
			return fault.Errorf(fault.Input, "write it with line feeds between records",
				"%w: line 1 has a carriage return in column %d: lines must end with a line feed",
				formats.ErrSchema, i+1)
		case name == "" && (i > 0 || len(names) == 1): // the first may be the row numbers of pandas
			return fault.Errorf(fault.Input,
				fmt.Sprintf("name it in the job, as note: {mask: drop, rename: %d}, or in the "+
					"header", i+1),
				"%w: column %d has no name in the header", formats.ErrSchema, i+1)
		case seen[name] > 0:
			return s.sameName(name, seen[name], i+1)
		}
		seen[name] = i + 1
		s.schema = append(s.schema, formats.Field{Name: name, Position: position})
	}
	return nil
}

// names returns the names of the columns: those of the job, or of the first record. It skips
// unnamed columns at the end: see record.
func (s *source) names(fields []field) (names []string, err error) {
	declared := s.csv.Header
	if declared != nil && (len(fields) < len(declared) || namedFields(fields[len(declared):]) > 0) {
		return nil, fault.Errorf(fault.Input, "name all columns in csv.header",
			"%w: the first line has %d fields, csv.header has %d names", formats.ErrSchema,
			len(fields), len(declared))
	}
	if declared != nil {
		fields = fields[:len(declared)]
	}
	for i, f := range fields {
		name := string(f.text)
		if s.csv.Headless {
			name = formats.NameOfPosition(i + 1)
		}
		if declared != nil {
			name = declared[i]
		}
		if given, ok := s.csv.Names[i+1]; ok {
			name = given
		}
		names = append(names, name)
	}
	for len(names) > 1 && names[len(names)-1] == "" {
		names = names[:len(names)-1]
	}
	s.surplus = len(names) < len(fields)
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

// record returns the next record, which has as many fields as the header, apart from empty ones at
// its end.
func (s *source) record(scan *scanner) ([]field, error) {
	fields, err := scan.record()
	if err != nil {
		return nil, err
	}
	if len(fields) != len(s.schema) {
		return nil, fault.Errorf(fault.Input, fieldsHint, "line %d: %w: %d fields where the "+
			"header has %d", scan.line, formats.ErrDamaged, len(fields), len(s.schema))
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
