package taxonomy

import (
	"math/big"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/internal/seedtest"
)

// outline formats a tree from a node down as name(child child).
func outline(t *Tree, n int) string {
	if t.IsLeaf(n) {
		return t.Name(n)
	}
	var children []string
	for _, c := range t.Children(n) {
		children = append(children, outline(t, c))
	}
	return t.Name(n) + "(" + strings.Join(children, " ") + ")"
}

// generate returns the taxonomy of some texts, each of which becomes a leaf.
func generate(generator Generator, texts []string) (*Tree, error) {
	g := NewGrower(generator, Pruning{})
	for _, text := range slices.Compact(slices.Sorted(slices.Values(texts))) {
		if err := g.Add(text, nil); err != nil {
			return nil, err
		}
	}
	tree, _, err := g.Finish()
	if err != nil {
		return nil, err
	}
	return tree, nil
}

func generateWith(generator Generator, err error) func([]string) (*Tree, error) {
	return func(texts []string) (*Tree, error) {
		if err != nil {
			return nil, err
		}
		return generate(generator, texts)
	}
}

func TestGenerators(t *testing.T) {
	prefix := func(lengths ...int) func([]string) (*Tree, error) {
		return generateWith(Prefixes(lengths))
	}
	date := func(levels ...string) func([]string) (*Tree, error) {
		return generateWith(Dates(levels))
	}
	monthFirst := func(levels ...string) func([]string) (*Tree, error) {
		return generateWith(MonthFirst(levels))
	}
	spelling := func(levels ...string) func([]string) (*Tree, error) {
		return generateWith(Spellings(levels))
	}
	ranges := func(bounds ...string) func([]string) (*Tree, error) {
		return generateWith(Ranges(bounds))
	}
	for _, c := range []struct {
		name     string
		generate func([]string) (*Tree, error)
		texts    string
		want     string // the outline, or a part of the error
	}{
		{"prefixes", prefix(1, 3), "94110 94109 10001", "*(1*(100*(10001)) 9*(941*(94109 94110)))"},
		{"short codes", prefix(3, 1), "A A1 A12 A123", "*(A A*(A1 A12 A12*(A123)))"},
		{"characters", prefix(1), "äb äc", "*(ä*(äb äc))"},
		{"no lengths", prefix(), "b a", "*(a b)"},
		{"no values", prefix(2), "", "*"},
		{"name of a prefix", prefix(1), "a* ab bc", "*(a* b*(bc))"},
		{"name of a prefix alone", prefix(1, 2), "a* ab*", "*(a*)"},
		{"name of the root", prefix(1), "* ab", "values of 0 rows: they have the name of its root"},
		{"length", prefix(0), "a", "length 0 is not positive"},
		{"dates", date("month", "year"), "1990-05-03 1990-05-01 1991-01-01",
			"*(1990(1990-05(1990-05-01 1990-05-03)) 1991(1991-01(1991-01-01)))"},
		{"days of timestamps and dates", date("day", "year"),
			"1990-05-03T10:00:00Z 1990-05-03T11:00:00Z 1991-01-01",
			"*(1990(1990-05-03(1990-05-03T10:00:00Z 1990-05-03T11:00:00Z)) 1991(1991-01-01))"},
		{"all levels", date("month", "quarter", "year", "decade", "century"),
			"1990-05-03T10:00:00Z", "*(19XX(1990s(1990(1990-Q2(1990-05(1990-05-03T10:00:00Z))))))"},
		{"quarters", date("quarter"), "1990-01-01 1990-03-31 1990-04-01 1990-06-30 1990-07-01 " +
			"1990-09-30 1990-10-01 1990-12-31",
			"*(1990-Q1(1990-01-01 1990-03-31) 1990-Q2(1990-04-01 1990-06-30) 1990-Q3(1990-07-01 " +
				"1990-09-30) 1990-Q4(1990-10-01 1990-12-31))"},
		{"day of a later time", date("day"), "1990-05-03 1990-05-03T10:00:00Z", "*(1990-05-03)"},
		{"months and years", date("month", "year"), "1990 1991-05 1991-05-03 1991-06-01 " +
			"1992-01-01 1992-02",
			"*(1990 1991(1991-05 1991-06(1991-06-01)) 1992(1992-01(1992-01-01) 1992-02))"},
		{"a year above", date("day", "decade"), "1990 1990-05 1990-05-03 2000s 2001-01-01",
			"*(1990s(1990 1990-05 1990-05-03) 2000s)"},
		{"names of periods", date("quarter", "century"), "1990-05-03 1990-Q1 1990-Q2 20XX",
			"*(19XX(1990-Q1 1990-Q2) 20XX)"},
		{"years of five digits", date("year", "decade", "century"),
			"1018-01-01 10183-02-28 10184-02-29 10184 1019-05-05",
			"*(101XX(10180s(10183(10183-02-28) 10184)) 10XX(1010s(1018(1018-01-01) " +
				"1019(1019-05-05))))"},
		{"no leap year", date("year"), "10183-02-29 10200-02-29 10400-02-29",
			"2 of 3 values are no dates"},
		{"no year", date("year"), "199 00199 1990- 1990-5", "4 of 4 values are no dates"},
		{"decades", date("decade"), "0987-12-31 2001-01-01",
			"*(0980s(0987-12-31) 2000s(2001-01-01))"},
		{"no dates", date("year"), "1990-02-30 1990-02-03 soon 1990-02-03x",
			"3 of 4 values are no dates"},
		{"months first", monthFirst("month", "year"), "05/03/1990 12/31/1989 5/1/1991 5/13/1990",
			"*(1989(1989-12(12/31/1989)) 1990(1990-05(05/03/1990 5/13/1990)) " +
				"1991(1991-05(5/1/1991)))"},
		{"days of dates with the month first", monthFirst("day"), "05/03/1990 5/3/1990",
			"*(1990-05-03(05/03/1990 5/3/1990))"},
		{"days first", monthFirst("year"), "1/12/1990 13/12/1990 1990-12-13 2/30/1990",
			"3 of 4 values are no dates"},
		{"unknown level", date("week"), "1990-02-03", `unknown level "week"`},
		{"ranges", ranges("0", "18", "65"), "70 17 18 5 -1 64.5",
			"(,)((,0)(-1) [0,18)(5 17) [18,65)(18 64.5) [65,)(70))"},
		{"empty range", ranges("0", "18"), "20 -1", "(,)((,0)(-1) [18,)(20))"},
		{"exact", ranges("0.3"), "0.3 0.29999999999999999999 3e-1",
			"(,)((,0.3)(0.29999999999999999999) [0.3,)(0.3 3e-1))"},
		{"names of ranges", ranges("0", "18"), "20 [0,18) 5 -1 (,)", "values of 0 rows"},
		{"infinities", ranges("0", "18"), "-Infinity Infinity 1e999 [0,18)",
			"(,)((,0)(-Infinity) [0,18) [18,)(1e999 Infinity))"},
		{"no bounds", ranges(), "2 1", "(,)(1 2)"},
		{"no numbers", ranges("0"), "1 1/2 0x1 Inf 1e9999 .", "5 of 6 values are no numbers"},
		{"falling bounds", ranges("0", "0"), "1", "bound 2 is not above"},
		{"no bound", ranges("zero"), "1", "bound 1 is no number"},
		{"cases", spelling("case"), "Bonn BONN Köln KÖLN Ulm bonn kiel", "*(Ulm bonn kiel köln)"},
		{"blanks", spelling("case"), "New_York new__york _Rome_ Oslo _Oslo _ _*",
			"*(   *  Rome  new york oslo)"},
		{"words", spelling("word", "case"), "F f woman Male M Other other",
			"*(female male other)"},
		{"single words", spelling("case", "word"), "F Man Other Y", "*(F Man Other Y)"},
		{"words alone", spelling("word"), "F f Other other", "*(Other female other)"},
		{"words with signs", spelling("word"), "Female_(cis) cis-female Yes. y No_1 no f2 N/A tRUE",
			"*(N/A No 1 f2 female no yes)"},
		{"other words", spelling("word"), "trans_woman woman male-ish Man",
			"*(Man male-ish trans woman woman)"},
		{"star", spelling("case"), "* a", "values of 0 rows: they have the name of its root"},
		{"unknown spelling", spelling("sound"), "a", `unknown level "sound"`},
	} {
		texts := strings.Fields(c.texts)
		for i := range texts {
			texts[i] = strings.ReplaceAll(texts[i], "_", " ")
		}
		tree, err := c.generate(texts)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = outline(tree, 0)
		}
		if got != c.want && (err == nil || !strings.Contains(got, c.want)) {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

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
		text += []string{"e", "E", "e-", "e+", "E-", "x", "e."}[rng.IntN(7)] +
			digits(3+rng.IntN(40)/39)
	}
	return text
}

// parseDecimal accepts numbers, and they compare like exact fractions.
func TestDecimalsCompareExactly(t *testing.T) {
	seed := seedtest.Seed(t)
	rng := rand.New(rand.NewPCG(seed, 0))
	last, _ := parseDecimal("0")
	exactly, numbers := new(big.Rat), 0
	for range 50_000 {
		text := randomNumber(rng)
		if rng.IntN(3) == 0 { // nearly equal to the last
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
			if is, _ := new(big.Rat).SetString(same); ok && is.Cmp(exact) == 0 &&
				d.compare(&other) != 0 {
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
