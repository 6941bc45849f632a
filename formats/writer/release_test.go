package writer

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/formats/release"
)

// openReleased opens what was written by way of the release reader.
func openReleased(t testing.TB, b []byte) *release.File {
	t.Helper()
	r, err := release.Open(t.Context(), formatstest.WriteTemp(t, "release.parquet", b))
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
		if tc.typ.Kind == formats.Boolean {
			continue // no release has labels of that type
		}
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 1))
			for _, rows := range []int{1, 9, 500, 3 * pageRows / 2} {
				for _, nulls := range []float64{0, 0.2, 1} {
					x := randomTable(r, tc.typ, tc.make, rows, 40, nulls)
					masked := tc.typ.Kind == formats.String || nulls == 0
					checkLabels(t, openReleased(t, encodeColumn(t, r, x, x.output(masked), Options{}, false)), x)
				}
			}
		})
	}
}

func checkLabels(t *testing.T, release *release.File, x table) {
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
			v := &formats.Values{Type: x.typ}
			addSample(v, s)
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
