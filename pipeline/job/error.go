package job

import (
	"cmp"
	"slices"

	"github.com/kcut/kcut/formats/yaml"
	"github.com/kcut/kcut/internal/fault"
)

// Problem is one thing that is wrong with a job.
type Problem = yaml.Problem

// Error lists what is wrong with a job: its file, its overrides, and the taxonomy files
// that it names. Nothing was read or written but these.
type Error struct{ Problems []Problem }

// Error renders all problems: place and message, the source line with a caret, a hint.
func (e *Error) Error() string { return yaml.Problems(e.Problems).String() }

// Class is that of a mistake in a job.
func (e *Error) Class() fault.Class { return fault.Usage }

// asError returns the problems as an error, each once and those of one file in its order.
// It returns nil without problems.
func asError(problems []Problem) error {
	if len(problems) == 0 {
		return nil
	}
	var unique []Problem
	files := make(map[string]int) // in the order of their first problem
	for _, p := range problems {
		if !slices.Contains(unique, p) {
			unique = append(unique, p)
		}
		if _, ok := files[p.File]; !ok {
			files[p.File] = len(files)
		}
	}
	slices.SortStableFunc(unique, func(a, b Problem) int {
		return cmp.Or(files[a.File]-files[b.File], a.Line-b.Line, a.Column-b.Column)
	})
	return &Error{unique}
}
