package count

import (
	"testing"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/spill"
)

// Entities are without weight from a number of records on.
func TestWeightless(t *testing.T) {
	if weightOf(Weightless-1) == 0 || weightOf(Weightless) != 0 {
		t.Errorf("records weigh %d and %d", weightOf(Weightless-1), weightOf(Weightless))
	}
}

// HoldEntities refuses the budgets in which entities cannot be counted, and leaves nothing drawn.
func TestHoldEntities(t *testing.T) {
	was := mostEntities
	defer func() { mostEntities = was }()
	mostEntities = 1000
	refused := 0
	for _, rows := range []uint64{500, 5000, 500_000} {
		for _, number := range []uint64{0, min(rows, mostEntities), min(rows, mostEntities+1), rows} {
			for limit := int64(1 << 10); limit <= 1<<24; limit *= 2 {
				budget := spill.NewBudget(limit)
				foretold := HoldEntities(rows, number, budget)
				if left := budget.Left(); left != limit {
					t.Fatalf("%d of %d bytes are left", left, limit)
				}
				if done := countEntities(rows, number, budget); (done == nil) != (foretold == nil) {
					t.Errorf("%d entities of %d rows, %d bytes: foretold is %v, counting says %v", number, rows, limit, foretold, done)
				}
				if foretold != nil {
					if refused++; fault.ClassOf(foretold) != fault.Resources {
						t.Errorf("foretold: %v", foretold)
					}
				}
			}
		}
	}
	if refused == 0 {
		t.Error("every budget was enough")
	}
}

// countEntities counts rows of a number of entities.
func countEntities(rows, number uint64, budget *spill.Budget) error {
	e, err := newEntities(rows, budget)
	if err != nil {
		return err
	}
	defer e.release()
	for i := range number {
		if err := e.add((i+1)<<recordBits, 1); err != nil {
			return err
		}
	}
	return nil
}
