package workload_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/bottomup"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/iac"
	"github.com/kcut/kcut/engine/kactus"
	"github.com/kcut/kcut/engine/mondrian"
	"github.com/kcut/kcut/engine/topdown"
	"github.com/kcut/kcut/engine/workload"
	"github.com/kcut/kcut/internal/seedtest"
)

var engines = []engine.Engine{
	topdown.Engine{}, topdown.Engine{}, topdown.Engine{}, topdown.Engine{}, bottomup.Engine{},
	mondrian.Engine{}, mondrian.Engine{Relaxed: true}, mondrian.Engine{Ordered: true},
	mondrian.Engine{InfoGain: true},
	kactus.Engine{MinObjects: 1}, kactus.Engine{MinObjects: 2, Recruit: true},
	iac.Engine{Bins: 3}, iac.Engine{TopUp: true},
	iac.Engine{Capped: true, Delta: 0.5, Epsilon: 0.2, Bins: 5},
}

// naive returns the error of a release, row by row and value by value, only from texts. Rows that
// are not released are nil.
func naive(c enginetest.Case, queries []workload.Query, released [][]engine.Label,
	recoding engine.Recoding) workload.Error {
	var errors []float64
	sum := 0.0
	shares := make(map[sharesKey][2]float64)
	for _, q := range queries {
		truth, estimate := 0.0, 0.0
		for row, labels := range released {
			inAll, chance := 1.0, 1.0
			for _, r := range q {
				key := sharesKey{r, c.Data.Rows[row][r.Attribute], engine.Label{}, labels == nil}
				if labels != nil {
					key.label = labels[r.Attribute]
				}
				of, known := shares[key]
				if !known {
					of = key.shares(c, recoding)
					shares[key] = of
				}
				inAll, chance = inAll*of[0], chance*of[1]
			}
			truth, estimate = truth+inAll, estimate+chance
		}
		e := math.Abs(estimate-truth) / max(truth, float64(len(released))/1000)
		errors, sum = append(errors, e), sum+e
	}
	if len(errors) == 0 {
		return workload.Error{}
	}
	slices.Sort(errors)
	n := len(errors)
	return workload.Error{Mean: sum / float64(n), Median: (errors[(n-1)/2] + errors[n/2]) / 2}
}

// sharesKey is a range, a value, and its label.
type sharesKey struct {
	workload.Range
	value, label engine.Label
	dropped      bool
}

// shares returns whether the value is in the range, and the share of the label's values that is in
// it.
func (k sharesKey) shares(c enginetest.Case, recoding engine.Recoding) (shares [2]float64) {
	column, domain, in, covered := c.Data.Columns[k.Attribute], c.Data.Domain(k.Attribute), 0.0, 0.0
	disclosed := func(v engine.Label) bool { // so the star does not cover it
		return column.Mask == engine.Suppress && k.label.Text == engine.Suppressed &&
			recoding.Codes(k.Attribute) != nil && slices.Contains(recoding.Labels(k.Attribute), v)
	}
	for code, v := range domain {
		asked := int(k.Lo) <= code && code < int(k.Hi)
		if v == k.value && asked {
			shares[0] = 1
		}
		if !k.dropped && column.Covers(k.label, v) && !disclosed(v) {
			covered++
			if asked {
				in++
			}
		}
	}
	if in > 0 {
		shares[1] = in / covered
	}
	return shares
}

// labelsOf returns the label numbers of all rows, by attribute.
func labelsOf(codes enginetest.Codes, recoding engine.Recoding) [][]uint32 {
	labels := make([][]uint32, len(codes.Columns))
	for a := range labels {
		labels[a] = make([]uint32, codes.Rows)
	}
	recoding.Recode(engine.Rows{
		N:       codes.Rows,
		Codes:   codes.Columns,
		Classes: codes.Class,
		Taken:   make([]uint64, recoding.Cells()),
	}, labels)
	return labels
}

// released returns the labels of every row, nil for those that are not released.
func released(labels [][]uint32, recoding engine.Recoding) [][]engine.Label {
	rows := make([][]engine.Label, len(labels[0]))
	for row := range rows {
		for a := range labels {
			if labels[0][row] != engine.DroppedLabel {
				rows[row] = append(rows[row], recoding.Labels(a)[labels[a][row]])
			}
		}
	}
	return rows
}

// errorOf returns the error of the workload on a release.
func errorOf(w *workload.Workload, codes enginetest.Codes, labels [][]uint32,
	recoding engine.Recoding) workload.Error {
	counter, estimate, counts := w.Counter(), w.Estimate(recoding), make([]uint64, codes.Rows)
	for row := range counts {
		counts[row] = 1
		tuple := make([]uint32, len(labels))
		for a := range labels {
			tuple[a] = labels[a][row]
		}
		if tuple[0] != engine.DroppedLabel {
			estimate.Add(tuple, 1)
		}
	}
	counter.Add(counts, codes.Columns)
	return estimate.Error(&counter.Truth)
}

// sizes counts the rows of every code.
func sizes(codes enginetest.Codes) (sizes [][]uint64) {
	for a, column := range codes.Columns {
		sizes = append(sizes, make([]uint64, codes.Attributes[a].Len()))
		for _, code := range column {
			sizes[a][code]++
		}
	}
	return sizes
}

