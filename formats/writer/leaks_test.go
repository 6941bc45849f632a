package writer

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/formats/internal/schema"
)

// TestCanaries plants values that no row uses, the source's declarations, and the rows of an
// earlier row group, and looks for them in every byte of a release.
func TestCanaries(t *testing.T) {
	const canary, earlier, canaryDigits = "canary-in-the-mine", "earlier-row-group", 123_456_789
	digits := binary.AppendVarint(nil, canaryDigits) // in the encoding of Thrift
	field := formats.Field{
		Name:     "sex",
		Type:     formats.Type{Kind: formats.String},
		Nullable: true,
		Declared: schema.Elements{
			{
				Name:       canary,
				Type:       thrift.New(format.ByteArray),
				FieldID:    7,
				TypeLength: thrift.New[int32](canaryDigits),
				Scale:      thrift.New[int32](canaryDigits),
				Precision:  thrift.New[int32](canaryDigits),
			},
		}}
	kept := field
	kept.Name = "kept"
	columns := []Column{{Field: field, Masked: true}, {Field: kept},
		{Field: formats.Field{Name: "n", Type: formats.Type{Kind: formats.Int, Bits: 64}}}}
	const number = 0x6e_61_63_79_72_61_6e_61
	for _, codec := range []string{"zstd", "none"} {
		g := newGroup(t, Options{Compression: codec}, columns...)
		appendCanaries(t, g, earlier, earlier, number)
		if _, err := g.Encode(); err != nil {
			t.Fatal(err)
		}
		appendCanaries(t, g, canary, "M", number)
		all, err := formatstest.Bytes(formatstest.WriteTemp(t, "canaries.parquet",
			writeFile(t, columns, nil, g)))
		must(t, err)
		if len(all) != 2+3*2 {
			t.Errorf("codec %s: %d pieces, want file, footer and three times dictionary and data",
				codec, len(all))
		}
		for i, b := range all {
			for _, text := range []string{canary, earlier,
				string(binary.LittleEndian.AppendUint64(nil, number)), string(digits)} {
				if bytes.Contains(b, []byte(text)) {
					t.Errorf("codec %s: piece %d holds %q", codec, i, text)
				}
			}
		}
		if !slices.ContainsFunc(all[2:], func(b []byte) bool {
			return bytes.Contains(b, []byte("M"))
		}) {
			t.Errorf("codec %s: no piece holds the label", codec)
		}
	}
}

// appendCanaries appends rows that only use the label and the number 1.
func appendCanaries(t *testing.T, g *RowGroup, canary, label string, number int64) {
	t.Helper()
	v := labelsOf(canary, label, canary)
	n := &formats.Values{
		Type:  formats.Type{Kind: formats.Int, Bits: 64},
		Words: []uint64{formats.IntWord(number), formats.IntWord(1), formats.IntWord(number)},
	}
	for range 3 {
		for i, c := range []*formats.Column{{Values: v, Codes: []uint32{2, 0, 2}},
			{Values: v, Codes: []uint32{2, 2, 0}}, {Values: n, Codes: []uint32{2, 2, 2}}} {
			must(t, g.Append(i, c, 0, 3))
		}
	}
}
