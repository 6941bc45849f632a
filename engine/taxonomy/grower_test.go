package taxonomy

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kcut/kcut/internal/seedtest"
	"github.com/kcut/kcut/partition"
)

// sown is a value of a random column with its records.
type sown struct {
	text        string
	frequencies []Frequency
}

// sow returns random values of a generator's kind in order. Early texts are frequent.
func sow(rng *rand.Rand, text func() string) (values []sown) {
	records := map[string]map[uint32]uint64{}
	classes := 1 + rng.IntN(3)
	for range 1 + rng.IntN(200) {
		of := map[uint32]uint64{}
		for range 1 + rng.IntN(1<<rng.IntN(5)) {
			of[uint32(rng.IntN(classes))]++
		}
		records[text()] = of
	}
	for text, of := range records {
		v := sown{text: text}
		for class := range uint32(classes) {
			if of[class] > 0 {
				v.frequencies = append(v.frequencies, Frequency{class, of[class]})
			}
		}
		values = append(values, v)
	}
	slices.SortFunc(values, func(a, b sown) int { return strings.Compare(a.text, b.text) })
	return values
}

// whole counts the records of every node of a tree that is not pruned, by class.
func whole(tree *Tree, generator Generator, values []sown) []map[uint32]uint64 {
	counts, finder := make([]map[uint32]uint64, tree.Len()), NewFinder(tree, generator)
	for n := range counts {
		counts[n] = map[uint32]uint64{}
	}
	for _, v := range values {
		code, _, _ := finder.Find(v.text)
		for n := range counts {
			if lo, hi := tree.Range(n); lo <= int(code) && int(code) < hi {
				for _, f := range v.frequencies {
					counts[n][f.Class] += f.Count
				}
			}
		}
	}
	return counts
}

// expected returns the outline of a node after pruning the nodes that no search refines: every leaf
// with its number of values and its records.
func expected(tree *Tree, counts []map[uint32]uint64, n int, p Pruning) string {
	depth := 0
	for at := n; at != 0; at = tree.Parent(at) {
		depth++
	}
	refinable, outliers := n == 0 || (!p.Classes || len(counts[n]) > 1) &&
		total(counts[n]) >= p.K, uint64(0)
	for _, c := range tree.Children(n) {
		if records := total(counts[c]); records < p.K {
			outliers += records
			refinable = refinable && outliers <= p.Outliers
		}
	}
	name := tree.Name(n)
	switch {
	case tree.IsLeaf(n):
		return fmt.Sprint(name, " ", counts[n])
	case !refinable, p.Level > 0 && depth == p.Level:
		return fmt.Sprint(name, "/", tree.Values(n), " ", counts[n])
	}
	var children []string
	for _, c := range tree.Children(n) {
		children = append(children, expected(tree, counts, c, p))
	}
	return name + "(" + strings.Join(children, " ") + ")"
}

func total(counts map[uint32]uint64) (n uint64) {
	for _, count := range counts {
		n += count
	}
	return n
}

// grown returns the outline of a pruned tree and its pairs, in the form of expected.
func grown(tree *Tree, pairs partition.Pairs, n int) string {
	if !tree.IsLeaf(n) {
		var children []string
		for _, c := range tree.Children(n) {
			children = append(children, grown(tree, pairs, c))
		}
		return tree.Name(n) + "(" + strings.Join(children, " ") + ")"
	}
	name, code := tree.Name(n), uint32(tree.lo[n])
	if tree.IsPruned(n) {
		name += "/" + strconv.Itoa(tree.Values(n))
	}
	counts := map[uint32]uint64{}
	for _, pair := range pairs {
		if pair.Code == code {
			counts[pair.Class] += pair.Count
		}
	}
	return fmt.Sprint(name, " ", counts)
}

// sowing returns a generator, and a function for texts of its kind.
func sowing(rng *rand.Rand) (g Generator, text func() string, err error) {
	text = func() string { return strconv.Itoa(rng.IntN(1 << rng.IntN(14))) }
	switch rng.IntN(6) {
	case 5:
		g, err = Spellings([]string{"case", "word"})
		text = func() string {
			word := []string{"F", "m", "Woman", "new york", "é"}[rng.IntN(5)]
			for range rng.IntN(4) {
				word = []string{" " + word, word + " ", strings.ToUpper(word), word + "x",
					strings.ReplaceAll(word, " ", "  ")}[rng.IntN(5)]
			}
			return word
		}
	case 4:
		g, err = MonthFirst([]string{"decade", "quarter", "day"})
		text = func() string {
			return fmt.Sprintf("%d/%02d/20%02d", 1+rng.IntN(12), 1+rng.IntN(3), rng.IntN(30))
		}
	case 0:
		g, err = Prefixes([]int{1, 2, 4})
	case 1:
		g, err = Ranges([]string{"10", "100", "1e3"})
	case 2:
		g = Flat("ANY")
	default:
		g, err = Dates([]string{"decade", "quarter", "day"})
		text = func() string {
			return fmt.Sprintf("20%02d-%02d-0%dT%02d:00", rng.IntN(30), 1+rng.IntN(12),
				1+rng.IntN(3), rng.IntN(3))
		}
	}
	return g, text, err
}

