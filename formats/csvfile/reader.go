package csvfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
)

// batchBytes is the number of bytes of text after which a batch ends early, because memory holds
// its values and the results from them.
const batchBytes = 4 << 20

// reader reads the records of consecutive chunks.
type reader struct {
	src     *source
	scan    *scanner
	first   int64 // row of the file that is the first row of the split
	row     int64 // number of rows returned
	left    int64 // number of rows still to come
	columns []target
	batch   formats.Batch
}

// target is a column that is being built.
type target struct {
	formats.Request
	field formats.Field
	out   formats.Column
	// of dates and times, in the notation of package time, and of numbers, with N for the digits;
	// empty: ISO 8601, or plain numbers
	layout   string
	lenient  bool      // texts that are no value of the type are null
	from     int       // the first of the years that two digits mean; 0: that of package time
	numerals *numerals // for a column of numbers; nil: kcut's own
	isMoney  bool      // a currency stands around the digits
	buffer   []byte
	append   func(v *formats.Values, text []byte) error // parses a text
	coded    *formats.Distinct                          // nil: values are not looked up
	values   *formats.Values
	listed   uint32 // number of values of the batch that were not looked up
}

// Read returns a reader of the rows of count chunks from first on.
func (s *source) Read(ctx context.Context, first, count int,
	columns []formats.Request) (formats.BatchReader, error) {
	if err := formats.CheckRead(s, first, count, columns); err != nil {
		return nil, fmt.Errorf("read %s: %w", s.path, err)
	}
	r := &reader{src: s, columns: make([]target, len(columns))}
	for i, request := range columns {
		t := &r.columns[i]
		t.Request, t.field = request, s.schema[request.Column]
		t.layout, t.append = s.csv.Layouts[t.field.Name], t.parse
		t.from, t.lenient = s.csv.FirstYears[t.field.Name], s.csv.Lenient[t.field.Name]
		switch t.field.Type.Kind {
		case formats.Int, formats.Uint, formats.Float, formats.Decimal:
			switch t.numerals = s.numerals; {
			case t.layout == formats.Feet:
				t.append = parseFeet
			case t.layout != "":
				t.append, t.isMoney = t.parseBetween, strings.ContainsFunc(t.layout, isCurrency)
			}
		}
		if t.values = (&formats.Values{Type: t.field.Type}); request.Coded {
			t.coded = formats.NewParsed(t.field.Type)
		}
		r.batch.Columns = append(r.batch.Columns, &r.columns[i].out)
	}
	if count == 0 {
		return r, nil
	}
	start, end := s.parts[first], s.parts[first+count-1]
	var err error
	if r.scan, err = s.scan(ctx, start.place, end.end); err != nil {
		return nil, fmt.Errorf("read %s: %w", s.path, err)
	}
	r.first, r.left = start.row, end.row+end.rows-start.row
	for range start.skip {
		if _, err := s.record(r.scan); err != nil {
			r.Close()
			return nil, fmt.Errorf("read %s: %w", s.path, err)
		}
	}
	return r, ctx.Err()
}

// Share implements formats.BatchReader: one goroutine reads the records.
func (r *reader) Share(formats.Share) {}

// Next returns the next records.
func (r *reader) Next(ctx context.Context) (*formats.Batch, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if r.left == 0 {
		return nil, io.EOF
	}
	for i := range r.columns {
		r.columns[i].reset(r.src.remember)
	}
	r.batch.Row = r.row
	start := r.scan.offset
	rows := 0
	for ; rows < r.src.batch && r.left > 0 && r.scan.offset-start < batchBytes; rows++ {
		if err := r.add(); err != nil {
			return nil, fmt.Errorf("read %s: %w", r.src.path, err)
		}
	}
	r.batch.Rows = rows
	return &r.batch, nil
}

// add adds the next record to all columns.
func (r *reader) add() error {
	record, err := r.src.record(r.scan)
	if err == io.EOF {
		return fmt.Errorf("%w: ends after %d rows, it had more when it was opened",
			formats.ErrDamaged, r.first+r.row)
	}
	if err != nil {
		return err
	}
	for i := range r.columns {
		t := &r.columns[i]
		if err := t.add(record[t.Column]); err != nil {
			return fmt.Errorf("line %d, column %q: %w", r.scan.line, t.field.Name, err)
		}
	}
	r.row++
	r.left--
	return nil
}

// Close closes the file.
func (r *reader) Close() error {
	if r.scan == nil {
		return nil
	}
	return r.scan.close()
}

// reset empties the column for the next batch.
func (t *target) reset(remember int) {
	if t.coded != nil {
		t.coded = t.coded.Renewed(remember)
		t.values = t.coded.Values
	} else {
		t.values, t.listed = t.values.Emptied(), 0
	}
	t.out.Values, t.out.Codes = t.values, t.out.Codes[:0]
}

// add adds one row.
func (t *target) add(f field) (err error) {
	if len(f.text) == 0 && t.field.Type.Kind != formats.String {
		f.quoted = false // the empty text is no value
	}
	code := uint32(0)
	switch {
	case f.null():
	case t.coded == nil:
		if err = t.append(t.values, f.text); err == nil {
			t.listed++
			code = t.listed
		}
	default:
		code, err = t.coded.CodeOfText(f.text, t.append)
	}
	if t.lenient {
		err = nil
	}
	t.out.Codes = append(t.out.Codes, code)
	if err != nil { // the parser's own message could quote the value
		return fault.Errorf(fault.Input, valueHint(t.field.Type.Kind), "%w: a value that is no %s",
			formats.ErrDamaged, t.field.Type)
	}
	return nil
}

var errNumerals = errors.New("not written as numbers are declared to be")

