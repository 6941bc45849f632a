package csvfile

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
)

// TestForms: the forms that follow from a number's digits are those found by writing the number in
// each form.
func TestForms(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		x := math.Round(r.ExpFloat64()*1000) * math.Pow10(r.IntN(24)-14)
		if r.IntN(3) == 0 {
			x = math.Float64frombits(r.Uint64()>>2 | 1<<60) // of usual sizes
		}
		if math.IsNaN(x) || math.IsInf(x, 0) {
			continue
		}
		var texts []string
		for _, form := range floatForms {
			texts = append(texts, string(form.appendFloat(nil, x)))
		}
		for _, digits := range []int{0, 1, 2, 3, 17} {
			texts = append(texts, strconv.FormatFloat(x, 'f', digits, 64))
		}
		for _, text := range texts {
			if text == "" {
				continue
			}
			if got, want := guessOfNumber(text)&floats,
				formsByWriting(text); guessOfNumber(text)&guessFloat != 0 && got != want {
				t.Fatalf("%s has the forms %b, not %b", text, want, got)
			}
		}
	}
	for text, want := range map[string]guess{
		"10.0": guessPython | guessJava, "10": guessExact | guessR, "100000": guessExact,
		"1e+05": guessR, "0.0": guessPython | guessJava, "-0.0": 0,
		"10.00": 0, "2.25": floats, "1.0E7": guessJava, "10000000.0": guessPython,
		"1e-05": guessPython | guessR, "0.0001": guessExact | guessPython,
		"1.5E-4": guessJava, "1e+16": guessPython | guessR, "0.30000000000000004": floats &^ guessR,
		".5": 0, "5.": 0, "0.001": floats,
	} {
		if got := guessOfNumber(text) & floats; got != want {
			t.Errorf("%s has the forms %b, not %b", text, got, want)
		}
	}
}

// TestJoinedEvidence: the evidence of a column does not depend on where its texts are divided, nor
// does the line that makes them texts.
func TestJoinedEvidence(t *testing.T) {
	texts := []string{"10", "10.0", "2.25", "2.5", "2.50", "1e+05", "100000", "1.0E7", "1e+16", "x",
		"+5", "1234567890123456"}
	grouped := []string{"10", "1.234", "1234", "1.234,50", "2,5", "2,50", "1.0", "10.000.000",
		"1234567890123456", "x"}
	r := rand.New(rand.NewPCG(3, 4))
	var german *numerals
	see := func(from int, texts []string) *evidence {
		c := newEvidence([]string{"t.csv"}, german)
		for i, text := range texts {
			c.see(field{text: []byte(text)}, int64(from+i+1))
		}
		return &c
	}
	for i := range 40_000 {
		if i == 20_000 {
			texts, german = grouped, &numerals{',', '.'}
		}
		column := make([]string, 2+r.IntN(5))
		some := 1 + r.IntN(len(texts))
		for i := range column {
			column[i] = texts[r.IntN(some)]
		}
		var whole, parts formats.Field
		see(0, column).Infer(&whole)
		at := r.IntN(len(column))
		see(0, column[:at]).Join(see(at, column[at:])).Infer(&parts)
		if !reflect.DeepEqual(whole, parts) {
			t.Fatalf("%q, cut at %d: %+v, want %+v", column, at, parts, whole)
		}
	}
}

// A long text that begins with digits is no date, and is not copied for every form of one.
func TestLongTextsAreNoDates(t *testing.T) {
	long := strings.Repeat("2026", 1<<18)
	copies := testing.AllocsPerRun(1, func() {
		forms := looksLikeAny().forms
		if forms.see(long); forms != (formSet{}) {
			t.Error("a text of a megabyte may be a date")
		}
	})
	if copies > 0 {
		t.Errorf("%v copies of it", copies)
	}
}
