package pipeline

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/taxonomy"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
)

// largeClasses is the people job with a k that leaves many values in every class.
var largeClasses = strings.NewReplacer("k: 5", "k: 60", "k: 3", "k: 60").Replace(peopleJob)

// worstMeasures returns the worst measures of a column among the classes of some columns of a
// table, c for l = 2, and the largest share of each value.
func worstMeasures(
	t *testTable, columns []string, of string,
) (worst naiveFigures, shares map[string]float64) {
	classes, all, at := make(map[string][]string), []string(nil), t.index(of)
	for _, row := range t.rows {
		class := t.key(row, columns)
		classes[class], all = append(classes[class], row[at]), append(all, row[at])
	}
	worst, shares = naiveFigures{}, make(map[string]float64)
	whole := sharesOf(all)
	for _, values := range classes {
		class := sharesOf(values)
		figures := naiveMeasures(class, whole, null)
		figures["c"] = naiveRecursive(class, null, 2)
		if t.fields[at].Type.Ordered() {
			figures["t_ordered"] = naiveOrdered(class, whole, null)
		}
		worst.add(figures)
		for value, share := range class {
			shares[value] = max(shares[value], share)
		}
	}
	return worst, shares
}

// worstInTree returns the largest distance of a column's shares in a class, for values in a tree.
func worstInTree(t *testTable, columns []string, of string, tree *taxonomy.Node) (far float64) {
	classes, all, at := make(map[string][]string), []string(nil), t.index(of)
	for _, row := range t.rows {
		class := t.key(row, columns)
		classes[class], all = append(classes[class], row[at]), append(all, row[at])
	}
	for _, values := range classes {
		far = max(far, naiveHierarchical(sharesOf(values), sharesOf(all), tree))
	}
	return far
}

