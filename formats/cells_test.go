package formats

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"math/big"
	"testing"
)

const nullCell = "\x00null"

// cellText returns value i exactly: unscaled numbers, bits of floats that are not numbers,
// texts as they are, other bytes in hex.
func cellText(v *Values, i int) string {
	switch t := v.Type; {
	case t.Kind == String:
		return string(v.Bytes(i))
	case t.Kind == Decimal && t.Wide:
		return wideText(v.Bytes(i))
	case !t.InWords():
		return hex.EncodeToString(v.Bytes(i))
	case t.Kind == Float:
		if f := math.Float64frombits(wordFloat(v.Words[i])); f == f {
			return fmt.Sprint(f)
		}
		return fmt.Sprintf("%x", wordFloat(v.Words[i]))
	case t.Kind == Uint || t.Kind == Boolean:
		return fmt.Sprint(v.Words[i])
	default:
		return fmt.Sprint(wordInt(v.Words[i]))
	}
}

// wideText returns a wide decimal's unscaled number.
func wideText(b []byte) string {
	n := new(big.Int).SetBytes(b)
	return n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b)-1))).String()
}

// cellsOf returns the cells of a flat column of a batch, or an error when its shape is not
// one of those that Column describes.
func cellsOf(c *Column, rows int) ([]string, error) {
	out, next := make([]string, rows), 0
	if c.Codes != nil {
		if len(c.Codes) != rows {
			return nil, fmt.Errorf("%d codes of %d rows", len(c.Codes), rows)
		}
		for i, code := range c.Codes {
			if out[i] = nullCell; code > 0 {
				out[i] = cellText(c.Values, int(code)-1)
			}
		}
		return out, nil
	}
	if len(c.Valid) != rows {
		return nil, fmt.Errorf("%d rows are valid or not, of %d", len(c.Valid), rows)
	}
	for i, valid := range c.Valid {
		if out[i] = nullCell; valid {
			out[i] = cellText(c.Values, next)
			next++
		}
	}
	if next != c.Values.Len() {
		return nil, fmt.Errorf("%d values for %d valid rows", c.Values.Len(), next)
	}
	return out, nil
}

// readCells returns the cells of a range of chunks, column by column.
func readCells(s source, first, count int, requests ...Request) ([][]string, error) {
	ctx := context.Background()
	r, err := s.read(ctx, first, count, requests)
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
			cells, err := cellsOf(c, b.Rows)
			if err != nil {
				return out, err
			}
			out[i] = append(out[i], cells...)
		}
	}
}

// everyColumn asks for every column of s.
func everyColumn(s source, coded bool) []Request {
	requests := make([]Request, len(s.fields()))
	for i := range requests {
		requests[i] = Request{Column: i, Coded: coded}
	}
	return requests
}

// mustReadAll returns the cells of the whole source.
func mustReadAll(t *testing.T, s source, coded bool) [][]string {
	t.Helper()
	out, err := readCells(s, 0, len(s.chunks()), everyColumn(s, coded)...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// rowsOf returns the number of rows that a source says it has.
func rowsOf(s source) (n int64) {
	for _, rows := range s.chunks() {
		n += rows
	}
	return n
}
