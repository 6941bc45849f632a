package evaluate

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/classify"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/judge"
	"github.com/kcut/kcut/engine/labels"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/search"
)

// placed returns a source of the test rows, each masked by hand by the labels of the release alone:
// by the labels of its cut, or of the first region that covers all values.
func placed(t *testing.T, c enginetest.Case, tr *trial, r *judge.Release) judge.Source {
	t.Helper()
	training := gather(t, tr.Training)
	return func(ctx context.Context, visit func(*judge.Block) error) error {
		return tr.Test(ctx, func(b *judge.Block) error {
			b.Labels = make([][]uint32, len(tr.Attributes))
			for i := range b.Counts {
				labels := labelsOf(c, tr, r, training, b, i)
				for a := range b.Labels {
					label := uint32(engine.DroppedLabel)
					if labels != nil {
						label = labels[a]
					}
					b.Labels[a] = append(b.Labels[a], label)
				}
			}
			return visit(b)
		})
	}
}

// labelsOf returns the labels of a test row; nil: no region covers it.
func labelsOf(c enginetest.Case, tr *trial, r *judge.Release, training, b *judge.Block,
	i int) (found []uint32) {
	covers := func(a int, label uint32) bool {
		return covers(c, tr, r, training, a, label, b.Columns[a][i])
	}
	if regions, ok := r.Recoding.(*engine.Regions); ok {
		for region := range int32(regions.Len()) {
			all := true
			for a, label := range regions.Region(region) {
				all = all && covers(a, label)
			}
			if all {
				return regions.Region(region)
			}
		}
		return nil
	}
	for a := range tr.Attributes { // the label that no other one is within
		best := -1
		for label, of := range r.Labels(a) {
			if !of.Mark && covers(a, uint32(label)) && (best < 0 || of.Text != engine.Suppressed) {
				best = label
			}
		}
		found = append(found, uint32(best))
	}
	return found
}

// covers reports whether a label is true of a code for somebody who knows the training rows alone:
// an interval reaches to their next value, and is open if there is none.
func covers(c enginetest.Case, tr *trial, r *judge.Release, training *judge.Block, a int,
	label, code uint32) bool {
	attribute, is := &tr.Attributes[a], r.Labels(a)[label]
	if attribute.Mask != engine.Discretize || is.Mark || is.Null {
		return c.Data.Columns[a].Covers(is, c.Data.Domain(a)[code])
	}
	interval := r.Intervals(a)[label]
	suppressed, dropped := r.Lost()
	lower, upper := math.MaxInt, math.MaxInt // the next values
	below, above := false, false
	for _, value := range training.Columns[a] {
		v := int(value)
		if v == len(attribute.Texts) {
			continue
		}
		below = below || v < interval.Lo
		if v >= interval.Lo {
			lower = min(lower, v)
		}
		if v >= interval.Hi {
			upper, above = min(upper, v), true
		}
	}
	if suppressed+dropped > 0 { // the release has bounds of its own
		lower, upper = interval.Lo, interval.Hi
	}
	v := int(code)
	if v == len(attribute.Texts) {
		return !below && !above || interval.HasNull()
	}
	return (!below || v >= lower) && (!above || v < upper)
}

// Test rows are tested with the labels that they have by hand, and the same number is in no region.
func TestPlaced(t *testing.T) {
	outside, inside := 0, 0
	enginetest.Cases(t, 300, func(r *rand.Rand) {
		c := enginetest.NewCase(r, 40)
		e, f, release, algorithm := randomRelease(t, r, c)
		if release == nil || e.RulesFromAll {
			return
		}
		tr, _ := watched(e, f)
		var got, want [][]uint32
		tr.Examine = func(_ classify.Classifier, _ partition.Space,
			test func(judge.Examiner) error) error {
			return test(func(tuple []uint32, _ uint32, rows uint64) {
				for range rows {
					got = append(got, slices.Clone(tuple))
				}
			})
		}
		costs, err := tr.Judge(t.Context(), release)
		must(t, err)
		b, lost := gather(t, placed(t, c, tr, release)), 0.0
		for i, rows := range b.Counts {
			var tuple []uint32
			for a := range tr.Attributes {
				of := labels.Of(&release.Attributes[a], release.Recoding, a)
				feature := of.Feature(false)
				tuple = append(tuple, feature.Code(b.Labels[a][i]))
			}
			for range rows {
				want = append(want, tuple)
			}
			if b.Labels[0][i] == engine.DroppedLabel {
				lost += float64(rows)
			}
		}
		if share := lost / float64(f.TestedOn); !reflect.DeepEqual(got, want) ||
			math.Abs(costs.NoRegion-share) > 1e-12 {
			t.Errorf("%s: rows are %v, %g in no region, want %v, %g\n%s", algorithm, got,
				costs.NoRegion, want, share, c)
		}
		if lost > 0 {
			outside++
		} else {
			inside++
		}
	})
	t.Logf("rows were outside in %d cases, inside in %d", outside, inside)
	if outside == 0 || inside == 0 {
		t.Errorf("rows were outside in %d cases, inside in %d", outside, inside)
	}
}

// The number of test rows in no region equals the number that kcut apply suppresses when it masks
// them with the release of the training rows. It gets each row k times, so that it suppresses no
// others.
func TestPlacedAsApplied(t *testing.T) {
	const k = 3
	path, rows := people(t, rand.New(rand.NewPCG(11, 1)), 400)
	text, err := os.ReadFile(path)
	must(t, err)
	must(t, os.WriteFile(path, []byte(accepting.Replace(string(text))), 0o600))
	var sides [2][][]string
	for _, row := range rows {
		side := 0
		if row[6] != "training" {
			side = 1
		}
		sides[side] = append(sides[side], row)
	}
	var inputs [2]string
	for side, rows := range sides {
		if side == 1 {
			rows = slices.Repeat(rows, k)
		}
		inputs[side] = filepath.Join(filepath.Dir(put(t, rows)), "people.csv")
	}
	names := []string{"tdr", "bottom-up", "kactus", "iack", "mondrian", "infogain-mondrian",
		"guided"}
	report, err := Evaluate(t.Context(), load(t, path, "quasi_identifiers[].k", "3", names...),
		Options{SplitColumn: "set", SplitValue: "training"})
	must(t, err)
	for i, name := range names {
		training := load(t, path, "input", inputs[0], name)[0]
		training.Sets[0].K = k
		run, err := pipeline.Run(t.Context(), training, pipeline.RunOptions{Overwrite: true})
		must(t, err)
		test := load(t, path, "input", inputs[1], name)[0]
		test.Sets[0].K, test.Output.Path = k, filepath.Join(t.TempDir(), "applied.parquet")
		test.MaxUnique = new(job.Share(1))
		applied, err := pipeline.Apply(t.Context(), test, pipeline.ApplyOptions{
			Cut:           run.Output,
			OnBreak:       search.BreakSuppress,
			MaxSuppressed: pipeline.Quota{Records: uint64(k * len(rows))},
		})
		must(t, err)
		want := float64(applied.Suppressed) / float64(k*len(sides[1]))
		got := report.Results[i].Release.NoRegion.Mean
		t.Logf("%s: %g of the test rows are in no region", name, got)
		if math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: %g of the test rows are in no region, apply suppresses %g", name, got,
				want)
		}
	}
}