// Verification recounts the measures of sensitive columns of any type: exact claims of a cut
// pass, and larger claims are found, without showing a value.
func TestVerifySensitive(t *testing.T) {
	for _, algorithm := range []string{"tdr", "mondrian"} {
		dir := releasedPeople(t, withAlgorithm(largeClasses, algorithm))
		add := func(f *forged) {
			random := rand.New(rand.NewPCG(5, 6))
			of := func(name string, is formats.Type, texts ...string) {
				f.addColumn(name, func(int) string { return texts[random.IntN(len(texts))] })
				f.fields[len(f.fields)-1].Type = is
			}
			for row := range f.rows {
				f.set(row, "income", []string{"high", "low", "low"}[random.IntN(3)])
			}
			of("diagnosis", textType, "flu", "gout", null, "flu", "cold")
			of("ill", formats.Type{Kind: formats.Boolean}, "true", "false", "true", null)
			of("cost", floatType, "1", "2.5", "NaN", "-0.25", "1", "1e+30")
			f.addColumn("number", func(row int) string { return fmt.Sprint(row / 3) })
		}
		release := readRelease(t, filepath.Join(dir, "out.parquet"))
		add(release)
		claim := func(s cutfile.Sensitive) func(*forged) {
			return func(f *forged) {
				add(f)
				f.cut.Sensitive = []cutfile.Sensitive{
					{Column: "income", MaxConfidence: &job.Shares{Every: 0.9999999}}, s,
				}
				if s.Column == "income" {
					f.cut.Sensitive = f.cut.Sensitive[1:]
				}
			}
		}
		infinite, measuredInOrder := 0, false
		for _, column := range []string{"income", "diagnosis", "ill", "cost", "number"} {
			worst := naiveFigures{}
			shares := make(map[string]float64)
			for _, set := range release.cut.Sets {
				figures, of := worstMeasures(release.testTable, set.Columns, column)
				worst.add(figures)
				for value, share := range of {
					shares[value] = max(shares[value], share)
				}
			}
			delete(shares, null) // cannot be named
			l, entropyL, share, moved := int(worst["l"]), worst["entropy_l"],
				worst["max_confidence"], worst["t"]
			if l < 2 || share == 1 || moved == 0 {
				t.Fatalf("%s tells too little: %+v", column, worst)
			}
			least, finite := cutfile.Sensitive{
				Column: column, L: 2, C: worst["c"] + 1e-6, BasicBeta: worst["basic_beta"],
				EnhancedBeta: worst["enhanced_beta"], Delta: worst["delta"],
			}, true
			for _, figure := range []*float64{&least.C, &least.EnhancedBeta, &least.Delta} {
				if math.IsInf(*figure, 0) {
					*figure, finite = 0, false
				}
			}
			if !finite {
				infinite++
			}
			most := slices.MaxFunc(slices.Sorted(maps.Keys(shares)), func(a, b string) int {
				return int(math.Copysign(1, shares[a]-shares[b]))
			})
			sound := cutfile.Sensitive{
				Column: column, L: l, EntropyL: entropyL, MaxConfidence: &job.Shares{Every: share},
				T: &moved,
			}
			found := func(measure string) []string {
				return []string{"column " + column + ": " + measure + " "}
			}
			for i, measure := range []string{"c", "basic_beta", "enhanced_beta", "delta"} {
				less := cutfile.Sensitive{Column: column, L: 2}
				*[]*float64{&less.C, &less.BasicBeta, &less.EnhancedBeta, &less.Delta}[i] =
					min(1e3, worst[measure]-1e-6)
				mustFindForgeries(t, dir, forgery{column + ", less " + measure, claim(less),
					found(measure)})
			}
			if far, ordered := worst["t_ordered"]; ordered {
				measuredInOrder = true
				both := cutfile.Sensitive{Column: column, TOrdered: &far,
					MaxConfidence: &job.Shares{Of: shares}}
				less := maps.Clone(shares)
				less[most] -= 1e-6
				mustFindForgeries(t, dir, []forgery{
					{column + ", what holds in order", claim(both), nil},
					{column + ", closer in order",
						claim(cutfile.Sensitive{Column: column, TOrdered: new(far - 1e-6)}),
						found("t_ordered")},
					{column + ", less confidence in one, in order", claim(cutfile.Sensitive{
						Column: column, TOrdered: &far, MaxConfidence: &job.Shares{Of: less}}),
						[]string{"max_confidence: a value has a larger share"}},
				}...)
			} else {
				mustFindForgeries(t, dir, forgery{column + ", in no order",
					claim(cutfile.Sensitive{Column: column, TOrdered: new(0.5)}),
					found("t_ordered: the values have no")})
			}
			if column == "diagnosis" {
				tree := &taxonomy.Node{Name: "ill", Children: []taxonomy.Node{
					{Name: "cold", Children: nil}, {Name: "long", Children: []taxonomy.Node{
						{Name: "gout"}, {Name: "flu"}, {Name: "none has it"},
					}},
				}}
				far := 0.0
				for _, set := range release.cut.Sets {
					far = max(far, worstInTree(release.testTable, set.Columns, column, tree))
				}
				in := func(most float64, tree *taxonomy.Node) func(*forged) {
					return claim(cutfile.Sensitive{Column: column, THierarchical: &most,
						Taxonomy: job.Taxonomy{Tree: tree}})
				}
				mustFindForgeries(t, dir, []forgery{
					{column + ", what holds in a tree", in(far, tree), nil},
					{column + ", closer in a tree", in(far-1e-6, tree), found("t_hierarchical")},
					{column + ", in a part of a tree", in(0.9, &tree.Children[1]),
						found("t_hierarchical: its taxonomy lacks values of the")},
				}...)
				if far == 0 || far == worst["t"] {
					t.Errorf("the distance in a tree is %g", far)
				}
			}
			mustFindForgeries(t, dir, []forgery{
				{algorithm + " " + column + ", what holds", claim(sound), nil},
				{column + ", what holds of the others", claim(least), nil},
				{column + ", what named values have",
					claim(cutfile.Sensitive{Column: column,
						MaxConfidence: &job.Shares{Of: shares}}), nil},
				{column + ", one value more",
					claim(cutfile.Sensitive{Column: column, L: l + 1}), found("l")},
				{column + ", more entropy", claim(cutfile.Sensitive{
					Column: column, EntropyL: entropyL + 1e-6,
				}), found("entropy_l")},
				{column + ", less confidence",
					claim(cutfile.Sensitive{Column: column,
						MaxConfidence: &job.Shares{Every: share - 1e-6}}), found("max_confidence")},
				{column + ", closer",
					claim(cutfile.Sensitive{Column: column, T: new(moved - 1e-6)}), found("t")},
				{column + ", less confidence in one",
					claim(cutfile.Sensitive{Column: column,
						MaxConfidence: &job.Shares{Of: map[string]float64{
							most: shares[most] - 1e-6, "no value of it": 0.5,
						}}}), []string{"column " + column +
						": max_confidence: a value has a larger share than its cut claims"}},
			}...)
		}
		if infinite == 0 || infinite == 5 || !measuredInOrder {
			t.Errorf("%d of 5 columns have infinite figures, one is in order: %t", infinite,
				measuredInOrder)
		}
		mustFindForgeries(t, dir, []forgery{
			{"a column that is not there", claim(cutfile.Sensitive{Column: "wealth", L: 2}),
				[]string{"the cut speaks of column wealth, which is not there"}},
			{"entities", func(f *forged) { f.cut.Entity = true }, nil},
			{"fewer entities than records", func(f *forged) {
				f.cut.Entity, f.cut.Sets[0].Anonymity = true, f.cut.Sets[0].Anonymity-1
			}, nil},
			{"more entities than records", func(f *forged) {
				f.cut.Entity, f.cut.Sets[0].Anonymity = true, f.cut.Sets[0].Anonymity+1
			}, []string{"its cut claims"}},
			{"too few records for k entities", func(f *forged) {
				f.cut.Entity, f.cut.Sets[0].K = true, int(f.cut.Sets[0].Anonymity)+1
			}, []string{"is below k"}},
		}...)
	}
}

