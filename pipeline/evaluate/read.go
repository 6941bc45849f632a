package evaluate

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/kcut/kcut/internal/fault"
)

// ReadReport parses a report that kcut evaluate --json has printed.
func ReadReport(text []byte) (*Report, error) {
	r := &Report{}
	if json.Unmarshal(text, r) != nil || !r.whole() {
		return nil, &fault.Error{
			Class: fault.Input,
			Hint:  "name a file with what kcut evaluate --json has printed",
			Err:   errors.New("read evaluation: it is no report of an evaluation"),
		}
	}
	return r, nil
}

// whole reports whether a report has a result, and every result an error of every classifier and
// the costs of releases.
func (r *Report) whole() bool {
	lacks := func(errors map[string]Score) bool {
		return slices.ContainsFunc(r.Learners, func(l string) bool {
			_, has := errors[l]
			return !has
		})
	}
	if len(r.Results) == 0 || lacks(r.Baseline) || lacks(r.Upper) {
		return false
	}
	return !slices.ContainsFunc(r.Results, func(result Result) bool {
		return len(result.K) == 0 || result.Failed == "" &&
			(result.Release == nil || lacks(result.Errors))
	})
}