// Errors agree with those of a program that looks at every row and value, for cuts and regions with
// suppressed, dropped and divided records.
func TestError(t *testing.T) {
	met := map[string]int{}
	enginetest.Cases(t, seedtest.Few(250, 600), func(r *rand.Rand) {
		c := enginetest.NewCase(r, 40)
		all := engine.Set{K: engine.KAnonymity(1 + r.IntN(min(len(c.Data.Rows), 6)))}
		for a := range c.Data.Columns {
			all.Columns = append(all.Columns, a)
		}
		c.Sets = append(c.Sets, all)
		codes := c.Data.Codes()
		w := workload.New(codes.Attributes, sizes(codes))
		requirement := engine.Requirement{Sets: c.Sets}
		e := engines[r.IntN(len(engines))]
		if _, isTopdown := e.(topdown.Engine); isTopdown {
			requirement.MaxSuppressed, requirement.Drop = uint64(
				r.IntN(2)*r.IntN(len(c.Data.Rows))), r.IntN(2) == 0
		}
		plan := e.Plan(requirement)
		recoding, err := e.Search(t.Context(), codes.Table(plan), requirement,
			engine.Options{MaxSteps: -1})
		if errors.Is(err, engine.ErrInfeasible) || errors.Is(err, engine.ErrUnreached) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		labels := labelsOf(codes, recoding)
		rows, got := released(labels, recoding), errorOf(w, codes, labels, recoding)
		if want := naive(c, w.Queries, rows, recoding); math.Abs(got.Mean-want.Mean) > 1e-9*(1+
			want.Mean) || math.Abs(got.Median-want.Median) > 1e-9*(1+want.Median) {
			t.Errorf("%T: error %+v, want %+v\n%s", e, got, want, c)
		}
		met["all"]++
		for name, is := range map[string]bool{
			"divided": recoding.Cells() > 0, "by class": recoding.ByClass(),
			"dropped": slices.ContainsFunc(rows, func(l []engine.Label) bool {
				return l == nil
			}),
			"wrong": got.Mean > 0, "exact": got.Mean == 0, "queries": len(w.Queries) > 0,
			"a cut": recoding.Codes(0) != nil,
			"marks": slices.ContainsFunc(recoding.Labels(0), func(l engine.Label) bool {
				return l.Mark
			}),
		} {
			if is {
				met[name]++
			}
		}
	})
	t.Logf("%v", met)
	if len(met) < 9 && met["all"] > 200 {
		t.Errorf("the tables were not of every kind: %v", met)
	}
}

// The queries are those of the documentation, and the same every time.
func TestQueries(t *testing.T) {
	numbers := engine.Attribute{Mask: engine.Discretize, HasNull: true}
	for i := range 1000 {
		numbers.Texts = append(numbers.Texts, fmt.Sprint(i))
	}
	letters := engine.Attribute{Mask: engine.Suppress, Texts: []string{"a", "b"}}
	one := engine.Attribute{Mask: engine.Suppress, Texts: []string{"a", "b"}}
	attributes := []engine.Attribute{numbers, letters, one, letters}
	counts := [][]uint64{make([]uint64, 1001), {300, 700}, {0, 1000}, {990, 10}}
	for code := range counts[0] {
		counts[0][code] = 1
	}
	counts[0][1000] = 40 // nulls
	w := workload.New(attributes, counts)
	if again := workload.New(attributes,
		counts); fmt.Sprint(again.Queries) != fmt.Sprint(w.Queries) {
		t.Error("it asks something else the second time")
	}
	if len(w.Queries) != workload.Queries {
		t.Fatalf("%d queries", len(w.Queries))
	}
	nulls := 0
	for i, q := range w.Queries {
		if len(q) != 1+i%workload.MostColumns {
			t.Errorf("query %d has %d columns", i, len(q))
		}
		share := math.Pow(workload.Share, 1/float64(len(q)))
		for j, r := range q {
			records := uint64(0)
			for _, n := range counts[r.Attribute][r.Lo:r.Hi] {
				records += n
			}
			all := uint64(1000)
			if r.Attribute == 0 {
				all += 40
			}
			if want := uint64(share * float64(all)); records < want && r.Hi-r.Lo > 1 ||
				records == all || records == 0 || r.Attribute == 0 && r.Hi < 1001 &&
				records != want {
				t.Errorf("query %d asks %+v: %d records, wanted are %d", i, r, records, want)
			}
			if slices.ContainsFunc(q[:j], func(other workload.Range) bool {
				return other.Attribute == r.Attribute
			}) || r.Attribute == 2 {
				t.Errorf("query %d asks %v", i, q)
			}
			if r.Attribute == 0 && r.Hi == 1001 {
				nulls++
			}
		}
	}
	if nulls == 0 {
		t.Error("no query asks for nulls")
	}
	if got := fmt.Sprint(w.Queries[:4]); got != "[[{0 781 833}] [{0 50 282} {1 1 2}] [{1 1 2} {0 "+
		"364 747} {3 0 1}] [{0 680 732}]]" {
		t.Errorf("the first queries are %s", got)
	}
	if few := workload.New(attributes[1:3], counts[1:3]); len(few.Queries) != workload.Queries ||
		len(few.Queries[1]) != 1 {
		t.Errorf("one column with two values is asked %v", few.Queries)
	}
	none := workload.New(attributes[2:3], counts[2:3])
	if got := none.Estimate(&engine.Cut{}).Error(&none.Counter().Truth); len(none.Queries) > 0 ||
		got != (workload.Error{}) {
		t.Errorf("a column with one value is asked %v, with error %+v", none.Queries, got)
	}
}
