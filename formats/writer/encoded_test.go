package writer

import (
	"bytes"
	"errors"
	"testing"

	"github.com/kcut/kcut/formats"
)

// A row group that was written down and read is written to a file as the first one is; what is cut
// short is damaged.
func TestParseRowGroup(t *testing.T) {
	columns := []Column{{Field: formats.Field{Name: "n", Type: formats.Type{Kind: formats.Int, Bits: 32}}}}
	values := &formats.Values{Type: columns[0].Field.Type, Words: []uint64{formats.IntWord(7), formats.IntWord(9)}}
	first := encodeRows(t, newGroup(t, Options{}, columns...), &formats.Column{Values: values, Codes: []uint32{1, 2, 2}})
	encoded, err := first.AppendTo(nil)
	if err != nil {
		t.Fatal(err)
	}
	var want, got bytes.Buffer
	second, err := ParseRowGroup(encoded)
	if err != nil || second.Size() != first.Size() {
		t.Fatalf("%v, %d bytes, want %d", err, second.Size(), first.Size())
	}
	for to, group := range map[*bytes.Buffer]*EncodedRowGroup{&want: first, &got: second} {
		w, err := New(to, columns, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Write(group), w.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(got.Bytes(), want.Bytes()) {
		t.Error("another file")
	}
	for n := range encoded {
		if _, err := ParseRowGroup(encoded[:n]); !errors.Is(err, formats.ErrDamaged) {
			t.Errorf("%d of %d bytes: %v", n, len(encoded), err)
		}
	}
}
