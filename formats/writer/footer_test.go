package writer

import (
	"bytes"
	"io"
	"testing"

	"github.com/kcut/kcut/formats"
)

// TestHeldFooter compares what a writer says that its footer takes with the footer's size.
func TestHeldFooter(t *testing.T) {
	columns := []Column{{Field: formats.Field{Name: "a", Type: formats.Type{Kind: formats.Int, Bits: 64}}}, {Field: formats.Field{Name: "b", Type: formats.Type{Kind: formats.Int, Bits: 64}}}}
	group := newGroup(t, Options{}, columns...)
	values := &formats.Values{Type: columns[0].Field.Type, Words: []uint64{7}}
	var out bytes.Buffer
	w, err := New(&out, columns, nil)
	if err != nil {
		t.Fatal(err)
	}
	held := w.Held()
	for range 100 {
		for c := range columns {
			if err := group.Append(c, &formats.Column{Values: values, Codes: []uint32{1}}, 0, 1); err != nil {
				t.Fatal(err)
			}
		}
		encoded, err := group.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(encoded); err != nil {
			t.Fatal(err)
		}
		if w.Held() <= held {
			t.Fatalf("the footer takes %d bytes, %d before one more row group", w.Held(), held)
		}
		held = w.Held()
	}
	before := out.Len()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if footer := int64(out.Len() - before); held < footer*9/10 || held > 2*footer {
		t.Errorf("a footer of %d bytes is said to take %d", footer, held)
	}
}

// TestFooterFails writes to what fails at the footer.
func TestFooterFails(t *testing.T) {
	w, err := New(&full{room: len(magic)}, []Column{{Field: formats.Field{Name: "a", Type: formats.Type{Kind: formats.Int, Bits: 32}}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err == nil {
		t.Error("no error")
	}
}

// full is a disk with room for a few bytes.
type full struct{ room int }

func (f *full) Write(b []byte) (int, error) {
	n := min(len(b), f.room)
	f.room -= n
	if n < len(b) {
		return n, io.ErrShortWrite
	}
	return n, nil
}
