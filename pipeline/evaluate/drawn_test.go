package evaluate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/classify"
	"github.com/kcut/kcut/engine/cover"
	"github.com/kcut/kcut/engine/judge"
	"github.com/kcut/kcut/engine/labels"
	"github.com/kcut/kcut/partition"
)

// learner notes the rows with which it learns, and counts them.
type learner struct{ rows map[string]uint64 }

func (*learner) Name() string { return "learner" }

func (l *learner) Learn(ctx context.Context, d classify.Data) (classify.Classifier, error) {
	fields := d.Table.Layout.Fields
	return nil, d.Table.Scan(ctx, d.Space, func(b *partition.Table) error {
		for i, n := range b.Counts {
			key := b.Keys[i*b.Layout.Words:][:b.Layout.Words]
			var codes []uint32
			for _, f := range fields {
				codes = append(codes, f.Code(key))
			}
			l.rows[fmt.Sprint(codes)] += n
		}
		return nil
	})
}

// Classifiers learn from numbers that are drawn row by row from the rows' intervals, at most 64 for
// a tuple, and are tested on numbers that are drawn in the same way, or on raw ones. Then words are
// drawn, too, also where intervals are their midpoints.
func TestDrawn(t *testing.T) {
	_, table := people(t, rand.New(rand.NewPCG(12, 1)), 4000)
	for i := range table {
		if row := table[i]; i%5 > 0 { // the rows of a tuple are many
			row[0], row[1], row[2], row[3] = fmt.Sprint(20+10*(i%4)), "cook", "Kiel", "10"
		}
	}
	job := put(t, table)
	for _, o := range []Options{{Uniform: true}, {Uniform: true, RawTest: true}, {RawTest: true}} {
		jobs := load(t, job, "quasi_identifiers[].k", "20", "tdr", "guided")
		o.SplitColumn, o.SplitValue = "set", "training"
		assigning(t, jobs, o, func(e *evaluation, f *judge.Fold) {
			for i := range jobs {
				tr, _ := watched(e, f)
				release, err := tr.search(t.Context(), jobs[i], tr.requirement(jobs[i]))
				must(t, err)
				l, tested := &learner{map[string]uint64{}}, map[string]uint64{}
				tr.Learners = []classify.Learner{l}
				tr.Examine = func(_ classify.Classifier, _ partition.Space,
					test func(judge.Examiner) error) error {
					return test(func(tuple []uint32, class uint32, rows uint64) {
						tested[fmt.Sprint(append(slices.Clone(tuple), class))] += rows
					})
				}
				_, err = tr.Judge(t.Context(), release)
				must(t, err)
				want := drawn(t, gather(t, masked(tr.Training, release)), e, release, 0)
				if !reflect.DeepEqual(l.rows, want) {
					t.Errorf("it learns from %v, want %v", l.rows, want)
				}
				if !o.RawTest {
					want = drawn(t, gather(t, masked(tr.Test, release)), e, release, f.TrainedOn)
					if !reflect.DeepEqual(tested, want) {
						t.Errorf("it is tested on %v, want %v", tested, want)
					}
				}
			}
		})
	}
}

// drawn counts masked rows, of which the first has a number, with drawn numbers.
func drawn(t *testing.T, b *judge.Block, e *evaluation, r *judge.Release,
	first uint64) map[string]uint64 {
	t.Helper()
	rows, many := map[string]uint64{}, false
	for i, n := range b.Counts {
		parts := min(n, 64)
		many = many || n > parts
		for part := range parts {
			var codes []uint32
			for a := range e.Attributes {
				of := labels.Of(&r.Attributes[a], r.Recoding, a)
				f := of.Feature(false)
				switch numbers := of.Mask == engine.Discretize; {
				case numbers && e.Uniform, !numbers && e.RawTest:
					of.Roots = e.RawTest
					f, _ = of.Drawn(cover.Of(&r.Attributes[a], r.Recoding, a))
				case e.RawTest:
					f, _ = of.BesideRaw(false)
				}
				random := engine.Mix(engine.Mix(first+part) + uint64(a))
				codes = append(codes, f.Draw(b.Labels[a][i], random))
			}
			for kept := range e.Kept {
				f := labels.Raw(&e.Kept[kept])
				codes = append(codes, f.Code(b.Columns[len(e.Attributes)+kept][i]))
			}
			rows[fmt.Sprint(append(codes, b.Classes[i]))] += (part+1)*n/parts - part*n/parts
		}
		first += n
	}
	if !many {
		t.Error("no tuple has many rows")
	}
	return rows
}

// Classifiers learn words from narrow labels, which are sets of words and nodes of a taxonomy: the
// city and the job determine the class. Threads and memory change nothing.
func TestWords(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 1))
	_, table := people(t, r, 1200)
	cities, jobs := []string{"Kiel", "Bremen", "Ulm", "Passau"}, []string{"a", "b", "c", "d", "e",
		"f", "g", "h", "i", "j", "k", "l"}
	for _, row := range table {
		city, job := r.IntN(len(cities)), r.IntN(len(jobs))
		row[1], row[2], row[4], row[7] = jobs[job], cities[city], "", "no"
		if city == 1 || job < 4 {
			row[7] = "yes"
		}
	}
	path := put(t, table)
	text, err := os.ReadFile(path)
	must(t, err)
	spec := strings.Replace(string(text), "k: 5", "k: 20", 1)
	must(t, os.WriteFile(path, []byte(spec+"algorithm: {region_labels: tight}\n"), 0o600))
	var first *Report
	for _, limit := range [][2]string{{"threads", "1"}, {"threads", "4"}, {"memory", "16MiB"}} {
		report, err := Evaluate(t.Context(), load(t, path, "limits."+limit[0], limit[1],
			"mondrian"), Options{Folds: 2, Repeats: 1, RawTest: true})
		must(t, err)
		if first == nil {
			first = report
		}
		if !reflect.DeepEqual(report, first) {
			t.Errorf("%s %s: %+v, before %+v", limit[0], limit[1], report, first)
		}
	}
	for _, name := range first.Learners {
		if error := first.Results[0].Errors[name].Mean; error > 0.7*first.Majority.Mean {
			t.Errorf("%s is wrong about %g, the most frequent class about %g", name, error,
				first.Majority.Mean)
		}
	}
}
