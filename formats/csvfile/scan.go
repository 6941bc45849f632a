package csvfile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"unicode/utf8"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
)

const (
	bufferSize = 256 << 10
	// bytes of one record: an unclosed quote must not read the whole file into memory
	longest = 64 << 20
	// largeRecord is the factor of memory for a buffer that has to grow: the buffer, its successor
	// of twice the size, and the values of the record.
	largeRecord = 4
)

// field is one field of a record: its bytes without quotes.
type field struct {
	text    []byte
	quoted  bool
	escaped bool // it still has doubled quotes or escapes
}

// null reports whether the field is a null: empty and not quoted.
func (f field) null() bool { return len(f.text) == 0 && !f.quoted }

// scanner cuts CSV text into records: RFC 4180, with LF or CRLF, and with blanks before and behind
// fields in quotes, which belong to no value.
type scanner struct {
	r io.ReadCloser
	dialect
	nulls   map[string]bool // texts that are nulls
	limit   int             // largest number of fields of a record, without empty ones at its end
	headed  int             // number of fields of the header, with unnamed ones at its end
	measure string          // the record that says how many fields the others have
	surplus bool            // some records had such fields
	skip    bool            // blank lines are no records
	names   []formats.Field // for errors, if known
	special [256]bool

	memory   *[]byte // initial memory of buf
	holding  formats.Holding
	buf      []byte
	pos, end int // the unscanned text is buf[pos:end]
	eof      bool
	offset   int64 // of buf[pos]
	line     int64 // of the record last returned, from 1
	next     int64 // of buf[pos]
	fields   []field
}

// newScanner returns a scanner of r, whose first byte is on the given line. It refuses records of
// more than limit fields, and reports large ones to hold: see formats.ReadOptions.
func newScanner(r io.ReadCloser, d dialect, line int64, limit int,
	hold func(bytes int64) error) *scanner {
	s := &scanner{
		r:       r,
		dialect: d,
		limit:   limit,
		next:    line,
		memory:  takeBuffer(),
		holding: formats.Holding{Tell: hold},
	}
	s.buf = *s.memory
	s.special[d.delim], s.special['\n'], s.special[d.quote] = true, true, true
	if d.escape != 0 {
		s.special[d.escape] = true
	}
	return s
}

// close closes the reader. Fields are no longer valid.
func (s *scanner) close() error {
	if s.memory != nil {
		leaveBuffer(s.memory)
		s.memory, s.buf, s.pos, s.end = nil, nil, 0, 0
	}
	s.holding.Release()
	return s.r.Close()
}

// freeBuffers are buffers of bufferSize that are not in use.
var freeBuffers = sync.Pool{New: func() any {
	b := make([]byte, bufferSize)
	return &b
}}

func takeBuffer() *[]byte { return freeBuffers.Get().(*[]byte) }

func leaveBuffer(b *[]byte) { freeBuffers.Put(b) }

var (
	errMore     = errors.New("record goes on behind the buffer")
	errUnclosed = fmt.Errorf("%w: a quote that is never closed", formats.ErrDamaged)
)

// record returns the fields of the next record, valid until the next call, or io.EOF. Errors have
// the line.
func (s *scanner) record() ([]field, error) {
	for {
		if s.skip {
			s.skipBlank()
		}
		at, err := s.cut()
		if err == nil {
			return s.accept(at)
		}
		if err == errMore {
			err = s.fill()
		}
		if err == io.EOF {
			return nil, err
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", s.next, err)
		}
	}
}

// encodingHint is the hint for a file in an unexpected encoding.
const encodingHint = "write it as UTF-8, or say in the job how it is written, as csv: {encoding: " +
	"windows-1252}, latin-1 or utf-16"

// fieldsHint is the hint for a record whose fields differ from the header's.
const fieldsHint = "mend the line, or say in csv.delimiter, csv.quote and csv.escape how fields " +
	"are parted, and in csv.header what the columns are"

