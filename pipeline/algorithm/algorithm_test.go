package algorithm

import (
	"reflect"
	"testing"

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

// TestCostOfMondrian compares the predicted search of mondrian with measured ones, at k = 50 by one
// thread: kcut sample's rows, Adult's, and those of BRFSS.
func TestCostOfMondrian(t *testing.T) {
	e := newChoice(&job.Job{Class: "income", Objective: job.ObjectiveQueries}).(choose.Engine)
	for _, c := range e.Candidates {
		if c.Name != job.AlgorithmMondrian {
			continue
		}
		for _, tt := range []struct {
			tuples, columns float64
			seconds         float64
		}{
			{20_000, 13, 0.007}, {200_000, 13, 0.07}, {1_000_000, 13, 0.38}, {45_222, 14, 0.021},
			{253_680, 21, 0.12},
		} {
			predicted := c.Cost * tt.tuples * tt.columns / 1e9
			if predicted > 3*tt.seconds || predicted < tt.seconds/3 {
				t.Errorf("%.0f tuples of %.0f columns are predicted to take %.3f s, they took %.3f",
					tt.tuples, tt.columns, predicted, tt.seconds)
			}
		}
		return
	}
	t.Error("mondrian is no candidate")
}
