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
	"github.com/kcut/kcut/formats/internal/codec"
	"github.com/kcut/kcut/formats/internal/meta"
	"github.com/kcut/kcut/formats/internal/rle"
	"github.com/kcut/kcut/formats/internal/schema"
	"github.com/kcut/kcut/formats/release"
)

// TestLeaksInPages plants what a careless writer leaves in the pages of a column.
func TestLeaksInPages(t *testing.T) {
	text, err := schema.Of(formats.Field{Name: "sex", Type: formats.Type{Kind: formats.String}}).Leaves()
	if err != nil {
		t.Fatal(err)
	}
	entries := func(labels ...string) (b []byte) {
		for _, l := range labels {
			b = append(binary.LittleEndian.AppendUint32(b, uint32(len(l))), l...)
		}
		return b
	}
	indexes := rle.Append([]byte{2}, []uint32{0, 1, 1}, 2)
	for _, tc := range []struct {
		name       string
		dictionary []byte // three entries
		data       []byte
		encoding   format.Encoding
		after      string
		want       string
	}{
		{"unused entry", entries("M", "F", "M"), indexes, format.RLEDictionary, "", "1 dictionary entries that no row uses"},
		{"foreign entry", entries("M", "Alice", "F"), rle.Append([]byte{2}, []uint32{0, 1, 2}, 2), format.RLEDictionary, "", "1 dictionary entries that are no labels of the cut"},
		{"dictionary page", append(entries("M", "F", "F"), "Alice"...), rle.Append([]byte{2}, []uint32{0, 1, 2}, 2), format.RLEDictionary, "", "5 bytes after the values of a page"},
		{"data page", entries("M", "F", "M"), append(rle.Append([]byte{2}, []uint32{0, 1, 2}, 2), "Alice"...), format.RLEDictionary, "", "5 bytes after the values of a page"},
		{"values", nil, entries("M", "Alice", "F"), format.Plain, "", "1 values that are no labels of the cut"},
		{"after the pages", nil, entries("M", "F", "M"), format.Plain, "Alice", "5 bytes after the last page"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			none, err := codec.NewCompressor("none", 0)
			if err != nil {
				t.Fatal(err)
			}
			p := &pageWriter{pageEncoder: &pageEncoder{Compressor: none}}
			p.begin(text[0])
			if p.body = tc.dictionary; tc.dictionary != nil {
				if err := p.dictionary(3); err != nil {
					t.Fatal(err)
				}
			}
			p.body = tc.data
			page, err := p.dataPage(3, 0, tc.encoding)
			if err != nil {
				t.Fatal(err)
			}
			p.place(page)
			if tc.after != "" {
				p.out = append(p.out, segment{Bytes: []byte(tc.after)})
			}
			p.chunk.TotalCompressedSize += int64(len(tc.after))
			checkPage(t, p, tc.want)
		})
	}
}

// checkPage makes a file of one chunk and demands one finding.
func checkPage(t *testing.T, p *pageWriter, want string) {
	t.Helper()
	var b bytes.Buffer
	w, err := New(&b, []Column{{Field: formats.Field{Name: "sex", Type: formats.Type{Kind: formats.String}}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p.end(nil, nil)
	g := &EncodedRowGroup{Rows: 3, out: p.out, entry: meta.RowGroup{NumRows: 3, Columns: p.chunks}}
	if err := w.Write(g); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	found, err := leaksIn(t, b.Bytes(), release.Masked{Name: "sex", Number: func(label string, null bool) (uint32, bool) {
		return 0, null || label == "M" || label == "F"
	}})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 || found[0].What != want {
		t.Errorf("found %v, want %q", found, want)
	}
}

// TestCanaries plants values that no row uses, what the source declared, and the rows of an
// earlier row group, and looks for them in every byte of a release.
func TestCanaries(t *testing.T) {
	const canary, earlier = "canary-in-the-mine", "earlier-row-group"
	field := formats.Field{Name: "sex", Type: formats.Type{Kind: formats.String}, Nullable: true, Declared: schema.Elements{
		{Name: canary, Type: thrift.New(format.ByteArray), FieldID: 7},
	}}
	kept := field
	kept.Name = "kept"
	columns := []Column{{Field: field, Masked: true}, {Field: kept}, {Field: formats.Field{Name: "n", Type: formats.Type{Kind: formats.Int, Bits: 64}}}}
	const number = 0x6e_61_63_79_72_61_6e_61
	for _, codec := range []string{"zstd", "none"} {
		g := newGroup(t, Options{Compression: codec}, columns...)
		appendCanaries(t, g, earlier, earlier, number)
		if _, err := g.Encode(); err != nil {
			t.Fatal(err)
		}
		appendCanaries(t, g, canary, "M", number)
		all, err := formatstest.Bytes(formatstest.WriteTemp(t, "canaries.parquet", writeFile(t, columns, nil, g)))
		if err != nil {
			t.Fatal(err)
		}
		if len(all) != 2+3*2 {
			t.Errorf("codec %s: %d pieces, want file, footer and three times dictionary and data", codec, len(all))
		}
		for i, b := range all {
			for _, text := range []string{canary, earlier, string(binary.LittleEndian.AppendUint64(nil, number))} {
				if bytes.Contains(b, []byte(text)) {
					t.Errorf("codec %s: piece %d holds %q", codec, i, text)
				}
			}
		}
		if !slices.ContainsFunc(all[2:], func(b []byte) bool { return bytes.Contains(b, []byte("M")) }) {
			t.Errorf("codec %s: no piece holds the label", codec)
		}
	}
}

// appendCanaries appends rows that use the label and the number 1 only.
func appendCanaries(t *testing.T, g *RowGroup, canary, label string, number int64) {
	t.Helper()
	v := labelsOf(canary, label, canary)
	n := &formats.Values{Type: formats.Type{Kind: formats.Int, Bits: 64}, Words: []uint64{formats.IntWord(number), formats.IntWord(1), formats.IntWord(number)}}
	for range 3 {
		for i, c := range []*formats.Column{{Values: v, Codes: []uint32{2, 0, 2}}, {Values: v, Codes: []uint32{2, 2, 0}}, {Values: n, Codes: []uint32{2, 2, 2}}} {
			if err := g.Append(i, c, 0, 3); err != nil {
				t.Fatal(err)
			}
		}
	}
}
