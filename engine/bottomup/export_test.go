package bottomup

import (
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// WithWitnesses returns the engine with another limit of witnesses for each set; 0: the default.
func (e Engine) WithWitnesses(n int) Engine {
	e.witnesses = n
	return e
}

// FirstStep returns A(QID) after the generalizations that the search tries first for the only set
// of a requirement, by their names.
func FirstStep(
	t *testing.T, e Engine, table *engine.Table, requirement engine.Requirement,
) map[string]uint64 {
	t.Helper()
	s := newSearch(e, table, requirement, engine.Options{})
	q := s.sets[0]
	if err := s.update(t.Context()); err != nil {
		t.Fatal(err)
	}
	gains, err := q.examine(t.Context(), partition.Space{})
	if err != nil {
		t.Fatal(err)
	}
	examined := map[string]uint64{}
	for _, g := range gains {
		examined[q.columns[g.column].tree.Label(int(g.node)).Text] = g.after
	}
	return examined
}
