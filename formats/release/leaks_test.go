package release

import (
	"context"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats/internal/meta"
)

// rewrite changes the footer of a file.
func rewrite(t *testing.T, b []byte, change func(*format.FileMetaData)) []byte {
	t.Helper()
	start := footerAt(b)
	var m format.FileMetaData
	must(t, thrift.Unmarshal(new(thrift.CompactProtocol), b[start:len(b)-meta.Tail], &m))
	change(&m)
	return withMetadata(t, b[:start], m)
}

// withMetadata ends a file with a footer.
func withMetadata(t *testing.T, b []byte, m format.FileMetaData) []byte {
	t.Helper()
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), m)
	must(t, err)
	return withFooter(b, footer)
}

// withFooter ends a file with the bytes of a footer.
func withFooter(b, footer []byte) []byte {
	size := binary.LittleEndian.AppendUint32(nil, uint32(len(footer)))
	return slices.Concat(b, footer, size, []byte(meta.Magic))
}

// footerAt returns where the footer of a file begins.
func footerAt(b []byte) int {
	end := len(b) - meta.Tail
	return end - int(binary.LittleEndian.Uint32(b[end:]))
}

// hide adds a field to the footer of a file that readers skip.
func hide(b []byte) []byte {
	const field = "\x58\x03Ada" // a text, five numbers after the last one
	at, end := footerAt(b), len(b)-meta.Tail
	return withFooter(b[:at], slices.Concat(b[at:end-1], []byte(field), b[end-1:end]))
}

// cutLabels returns, by column, a function that reports whether the cut of people contains a label.
func cutLabels() map[string]func(string) bool {
	return map[string]func(string) bool{
		"sex": func(l string) bool { return l == "M" || l == "F" },
		"age": func(l string) bool { return l == "[17,37)" || l == "[37,90]" },
	}
}

