package enginetest

import (
	"context"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

// OpenStore returns a store that is closed with the test.
func OpenStore(t *testing.T) *spill.Store {
	t.Helper()
	s, err := spill.Open(t.TempDir(), spill.Options{Budget: spill.NewBudget(16 << 20)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// SearchIn searches a table in the options' space, which must be free before and after.
// The tables are spilled or, if asked for, were in memory.
func SearchIn(t *testing.T, e engine.Engine, c Codes, requirement engine.Requirement, options engine.Options, inMemory bool) (engine.Recoding, error) {
	t.Helper()
	space := options.Space
	counting := partition.Space{Budget: spill.NewBudget(1 << 40), Store: space.Store, Share: 1}
	if inMemory {
		counting.Share = 1 << 40
	}
	table, err := c.Merged(context.Background(), e, requirement, counting)
	if err != nil {
		t.Fatal(err)
	}
	if err := space.Budget.Draw("groupings", counting.Budget.Used()); err != nil {
		return nil, err
	}
	recoding, err := e.Search(context.Background(), table, requirement, options)
	if used := space.Budget.Used(); err == nil && used != 0 {
		t.Errorf("%d bytes are not returned", used)
	}
	return recoding, err
}