// quoteHint is the hint for a quote at an unexpected place.
const quoteHint = "mend the line, or say in csv.quote and csv.escape which character encloses " +
	"fields, and which one makes a quote part of a value"

// accept returns the fields of the record that ends before at.
func (s *scanner) accept(at int) ([]field, error) {
	raw := s.buf[s.pos:at]
	if !utf8.Valid(raw) {
		return nil, fault.Errorf(fault.Input, encodingHint, "line %d, column %s: %w: %w", s.next,
			s.invalid(), formats.ErrDamaged, formats.ErrEncoding)
	}
	s.line = s.next
	s.next += int64(bytes.Count(raw, newline))
	for i, f := range s.fields {
		if s.nulls != nil && s.nulls[string(f.text)] {
			s.fields[i] = field{}
		} else if f.escaped {
			s.fields[i].text = s.plain(f.text, f.quoted)
		}
	}
	s.offset += int64(len(raw))
	s.pos = at
	return s.fields, nil
}

// invalid returns the name, or the number, of the first column of the record that is not UTF-8.
func (s *scanner) invalid() string {
	for i, f := range s.fields {
		if utf8.Valid(f.text) {
			continue
		}
		if i < len(s.names) {
			return strconv.Quote(s.names[i].Name)
		}
		return strconv.Itoa(i + 1)
	}
	return "unknown"
}

// plain removes doubled quotes and escapes, in place.
func (d *dialect) plain(text []byte, quoted bool) []byte {
	n := 0
	for i := 0; i < len(text); i++ {
		switch {
		case d.isEscape(text[i]) && i+1 < len(text):
			i++
			text[n] = text[i]
		case quoted && text[i] == d.quote:
			text[n] = text[i]
			i++
		default:
			text[n] = text[i]
		}
		n++
	}
	return text[:n:n]
}

// skipBlank skips empty lines.
func (s *scanner) skipBlank() {
	for s.pos < s.end {
		n := 1
		if s.buf[s.pos] == '\r' && s.pos+1 < s.end {
			n = 2
		}
		if last := s.buf[s.pos+n-1]; last != '\n' && !(last == '\r' && s.eof && n == 1) {
			return
		}
		s.pos += n
		s.offset += int64(n)
		s.next++
	}
}

// cut finds the fields of the record at pos and returns the start of the next one.
func (s *scanner) cut() (int, error) {
	s.fields = s.fields[:0]
	over := 0 // number of fields behind the limit
	if s.pos == s.end {
		if s.eof {
			return 0, io.EOF
		}
		return 0, errMore
	}
	for i := s.pos; ; i++ {
		var err error
		var f field
		if i < s.end && s.buf[i] == s.quote {
			f, i, err = s.quoted(i)
		} else {
			f, i, err = s.bare(i)
		}
		if err != nil {
			return 0, err
		}
		switch {
		case len(s.fields) < s.limit:
			s.fields = append(s.fields, f)
		case f.null():
			s.surplus = true
			over++
		default:
			return 0, s.tooMany(over)
		}
		if i == s.end {
			return i, nil
		}
		if s.buf[i] == '\n' {
			return i + 1, nil
		}
	}
}

// tooMany refuses a value behind as many fields as the header has names, and behind some more.
func (s *scanner) tooMany(over int) error {
	if column := s.limit + over + 1; column <= s.headed {
		return fault.Errorf(fault.Input, nameHint(column), "%w: %w", formats.ErrSchema,
			&unnamedError{column})
	}
	return fault.Errorf(fault.Input, fieldsHint, "%w: more than the %d fields of the %s",
		formats.ErrDamaged, max(s.limit, s.headed), s.measure)
}

