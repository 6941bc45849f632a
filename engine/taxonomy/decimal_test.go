package taxonomy

import (
	"cmp"
	"math/big"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// plainNumber is the form of a number.
var plainNumber = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?$`)

// randomNumber returns a text that is a number or nearly one.
func randomNumber(rng *rand.Rand) string {
	digits := func(most int) string {
		alphabet := []string{"01", "09", "0123456789"}[rng.IntN(3)]
		var text strings.Builder
		for range rng.IntN(most + 1) {
			text.WriteByte(alphabet[rng.IntN(len(alphabet))])
		}
		return text.String()
	}
	text := []string{"", "", "-", "+"}[rng.IntN(4)] + digits(3+rng.IntN(2)*20)
	if rng.IntN(2) == 0 {
		text += "." + digits(3+rng.IntN(2)*20)
	}
	if rng.IntN(4) == 0 {
		text += []string{"e", "E", "e-", "e+", "E-", "x", "e."}[rng.IntN(7)] + digits(3+rng.IntN(40)/39)
	}
	return text
}

// Numbers are what they look like, and compare as exact fractions do.
func TestDecimalsCompareExactly(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	var last decimal
	lastText, exactly, numbers := "0", new(big.Rat), 0
	for range 100_000 {
		text := randomNumber(rng)
		if rng.IntN(3) == 0 { // nearly the last
			text = lastText[:rng.IntN(len(lastText)+1)] + randomNumber(rng)
		}
		d, ok := parseDecimal(text)
		if ok != plainNumber.MatchString(text) {
			t.Fatalf("seed %d: %q is a number: %t", seed, text, ok)
		}
		if !ok {
			continue
		}
		exact, _ := new(big.Rat).SetString(text)
		if got, want := d.compare(&last), exact.Cmp(exactly); cmp.Compare(got, 0) != want {
			t.Fatalf("seed %d: %s and %s: %d, want %d", seed, text, lastText, got, want)
		}
		if d.compare(&d) != 0 {
			t.Fatalf("seed %d: %s is not itself", seed, text)
		}
		last, lastText, exactly = d, text, exact
		numbers++
	}
	if numbers < 50_000 {
		t.Errorf("%d numbers", numbers)
	}
}

// The same number in other digits is equal.
func TestEqualDecimals(t *testing.T) {
	for _, same := range []string{
		"0 -0 0.0 .0 0e5 00", "1 1.0 01 +1 1. 10e-1 0.1e1 .01E2", "-12.5 -012.50 -1250e-2 -.125e2",
		"1234567890123456789012345 1234567890123456789012345.000 1.234567890123456789012345e24",
	} {
		texts := strings.Fields(same)
		first, _ := parseDecimal(texts[0])
		for _, text := range texts {
			if d, ok := parseDecimal(text); !ok || d.compare(&first) != 0 {
				t.Errorf("%s is not %s", text, texts[0])
			}
		}
	}
}

func BenchmarkRanges(b *testing.B) {
	generator, err := Ranges([]string{"0", "18", "65.5", "1e6"})
	if err != nil {
		b.Fatal(err)
	}
	var path []step
	for b.Loop() {
		path, _ = generator.path("123456.789", path[:0])
	}
}