// Verification finds a class that lost a value, and a class with other shares.
func TestVerifyFindsForgedValues(t *testing.T) {
	dir := releasedPeople(t, largeClasses)
	release := readRelease(t, filepath.Join(dir, "out.parquet"))
	set := release.cut.Sets[0].Columns
	worst, _ := worstMeasures(release.testTable, set, "income")
	first := release.key(release.rows[0], set)
	mustFindForgeries(t, dir, []forgery{{"one value", func(f *forged) {
		f.cut.Sensitive = []cutfile.Sensitive{{
			Column: "income",
			L:      2, MaxConfidence: &job.Shares{Every: min(worst["max_confidence"]+0.001, 0.999)},
			T: new(0.99),
		}}
		at := f.index("income")
		for _, row := range f.rows {
			if f.key(row, set) == first {
				row[at] = f.rows[0][at]
			}
		}
	}, []string{"quasi-identifier set 1: column income: l 1, its cut claims 2",
		"quasi-identifier set 1: column income: max_confidence 1, its cut claims 0."}}}...)
}

// For l a null is no value: a class of one diagnosis and nulls would reveal it. With nulls: count
// a null is a value. Verification recounts both in the same way.
func TestNullsAreNoValues(t *testing.T) {
	for _, algorithm := range []string{"tdr", "tdr\nmax_suppressed: 5%", "kactus",
		"mondrian", "infogain-mondrian", "guided"} {
		t.Run(searchName(algorithm), func(t *testing.T) {
			table := visits(rand.New(rand.NewPCG(8, 9)), 1500)
			column := 6
			table.fields[column].Nullable = true
			for row := range table.rows {
				table.rows[row][column] = []string{
					"a", "a", "a", null, null, "b",
				}[(row+len(table.rows[row][4]))*7919%100/17]
			}
			lone := 0
			for _, counted := range []bool{false, true} {
				measure := "sensitive: [{column: diagnosis, l: 2}]\n"
				if counted {
					measure = "sensitive: [{column: diagnosis, l: 2, nulls: count}]\n"
				}
				dir := table.folder(t, withAlgorithm(visitsJob, algorithm)+measure, 500)
				mustRun(t, dir, nil, "order", "released")
				path := filepath.Join(dir, "out.parquet")
				for _, rows := range table.groupsOf(t, path) {
					values, has := different(rows, column),
						slices.ContainsFunc(rows, func(row []string) bool {
							return row[column] == null
						})
					if values < 2 || !counted && has && values < 3 {
						t.Errorf("counted %t: a group has %d values, a null is one: %t",
							counted, values, has)
					}
					if has && values == 2 {
						lone++
					}
				}
				mustFind(t, path)
				want := []string(nil)
				if lone > 0 {
					want = []string{"column diagnosis: l 1, its cut claims 2"}
				}
				mustFindForgeries(t, dir, forgery{
					"nulls are none", func(f *forged) { f.cut.Sensitive[0].Nulls = "" }, want,
				})
			}
			if lone == 0 && algorithm != "guided" {
				t.Error("no group has but one value beside nulls")
			}
		})
	}
}

// A share for a value without rows is refused: most likely the value has another spelling in the
// data. The message does not show the value.
func TestNamedValueMustOccur(t *testing.T) {
	for _, tt := range []struct{ value, want string }{
		{"High", "one differs from it only by blanks or case"},
		{" high", "one differs from it only by blanks or case"},
		{"hi gh", "one differs from it only by blanks or case"},
		{"highest", "no row has a value that max_confidence names"},
	} {
		dir := peopleFolder(t, changed("class: income\n",
			fmt.Sprintf("class: income\nsensitive: [{column: income, max_confidence: {%q: "+
				"0.99}}]\n", tt.value)), 500)
		_, err := runJob(t, dir, nil)
		mustFail(t, err, fault.Input)
		if text := err.Error(); !strings.Contains(text, tt.want) ||
			!strings.Contains(text, "column income") || strings.Contains(text, tt.value) {
			t.Errorf("%q: %v", tt.value, err)
		}
		if similar := strings.Contains(err.Error(), "differs"); similar != strings.Contains(tt.want,
			"differs") {
			t.Errorf("%q: %v", tt.value, err)
		}
	}
}
