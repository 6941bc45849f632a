package count

import (
	"testing"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/spill"
)

// The records of an entity have no weight if there are at least Weightless of them.
func TestWeightless(t *testing.T) {
	if weightOf(Weightless-1) == 0 || weightOf(Weightless) != 0 {
		t.Errorf("records weigh %d and %d", weightOf(Weightless-1), weightOf(Weightless))
	}
}

// CheckEntityRoom refuses a budget that is too small for counting entities. It returns all memory.
func TestCheckEntityRoom(t *testing.T) {
	was := mostEntities
	defer func() { mostEntities = was }()
	mostEntities = 1000
	refused := 0
	for _, rows := range []uint64{500, 5000, 500_000} {
		numbers := []uint64{0, min(rows, mostEntities), min(rows, mostEntities+1), rows}
		for _, number := range numbers {
			for limit := int64(1 << 10); limit <= 1<<24; limit *= 2 {
				budget := spill.NewBudget(limit)
				refusal := CheckEntityRoom(rows, number, budget)
				if left := budget.Left(); left != limit {
					t.Fatalf("%d of %d bytes are left", left, limit)
				}
				failure := countEntities(rows, number, budget)
				if (failure == nil) != (refusal == nil) {
					t.Errorf("%d entities of %d rows, %d bytes: refused with %v, counted with %v",
						number, rows, limit, refusal, failure)
				}
				if refusal != nil {
					if refused++; fault.ClassOf(refusal) != fault.Resources {
						t.Errorf("the refusal is %v", refusal)
					}
				}
			}
		}
	}
	if refused == 0 {
		t.Error("no budget was refused")
	}
}

// countEntities counts one row for each of number entities.
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
