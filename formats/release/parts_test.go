package release

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/formats/writer"
)

// ageParts are the fields of structs that represent the labels (,37), [37,52), [52,90] and (,).
func ageParts() []writer.Part {
	ages := &formats.Values{Type: formats.Type{Kind: formats.Int, Bits: 32}}
	for _, age := range []int64{37, 52, 90} {
		ages.Words = append(ages.Words, formats.IntWord(age))
	}
	return []writer.Part{
		{Name: "lower", Values: ages, Codes: []uint32{0, 1, 2, 0}},
		{Name: "upper", Values: ages, Codes: []uint32{1, 2, 3, 0}},
		{Name: "closed", Values: textValues("left", "both"), Codes: []uint32{1, 1, 2, 1}},
	}
}

// ageRelease returns a release of one row group whose rows have labels by code, 0 for null.
func ageRelease(t testing.TB, codes []uint32, parts []writer.Part, ordered bool) []byte {
	t.Helper()
	columns := []writer.Column{{Field: formats.Field{
		Name:     "age",
		Type:     formats.Type{Kind: formats.Nested},
		Nullable: true,
	}, Masked: true, Parts: parts}}
	var b bytes.Buffer
	w, err := writer.New(&b, columns, map[string]string{CutKey: "{}"})
	must(t, err)
	g, err := writer.NewRowGroup(columns, writer.Options{})
	must(t, err)
	labels := textValues("(,37)", "[37,52)", "[52,90]", "(,)")
	if ordered {
		must(t, g.EnterLabels(0, labels, []uint32{4, 2, 1, 3}))
	}
	for batch := range slices.Chunk(codes, 5000) {
		must(t, g.AppendLabels(0, labels, batch))
	}
	encoded, err := g.Encode()
	must(t, err)
	must(t, w.Write(encoded))
	must(t, w.Close())
	return b.Bytes()
}

// Fields of structs come back: values, nulls, and null structs, also where the first pages have no
// value.
func TestParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	draw := func(n int, of ...uint32) (codes []uint32) {
		for len(codes) < n {
			code := of[rng.IntN(len(of))]
			codes = append(codes, slices.Repeat([]uint32{code},
				min(n-len(codes), 1+rng.IntN(3000)*rng.IntN(2)))...)
		}
		return codes
	}
	for name, codes := range map[string][]uint32{
		"one null":         {0},
		"one open":         {4},
		"nulls":            draw(70000, 0),
		"open":             draw(70000, 4),
		"no values":        draw(70000, 0, 4),
		"values":           draw(70000, 2, 3),
		"all":              draw(100000, 0, 1, 2, 3, 4),
		"few":              draw(9, 0, 1, 2, 3, 4),
		"values at last":   append(draw(90000, 0, 4), draw(500, 0, 1, 2, 3, 4)...),
		"lower at last":    append(draw(90000, 0, 1), draw(40000, 2, 4)...),
		"values in middle": slices.Concat(draw(40000, 4), draw(40000, 1, 2, 3), draw(40000, 0)),
	} {
		t.Run(name, func(t *testing.T) {
			all := draw(30, 1, 2, 3, 4)
			checkParts(t, ageRelease(t, codes, ageParts(), false), codes)
			codes = append(slices.Clip(codes), append(all, 1, 2, 3, 4)...)
			checkParts(t, ageRelease(t, codes, ageParts(), true), codes)
		})
	}
}

// maskedParts returns the fields of ages for a scanner: numbers are positions in the texts that it
// appends.
func maskedParts(texts *[]string) (masked []Masked) {
	number := func(text string) (uint32, bool) {
		*texts = append(*texts, text)
		return uint32(len(*texts) - 1), true
	}
	for _, part := range ageParts() {
		masked = append(masked, Masked{
			Name: "age", Part: part.Name, Whole: func() (uint32, bool) { return number("none") },
			Number: func(label string, null bool) (uint32, bool) {
				if null {
					label = "null"
				}
				return number(label)
			},
		})
	}
	return masked
}

