package taxonomy

import (
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
	last, _ := parseDecimal("0")
	exactly, numbers := new(big.Rat), 0
	for range 50_000 {
		text := randomNumber(rng)
		if rng.IntN(3) == 0 { // nearly the last
			text = last.text[:rng.IntN(len(last.text)+1)] + randomNumber(rng)
		}
		d, ok := parseDecimal(text)
		if ok != plainNumber.MatchString(text) {
			t.Fatalf("seed %d: %q is a number: %t", seed, text, ok)
		}
		if !ok {
			continue
		}
		exact, _ := new(big.Rat).SetString(text)
		if got, want := d.compare(&last), exact.Cmp(exactly); got != want {
			t.Fatalf("seed %d: %s and %s: %d, want %d", seed, text, last.text, got, want)
		}
		for _, same := range []string{text, exact.FloatString(50)} {
			other, ok := parseDecimal(same)
			if is, _ := new(big.Rat).SetString(same); ok && is.Cmp(exact) == 0 && d.compare(&other) != 0 {
				t.Fatalf("seed %d: %s is not %s", seed, text, same)
			}
		}
		last, exactly = d, exact
		numbers++
	}
	if numbers < 25_000 {
		t.Errorf("%d numbers", numbers)
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
