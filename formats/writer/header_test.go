package writer

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"testing"

	pq "github.com/parquet-go/parquet-go"

	"github.com/kcut/kcut/formats"
)

// numbers returns a release of one column of 32-bit integers, not compressed.
func numbers(t *testing.T, list ...int64) []byte {
	t.Helper()
	column := Column{Field: formats.Field{Name: "x", Type: formats.Type{Kind: formats.Int, Bits: 32}}}
	c := &formats.Column{Values: &formats.Values{Type: column.Field.Type}}
	for i, n := range list {
		c.Values.Words = append(c.Values.Words, formats.IntWord(n))
		c.Codes = append(c.Codes, uint32(i+1))
	}
	return oneColumn(t, Options{Compression: "none"}, column, c)
}

// TestChecksumOfZero writes a dictionary page whose checksum is 0: it is written all the same.
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

// TestChecksumIsRead changes a number of a dictionary page: another reader notices.
func TestChecksumIsRead(t *testing.T) {
	b := numbers(t, 100, 200, 300)
	b[bytes.Index(b, binary.LittleEndian.AppendUint32(nil, 200))]++
	f, err := pq.OpenFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	pages := f.RowGroups()[0].ColumnChunks()[0].Pages()
	defer pages.Close()
	if _, err := pages.ReadPage(); !errors.Is(err, pq.ErrCorrupted) {
		t.Errorf("parquet-go: %v", err)
	}
}