func TestLeaks(t *testing.T) {
	sound := people(t, map[string]string{CutKey: "{}"})
	chunk := func(m *format.FileMetaData) *format.ColumnChunk { return &m.RowGroups[1].Columns[0] }
	for _, tc := range []struct {
		name string
		file []byte
		want []string
	}{
		{"sound", sound, nil},
		{"metadata", people(t, map[string]string{CutKey: "{}", "pandas": "{}"}),
			[]string{"metadata besides kcut.cut"}},
		{"creator", rewrite(t, sound, func(m *format.FileMetaData) {
			m.CreatedBy = "parquet-cpp"
		}), []string{"not written by kcut"}},
		{"field id", rewrite(t, sound, func(m *format.FileMetaData) {
			m.Schema[2].FieldID = 7
		}), []string{"column age: field id of the source"}},
		{"digits of a text", rewrite(t, sound, func(m *format.FileMetaData) {
			m.Schema[1].Scale = thrift.New[int32](1234567)
		}),
			[]string{"column sex: digits or a length that its type does not have"}},
		{"precision of a text", rewrite(t, sound, func(m *format.FileMetaData) {
			m.Schema[1].Precision = thrift.New[int32](7)
		}),
			[]string{"column sex: digits or a length that its type does not have"}},
		{"other digits", rewrite(t, sound, func(m *format.FileMetaData) {
			m.Schema[2].LogicalType.Value = &format.DecimalType{Scale: 1, Precision: 9}
			m.Schema[2].Scale = thrift.New[int32](2)
		}), []string{
			"column age: digits or a length that its type does not have",
			"column age, row group 0: 2 dictionary entries that are no labels of the cut",
			"column age, row group 1: 2 dictionary entries that are no labels of the cut",
		}},
		{"length of a text", rewrite(t, sound, func(m *format.FileMetaData) {
			m.Schema[1].TypeLength = thrift.New[int32](7)
		}),
			[]string{"column sex: digits or a length that its type does not have"}},
		{"chunk metadata", rewrite(t, sound, func(m *format.FileMetaData) {
			chunk(m).MetaData.KeyValueMetadata = []format.KeyValue{{Key: "k", Value: "v"}}
		}), []string{"column sex, row group 1: metadata of a column chunk"}},
		{"bloom filter", rewrite(t, sound, func(m *format.FileMetaData) {
			chunk(m).MetaData.BloomFilterOffset = 4
		}),
			[]string{"column sex, row group 1: bloom filter"}},
		{"page index", rewrite(t, sound, func(m *format.FileMetaData) {
			chunk(m).ColumnIndexOffset = 4
		}),
			[]string{"column sex, row group 1: page index"}},
		{"offset index", rewrite(t, sound, func(m *format.FileMetaData) {
			chunk(m).OffsetIndexOffset = 4
		}),
			[]string{"column sex, row group 1: page index"}},
		{"statistics", rewrite(t, sound, func(m *format.FileMetaData) {
			chunk(m).MetaData.Statistics.MinValue = []byte("Alice")
		}),
			[]string{"column sex, row group 1: 1 statistics that are not those of its values"}},
		{"old statistics", rewrite(t, sound, func(m *format.FileMetaData) {
			chunk(m).MetaData.Statistics.Max, chunk(m).MetaData.Statistics.Min = []byte("Bob"),
				[]byte("Alice")
		}), []string{"column sex, row group 1: 2 statistics that are not those of its values"}},
		{"gap", rewrite(t, sound, func(m *format.FileMetaData) {
			m.RowGroups, m.NumRows = m.RowGroups[:1], 3
		}),
			[]string{"bytes that the footer does not account for"}},
		{"hidden field", hide(sound), []string{"a footer that kcut does not write"}},
		{"second cut", rewrite(t, sound, func(m *format.FileMetaData) {
			m.KeyValueMetadata = append(m.KeyValueMetadata,
				format.KeyValue{Key: CutKey, Value: `{"names":["Ada"]}`})
		}), []string{"more than one kcut.cut"}},
		{"namesake", rewrite(t, sound, func(m *format.FileMetaData) {
			m.Schema[3].Name = "age"
			for i := range m.RowGroups {
				m.RowGroups[i].Columns[2].MetaData.PathInSchema[0] = "age"
			}
		}), []string{"column age: a name that another column has"}},
		{"statistics that exclude rows", rewrite(t, sound, func(m *format.FileMetaData) {
			chunk(m).MetaData.Statistics.MinValue = []byte("M")
		}),
			[]string{"column sex, row group 1: 1 statistics that are not those of its values"}},
		{"statistics of a kept column", rewrite(t, sound, func(m *format.FileMetaData) {
			m.RowGroups[1].Columns[2].MetaData.Statistics.MaxValue = []byte{38, 0, 0, 0}
		}), []string{"column hours, row group 1: 1 statistics that are not those of its values"}},
	} {
		t.Run(tc.name, func(t *testing.T) { checkFindings(t, tc.file, tc.want) })
	}
	for name, change := range map[string]func(m *format.FileMetaData){
		"distinct count": func(m *format.FileMetaData) {
			chunk(m).MetaData.Statistics.DistinctCount = 3
		},
		"sorting columns": func(m *format.FileMetaData) {
			m.RowGroups[1].SortingColumns = []format.SortingColumn{{ColumnIdx: 1}}
		},
		"name of the schema": func(m *format.FileMetaData) { m.Schema[0].Name = "Ada" },
		"type of the schema": func(m *format.FileMetaData) {
			m.Schema[0].RepetitionType = thrift.New(format.Repeated)
		},
		"version": func(m *format.FileMetaData) { m.Version = 1815 },
		"orders": func(m *format.FileMetaData) {
			m.ColumnOrders = m.ColumnOrders[1:]
		},
		"bytes of a row group": func(m *format.FileMetaData) { m.RowGroups[1].TotalByteSize++ },
		"packed bytes of one": func(m *format.FileMetaData) {
			m.RowGroups[1].TotalCompressedSize++
		},
		"place of one":     func(m *format.FileMetaData) { m.RowGroups[1].FileOffset++ },
		"number of one":    func(m *format.FileMetaData) { m.RowGroups[1].Ordinal = 7 },
		"place of a chunk": func(m *format.FileMetaData) { chunk(m).FileOffset = 4 },
		"encodings": func(m *format.FileMetaData) {
			chunk(m).MetaData.Encoding = append(chunk(m).MetaData.Encoding, format.BitPacked)
		},
	} {
		t.Run(name, func(t *testing.T) {
			checkFindings(t, rewrite(t, sound, change),
				[]string{"a footer that kcut does not write"})
		})
	}
}

func checkFindings(t *testing.T, b []byte, want []string) {
	t.Helper()
	found, err := open(t, b).leaks(context.Background(), cutLabels())
	must(t, err)
	ok := len(found) == len(want)
	for i := range min(len(found), len(want)) {
		ok = ok && strings.HasSuffix(found[i].String(), want[i])
	}
	if !ok {
		t.Errorf("found %v, want %v", found, want)
	}
}
