package release

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/formats/writer"
)

// open saves a release and opens it.
func open(t testing.TB, b []byte) *File {
	t.Helper()
	r, err := Open(t.Context(), formatstest.WriteTemp(t, "release.parquet", b))
	must(t, err)
	t.Cleanup(func() { r.Close() })
	return r
}

// people returns a release of two row groups: two masked columns and a kept number.
func people(t testing.TB, metadata map[string]string) []byte {
	t.Helper()
	columns := []writer.Column{
		{Field: formats.Field{
			Name:     "sex",
			Type:     formats.Type{Kind: formats.String},
			Nullable: true,
		}, Masked: true},
		{Field: formats.Field{Name: "age", Type: formats.Type{Kind: formats.String}}, Masked: true},
		{Field: formats.Field{Name: "hours", Type: formats.Type{Kind: formats.Int, Bits: 32}}},
	}
	sex, age := textValues("M", "F"), textValues("[17,37)", "[37,90]")
	hours := &formats.Values{
		Type:  columns[2].Field.Type,
		Words: []uint64{formats.IntWord(38), formats.IntWord(40)},
	}
	group := []*formats.Column{{Values: sex, Codes: []uint32{1, 0, 2}},
		{Values: age, Codes: []uint32{2, 1, 2}}, {Values: hours, Codes: []uint32{1, 2, 1}}}
	return releaseOf(t, columns, metadata, group, group)
}

func textValues(texts ...string) *formats.Values {
	v := &formats.Values{Type: formats.Type{Kind: formats.String}}
	for _, text := range texts {
		v.AppendBytes([]byte(text))
	}
	return v
}

// releaseOf returns a release with row groups, given by their columns.
func releaseOf(t testing.TB, columns []writer.Column, metadata map[string]string,
	groups ...[]*formats.Column) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := writer.New(&b, columns, metadata)
	must(t, err)
	g, err := writer.NewRowGroup(columns, writer.Options{})
	must(t, err)
	for _, group := range groups {
		for i, c := range group {
			rows := len(c.Codes)
			if c.Leaves != nil {
				rows = c.Leaves[0].Entries
			}
			must(t, g.Append(i, c, 0, rows))
		}
		e, err := g.Encode()
		must(t, err)
		must(t, w.Write(e))
	}
	must(t, w.Close())
	return b.Bytes()
}

func TestDescribes(t *testing.T) {
	b := people(t, map[string]string{CutKey: "{}"})
	formatstest.Keep(t, "people", b)
	r := open(t, b)
	if cut, ok := r.Metadata(CutKey); cut != "{}" || !ok {
		t.Errorf("metadata is %q, %v", cut, ok)
	}
	if _, ok := r.Metadata("other"); ok {
		t.Error("metadata that was not written")
	}
	if r.RowGroups() != 2 || r.RowGroupRows(0) != 3 || r.RowGroupRows(1) != 3 {
		t.Errorf("%d row groups", r.RowGroups())
	}
	if got := fmt.Sprint(r.Columns()); got != "[sex age hours]" {
		t.Errorf("columns are %s", got)
	}
	texts, err := r.texts(context.Background(), 1, "hours", "sex")
	if got, want := fmt.Sprint(texts), "[[38 40 38] [M null F]]"; got != want || err != nil {
		t.Errorf("labels are %s, %v, want %s", got, err, want)
	}
	if _, err := r.texts(context.Background(), 0, "absent"); !errors.Is(err, formats.ErrSchema) {
		t.Errorf("absent column: %v, want ErrSchema", err)
	}
}

func TestEmpty(t *testing.T) {
	r := open(t,
		releaseOf(t, []writer.Column{{Field: formats.Field{
			Name: "x",
			Type: formats.Type{Kind: formats.String},
		}}}, nil))
	if r.RowGroups() != 0 || len(r.Columns()) != 1 {
		t.Errorf("%d row groups, %d columns", r.RowGroups(), len(r.Columns()))
	}
}

// TestDamaged truncates a release at every byte and flips every byte: it is read or refused, never
// a panic, and a refusal shows no value.
func TestDamaged(t *testing.T) {
	b := people(t, map[string]string{CutKey: "{}"})
	refused, path := 0, filepath.Join(t.TempDir(), "x")
	for i := range b {
		for _, damaged := range [][]byte{b[:i], flip(b, i, 1<<(i%8))} {
			err := readAll(damaged, path)
			switch {
			case err == nil:
			case !errors.Is(err, formats.ErrDamaged) && !errors.Is(err, formats.ErrUnsupported) &&
				!errors.Is(err, formats.ErrSchema):
				t.Fatalf("byte %d: %v", i, err)
			case strings.Contains(err.Error(), "[37,90]"):
				t.Fatalf("byte %d: the error holds a label: %v", i, err)
			default:
				refused++
			}
		}
	}
	if refused < len(b)+len(b)/10 { // every truncation, and many of the flipped bits
		t.Errorf("only %d of %d damaged files refused", refused, 2*len(b))
	}
}

func flip(b []byte, i int, mask byte) []byte {
	b = slices.Clone(b)
	b[i] ^= mask
	return b
}

// readAll reads everything that File can read.
func readAll(b []byte, path string) error {
	if err := os.WriteFile(path, b, 0o600); err != nil {
		return err
	}
	r, err := Open(context.Background(), path)
	if err != nil {
		return err
	}
	defer r.Close()
	yes := func(string) bool { return true }
	for g := range r.RowGroups() {
		if _, err := r.texts(context.Background(), g, "sex", "age", "hours"); err != nil {
			return err
		}
	}
	_, err = r.leaks(context.Background(), map[string]func(string) bool{"sex": yes, "age": yes})
	return err
}

// leaks looks for all content that a release must not have, in the whole file and in the pages of
// the masked columns, which are given with a function that accepts the labels of their cut.
func (r *File) leaks(ctx context.Context,
	masked map[string]func(label string) bool) (findings []Finding, err error) {
	var columns []Masked
	for _, name := range slices.Sorted(maps.Keys(masked)) {
		columns = append(columns, Masked{
			Name: name,
			Number: func(label string, null bool) (uint32, bool) {
				return 0, null || masked[name](label)
			}})
	}
	findings, err = r.FooterLeaks()
	s := NewScanner(columns)
	for g := range r.RowGroups() {
		kept, failed := s.Kept(ctx, r, g)
		rows, failedToo := s.Rows(ctx, r, g, func(int, int, []Numbers, []Hashes) error {
			return nil
		})
		findings, err = slices.Concat(findings, kept, rows), errors.Join(err, failed, failedToo)
	}
	return findings, err
}

// texts reads whole flat columns of a row group as labels, "null" for null.
func (r *File) texts(ctx context.Context, rowGroup int, columns ...string) ([][]string, error) {
	texts, masked := make([][]string, len(columns)), make([]Masked, len(columns))
	labels := []string{"null"}
	for i, name := range columns {
		masked[i] = Masked{Name: name, Number: func(label string, null bool) (uint32, bool) {
			if null {
				return 0, true
			}
			labels = append(labels, label)
			return uint32(len(labels) - 1), true
		}}
	}
	_, err := NewScanner(masked).Rows(ctx, r, rowGroup,
		func(_, rows int, numbers []Numbers, _ []Hashes) error {
			for i := range numbers {
				for row := range rows {
					texts[i] = append(texts[i], labels[numbers[i].of(row)])
				}
			}
			return nil
		})
	return texts, err
}

// must ends the test if there is an error.
func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