func checkParts(t *testing.T, b []byte, codes []uint32) {
	t.Helper()
	want := []string{"none none none", "null 37 left", "37 52 left", "52 90 both", "null null left"}
	r := open(t, b)
	var texts []string
	s := NewScanner(maskedParts(&texts))
	row := 0
	found, err := s.Rows(t.Context(), r, 0, func(_, rows int, n []Numbers, _ []Hashes) error {
		for i := range rows {
			if got := fmt.Sprintf("%s %s %s", texts[n[0].of(i)], texts[n[1].of(i)],
				texts[n[2].of(i)]); got != want[codes[row]] {
				t.Fatalf("row %d is %s, want %s", row, got, want[codes[row]])
			}
			row++
		}
		return nil
	})
	kept, failed := s.Kept(t.Context(), r, 0)
	leaks, wrong := r.FooterLeaks()
	if all := slices.Concat(found, kept, leaks); err != nil || failed != nil || wrong != nil ||
		len(all) > 0 || row != len(codes) {
		t.Errorf("%d rows, found %v, %v, %v, %v", row, all, err, failed, wrong)
	}
	if got := r.Parts("age"); !slices.Equal(got, []string{"lower", "upper", "closed"}) {
		t.Errorf("parts %q", got)
	}
}

// Values in fields of structs that the cut does not contain are found, and so are fields that are
// not requested: they are visible.
func TestForeignParts(t *testing.T) {
	parts := append(ageParts(), writer.Part{
		Name:   "raw",
		Values: textValues("Ada"),
		Codes:  []uint32{1, 1, 1, 1},
	})
	codes := []uint32{0, 1, 2, 3, 4, 1, 2, 3}
	r := open(t, ageRelease(t, codes, parts, false))
	if got := r.Parts("age"); !slices.Equal(got, []string{"lower", "upper", "closed", "raw"}) {
		t.Errorf("parts %q", got)
	}
	var texts []string
	masked := maskedParts(&texts)
	masked[0].Number = func(label string, null bool) (uint32, bool) { return 0, label == "37" }
	masked[1].Whole = func() (uint32, bool) { return 0, false }
	found, err := NewScanner(masked).Rows(t.Context(), r, 0,
		func(int, int, []Numbers, []Hashes) error {
			return nil
		})
	must(t, err)
	want := "[column age.lower, row group 0: 1 dictionary entries that are no labels of the cut" +
		" column age.lower, row group 0: 3 nulls, which the cut does not hold" +
		" column age.upper, row group 0: 1 nulls, which the cut does not hold]"
	if got := fmt.Sprint(found); got != want {
		t.Errorf("found %s, want %s", got, want)
	}
	masked[2].Part = "kind"
	if _, err := NewScanner(masked).Rows(t.Context(), r, 0, nil); err == nil {
		t.Error("a field that is not there is read")
	}
}

// Every flipped bit in the pages of structs is found.
func TestFlippedParts(t *testing.T) {
	b := ageRelease(t, []uint32{0, 1, 2, 3, 4, 1, 2, 3, 0, 0, 4, 4}, ageParts(), false)
	for bit := range 8 * footerAt(b) {
		flipped := formatstest.WriteTemp(t, "release.parquet", flip(b, bit/8, 1<<(bit%8)))
		r, err := Open(t.Context(), flipped)
		if err != nil {
			continue
		}
		var texts []string
		s := NewScanner(maskedParts(&texts))
		found, err := s.Rows(t.Context(), r, 0, func(int, int, []Numbers, []Hashes) error {
			return nil
		})
		leaks, failed := r.FooterLeaks()
		if err == nil && failed == nil && len(found)+len(leaks) == 0 {
			t.Errorf("byte %d, bit %d: nothing found", bit/8, bit%8)
		}
		must(t, r.Close())
	}
}