// bare returns the unquoted field that starts at i, and the position of the delimiter, line feed or
// end of file behind it.
func (s *scanner) bare(i int) (f field, end int, err error) {
	start, buf := i, s.buf[:s.end]
	for i < len(buf) {
		if !s.special[buf[i]] {
			i++
		} else if s.isEscape(buf[i]) && i+1 < len(buf) {
			i += 2
			f.escaped = true
		} else {
			break
		}
	}
	f.text = buf[start:i:i]
	switch {
	case i == s.end && !s.eof:
		return f, 0, errMore
	case i < s.end && s.isEscape(buf[i]):
		if !s.eof {
			return f, 0, errMore
		}
		return f, 0, fmt.Errorf("%w: an escape with nothing behind it", formats.ErrDamaged)
	case i < s.end && buf[i] == s.quote:
		if s.afterBlanks(start) == i {
			return s.quoted(i)
		}
		return f, 0, fault.Errorf(fault.Input, quoteHint, "%w: a quote inside an unquoted field",
			formats.ErrDamaged)
	case i > start && buf[i-1] == '\r' && (i == s.end || buf[i] == '\n'):
		f.text = buf[start : i-1 : i-1]
	}
	return f, i, nil
}

// quoted is bare for a quoted field whose opening quote is at i.
func (s *scanner) quoted(i int) (f field, end int, err error) {
	start := i + 1
	f.quoted = true
	for i++; ; i = min(i+2, s.end) {
		n := s.indexQuote(s.buf[i:s.end])
		if n < 0 {
			if s.eof {
				return f, 0, errUnclosed
			}
			return f, 0, errMore
		}
		i += n
		if !s.isEscape(s.buf[i]) && (i+1 == s.end || s.buf[i+1] != s.quote) {
			break
		}
		f.escaped = true
	}
	f.text = s.buf[start:i:i]
	i = s.afterBlanks(i + 1)
	if i+1 >= s.end && !s.eof {
		return f, 0, errMore
	}
	if i < s.end && s.buf[i] == '\r' && (i+1 == s.end || s.buf[i+1] == '\n') {
		i++
	}
	if i < s.end && s.buf[i] != s.delim && s.buf[i] != '\n' {
		return f, 0, fault.Errorf(fault.Input, quoteHint, "%w: text behind a closing quote",
			formats.ErrDamaged)
	}
	return f, i, nil
}

// afterBlanks returns the position of the first byte from i on that is no space or tab. The
// delimiter is no blank.
func (s *scanner) afterBlanks(i int) int {
	for i < s.end && (s.buf[i] == ' ' || s.buf[i] == '\t') && !s.special[s.buf[i]] {
		i++
	}
	return i
}

// fill reads more text behind the unscanned text.
func (s *scanner) fill() error {
	copy(s.buf, s.buf[s.pos:s.end])
	s.pos, s.end = 0, s.end-s.pos
	if s.end > longest {
		return fmt.Errorf("%w: a record of more than %d bytes", formats.ErrDamaged, longest)
	}
	if s.end > len(s.buf)/2 {
		if err := s.holding.Hold(largeRecord * int64(len(s.buf))); err != nil {
			return fault.LacksMore(err, s.toCome())
		}
		s.buf = append(s.buf, make([]byte, len(s.buf))...)
	}
	for s.end < len(s.buf) && !s.eof {
		n, err := s.r.Read(s.buf[s.end:])
		s.end += n
		if err == io.EOF {
			s.eof = true
		} else if err != nil {
			return damage(err)
		}
	}
	return nil
}

// toCome returns the number of additional bytes for a record for which the buffer may not grow. It
// reads to the record's end.
func (s *scanner) toCome() int64 {
	b := block{quote: []byte{s.quote}}
	_, _ = b.Write(s.buf[:s.end])
	for b.starts[0].at == 0 && b.size <= longest {
		n, err := s.r.Read(s.buf)
		if _, _ = b.Write(s.buf[:n]); err != nil {
			break
		}
	}
	room := int64(len(s.buf))
	// if it begins elsewhere in the buffer, the buffer grows by that much more
	for room < cmp.Or(b.starts[0].at, b.size) {
		room *= 2
	}
	return largeRecord * (room - int64(len(s.buf)))
}
