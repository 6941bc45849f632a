package domain

import (
	"fmt"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/job"
)

// Uncovered is the error of values that a taxonomy lacks. The run adds where the first one is.
type Uncovered struct {
	column  string
	Tree    *engine.Tree
	values  int
	records uint64
	First   string // "file F, row N", once it was looked for
}

func (u *Uncovered) Error() string {
	text := fmt.Sprintf("mask column %s: its taxonomy lacks %s of %s", u.column, text.Count(u.values, "distinct value"), text.Count(u.records, "row"))
	if u.First != "" {
		text += ", first in " + u.First
	}
	return text
}

// Unadmitted is the error of unknown values that cannot stand under the root.
func Unadmitted(column string, values int, err error) error {
	return &fault.Error{Class: fault.Input, Err: fmt.Errorf("add %s of column %s under the root of its taxonomy: %w", text.Count(values, "unknown value"), column, err)}
}

// Marked is the error of a column that holds the mark of suppressed values itself.
func Marked(column string, records uint64) error {
	return &fault.Error{
		Class: fault.Input,
		Hint:  "replace that value in the source, or give the column another mask",
		Err:   fmt.Errorf("mask column %s: it holds the mark of a suppressed value itself (%s)", column, text.Count(records, "row")),
	}
}

// Untreed is the error of a taxonomy that cannot be made.
func Untreed(spec *job.Column, err error) error {
	return &fault.Error{Class: fault.Input, Err: fmt.Errorf("make the taxonomy of column %s: %w", spec.Name, err)}
}
