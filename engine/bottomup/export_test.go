package bottomup

import (
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// WithWitnesses returns the engine that keeps so many witnesses of every set; as many as usual for 0.
func (e Engine) WithWitnesses(n int) Engine {
	e.witnesses = n
	return e
}

// Examined returns A(QID) after the generalizations that the search tries before its first step in
// the only set of a requirement, by their names.
func Examined(t *testing.T, e Engine, table *engine.Table, requirement engine.Requirement) map[string]uint64 {
	t.Helper()
	s := newSearch(e, table, requirement, engine.Options{})
	if err := s.update(t.Context()); err != nil {
		t.Fatal(err)
	}
	q, after := s.sets[0], map[string]uint64{}
	examined, err := q.examine(t.Context(), partition.Space{})
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range examined {
		after[q.columns[g.column].tree.Label(int(g.node)).Text] = g.after
	}
	return after
}
