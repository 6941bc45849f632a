package spill

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/kcut/kcut/internal/fault"
)

// The hint of a failed draw names a budget with room for it, also where up to a quarter of the
// budget is in use and grows with it.
func TestShortNamesEnough(t *testing.T) {
	const limit = 64 << 20
	for _, grows := range []bool{false, true} {
		for _, used := range []int64{0, limit / 8, limit / 2} {
			for _, missing := range []int64{2 * limit, 3 * limit} {
				b := NewBudget(limit)
				must(t, b.Draw("what is there", used))
				err := b.Short(b.Draw("more", missing), missing, "do without")
				var advised *fault.Error
				if !errors.As(err, &advised) || !errors.Is(err, ErrBudget) ||
					!strings.HasSuffix(fault.HintOf(err), "do without") {
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
				hint := fault.HintOf(err)
				if fault.LacksMore(err, limit); advised.Lacks != missing+limit ||
					fault.HintOf(err) == hint {
					t.Errorf("%d bytes are missing: %s", advised.Lacks, hint)
				}
			}
		}
	}
}

// Every failed draw names a budget, whatever the hint adds. A draw from a share or for readers
// names a larger one.
func TestDrawsNameBudgets(t *testing.T) {
	const limit = 64 << 20
	b := NewBudget(limit)
	must(t, b.HoldRead(limit/2))
	for name, err := range map[string]error{
		"a draw":               b.Draw("more", limit),
		"a draw of a part":     b.Part(limit).Draw("more", limit),
		"of a share":           b.Exceeded("more", limit/8, limit/16, limit/16),
		"of readers":           b.HoldRead(limit),
		"an error without one": b.Advise(fmt.Errorf("do it: %w", ErrBudget)),
		"what else helps, of": Instead(fmt.Errorf("do it: %w", b.Draw("more", limit)),
			"do without"),
	} {
		var named int64
		hint := fault.HintOf(fmt.Errorf("do: %w", err))
		if _, scanErr := fmt.Sscanf(hint, "give at least %d MiB with --memory",
			&named); scanErr != nil || fault.ClassOf(err) != fault.Resources || !errors.Is(
			err, ErrBudget) {
			t.Errorf("%s: %v, hint %q", name, err, hint)
		}
		if least := map[string]int64{"of a share": 3 * limit,
			"of readers": 3 * limit}[name]; named<<20 < max(least, limit/2*3) {
			t.Errorf("%s: %d MiB are named", name, named)
		}
	}
	if hinted := Instead(ErrBudget, "do without"); b.Advise(hinted) != hinted ||
		b.Advise(nil) != nil {
		t.Error("an error that has a hint, and none, stay as they are")
	}
	if hint := fault.HintOf(Instead(ErrBudget, "do without")); hint != "give more memory with "+
		"--memory, or do without" {
		t.Errorf("hint %q", hint)
	}
}

// A named budget has room for the most that readers held at one time, since they may hold it again
// while they read.
func TestShortCountsReaders(t *testing.T) {
	const limit = 64 << 20
	for name, missing := range map[string]func(b *Budget) error{
		"rows":    func(b *Budget) error { return b.Short(b.Draw("rows", limit/2), limit/2, "") },
		"reading": func(b *Budget) error { return b.HoldRead(limit / 2) },
	} {
		b := NewBudget(limit)
		must(t, b.HoldRead(limit/4*3))
		must(t, b.HoldRead(-limit/4))
		must(t, b.Draw("labels", limit/4))
		rest := map[string]int64{"rows": limit / 4}[name]
		var named int64
		hint := fault.HintOf(missing(b))
		if _, err := fmt.Sscanf(hint, "give at least %d MiB", &named); err != nil ||
			named<<20 < limit/4*3+limit/2+rest {
			t.Errorf("%s: %s", name, hint)
		}
		must(t, b.HoldRead(-limit/2))
		if b.rest() != 0 {
			t.Errorf("readers that are done hold %d bytes", b.rest())
		}
	}
}
