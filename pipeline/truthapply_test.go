package pipeline

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/search"
)

// apply masks another table of the same columns with the cut of a release, in two ways.
func (c *truthCase) apply(t *testing.T, dir string, first night) {
	t.Helper()
	c.refill(t, dir)
	c.applied = &ApplyOptions{Cut: first.path, OnBreak: search.BreakSuppress,
		MaxSuppressed: Quota{Percent: 100}}
	if c.rng.IntN(2) == 0 {
		c.applied.OnBreak = []search.OnBreak{
			"", search.BreakFail, search.BreakRefuse, search.BreakCoarsen,
		}[c.rng.IntN(4)]
	}
	second := c.run(t, dir, "applied", RunOptions{}, "limits.threads", "2", "limits.memory",
		c.memory)
	if second.err != nil {
		c.mustHaveReason(t, second)
		return
	}
	c.audit(t, second)
	spilled := RunOptions{System: System{Spill: true}}
	threads := fmt.Sprint(1 + c.rng.IntN(4))
	c.mustAgree(t, second, c.run(t, dir, "applied-too", spilled, "limits.threads", threads))
}

// refill stores another table of the same columns.
func (c *truthCase) refill(t *testing.T, dir string) {
	t.Helper()
	c.rows = 1 + c.rng.IntN(2*c.rows)
	if id := c.column(idColumn); id != nil {
		id.number(c.rows)
	}
	c.fill(t, c.rng)
	c.stored.put(t, filepath.Join(dir, "in"), &c.truthTable)
	c.mayLackTypes()
}

// above searches above the cut of a release, in another table with the same columns: the cut that
// it finds is equal or coarser.
func (c *truthCase) above(t *testing.T, dir string, first night) {
	t.Helper()
	if !c.topDown() {
		return
	}
	c.refill(t, dir)
	options := RunOptions{OnlyCoarsen: first.path}
	overrides := []string{"limits.memory", c.memory, "previous", first.path, "limits.threads"}
	second := c.run(t, dir, "above", options, append(overrides, "2")...)
	if second.err != nil {
		c.mustHaveReason(t, second)
		return
	}
	c.audit(t, second)
	options.System.Spill = true
	c.mustAgree(t, second, c.run(t, dir, "above-too",
		options, append(overrides, fmt.Sprint(1+c.rng.IntN(4)))...))
}

// mustHaveReason demands a reason in the case for which an earlier cut is refused.
func (c *truthCase) mustHaveReason(t *testing.T, n night) {
	t.Helper()
	class := fault.ClassOf(n.err)
	text := strings.Join(c.set, "") + c.text()
	switch {
	case class == fault.Privacy: // some class is too small, or a row alone
	case class == fault.Input && (strings.Contains(text, "generalize") ||
		strings.Contains(text, "bounds")):
		// the cut has no place for a value
	case class == fault.Usage && !c.topDown(): // of regions
	case c.reasons[class] != "":
	default:
		t.Errorf("the cut is not applied, at stage %v, class %v: %v", n.stage, class, n.err)
	}
}