// A grower keeps the part of a tree that a search may refine, in the right order.
func TestGrowerPrunes(t *testing.T) {
	pruned := 0
	for i := range uint64(400) {
		seed := seedtest.Seed(t) + i
		rng := rand.New(rand.NewPCG(seed, 0))
		generator, text, err := sowing(rng)
		if err != nil {
			t.Fatal(err)
		}
		values := sow(rng, text)
		var texts []string
		for _, v := range values {
			texts = append(texts, v.text)
		}
		tree, err := generate(generator, texts)
		if err != nil {
			t.Fatal(err)
		}
		held := int64(0)
		p := Pruning{
			Level:    rng.IntN(4),
			K:        uint64(rng.IntN(12)),
			Outliers: uint64(rng.IntN(2) * rng.IntN(40)),
			Classes:  rng.IntN(2) == 0,
			Hold: func(n int64) error {
				held += n
				return nil
			}}
		if generator.joins() { // a level would give single spellings their common form
			p.Level = 0
		}
		g := NewGrower(generator, p)
		for _, v := range values {
			if err := g.Add(v.text, v.frequencies); err != nil {
				t.Fatal(err)
			}
		}
		small, pairs, err := g.Finish()
		if err != nil {
			t.Fatal(err)
		}
		want := expected(tree, whole(tree, generator, values), 0, p)
		if got := grown(small, pairs, 0); got != want {
			t.Fatalf("seed %d: %+v\ngot  %s\nwant %s", seed, p, got, want)
		}
		mustFind(t, small, generator, tree, values)
		if small.Len() > 1 != (held > 0) || small.Len() > 1 &&
			held < branchBytes*int64(small.Len()-1) {
			t.Fatalf("seed %d: %d nodes hold %d bytes", seed, small.Len(), held)
		}
		if small.Len() < tree.Len() {
			pruned++
		}
	}
	if pruned < 100 {
		t.Errorf("%d trees were pruned", pruned)
	}
}

// mustFind looks up every value: the leaf has the value's own text, or stands above it.
func mustFind(t *testing.T, small *Tree, generator Generator, tree *Tree, values []sown) {
	t.Helper()
	finder := NewFinder(small, generator)
	for _, v := range values {
		code, ok, _ := finder.Find(v.text)
		if !ok {
			t.Fatalf("%q is not found", v.text)
		}
		name := small.Leaves()[code]
		leaf, _, _ := NewFinder(tree, generator).Find(v.text)
		at := tree.nodes[tree.Leaves()[leaf]]
		for at >= 0 && tree.Name(int(at)) != name {
			at = int32(tree.Parent(int(at)))
		}
		if at < 0 {
			t.Errorf("%q is found as %q", v.text, name)
		}
	}
}

// The memory of a grower does not grow with the number of values.
func TestGrowerForgets(t *testing.T) {
	generator, err := Prefixes([]int{2, 4})
	if err != nil {
		t.Fatal(err)
	}
	held, most := int64(0), int64(0)
	g := NewGrower(generator, Pruning{K: 50, Hold: func(n int64) error {
		held += n
		most = max(most, held)
		return nil
	}})
	for i := range 100_000 {
		if err := g.Add(fmt.Sprintf("%06d", i*10), []Frequency{{0, 1}}); err != nil {
			t.Fatal(err)
		}
	}
	tree, pairs, err := g.Finish()
	if err != nil {
		t.Fatal(err)
	}
	if want := 101; tree.Len() != want || tree.Values(0) != 100_000 || len(pairs) != 100 {
		t.Errorf("%d nodes for %d values with %d pairs, want %d", tree.Len(), tree.Values(0),
			len(pairs), want)
	}
	if most > 100*2*branchBytes {
		t.Errorf("%d bytes were held", most)
	}
}

// TestWaitingIsHeld: nodes of dates wait until all values are seen. Each counts as held once until
// then.
func TestWaitingIsHeld(t *testing.T) {
	generator, err := Dates([]string{"year"})
	if err != nil {
		t.Fatal(err)
	}
	const years = 1000
	held := int64(0)
	g := NewGrower(generator, Pruning{K: 2, Outliers: 1000, Hold: func(n int64) error {
		held += n
		return nil
	}})
	for i := range years {
		if err := g.Add(fmt.Sprintf("%04d-01-01", 1000+i), []Frequency{{0, 2}}); err != nil {
			t.Fatal(err)
		}
	}
	const each = branchBytes + FrequencyBytes
	if held < (2*years-1)*each {
		t.Errorf("%d bytes are held of %d nodes", held, 2*years)
	}
	tree, _, err := g.Finish()
	if err != nil {
		t.Fatal(err)
	}
	if names := int64(2 * (len("1000") + len("1000-01-01")) * years); tree.Len() != 1+2*years ||
		held != years*(branchBytes+each)+names {
		t.Errorf("%d bytes are held of %d nodes", held, tree.Len())
	}
}
