package release

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/formats/internal/meta"
	declared "github.com/kcut/kcut/formats/internal/schema"
	"github.com/kcut/kcut/formats/writer"
)

// keeping returns a release with pages of every form: a masked column, and kept ones with a
// dictionary, without one, of booleans and of lists.
func keeping(t *testing.T) []byte {
	t.Helper()
	const rows = 12
	text, truth := formats.Type{Kind: formats.String}, formats.Type{Kind: formats.Boolean}
	list := declared.Elements{
		{RepetitionType: thrift.New(format.Optional), NumChildren: thrift.New(int32(1))},
		{Name: "item", RepetitionType: thrift.New(format.Repeated), Type: thrift.New(format.Int32)},
	}
	columns := []writer.Column{
		{Field: formats.Field{Name: "sex", Type: text, Nullable: true}, Masked: true},
		{Field: formats.Field{Name: "class", Type: text}},
		{Field: formats.Field{Name: "note", Type: text, Nullable: true}},
		{Field: formats.Field{Name: "member", Type: truth}},
		{Field: formats.Field{
			Name:     "visits",
			Type:     formats.Type{Kind: formats.Nested},
			Declared: list,
		}},
	}
	notes := textValues()
	items := &formats.Values{Type: formats.Type{Kind: formats.Binary}}
	truths := &formats.Values{Type: truth, Words: []uint64{0, 1}}
	visits := formats.Leaf{Values: items}
	var sexes, classes, noted, members []uint32
	for i := range uint32(rows) {
		sexes, classes, members = append(sexes, i%3), append(classes, 1+i%2),
			append(members, 1+i/5%2)
		notes.AppendBytes(fmt.Appendf(nil, "note %d", i))
		noted = append(noted, min(i, 10)) // 0 is null
		visits.Repetition, visits.Definition = append(visits.Repetition, 0),
			append(visits.Definition, byte(i%3))
		if i%3 == 2 {
			items.AppendBytes(binary.LittleEndian.AppendUint32(nil, i))
		}
	}
	visits.Entries = len(visits.Repetition)
	return releaseOf(t, columns, map[string]string{CutKey: "{}"}, []*formats.Column{
		{Values: textValues("M", "F"), Codes: sexes},
		{Values: textValues("M", "F"), Codes: classes}, {Values: notes, Codes: noted},
		{Values: truths, Codes: members}, {Leaves: []formats.Leaf{visits}},
	})
}

// leaksOf scans a release of the masked column sex.
func leaksOf(path string, b []byte) ([]Finding, error) {
	if err := os.WriteFile(path, b, 0o600); err != nil {
		return nil, err
	}
	r, err := Open(context.Background(), path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return r.leaks(context.Background(), map[string]func(string) bool{"sex": func(l string) bool {
		return l == "M" || l == "F"
	}})
}

// TestFlippedPages flips every bit before the footer, one at a time: every flip is found.
func TestFlippedPages(t *testing.T) {
	b := keeping(t)
	formatstest.Keep(t, "keeping", b)
	path := filepath.Join(t.TempDir(), "release.parquet")
	if found, err := leaksOf(path, b); len(found) > 0 || err != nil {
		t.Fatalf("found %v, %v", found, err)
	}
	for bit := range 8 * footerAt(b) {
		found, err := leaksOf(path, flip(b, bit/8, 1<<(bit%8)))
		switch {
		case err == nil && len(found) == 0:
			t.Errorf("byte %d, bit %d: nothing found", bit/8, bit%8)
		case err != nil && !errors.Is(err, formats.ErrDamaged) &&
			!errors.Is(err, formats.ErrUnsupported):
			t.Errorf("byte %d, bit %d: %v", bit/8, bit%8, err)
		case err != nil && bit >= 8*len(meta.Magic) &&
			!strings.Contains(err.Error(), "of row group 0 of"):
			t.Errorf("byte %d, bit %d: the error names no place: %v", bit/8, bit%8, err)
		}
	}
}

// TestContradictedPages changes the footer's metadata of a kept column's pages.
func TestContradictedPages(t *testing.T) {
	sound, path := keeping(t), filepath.Join(t.TempDir(), "release.parquet")
	for name, change := range map[string]func(*format.ColumnMetaData){
		"entries": func(m *format.ColumnMetaData) { m.NumValues++ },
		"nulls":   func(m *format.ColumnMetaData) { m.Statistics.NullCount++ },
		"bytes before compression": func(m *format.ColumnMetaData) {
			m.TotalUncompressedSize++
		},
		"kinds of pages": func(m *format.ColumnMetaData) {
			m.EncodingStats = m.EncodingStats[:1]
		},
		"place of the first data page": func(m *format.ColumnMetaData) { m.DataPageOffset++ },
		"a page ends after its column": func(m *format.ColumnMetaData) { m.TotalCompressedSize-- },
		"lies outside the file": func(m *format.ColumnMetaData) {
			m.TotalCompressedSize += 1 << 40
		},
	} {
		_, err := leaksOf(path, rewrite(t, sound, func(m *format.FileMetaData) {
			change(&m.RowGroups[0].Columns[1].MetaData)
		}))
		if !errors.Is(err, formats.ErrDamaged) ||
			!strings.Contains(err.Error(), "column class of row group 0") ||
			!strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestUnchecked reads a file of another writer, whose pages have no checksums.
func TestUnchecked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "foreign.parquet")
	columns := []formatstest.Text{{Name: "sex", Rows: []string{"M", "F", "M"}},
		{Name: "city", Rows: []string{"Rome", "Rome", "Oslo"}}}
	must(t, formatstest.WriteUnused(path, columns, nil))
	b, err := os.ReadFile(path)
	must(t, err)
	found, err := leaksOf(path, b)
	must(t, err)
	for _, want := range []string{"column sex, row group 0: 2 pages without a checksum",
		"column city, row group 0: 2 pages without a checksum"} {
		if !strings.Contains(fmt.Sprintln(found), want) {
			t.Errorf("found %v, want %q", found, want)
		}
	}
}
