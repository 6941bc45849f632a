package evaluate

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/kcut/kcut/internal/fault"
)

// A parsed report equals the written one; an incomplete one is refused.
func TestReadReport(t *testing.T) {
	errors := map[string]Score{"tree": {Mean: 0.25, Deviation: new(0.125)}}
	whole := func() *Report {
		return &Report{
			Rows: 10, Rounds: 2, Learners: []string{"tree"}, Baseline: errors, Upper: errors,
			Results: []Result{{
				Algorithm: "tdr",
				K:         []int{5},
				Errors:    errors,
				Release:   &Costs{QueryError: Score{Mean: 0.5}},
			}, {Algorithm: "tdr", K: []int{50}, Failed: "too few"}},
		}
	}
	read := func(r any) (*Report, error) {
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		return ReadReport(text)
	}
	if got, err := read(whole()); err != nil || !reflect.DeepEqual(got, whole()) {
		t.Errorf("%+v, %v", got, err)
	}
	for name, change := range map[string]func(*Report){
		"no result": func(r *Report) {
			r.Results = nil
		}, "no k": func(r *Report) { r.Results[1].K = nil },
		"no cost": func(r *Report) {
			r.Results[0].Release = nil
		}, "no error": func(r *Report) {
			r.Results[0].Errors = nil
		}, "no baseline": func(r *Report) { r.Baseline = nil },
	} {
		r := whole()
		change(r)
		if _, err := read(r); fault.ClassOf(err) != fault.Input {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := read([]int{1}); fault.ClassOf(err) != fault.Input {
		t.Errorf("a list: %v", err)
	}
}
