package formats

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// save writes bytes to a file and returns its path.
func save(t testing.TB, b []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "release.parquet")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// open saves a release and opens it.
func open(t testing.TB, b []byte) *Release {
	t.Helper()
	r, err := OpenRelease(save(t, b))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// TestReleaseLabels reads what was written of every type as texts.
func TestReleaseLabels(t *testing.T) {
	const seed = 21
	for _, tc := range typeCases {
		if tc.typ.Kind == Boolean {
			continue // no release has labels of that type
		}
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 1))
			for _, rows := range []int{1, 9, 500, 3 * pageRows / 2} {
				for _, nulls := range []float64{0, 0.2, 1} {
					x := randomTable(r, tc.typ, tc.make, rows, 40, nulls)
					masked := tc.typ.Kind == String || nulls == 0
					checkLabels(t, open(t, encodeColumn(t, r, x, x.output(masked), WriteOptions{}, false)), x)
				}
			}
		})
	}
}

func checkLabels(t *testing.T, release *Release, x table) {
	t.Helper()
	got, err := release.Labels(context.Background(), 0, []string{"x"})
	if err != nil {
		t.Fatal(err)
	}
	c := got[0]
	if len(c.Codes) != len(x.rows) {
		t.Fatalf("%d codes, want %d", len(c.Codes), len(x.rows))
	}
	texts := map[*sample]string{}
	for row, s := range x.rows {
		if s == nil {
			if c.Codes[row] != 0 {
				t.Fatalf("row %d is not null", row)
			}
			continue
		}
		want, ok := texts[s]
		if !ok {
			v := &Values{Type: x.typ}
			v.add(s)
			want = v.Text(0)
			texts[s] = want
		}
		if label := c.Labels[c.Codes[row]-1]; label != want {
			t.Fatalf("row %d is %q, want %q", row, label, want)
		}
	}
	used := slices.Clone(c.Codes)
	slices.Sort(used)
	used = slices.DeleteFunc(slices.Compact(used), func(c uint32) bool { return c == 0 })
	if len(used) != len(c.Labels) {
		t.Errorf("%d labels, %d used", len(c.Labels), len(used))
	}
}

// people returns a release of two row groups: two masked columns and a kept number.
func people(t testing.TB, metadata map[string]string) []byte {
	t.Helper()
	columns := []OutputColumn{
		{Field: Field{Name: "sex", Type: Type{Kind: String}, Nullable: true}, Masked: true},
		{Field: Field{Name: "age", Type: Type{Kind: String}}, Masked: true},
		{Field: Field{Name: "hours", Type: Type{Kind: Int, Bits: 32}}},
	}
	sex, age, hours := &Values{Type: Type{Kind: String}}, &Values{Type: Type{Kind: String}}, &Values{Type: columns[2].Field.Type}
	for _, label := range []string{"M", "F"} {
		sex.AppendBytes([]byte(label))
	}
	for _, label := range []string{"[17,37)", "[37,90]"} {
		age.AppendBytes([]byte(label))
	}
	hours.Words = []uint64{intWord(38), intWord(40)}
	groups := make([]*RowGroup, 2)
	for i := range groups {
		g, err := NewRowGroup(columns, WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for c, column := range []*Column{
			{Values: sex, Codes: []uint32{1, 0, 2}}, {Values: age, Codes: []uint32{2, 1, 2}}, {Values: hours, Codes: []uint32{1, 2, 1}},
		} {
			if err := g.Append(c, column, 0, 3); err != nil {
				t.Fatal(err)
			}
		}
		groups[i] = g
	}
	return writeFile(t, columns, metadata, groups...)
}

func TestReleaseDescribes(t *testing.T) {
	b := people(t, map[string]string{CutKey: "{}"})
	keepSample(t, "people", b)
	r := open(t, b)
	if cut, ok := r.Metadata(CutKey); cut != "{}" || !ok {
		t.Errorf("metadata is %q, %v", cut, ok)
	}
	if _, ok := r.Metadata("other"); ok {
		t.Error("metadata that was not written")
	}
	if r.Rows() != 6 || r.RowGroups() != 2 || r.RowGroupRows(1) != 3 {
		t.Errorf("%d rows in %d row groups", r.Rows(), r.RowGroups())
	}
	want := []ReleaseColumn{
		{Name: "sex", Physical: "BYTE_ARRAY", Logical: "String", String: true, Nullable: true},
		{Name: "age", Physical: "BYTE_ARRAY", Logical: "String", String: true},
		{Name: "hours", Physical: "INT32", Logical: "Int(bitWidth=32, isSigned=true)"},
	}
	if got := r.Columns(); !slices.Equal(got, want) {
		t.Errorf("columns are %+v, want %+v", got, want)
	}
	labels, err := r.Labels(context.Background(), 1, []string{"hours", "sex"})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(labels), "[{[38 40] [1 2 1]} {[M F] [1 0 2]}]"; got != want {
		t.Errorf("labels are %s, want %s", got, want)
	}
	if _, err := r.Labels(context.Background(), 0, []string{"absent"}); !errors.Is(err, ErrSchema) {
		t.Errorf("absent column: %v, want ErrSchema", err)
	}
}

func TestReleaseEmpty(t *testing.T) {
	r := open(t, writeFile(t, []OutputColumn{{Field: Field{Name: "x", Type: Type{Kind: String}}}}, nil))
	if r.Rows() != 0 || r.RowGroups() != 0 || len(r.Columns()) != 1 {
		t.Errorf("%d rows, %d row groups, %d columns", r.Rows(), r.RowGroups(), len(r.Columns()))
	}
}

// TestReleaseDamaged cuts and flips every byte of a release: it is read or refused, never a
// panic, and a refusal says no more than it may.
func TestReleaseDamaged(t *testing.T) {
	b := people(t, map[string]string{CutKey: "{}"})
	refused, path := 0, filepath.Join(t.TempDir(), "x")
	for i := range b {
		for _, damaged := range [][]byte{b[:i], flip(b, i, 1<<(i%8))} {
			err := readAll(damaged, path)
			switch {
			case err == nil:
			case !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrUnsupported) && !errors.Is(err, ErrSchema):
				t.Fatalf("byte %d: %v", i, err)
			case strings.Contains(err.Error(), "[37,90]"):
				t.Fatalf("byte %d: the error holds a label: %v", i, err)
			default:
				refused++
			}
		}
	}
	if refused < len(b)+len(b)/10 { // every cut, and many of the flipped bits
		t.Errorf("only %d of %d damaged files refused", refused, 2*len(b))
	}
}

func flip(b []byte, i int, mask byte) []byte {
	b = slices.Clone(b)
	b[i] ^= mask
	return b
}

// readAll reads everything that Release can read.
func readAll(b []byte, path string) error {
	if err := os.WriteFile(path, b, 0o600); err != nil {
		return err
	}
	r, err := OpenRelease(path)
	if err != nil {
		return err
	}
	defer r.Close()
	yes := func(string) bool { return true }
	for g := range r.RowGroups() {
		if _, err := r.Labels(context.Background(), g, []string{"sex", "age", "hours"}); err != nil {
			return err
		}
	}
	_, err = r.Leaks(context.Background(), map[string]func(string) bool{"sex": yes, "age": yes})
	return err
}
