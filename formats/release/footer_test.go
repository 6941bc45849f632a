package release

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/parquet/metadata"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/formats/internal/meta"
	"github.com/kcut/kcut/formats/writer"
)

// wide returns a release with many row groups and columns.
func wide(t *testing.T, groups, columns int) []byte {
	t.Helper()
	var out []writer.Column
	for i := range columns {
		out = append(out, writer.Column{Field: formats.Field{
			Name: fmt.Sprintf("c%02d", i),
			Type: formats.Type{Kind: formats.String},
		}, Masked: i%2 == 0})
	}
	one := &formats.Column{Values: textValues("one"), Codes: []uint32{1, 1}}
	group := slices.Repeat([]*formats.Column{one}, columns)
	return releaseOf(t, out, map[string]string{CutKey: "{}"},
		slices.Repeat([][]*formats.Column{group}, groups)...)
}

// TestRowGroupEntries compares decoding row group by row group with decoding the whole footer.
func TestRowGroupEntries(t *testing.T) {
	for _, groups := range []int{0, 1, 14, 15, 200} { // a list of 15 has a longer header
		b := wide(t, groups, 3)
		whole, err := metadata.NewFileMetaData(b[footerAt(b):len(b)-meta.Tail], nil)
		must(t, err)
		r := open(t, b)
		if r.RowGroups() != groups || r.footer.NumRows != int64(2*groups) || len(r.Columns()) != 3 {
			t.Fatalf("%d row groups: %d, %d rows, columns %v", groups, r.RowGroups(),
				r.footer.NumRows, r.Columns())
		}
		if text, ok := r.Metadata(CutKey); !ok || text != "{}" {
			t.Errorf("%d row groups: cut %q", groups, text)
		}
		number := 0
		check := func(g *rowGroup) error {
			want := whole.RowGroups[g.Number]
			if g.NumRows != want.NumRows || g.NumRows != r.RowGroupRows(g.Number) ||
				g.TotalByteSize != want.TotalByteSize || !g.Plain() {
				t.Errorf("row group %d of %d is %v, want %v", g.Number, groups, g, want)
			}
			for i, c := range want.Columns {
				got, want := g.Chunk(i), c.MetaData
				if !slices.Equal(got.PathInSchema, want.PathInSchema) ||
					got.DataPageOffset != want.DataPageOffset ||
					got.TotalCompressedSize != want.TotalCompressedSize ||
					got.NumValues != want.NumValues ||
					!bytes.Equal(got.Statistics.V.MaxValue, want.Statistics.MaxValue) {
					t.Errorf("column %d of row group %d is %v, want %v", i, g.Number, got, want)
				}
			}
			number++
			return nil
		}
		if err := r.eachRowGroup(check); err != nil || number != groups {
			t.Fatalf("%d row groups of %d: %v", number, groups, err)
		}
		for i := range groups {
			g, err := r.rowGroup(i)
			must(t, err)
			_ = check(g)
		}
		if found, err := r.FooterLeaks(); err != nil || found != nil {
			t.Errorf("%d row groups: found %v, %v", groups, found, err)
		}
	}
}

// TestWideFooter opens a release of many column chunks, which must not all be in memory.
func TestWideFooter(t *testing.T) {
	const groups, columns = 400, 40
	path := formatstest.WriteTemp(t, "release.parquet", wide(t, groups, columns))
	before := heap()
	r, err := Open(t.Context(), path)
	must(t, err)
	defer r.Close()
	if held := heap() - before; held > 20*columns*groups {
		t.Errorf("an open release of %d column chunks holds %d bytes", columns*groups, held)
	}
	if _, err := r.FooterLeaks(); err != nil {
		t.Fatal(err)
	}
	s := NewScanner([]Masked{{Name: "c00", Number: func(string, bool) (uint32, bool) {
		return 0, true
	}}})
	for g := range groups {
		if _, err := s.Kept(t.Context(), r, g); err != nil {
			t.Fatal(err)
		}
	}
	if held := heap() - before; held > 20*columns*groups {
		t.Errorf("a release of %d column chunks that was read holds %d bytes", columns*groups, held)
	}
	runtime.KeepAlive(s)
}

// heap returns the bytes that live objects take.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestFooterForm changes bytes that the decoder of a footer ignores.
func TestFooterForm(t *testing.T) {
	b := wide(t, 2, 1)
	at, end := footerAt(b), len(b)-meta.Tail
	r := open(t, b)
	first, last := int(r.footer.Entries[0].At), int(r.footer.Entries[1].End)
	refooted := func(parts ...[]byte) []byte { return withFooter(b[:at], slices.Concat(parts...)) }
	group := b[first:r.footer.Entries[0].End]
	for _, tc := range []struct {
		name string
		file []byte
		want string // in the error, else in the only finding
	}{
		{"sound", refooted(b[at:end]), ""},
		{"longer list", refooted(b[at:first-1], []byte{0xfc, 2}, b[first:end]),
			"a footer that kcut does not write"},
		{"longer number", refooted(b[at:first-1], []byte{0xfc, 0x82, 0}, b[first:end]),
			"a footer that kcut does not write"},
		{"unknown field of a row group",
			refooted(b[at:last-1], []byte{0x88, 1, 'x', 0}, b[last:end]), "a footer that kcut " +
				"does not write"},
		{"unknown field", refooted(b[at:end-1], []byte{0x88, 1, 'x', 0}),
			"a footer that kcut does not write"},
		{"bytes after the footer", refooted(b[at:end], []byte("secret")),
			"a footer that kcut does not write"},
		{"row groups twice", refooted(b[at:last], []byte{0x09, 8, 0x1c}, group, b[last:end]),
			"row groups are listed twice"},
		{"no structs", refooted(b[at:first-1], []byte{0x25}, b[first:end]),
			"row groups are no structs"},
		{"more than a file has", refooted(b[at:first-1], []byte{0xfc, 0x81, 0x80, 2},
			bytes.Repeat(group, 32769), b[last:end]), "32769 row groups, a file has at most 32768"},
		{"ends in a row group", refooted(b[at : last-2]), "EOF"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			found, err := findings(t, tc.file)
			switch text := fmt.Sprint(err, found); {
			case err != nil && !errors.Is(err, formats.ErrDamaged):
				t.Errorf("not damaged: %v", err)
			case tc.want == "" && (err != nil || found != nil), !strings.Contains(text, tc.want):
				t.Errorf("found %v, %v, want %q", found, err, tc.want)
			}
		})
	}
}

// findings opens a file and checks its footer.
func findings(t *testing.T, b []byte) ([]Finding, error) {
	r, err := Open(context.Background(), formatstest.WriteTemp(t, "release.parquet", b))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return r.FooterLeaks()
}
