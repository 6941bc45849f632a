package spill

import (
	"errors"
	"strings"
	"testing"

	"github.com/kcut/kcut/internal/fault"
)

// The hint of a draw that failed names a budget in which it has room, also where what is in use, up to a quarter of
// the budget, grows with it.
func TestShortNamesEnough(t *testing.T) {
	const limit = 64 << 20
	for _, grows := range []bool{false, true} {
		for _, used := range []int64{0, limit / 8, limit / 2} {
			for _, missing := range []int64{2 * limit, 3 * limit} {
				b := NewBudget(limit)
				must(t, b.Draw("what is there", used))
				err := b.Short(b.Draw("more", missing), missing, "do without")
				var advised *fault.Error
				if !errors.As(err, &advised) || !errors.Is(err, ErrBudget) || !strings.HasSuffix(advised.Hint, "do without") {
					t.Fatalf("%v", err)
				}
				named := enough(used, missing, limit) << 20
				then := used
				if grows {
					growing := min(used, limit/4)
					then = used - growing + growing*(named>>20)/(limit>>20)
				}
				if then+missing > named {
					t.Errorf("%d bytes are not enough for %d and %d", named, used, missing)
				}
				hint := advised.Hint
				if fault.LacksMore(err, limit); advised.Lacks != missing+limit || advised.Hint == hint {
					t.Errorf("%d bytes are missing: %s", advised.Lacks, advised.Hint)
				}
			}
		}
	}
}
