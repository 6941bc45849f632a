package choose

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

// verdict searches a table, and returns the verdict without the seconds, and the recoding.
func (p problem) verdict(t *testing.T, codes enginetest.Codes, space partition.Space) (*Verdict,
	engine.Recoding) {
	t.Helper()
	var verdict *Verdict
	p.engine.OnVerdict = func(v *Verdict) error { verdict = v; return nil }
	recoding, err := enginetest.SearchIn(t, p.engine, codes, p.requirement,
		engine.Options{MaxSteps: -1, Space: space}, space.Store == nil)
	if err != nil && !errors.Is(err, engine.ErrInfeasible) {
		t.Fatalf("%v\n%s", err, p)
	}
	for i := range verdict.Estimates {
		verdict.Estimates[i].Took = 0
	}
	return verdict, recoding
}

// The verdict and the release do not depend on the order of the rows, the threads and the store,
// and the recoding is that of the candidate's own search.
func TestSame(t *testing.T) {
	enginetest.Cases(t, 60, func(r *rand.Rand) {
		p := newProblem(r)
		if !p.Reachable() {
			return
		}
		names := p.codes.ClassNames
		wide := partition.Space{Budget: spill.NewBudget(1 << 30), Share: 1 << 30, Threads: 3}
		want, recoding := p.verdict(t, p.codes, wide)
		tight := partition.Space{
			Budget:  spill.NewBudget(1 << 26),
			Share:   1 << 24,
			Store:   enginetest.OpenStore(t),
			Threads: 1,
		}
		if got, again := p.verdict(t, p.codes, tight); !reflect.DeepEqual(got, want) ||
			recoding != nil && !reflect.DeepEqual(p.Data.Released(again),
				p.Data.Released(recoding)) {
			t.Fatalf("in a store: %+v, want %+v\n%s", got, want, p)
		}
		shuffled := p.Data.Shuffle(r).Codes()
		shuffled.ClassNames = names
		if p.codes.Kinds == nil { // numbers of kinds depend on the order of rows
			if got, _ := p.verdict(t, shuffled, wide); !reflect.DeepEqual(got, want) {
				t.Fatalf("shuffled: %+v, want %+v\n%s", got, want, p)
			}
		}
		if recoding == nil {
			return
		}
		c := &p.engine.Candidates[want.Chosen]
		requirement := c.of(p.requirement)
		own, err := c.Engine.Search(t.Context(), p.codes.Table(c.Engine.Plan(requirement)),
			requirement, engine.Options{MaxSteps: -1})
		if err != nil || !reflect.DeepEqual(p.Data.Released(own), p.Data.Released(recoding)) {
			t.Fatalf("%s by itself releases other labels: %v\n%s", c.Name, err, p)
		}
	})
}

// Among candidates that are equally good the first is chosen; a better one is chosen before it; one
// that is left out is never chosen.
func TestTies(t *testing.T) {
	for _, tt := range []struct {
		losses []float64
		left   string // one letter for each candidate: x is left out, b masks everything
		want   int
	}{
		{[]float64{0.3, 0.3, 0.3}, "...", 0},
		{[]float64{0.3005, 0.3, 0.2995}, "...", 0},
		{[]float64{0.302, 0.3005, 0.3}, "...", 1},
		{[]float64{0.1, 0.2, 0.3}, "x..", 1},
		{[]float64{0.1, 0.2, 0.3}, "b..", 1},
		{[]float64{0.2, 0.1, 0.3}, "bb.", 2},
		{[]float64{0.2, 0.1, 0.3}, "bbx", 1},
		{[]float64{0.1, 0.2, 0.3}, "xxx", -1},
	} {
		v := &Verdict{}
		for i, loss := range tt.losses {
			v.Estimates = append(v.Estimates,
				Estimate{
					Loss:    loss,
					LeftOut: strings.Trim(tt.left[i:i+1], ".b"),
					Blank:   tt.left[i] == 'b',
				})
		}
		if v.choose(); v.Chosen != tt.want {
			t.Errorf("%v %s: %d is chosen, want %d", tt.losses, tt.left, v.Chosen, tt.want)
		}
	}
	for _, tt := range []struct {
		// the standard errors of what they have more than the trusted one
		losses, chances [3]float64
		want            int
	}{
		// chance may explain that the best one is better
		{[3]float64{0.32, 0.31, 0.3}, [3]float64{0.01, 0, 0.0034}, 1},
		{[3]float64{0.32, 0.31, 0.3}, [3]float64{0.01, 0, 0.0033}, 2}, // it is better
		// chance may explain that the simpler one is better
		{[3]float64{0.3, 0.305, 0.32}, [3]float64{0.0021, 0, 0}, 1},
		// the simpler one is at least as good
		{[3]float64{0.3, 0.305, 0.32}, [3]float64{0.0019, 0, 0}, 0},
		{[3]float64{0.3, 0.3, 0.3}, [3]float64{0.0003, 0, 0.001}, 0},       // all are equally good
		{[3]float64{0.3004, 0.3, 0.2999}, [3]float64{0.0001, 0, 0.001}, 0}, // these, too
		{[3]float64{0.3004, 0.3, 0.2999}, [3]float64{0.0003, 0, 0.001}, 1}, // chance may explain it
	} {
		v := &Verdict{deviations: make([][]float64, 3)}
		for i, loss := range tt.losses {
			v.Estimates = append(v.Estimates, Estimate{Loss: loss, Trusted: i == 1})
			v.deviations[i] = []float64{tt.chances[0], tt.chances[i], tt.chances[2]}
		}
		v.deviations[1] = tt.chances[:]
		if v.choose(); v.Chosen != tt.want {
			t.Errorf("%v of chances %v: %d is chosen, want %d", tt.losses, tt.chances, v.Chosen,
				tt.want)
		}
	}
	blank := &Verdict{Estimates: []Estimate{{Blank: true}, {Blank: true, Trusted: true}}}
	if blank.choose(); blank.Chosen != 1 {
		t.Errorf("%d is chosen where all mask everything", blank.Chosen)
	}
	v := &Verdict{Estimates: []Estimate{{Loss: 0.3}, {Loss: 0.2}}, Chosen: 1}
	if !v.Reject(errors.New("broken")) || v.Chosen != 0 || v.Estimates[1].LeftOut != "broken" ||
		v.Reject(errors.New("too")) || v.Chosen != -1 || v.Reject(errors.New("more")) {
		t.Errorf("after rejecting: %+v", v)
	}
}

