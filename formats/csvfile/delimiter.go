package csvfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
)

// delimiters are the candidates when no delimiter is declared.
const delimiters = ",;\t|"

// sample is the start of a text, which determines its delimiter.
type sample struct {
	text     []byte
	whole    bool // the text ends here
	headless bool // its first record has values, not names
}

// fit is how the fields of records agree with those of the first one, the header.
type fit int

const (
	differ  fit = iota
	shifted     // the header lacks the first name: see isShifted
	same
)

// delimiter returns the delimiter of a dialect: the one with which the first record has several
// fields, and all others have as many; if there is none, the one with which all others have one
// more; if there is none, the one with which most records agree before the first that does not. It
// refuses a text with several delimiters of the first or second kind: only its owner can choose.
func (s *sample) delimiter(d dialect) (byte, error) {
	best, most, closest, several := delimiters[0], 0, differ, []string(nil)
	for _, c := range []byte(delimiters) {
		if c == d.quote || c == d.escape || bytes.IndexByte(s.text, c) < 0 {
			continue
		}
		d.delim = c
		records, fit := s.agreement(d)
		switch {
		case fit > closest || fit == differ && closest == differ && records > most:
			best, most, closest, several = c, records, fit, []string{fmt.Sprintf("%q", c)}
		case fit == closest && fit != differ:
			several = append(several, fmt.Sprintf("%q", c))
		}
	}
	if len(several) > 1 {
		return 0, fault.Errorf(fault.Input,
			`say which one it is in csv.delimiter, as csv: {delimiter: ";"}, or to kcut init and kcut check with --delimiter`,
			"%w: all lines have as many fields as the first one%s, whether %s parts them",
			formats.ErrSchema, map[fit]string{shifted: " and one more"}[closest],
			strings.Join(several, " or "))
	}
	return best, nil
}

// agreement counts the records, before the first that differs, that have as many fields as the
// first record, which has several, or all one more. It returns how they agree if none differs.
func (s *sample) agreement(d dialect) (records int, of fit) {
	scan := newScanner(io.NopCloser(bytes.NewReader(s.text)), d, 1, maxColumns, nil)
	defer scan.close()
	scan.skip = true
	width, headed := 0, 0 // number of fields of the first record, without nulls at its end and with
	var names []string
	for {
		fields, err := scan.record()
		switch {
		// the last record continues
		case err == io.EOF, !s.whole && (scan.offset == int64(len(s.text)) ||
			errors.Is(err, errUnclosed)):
			return records, of
		case err != nil:
			return records, differ
		case width == 0 && s.headless:
			width, headed, of = len(fields), len(fields), same
		case width == 0:
			width, headed, of = namedFields(fields), len(fields), same
			names = textsOf(fields)
		case records == 1 && isShifted(names, fields):
			width, headed, of = len(fields), len(fields), shifted
		case len(fields) < width || namedFields(fields) > headed:
			return records, differ
		}
		if width < 2 {
			return 0, differ
		}
		records++
	}
}

// namedFields returns the number of fields without nulls at the end.
func namedFields(fields []field) int {
	n := len(fields)
	for n > 0 && fields[n-1].null() {
		n--
	}
	return n
}

// textsOf returns the texts of fields.
func textsOf(fields []field) []string {
	texts := make([]string, len(fields))
	for i, f := range fields {
		texts[i] = string(f.text)
	}
	return texts
}

// cutSeparator removes the first line that Excel writes to declare the delimiter, as sep=;.
func cutSeparator(text []byte) (delimiter byte, rest []byte, named bool) {
	line, rest, ended := bytes.Cut(text, newline)
	line = bytes.Trim(bytes.TrimSuffix(line, []byte{'\r'}), `"`)
	if !ended || len(line) != len("sep=;") || !bytes.EqualFold(line[:4], []byte("sep=")) {
		return 0, text, false
	}
	return line[4], rest, true
}