// valueHint returns the hint for a text that is no value of a declared type.
func valueHint(kind formats.Kind) string {
	const others = "mend the line, declare another type, or name texts that stand for null in " +
		"csv.nulls"
	switch kind {
	case formats.Int, formats.Uint, formats.Float, formats.Decimal:
		return others + "; csv.decimal and csv.thousands say how numbers are written"
	case formats.Date, formats.Time, formats.Timestamp:
		return others + "; the type's form says how dates and times are written, as " +
			"date(DD.MM.YYYY)"
	}
	return others
}

var errNoDay = errors.New("no day of its year")

// within returns a time with the same last digits of the year in the hundred years from one on. A
// 29th of February may be none there.
func within(at time.Time, from int) (time.Time, error) {
	moved := at.AddDate(from+((at.Year()-from)%100+100)%100-at.Year(), 0, 0)
	if moved.Day() != at.Day() {
		return at, errNoDay
	}
	return moved, nil
}

// parse appends the value of a text, without an allocation for common types.
func (t *target) parse(v *formats.Values, text []byte) error {
	switch {
	case v.Type.Kind == formats.String:
		v.AppendBytes(text)
		return nil
	case t.numerals != nil:
		plain, _, ok := t.numerals.plain(t.buffer[:0], text)
		if t.buffer = plain; !ok {
			return errNumerals
		}
		return v.Parse(asString(plain))
	case t.layout == "":
		return v.Parse(asString(text))
	}
	at, err := t.timeOf(string(text))
	switch {
	case err != nil:
		return err
	case v.Type.Kind == formats.Date:
		return v.Parse(at.Format(time.DateOnly))
	case v.Type.Kind == formats.Time:
		return v.Parse(at.Format("15:04:05.999999"))
	}
	return v.Parse(at.Format("2006-01-02T15:04:05.999999"))
}

// timeOf returns the time of a text in the first layout that it has.
func (t *target) timeOf(text string) (at time.Time, err error) {
	for layout := range strings.SplitSeq(t.layout, formats.Or) {
		at, err = timeIn(layout, text)
		if err == nil && t.from > 0 && !strings.Contains(layout, "2006") {
			at, err = within(at, t.from)
		}
		if err == nil {
			break
		}
	}
	return at, err
}

// timeIn returns the time of a text in a layout.
func timeIn(layout, text string) (time.Time, error) {
	switch {
	case layout == formats.UnixSeconds:
		n, err := strconv.ParseInt(text, 10, 64)
		return time.Unix(n, 0).UTC(), err
	case layout == formats.UnixMillis:
		n, err := strconv.ParseInt(text, 10, 64)
		return time.UnixMilli(n).UTC(), err
	case strings.Contains(layout, "PM"):
		text = strings.ToUpper(text)
	}
	return time.Parse(layout, text)
}

// parseBetween appends the number of a text that has signs before or behind its digits, as $1,200,
// or blanks. Those in brackets are below 0, as accountants write them. Commas separate groups of
// digits if nothing is declared of them. K, M and B behind the digits of a sum of money are
// thousands, millions and billions, as in $1.5M. Sums without a sign are in the same currency.
func (t *target) parseBetween(v *formats.Values, text []byte) error {
	before, behind, _ := strings.Cut(t.layout, "N")
	number, negative := bytes.CutPrefix(bytes.TrimSpace(text), []byte("-"))
	number, closed := bytes.CutSuffix(number, []byte(")"))
	number, opened := bytes.CutPrefix(number, []byte("("))
	number, begins := bytes.CutPrefix(bytes.TrimSpace(number), []byte(strings.TrimSpace(before)))
	if number = bytes.TrimSpace(number); closed && !opened {
		number, opened = bytes.CutPrefix(number, []byte("("))
	}
	number, ends := bytes.CutSuffix(bytes.TrimSpace(number), []byte(strings.TrimSpace(behind)))
	if !t.isMoney && (!begins || !ends) || opened != closed || negative && closed {
		return errNumerals
	}
	negative = negative || closed
	written := t.numerals
	if written == nil {
		written = &english
	}
	sign := t.buffer[:0]
	if negative {
		sign = append(sign, '-')
	}
	number = bytes.TrimSpace(number)
	exponent := ""
	if at := len(number) - 1; at >= 0 && t.isMoney {
		if exponent = exponents[number[at]|0x20]; exponent != "" {
			number = number[:at]
		}
	}
	plain, _, ok := written.plain(sign, bytes.TrimSpace(number))
	if t.buffer = append(plain, exponent...); !ok {
		return errNumerals
	}
	return v.Parse(asString(t.buffer))
}

// exponents are those of letters behind sums of money.
var exponents = map[byte]string{'k': "e3", 'm': "e6", 'b': "e9"}

func isCurrency(r rune) bool { return unicode.Is(unicode.Sc, r) }

// english are numerals with a point, and commas between groups of digits.
var english = numerals{'.', ','}

// feetForm matches a height in feet and inches.
var feetForm = regexp.MustCompile(`^\s*(\d)\s*(?:['’′-]|ft\.?|feet|foot)\s*` +
	`(?:(\d|1[01])\s*(?:["”″]|''|in\.?|inch|inches)?)?\s*$`)

// parseFeet appends the inches of a height in feet and inches, as 5' 11", 5-11 and 6 ft 2 in.
func parseFeet(v *formats.Values, text []byte) error {
	found := feetForm.FindSubmatch(text)
	if found == nil {
		return errNumerals
	}
	feet, _ := strconv.Atoi(string(found[1]))
	inches, _ := strconv.Atoi(string(found[2])) // 0 if there are none
	return v.Parse(strconv.Itoa(12*feet + inches))
}