// Candidates are admitted as long as the time suffices, and the first one in any case.
func TestTime(t *testing.T) {
	e := Engine{}
	for _, cost := range []float64{100, 1000, 5000, 200} {
		e.Candidates = append(e.Candidates, Candidate{Searcher: Searcher{Cost: cost}})
	}
	e.Candidates[1].Barred = "no"
	size := Size{Records: 1_000_000, Tuples: 100_000, Attributes: 5, Classes: 2}
	predicted := e.Predict(size)
	if predicted[1] != 0 || predicted[0] >= predicted[3] || predicted[3] >= predicted[2] {
		t.Errorf("predicted are %v", predicted)
	}
	for _, tt := range []struct {
		time time.Duration
		want string // x is left out
	}{
		{0, ".x.."}, {1, ".xxx"}, {predicted[0] + predicted[3], ".xx."},
		{predicted[0] + predicted[2] + predicted[3], ".x.."},
	} {
		e.Time = tt.time
		got := ""
		for _, x := range e.admit(size) {
			got += map[bool]string{true: ".", false: "x"}[x.LeftOut == ""]
		}
		if got != tt.want {
			t.Errorf("in %s: %s, want %s", tt.time, got, tt.want)
		}
	}
}

// Judging and the longest search are predicted to take no more than 1.1 times as long as all
// searches, whatever the size. A large table is judged in several rounds, one of few distinct
// tuples is not; where no candidate is trusted every table is judged.
func TestRounds(t *testing.T) {
	e := Engine{Candidates: []Candidate{
		{Searcher: Searcher{Cost: 20}}, {Searcher: Searcher{Cost: 150}},
		{
			Trusted: true,
			Searcher: Searcher{Cost: 500, Guiding: func(s Size) float64 {
				return s.Fitting(100)
			}},
			Sketch: &Searcher{Cost: 300, Guiding: func(s Size) float64 { return s.Fitting(25) }},
		},
	}}
	found, open := map[int]int{}, e.open(make([]Estimate, len(e.Candidates)))
	for tuples := 100; tuples < 1_000_000; tuples += tuples / 3 {
		for records := tuples; records <= 20*tuples; records *= 4 {
			for _, attributes := range []int{1, 3, 10, 30} {
				s := Size{uint64(records), tuples, attributes, 2 + tuples%9}
				round, all, longest := 0.0, 0.0, 0.0
				for _, c := range open {
					round, all = round+e.round(c, s), all+c.predict(s)
					longest = max(longest, c.predict(s))
				}
				rounds := e.rounds(open, s)
				found[rounds]++
				if longest+float64(rounds)*round > 1.1*all {
					t.Errorf("%+v: %d rounds of %g and a search of %g, all take %g", s, rounds,
						round, longest, all)
				}
				if e.Objective = Queries; e.rounds(open, s) == 0 {
					t.Errorf("%+v: nothing is judged, and no candidate is trusted", s)
				}
				e.Objective = Classification
			}
		}
	}
	if found[0] == 0 || found[1] == 0 || found[mostRounds] == 0 {
		t.Errorf("the numbers of rounds are %v", found)
	}
}
