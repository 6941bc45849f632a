package csvfile

import (
	"bytes"
	"fmt"
	"io"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/kcut/kcut/formats"
)

// dialect is the characters that separate and enclose fields.
type dialect struct {
	delim, quote byte
	escape       byte // 0: none
}

// isEscape reports whether a character makes the next one literal.
func (d *dialect) isEscape(c byte) bool { return c == d.escape && c != 0 }

// indexQuote returns the position of the first quote or escape, or -1.
func (d *dialect) indexQuote(text []byte) int {
	at := bytes.IndexByte(text, d.quote)
	if d.escape == 0 {
		return at
	}
	if at >= 0 {
		text = text[:at]
	}
	if first := bytes.IndexByte(text, d.escape); first >= 0 {
		return first
	}
	return at
}

// dialectOf returns the declared dialect, completed from the start of the text.
func dialectOf(declared *formats.CSV, start *sample) (d dialect, err error) {
	d = dialect{declared.Delimiter, declared.Quote, declared.Escape}
	if d.quote == 0 {
		d.quote = '"'
	}
	if d.escape == d.quote { // quotes are doubled
		d.escape = 0
	}
	if d.delim == 0 {
		if d.delim, err = start.delimiter(d); err != nil {
			return d, err
		}
	}
	for _, c := range []byte{d.delim, d.quote, d.escape} {
		if c == '\n' || c == '\r' || c >= 0x80 {
			return d, fmt.Errorf("%w: %q in place of a delimiter or a quote",
				formats.ErrUnsupported, c)
		}
	}
	if declared.Thousands != 0 && declared.Thousands == declared.Decimal {
		return d, fmt.Errorf("%w: %q in front of fractions and between thousands",
			formats.ErrUnsupported, declared.Decimal)
	}
	if d.delim == d.quote || d.delim == d.escape {
		return d, fmt.Errorf("%w: delimiter %q", formats.ErrUnsupported, d.delim)
	}
	return d, nil
}

// decoderOf returns the decoder of the encoding that is declared, or that a byte order mark
// indicates; nil for UTF-8.
func decoderOf(declared string, head []byte) (func(io.Reader) io.Reader, error) {
	if declared == "" && (bytes.HasPrefix(head, []byte{0xff, 0xfe}) ||
		bytes.HasPrefix(head, []byte{0xfe, 0xff})) {
		declared = formats.EncodingUTF16
	}
	decodes := func(of encoding.Encoding) func(io.Reader) io.Reader {
		return func(r io.Reader) io.Reader { return of.NewDecoder().Reader(r) }
	}
	switch declared {
	case "", formats.EncodingUTF8:
		return nil, nil
	case formats.EncodingUTF16:
		decode := decodes(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM))
		return func(r io.Reader) io.Reader { return decode(&paired{Reader: r}) }, nil
	case formats.EncodingLatin1:
		return decodes(charmap.ISO8859_1), nil
	case formats.EncodingWindows1252:
		return decodes(charmap.Windows1252), nil
	}
	return nil, fmt.Errorf("%w: encoding %q", formats.ErrUnsupported, declared)
}
