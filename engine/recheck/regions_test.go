package recheck

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
)

// regionCase is a table whose rows are checked against random regions.
type regionCase struct {
	engine Regions
	covers [][][]uint32 // the labels that cover a code, by attribute and code
	codes  enginetest.Codes
	data   enginetest.Data // rows and their sensitive values
	sets   []engine.Set
}

func newRegionCase(r *rand.Rand) (c regionCase) {
	c.codes.Rows = 5 + r.IntN(40)
	labels := 2 + r.IntN(3)
	c.engine.Given = &engine.Regions{}
	for a := range 1 + r.IntN(3) {
		codes := 2 + r.IntN(3)
		attribute := engine.Attribute{Name: fmt.Sprint("c", a), Mask: engine.Suppress}
		for code := range codes {
			attribute.Texts = append(attribute.Texts, fmt.Sprint("v", code))
		}
		c.codes.Attributes = append(c.codes.Attributes, attribute)
		column := make([]uint32, c.codes.Rows)
		for row := range column {
			column[row] = r.Uint32N(uint32(codes))
		}
		c.codes.Columns = append(c.codes.Columns, column)
		covers := make([][]uint32, codes)
		for code := range covers {
			for label := range labels { // the last one is the mark
				if r.IntN(3) > 0 {
					covers[code] = append(covers[code], uint32(label))
				}
			}
		}
		c.covers = append(c.covers, covers)
		c.engine.Coverage = append(c.engine.Coverage, CoverageOf(covers, labels))
		c.engine.Given.Columns = append(c.engine.Given.Columns,
			engine.ColumnCut{Labels: make([]engine.Label, labels)})
		c.engine.Marks = append(c.engine.Marks, uint32(labels-1))
	}
	n := len(c.codes.Attributes)
	for range (1 + r.IntN(12)) * n {
		c.engine.Given.Released = append(c.engine.Given.Released, r.Uint32N(uint32(labels)))
	}
	all := make([]int, n)
	for a := range all {
		all[a] = a
	}
	c.sets = []engine.Set{{Columns: all, K: engine.KAnonymity(1 + r.IntN(6))}}
	if n > 1 {
		c.sets = append(c.sets, engine.Set{
			Columns: []int{r.IntN(n)},
			K:       engine.KAnonymity(2 + r.IntN(9)),
		})
	}
	if r.IntN(2) == 0 {
		protected := enginetest.Case{Data: enginetest.Data{Rows: make([][]engine.Label,
			c.codes.Rows)}, Sets: c.sets}
		if protected.Protect(r, r.IntN(2) == 0, r.IntN(2) == 0); len(protected.Data.Entities)+
			len(protected.Data.Sensitive) > 0 {
			protected.Data.AddKinds(&c.codes)
		}
		onlyDistinct(c.sets)
		c.data = protected.Data
	}
	return c
}

// region returns the first region that covers a row, or -1.
func (c *regionCase) region(row int) int {
	n := len(c.codes.Columns)
	for region := 0; region*n < len(c.engine.Given.Released); region++ {
		covered := true
		for a, label := range c.engine.Given.Released[region*n:][:n] {
			covered = covered && slices.Contains(c.covers[a][c.codes.Columns[a][row]], label)
		}
		if covered {
			return region
		}
	}
	return -1
}

// naive returns the suppression, with rows in no region suppressed from the start, and the number
// of classes that are too small before it.
func (c *regionCase) naive() (n *naiveSuppression, broken bool) {
	kept, _ := engine.Requirement{Sets: c.sets}.Reduce()
	n = &naiveSuppression{
		data:  c.data,
		sets:  kept.Sets,
		marks: c.engine.Marks,
		most:  int(c.engine.MaxSuppressed),
		taken: make([]bool, c.codes.Rows),
	}
	columns := len(c.codes.Columns)
	for row := range c.codes.Rows {
		labels := c.engine.Marks
		if region := c.region(row); region >= 0 {
			labels = c.engine.Given.Released[region*columns:][:columns]
		} else {
			n.taken[row] = true
		}
		n.rows = append(n.rows, labels)
	}
	broken = n.count() > 0
	for _, set := range n.sets {
		broken = broken || len(n.small(set, n.suppressed()[:0])) > 0
	}
	return n, broken
}

// TestRegions compares the rows that are suppressed, the sizes of regions and the errors with
// those of the naive rule.
func TestRegions(t *testing.T) {
	held, failed, suppressed, refused := 0, 0, 0, 0
	enginetest.Cases(t, 1000, func(r *rand.Rand) {
		c := newRegionCase(r)
		c.engine.OnBreak = []OnBreak{Fail, Suppress, Suppress}[r.IntN(3)]
		c.engine.MaxSuppressed = uint64(r.IntN(2 * c.codes.Rows))
		n, broken := c.naive()
		requirement := engine.Requirement{Sets: c.sets}
		recoding, err := c.engine.Search(t.Context(), c.codes.Table(c.engine.Plan(requirement)),
			requirement, engine.Options{})
		switch {
		case !broken:
			held++
		case c.engine.OnBreak == Fail:
			failed++
			broken = true
		case n.run():
			suppressed++
			broken = false
		default:
			refused++
		}
		if broken != errors.Is(err, engine.ErrBroken) || !broken && err != nil {
			t.Fatalf("broken: %t, got %v", broken, err)
		}
		if !broken {
			c.check(t, n, recoding.(*engine.Regions))
		}
	})
	t.Logf("%d held, %d failed, %d were suppressed, %d refused", held, failed, suppressed, refused)
	if min(held, failed, suppressed, refused) == 0 {
		t.Error("something never happened")
	}
}

// check compares the regions of all rows.
func (c *regionCase) check(t *testing.T, n *naiveSuppression, r *engine.Regions) {
	t.Helper()
	where := make([]int32, c.codes.Rows)
	r.Locator.Locate(c.codes.Rows, c.codes.Columns, where)
	sizes := make([]uint64, r.Len())
	for row, region := range where {
		want := n.rows[row]
		if n.taken[row] {
			want = c.engine.Marks
		} else if region != int32(c.region(row)) {
			t.Errorf("row %d is in region %d, want %d", row, region, c.region(row))
		}
		if got := r.Region(region); !slices.Equal(got, want) {
			t.Errorf("row %d has labels %d, want %d", row, got, want)
		}
		sizes[region]++
	}
	if !slices.Equal(r.Sizes, sizes) {
		t.Errorf("regions have %d records, want %d", r.Sizes, sizes)
	}
	released := make([][]engine.Label, c.codes.Rows)
	for row, region := range where {
		for _, label := range r.Region(region) {
			released[row] = append(released[row], engine.Label{Text: fmt.Sprint(label)})
		}
	}
	requirement := engine.Requirement{Sets: c.sets}
	if got, want := r.Anonymity(requirement),
		c.data.CheckProtected(t, released, n.sets); !slices.Equal(got, want) {
		t.Errorf("reached %d, want %d", got, want)
	}
}
