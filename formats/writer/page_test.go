package writer

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"slices"
	"testing"

	pq "github.com/parquet-go/parquet-go"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/meta"
)

// numbers returns a release of one column of 32-bit integers, not compressed.
func numbers(t *testing.T, list ...int64) []byte {
	t.Helper()
	column := Column{Field: formats.Field{
		Name: "x",
		Type: formats.Type{Kind: formats.Int, Bits: 32},
	}}
	c := &formats.Column{Values: &formats.Values{Type: column.Field.Type}}
	for i, n := range list {
		c.Values.Words = append(c.Values.Words, formats.IntWord(n))
		c.Codes = append(c.Codes, uint32(i+1))
	}
	return oneColumn(t, Options{Compression: "none"}, column, c)
}

// TestChecksumOfZero writes a dictionary page whose checksum is 0: the header still has it.
func TestChecksumOfZero(t *testing.T) {
	const number = 0x6dd90a9d
	if sum := crc32.ChecksumIEEE(binary.LittleEndian.AppendUint32(nil, number)); sum != 0 {
		t.Fatalf("the checksum is %d", sum)
	}
	found, err := leaksIn(t, numbers(t, number))
	if err != nil || len(found) > 0 {
		t.Errorf("found %v, %v", found, err)
	}
}

// TestChecksumIsRead changes a number of a dictionary page: another reader detects it.
func TestChecksumIsRead(t *testing.T) {
	b := numbers(t, 100, 200, 300)
	b[bytes.Index(b, binary.LittleEndian.AppendUint32(nil, 200))]++
	f, err := pq.OpenFile(bytes.NewReader(b), int64(len(b)))
	must(t, err)
	pages := f.RowGroups()[0].ColumnChunks()[0].Pages()
	defer pages.Close()
	if _, err := pages.ReadPage(); !errors.Is(err, pq.ErrCorrupted) {
		t.Errorf("parquet-go: %v", err)
	}
}

// TestHeldFooter compares the reported memory of a writer's footer with the footer's size.
func TestHeldFooter(t *testing.T) {
	columns := []Column{{Field: formats.Field{
		Name: "a",
		Type: formats.Type{Kind: formats.Int, Bits: 64},
	}}, {Field: formats.Field{Name: "b", Type: formats.Type{Kind: formats.Int, Bits: 64}}}}
	group := newGroup(t, Options{}, columns...)
	column := &formats.Column{Values: &formats.Values{
		Type:  columns[0].Field.Type,
		Words: []uint64{7},
	}, Codes: []uint32{1}}
	var out bytes.Buffer
	w, err := New(&out, columns, nil)
	must(t, err)
	held := w.Held()
	for range 100 {
		must(t, w.Write(encodeRows(t, group, column, column)))
		if w.Held() <= held {
			t.Fatalf("the footer takes %d bytes, %d before one more row group", w.Held(), held)
		}
		held = w.Held()
	}
	before := out.Len()
	must(t, w.Close())
	if footer := int64(out.Len() - before); held < footer*9/10 || held > 2*footer {
		t.Errorf("a footer of %d bytes is said to take %d", footer, held)
	}
}

// TestFooterFails uses a destination that fails at the footer.
func TestFooterFails(t *testing.T) {
	w, err := New(&full{room: len(meta.Magic)},
		[]Column{{Field: formats.Field{
			Name: "a",
			Type: formats.Type{Kind: formats.Int, Bits: 32},
		}}}, nil)
	must(t, err)
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

// TestFooterOrder: metadata is in the order of its keys, and a row group without rows leaves
// nothing.
func TestFooterOrder(t *testing.T) {
	columns := []Column{{Field: formats.Field{
		Name: "c",
		Type: formats.Type{Kind: formats.Int, Bits: 32},
	}}}
	metadata := map[string]string{"e": "5", "a": "1", "d": "4", "b": "2", "c": "3", "f": "6"}
	var files [2]bytes.Buffer
	for i := range files {
		w, err := New(&files[i], columns, metadata)
		must(t, err)
		empty := encodeRows(t, newGroup(t, Options{}, columns...))
		for range i {
			must(t, w.Write(empty))
		}
		var keys []string
		for _, kv := range w.tail.KeyValueMetadata {
			keys = append(keys, kv.Key)
		}
		if !slices.IsSorted(keys) || len(keys) != len(metadata) {
			t.Errorf("the keys are %q", keys)
		}
		must(t, w.Close())
	}
	if !bytes.Equal(files[0].Bytes(), files[1].Bytes()) {
		t.Error("an empty row group leaves a trace")
	}
}
