package evaluate

import (
	"errors"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/classify"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/judge"
	"github.com/kcut/kcut/engine/labels"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// compared are rows with their released form, by hand.
type compared struct {
	// by row: codes of the columns, with the null's as the last; followed by the class
	features [][]uint32
	origin   []uint32
}

// add adds the rows of a part with their released form. It numbers rows consecutively.
func (c *compared) add(t *testing.T, of enginetest.Case, from judge.Source,
	recoding engine.Recoding, row *uint64) {
	t.Helper()
	b := gather(t, from)
	for i := range b.Counts {
		var values []uint32
		for _, codes := range b.Columns {
			values = append(values, codes[i])
		}
		c.features, c.origin = append(c.features, values), append(c.origin, original)
		if b.Labels[0][i] != engine.DroppedLabel {
			values = slices.Clone(values)
			for a, labels := range b.Labels {
				covers := covered(of, recoding, a, recoding.Labels(a)[labels[i]])
				number, _ := bits.Mul64(engine.Mix(engine.Mix(*row)+uint64(a)), uint64(len(covers)))
				values[a] = covers[number]
			}
			c.features, c.origin = append(c.features, values), append(c.origin, released)
		}
		*row++
	}
}

// The origins of rows.
const (
	original = iota
	released
	origins
)

// covered returns the codes of the values that a label may represent.
func covered(c enginetest.Case, recoding engine.Recoding, a int,
	label engine.Label) (codes []uint32) {
	column := c.Data.Columns[a]
	for code, v := range c.Data.Domain(a) {
		disclosed := column.Mask == engine.Suppress && label.Text == engine.Suppressed &&
			recoding.Codes(a) != nil && slices.Contains(recoding.Labels(a), v)
		if column.Covers(label, v) && !disclosed {
			codes = append(codes, uint32(code))
		}
	}
	return codes
}

// data counts the rows.
func (c *compared) data(t *testing.T, columns []classify.Column) classify.Data {
	t.Helper()
	d := classify.Data{Columns: columns, Classes: origins}
	var domains []int
	for _, column := range columns {
		domains = append(domains, column.Domain)
	}
	domains = append(domains, origins)
	tuples := make([][]uint32, len(domains))
	for i, values := range c.features {
		for f, code := range append(slices.Clip(values), c.origin[i]) {
			tuples[f] = append(tuples[f], code)
		}
	}
	space := partition.Space{Budget: spill.NewBudget(1 << 30), Threads: 1}
	counter := partition.NewCounter(domains, space)
	must(t, counter.AddCounted(len(c.origin), slices.Repeat([]uint64{1}, len(c.origin)), tuples,
		domains))
	var err error
	d.Table, err = partition.Tabulate(t.Context(), []*partition.Counter{counter}, space, 1)
	must(t, err)
	must(t, d.Table.Order(t.Context(), space))
	return d
}

// area returns the share of all pairs in which a released row is ranked above an original one.
func (c *compared) area(classifier classify.Classifier) float64 {
	rank := func(i int) float64 {
		logs := make([]float64, origins)
		classifier.Logs(c.features[i], logs)
		return math.Floor(min(max((logs[released]-logs[original])*256, -32*256), 32*256-1))
	}
	above, pairs := 0.0, 0.0
	for i, of := range c.origin {
		for j, other := range c.origin {
			if of == released && other == original {
				pairs++
				switch x, y := rank(i), rank(j); {
				case x > y:
					above++
				case x == y:
					above += 0.5
				}
			}
		}
	}
	if pairs == 0 {
		return 0.5
	}
	return above / pairs
}

// randomRelease returns an evaluation of a case's rows, of which some are for testing, and the
// release of the others by an algorithm; nil if there is none.
func randomRelease(t *testing.T, r *rand.Rand, c enginetest.Case) (e *evaluation, f *judge.Fold,
	release *judge.Release, algorithm string) {
	t.Helper()
	if len(c.Data.Classes) == 0 {
		return nil, nil, nil, ""
	}
	codes := c.Data.Codes()
	if slices.ContainsFunc(codes.Attributes, func(a engine.Attribute) bool {
		return a.HasRest
	}) {
		return nil, nil, nil, "" // no evaluation has them
	}
	if e, _ = split(t, r, codes); e == nil {
		return nil, nil, nil, ""
	}
	e.RulesFromAll = r.IntN(2) == 0
	all := engine.Set{K: engine.KAnonymity(1 + r.IntN(4))}
	for a := range codes.Attributes {
		all.Columns = append(all.Columns, a)
	}
	by := algorithms[r.IntN(len(algorithms))]
	f, err := e.assign(t.Context(), round{})
	must(t, err)
	tr, _ := watched(e, f)
	release, err = tr.search(t.Context(), &job.Job{Algorithm: by},
		engine.Requirement{Sets: []engine.Set{all}})
	if errors.Is(err, engine.ErrInfeasible) || errors.Is(err, engine.ErrUnreached) {
		return nil, nil, nil, ""
	}
	must(t, err)
	return e, f, release, by.Name
}

// The propensity agrees with the ranks, pair by pair, of a tree that has learned from rows and
// values put together one by one.
func TestPropensity(t *testing.T) {
	none, some := 0, 0
	enginetest.Cases(t, 200, func(r *rand.Rand) {
		c := enginetest.NewCase(r, 40)
		e, f, release, algorithm := randomRelease(t, r, c)
		if release == nil {
			return
		}
		tr, _ := watched(e, f)
		costs, err := tr.Judge(t.Context(), release)
		must(t, err)
		got := costs.Propensity
		sides, row := [2]compared{}, uint64(0)
		if training := masked(tr.Training, release); e.RulesFromAll {
			var both compared
			both.add(t, c, masked(f.Source(), release), release.Recoding, &row)
			at := 0 // first test row
			for rows := uint64(0); at < len(both.origin); at++ {
				if both.origin[at] == original {
					if rows++; rows > f.TrainedOn {
						break
					}
				}
			}
			sides[0] = compared{both.features[:at], both.origin[:at]}
			sides[1] = compared{both.features[at:], both.origin[at:]}
		} else {
			sides[0].add(t, c, training, release.Recoding, &row)
			sides[1].add(t, c, placed(t, c, tr, release), release.Recoding, &row)
		}
		var columns []classify.Column
		for a := range tr.Attributes {
			feature := labels.Raw(&tr.Attributes[a])
			columns = append(columns, feature.Column)
		}
		columns = append(columns, classify.Column{Domain: len(e.ClassNames) + 1})
		tree, err := classify.Tree{}.Learn(t.Context(), sides[0].data(t, columns))
		must(t, err)
		if want := 2*sides[1].area(tree) - 1; math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: propensity %g, want %g\n%s", algorithm, got, want, c)
		}
		if got == 0 {
			none++
		} else {
			some++
		}
	})
	t.Logf("the propensity was 0 in %d cases, and not in %d", none, some)
	if none == 0 || some == 0 {
		t.Errorf("the propensity was 0 in %d cases, and not in %d", none, some)
	}
}
