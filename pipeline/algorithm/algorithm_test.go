package algorithm

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/choose"
	"github.com/kcut/kcut/engine/topdown"
	"github.com/kcut/kcut/pipeline/job"
)

// An algorithm that is not in the list, as in a cut of another version, has an engine and no other
// properties.
func TestUnlisted(t *testing.T) {
	if TakesAway("later") || Unites("later") {
		t.Error("something is known of an algorithm that is not in the list")
	}
	if e := Engine(&job.Job{Algorithm: job.Algorithm{Name: "later"}}); !reflect.DeepEqual(e,
		topdown.Engine{}) {
		t.Errorf("its engine is %T", e)
	}
}

// Texts that are cut first have the weight of ten other columns, and numbers that of four, a little
// more the earlier they are named.
func TestFirstWeights(t *testing.T) {
	j := &job.Job{Algorithm: job.Algorithm{First: []string{"race", "sex", "age"}}}
	got := Options(j, []engine.Attribute{{Name: "sex", Mask: engine.Suppress},
		{Name: "age", Mask: engine.Discretize}, {Name: "job", Mask: engine.Suppress},
		{Name: "race", Mask: engine.Suppress}}).Weights
	isNear := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }
	if want := []float64{10.01, 4, 1, 10.02}; !slices.EqualFunc(got, want, isNear) {
		t.Errorf("weights %v, want %v", got, want)
	}
}

// TestCosts compares predicted searches with measured ones, at k = 50 by one thread, of public
// tables and of kcut sample's rows.
func TestCosts(t *testing.T) {
	e := newChoice(&job.Job{Class: "income", Objective: job.ObjectiveQueries}).(choose.Engine)
	for _, tt := range []struct {
		algorithm                   string
		records                     uint64
		tuples, attributes, classes int
		seconds                     float64
	}{
		{job.AlgorithmMondrian, 20_000, 20_000, 13, 2, 0.007},
		{job.AlgorithmMondrian, 200_000, 200_000, 13, 2, 0.07},
		{job.AlgorithmMondrian, 1_000_000, 1_000_000, 13, 2, 0.38},
		{job.AlgorithmMondrian, 45_222, 45_222, 14, 2, 0.021},
		{job.AlgorithmMondrian, 253_680, 253_680, 21, 2, 0.12},
		{job.AlgorithmGuided, 400, 323, 4, 2, 0.069},
		{job.AlgorithmGuided, 918, 918, 9, 2, 0.227},
		{job.AlgorithmGuided, 1728, 1728, 6, 4, 0.63},
		{job.AlgorithmGuided, 2111, 2014, 15, 7, 2.77},
		{job.AlgorithmGuided, 2139, 2139, 21, 2, 0.868},
		{job.AlgorithmGuided, 4028, 1572, 5, 2, 0.016},
		{job.AlgorithmGuided, 4424, 4424, 36, 3, 0.71},
		{job.AlgorithmGuided, 9857, 9857, 22, 2, 0.545},
		{job.AlgorithmGuided, 12_960, 12_960, 8, 5, 0.281},
		{job.AlgorithmGuided, 45_222, 45_170, 14, 2, 0.516},
		{job.AlgorithmGuided, 100_000, 100_000, 10, 3, 1.2},
		{job.AlgorithmInfoGainMondrian, 1445, 1445, 14, 2, 0.003},
		{job.AlgorithmInfoGainMondrian, 9857, 9857, 22, 2, 0.056},
		{job.AlgorithmInfoGainMondrian, 45_222, 45_170, 14, 2, 0.102},
		{job.AlgorithmInfoGainMondrian, 100_000, 99_561, 3, 10, 0.078},
		{job.AlgorithmKACTUS, 4424, 4424, 36, 3, 0.02},
		{job.AlgorithmKACTUS, 45_222, 45_170, 14, 2, 0.141},
		{job.AlgorithmKACTUS, 100_000, 99_561, 3, 10, 0.116},
	} {
		size := choose.Size{
			Records: tt.records, Tuples: tt.tuples, Attributes: tt.attributes, Classes: tt.classes,
		}
		found := false
		for _, c := range e.Candidates {
			if c.Name != tt.algorithm {
				continue
			}
			found = true
			predicted := c.Cost * size.Work() / 1e9
			if c.Guiding != nil {
				predicted += c.Guiding(size) / 1e9
			}
			if predicted > 2.1*tt.seconds || predicted < tt.seconds/2.1 {
				t.Errorf("%s: %+v is predicted to take %.3f s, it took %.3f", tt.algorithm,
					size, predicted, tt.seconds)
			}
		}
		if !found {
			t.Errorf("%s is no candidate", tt.algorithm)
		}
	}
}
