package formatstest

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
)

// NullCell is the cell of a null.
const NullCell = "\x00null"

// cellText returns value i exactly: unscaled numbers, bits of floats that are not numbers, texts
// unchanged, other bytes in hex.
func cellText(v *formats.Values, i int) string {
	switch t := v.Type; {
	case t.Kind == formats.String:
		return string(v.Bytes(i))
	case t.Kind == formats.Decimal && t.Wide:
		return wideText(v.Bytes(i))
	case !t.InWords():
		return hex.EncodeToString(v.Bytes(i))
	case t.Kind == formats.Float:
		if f := math.Float64frombits(formats.WordFloat(v.Words[i])); f == f {
			return fmt.Sprint(f)
		}
		return fmt.Sprintf("%x", formats.WordFloat(v.Words[i]))
	case t.Kind == formats.Uint || t.Kind == formats.Boolean:
		return fmt.Sprint(v.Words[i])
	default:
		return fmt.Sprint(formats.WordInt(v.Words[i]))
	}
}

// wideText returns a wide decimal's unscaled number.
func wideText(b []byte) string {
	n := new(big.Int).SetBytes(b)
	return n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b)-1))).String()
}

// CellsOf returns the cells of a flat column of a batch, or an error when it has another number of
// rows.
func CellsOf(c *formats.Column, rows int) ([]string, error) {
	if len(c.Codes) != rows {
		return nil, fmt.Errorf("%d codes of %d rows", len(c.Codes), rows)
	}
	out := make([]string, rows)
	for i, code := range c.Codes {
		if out[i] = NullCell; code > 0 {
			out[i] = cellText(c.Values, int(code)-1)
		}
	}
	return out, nil
}

// ReadCells returns the cells of a range of chunks, column by column.
func ReadCells(s formats.Source, first, count int, requests ...formats.Request) ([][]string,
	error) {
	ctx := context.Background()
	r, err := s.Read(ctx, first, count, requests)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	out := make([][]string, len(requests))
	for row := int64(0); ; {
		b, err := r.Next(ctx)
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		if b.Rows < 1 || b.Row != row {
			return out, fmt.Errorf("batch of %d rows from %d, want it from %d", b.Rows, b.Row, row)
		}
		row += int64(b.Rows)
		for i, c := range b.Columns {
			cells, err := CellsOf(c, b.Rows)
			if err != nil {
				return out, err
			}
			out[i] = append(out[i], cells...)
		}
	}
}

// EveryColumn requests every column of s.
func EveryColumn(s formats.Source, coded bool) []formats.Request {
	requests := make([]formats.Request, len(s.Fields()))
	for i := range requests {
		requests[i] = formats.Request{Column: i, Coded: coded}
	}
	return requests
}

// ReadAll returns the cells of the whole source.
func ReadAll(t *testing.T, s formats.Source, coded bool) [][]string {
	t.Helper()
	out, err := ReadCells(s, 0, len(s.Chunks()), EveryColumn(s, coded)...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Rows returns the number of rows according to a source.
func Rows(s formats.Source) (n int64) {
	for _, rows := range s.Chunks() {
		n += rows
	}
	return n
}

// Drain reads a whole source and returns its rows.
func Drain(s formats.Source, requests []formats.Request) (rows int64, err error) {
	r, err := s.Read(context.Background(), 0, len(s.Chunks()), requests)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	for {
		b, err := r.Next(context.Background())
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		rows += int64(b.Rows)
	}
}

// CheckHeld reads the first column of a source. Its reader must report, before it allocates them,
// between least and most bytes, report none afterwards, and accept a refusal. A Weighed source must
// predict about the same.
func CheckHeld(t testing.TB, least, most int64, coded bool,
	open func(hold func(bytes int64) error) (formats.Source, error)) {
	t.Helper()
	refused := errors.New("refused")
	held, peak, limit := int64(0), int64(0), int64(math.MaxInt64)
	s, err := open(func(bytes int64) error {
		if held+bytes > limit {
			return refused
		}
		held += bytes
		peak = max(peak, held)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	request := []formats.Request{{Coded: coded}}
	if _, err := Drain(s, request); err != nil || held != 0 || peak < least || peak > most {
		t.Errorf("coded %v: %d bytes at most, want %d to %d, and %d in the end: %v", coded, peak,
			least, most, held, err)
	}
	if weighed, ok := s.(formats.Weighed); ok {
		held, err := weighed.Holds(t.Context(), 0, len(s.Chunks()), request)
		predicted := held.Rows + held.Loading
		if err != nil || 2*predicted > 3*peak || 2*peak > 3*predicted {
			t.Errorf("coded %v: %d bytes are predicted, and at most %d reported: %v",
				coded, predicted, peak, err)
		}
	}
	limit = peak - 1
	if _, err := Drain(s, request); !errors.Is(err, refused) || held != 0 {
		t.Errorf("coded %v, with a byte less: %v, %d bytes still held", coded, err, held)
	}
}

// CheckRefused checks that bad input is refused with the right class, not by a panic.
func CheckRefused(t testing.TB, err error) {
	t.Helper()
	known := errors.Is(err, formats.ErrDamaged) || errors.Is(err, formats.ErrUnsupported) ||
		errors.Is(err, formats.ErrSchema)
	if !known || strings.Contains(err.Error(), "panic") {
		t.Errorf("refused with %v", err)
	}
}
