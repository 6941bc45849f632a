package writer

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/formats/release"
)

// openReleased opens written bytes with the release reader.
func openReleased(t testing.TB, b []byte) *release.File {
	t.Helper()
	r, err := release.Open(t.Context(), formatstest.WriteTemp(t, "release.parquet", b))
	must(t, err)
	t.Cleanup(func() { r.Close() })
	return r
}

// leaksIn returns the content that a release must not have, when nothing or its column sex is
// masked.
func leaksIn(t *testing.T, b []byte, masked ...release.Masked) (findings []release.Finding,
	err error) {
	t.Helper()
	r := openReleased(t, b)
	findings, err = r.FooterLeaks()
	s := release.NewScanner(masked)
	for g := range r.RowGroups() {
		kept, failed := s.Kept(t.Context(), r, g)
		rows, failedToo := s.Rows(t.Context(), r, g,
			func(int, int, []release.Numbers, []release.Hashes) error {
				return nil
			})
		findings, err = slices.Concat(findings, kept, rows), errors.Join(err, failed, failedToo)
	}
	return findings, err
}

// TestReleaseLabels reads written values of every type as texts.
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
					checkLabels(t, openReleased(t,
						encodeColumn(t, r, x, x.output(masked), Options{}, false)), x)
				}
			}
		})
	}
}

func checkLabels(t *testing.T, r *release.File, x table) {
	t.Helper()
	labels := []string{"null"}
	masked := release.Masked{Name: "x", Number: func(label string, null bool) (uint32, bool) {
		if null {
			return 0, true
		}
		labels = append(labels, label)
		return uint32(len(labels) - 1), true
	}}
	texts, row := map[*sample]string{nil: "null"}, 0
	findings, err := release.NewScanner([]release.Masked{masked}).Rows(t.Context(), r, 0,
		func(_, rows int, n []release.Numbers, _ []release.Hashes) error {
			for i := range rows {
				s := x.rows[row]
				if _, ok := texts[s]; !ok {
					v := &formats.Values{Type: x.typ}
					addSample(v, s)
					texts[s] = v.Text(0)
				}
				number := n[0].One
				if !n[0].Same {
					number = n[0].Every[i]
				}
				if label := labels[number]; label != texts[s] {
					t.Fatalf("row %d is %q, want %q", row, label, texts[s])
				}
				row++
			}
			return nil
		})
	if err != nil || len(findings) > 0 || row != len(x.rows) {
		t.Fatalf("%d rows, found %v, %v", row, findings, err)
	}
}
