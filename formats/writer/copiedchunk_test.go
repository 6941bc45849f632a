package writer

import (
	"runtime"
	"testing"
	"weak"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
)

// A row group that copies a column does not keep the column's dictionary: those of all columns
// together may be larger than the memory.
func TestCopiedDictionaryIsLetGo(t *testing.T) {
	field := formats.Field{Name: "city", Type: formats.Type{Kind: formats.String}}
	g := newGroup(t, Options{}, Column{Field: field})
	dictionary := &formats.Values{Type: field.Type}
	dictionary.AppendBytes([]byte("Bern"))
	held := weak.Make(dictionary)
	chunks := []formats.RawChunk{{
		Entries: 1, Dictionary: dictionary,
		Pages: []formats.RawPage{{Type: int32(format.DictionaryPage), Entries: 1}, {Type: int32(format.DataPage), Encoding: int32(format.RLEDictionary), Entries: 1}},
	}}
	if err := g.Copy(0, 1, chunks); err != nil {
		t.Fatal(err)
	}
	chunks, dictionary = nil, nil
	if runtime.GC(); held.Value() != nil {
		t.Error("the dictionary is still held")
	}
	e, err := g.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if s := e.entry.Columns[0].MetaData.V.Statistics.V; string(s.MinValue) != "Bern" || string(s.MaxValue) != "Bern" {
		t.Errorf("bounds of %d and %d bytes", len(s.MinValue), len(s.MaxValue))
	}
}
