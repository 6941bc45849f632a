package guard

import (
	"context"
	"fmt"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/count"
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/pipeline/risk"
)

// Count counts, before the search, class sizes of the input's rows on kept columns: to refuse the
// release if necessary, and for figures that the release does not show. It must be closed.
type Count struct {
	*Guard
	fields  []int // columns to read
	request *risk.Request
	kept    int          // number of the guard of all kept columns; −1: they cannot be refused
	class   int          // number of the guard of the class; −1: it is accepted, or not kept
	counts  *risk.Counts // nil: nothing was read yet
}

// NewCount returns the count for the input.
func (g *Guard) NewCount() *Count {
	r := &risk.Request{Raw: true}
	c := &Count{Guard: g, kept: -1, class: -1, request: r}
	if len(g.Job.InputCounts) > 0 {
		r.Raw = false // the counts do not have these columns
		return c
	}
	if r.K = g.SmallestK(); g.Entity >= 0 {
		r.Entity = c.read(g.Entity)
	}
	for i := range g.Dataset.Schema().Fields {
		if g.Specs[i].Keeps() {
			r.Kept = append(r.Kept, c.read(g.Flat([]int{i})...)...)
		}
	}
	r.Masked = c.read(g.Masked...)
	for _, set := range g.Job.EverySet() {
		var fields []int
		for _, name := range set.Columns {
			fields = append(fields, g.Dataset.Schema().Index(name))
		}
		r.Sets = append(r.Sets, c.read(fields...))
	}
	if kept := g.Kept(); len(kept) > 0 && !g.accepts(kept) {
		c.kept, r.Groups = len(r.Groups),
			append(r.Groups, risk.ColumnGroup{Columns: c.read(kept...)})
	}
	if g.Class >= 0 && g.Specs[g.Class].Keeps() && !g.isAccepted(g.Class) {
		c.class, r.Groups = len(r.Groups),
			append(r.Groups, risk.ColumnGroup{Columns: c.read(g.Class), Few: true})
	}
	return c
}

// read returns the positions of fields among the columns to read.
func (c *Count) read(fields ...int) (at []int) {
	for _, field := range fields {
		if !slices.Contains(c.fields, field) {
			c.fields = append(c.fields, field)
		}
		at = append(at, slices.Index(c.fields, field))
	}
	return at
}

// KeepDictionaries makes the count collect the values of kept columns, too. Rows of the release are
// made from these values.
func (c *Count) KeepDictionaries() { c.request.Dictionaries = true }

// Counts reports whether anything is counted.
func (c *Count) Counts() bool {
	return c.request.Raw || len(c.request.Kept)+len(c.request.Groups) > 0
}

// SideCount returns the count for a reading that counts values of the input, or nil if nothing is
// counted.
func (c *Count) SideCount() *count.SideCount {
	if c == nil || !c.Counts() {
		return nil
	}
	return &count.SideCount{
		Fields: c.fields,
		Begin: func(workers int) func(int, *formats.Batch, int, int) error {
			c.Close()
			c.counts = risk.NewCounts(c.request, c.Dataset.Rows(), workers, c.Budget)
			return func(worker int, b *formats.Batch, from, to int) error {
				return c.counts.Scanner(worker).Block(b, from, to)
			}
		}}
}

// Scan reads an input, or a part of one, and counts it.
func (c *Count) Scan(ctx context.Context, in *dataset.Dataset) (err error) {
	if !c.Counts() {
		return nil
	}
	c.counts, err = risk.Count(ctx, in, c.request, c.fields, c.Threads, c.Budget, func(done int64) {
		c.Advanced(resources.StageCompress, resources.Progress{Done: done, Total: in.Rows()})
	})
	return err
}

// Dictionaries are the values of kept columns with few values.
type Dictionaries struct {
	Of    map[int]*formats.Values // by field, in order
	Bytes int64                   // drawn
}

// Dictionaries returns the dictionaries. The caller returns their drawn memory.
func (c *Count) Dictionaries() (d Dictionaries) {
	if c.counts == nil || !c.request.Dictionaries {
		return d
	}
	values, bytes := c.counts.Dictionaries()
	d = Dictionaries{make(map[int]*formats.Values), bytes}
	for i, at := range c.request.Kept {
		if values[i] != nil {
			d.Of[c.fields[at]] = values[i]
		}
	}
	return d
}

// Close returns the drawn memory of the counts.
func (c *Count) Close() {
	if c.counts != nil {
		c.counts.Close()
	}
}

// Report returns the counts, nil if nothing was counted.
func (c *Count) Report() *risk.Report {
	if c.counts == nil {
		return nil
	}
	c.counts.Join()
	kept := c.Kept()
	determinations := c.counts.Determines()
	report := &risk.Report{
		K:          c.request.K,
		Columns:    c.Names(kept...),
		Determines: c.determined(determinations),
		Members:    c.members(determinations),
		Raw:        c.counts.Raw(c.request.K),
	}
	if size := int64(c.Job.Population.Size); size >= c.counts.Rows() {
		report.Raw.Population = c.counts.Population(size)
	}
	if c.kept >= 0 {
		report.Kept = c.counts.Group(c.kept)
	}
	return report
}

// OnClass returns the figures of the class, nil if it was not counted.
func (c *Count) OnClass() *risk.Figures {
	if c.counts == nil || c.class < 0 {
		return nil
	}
	return c.counts.Group(c.class)
}

// Check refuses a release in which more rows than MostUnique are unique, or in classes below the
// smallest k, on columns that nobody has accepted. The report is that of the count; it may be nil.
func (c *Count) Check(ctx context.Context, report *risk.Report) error {
	if on := c.OnClass(); on != nil {
		if err := c.checkClass(on); err != nil {
			return err
		}
	}
	if report == nil {
		return nil
	}
	if size := c.Job.Population.Size; size > 0 && report.Raw.Population == nil {
		return c.Job.LocatedKey("population.size", "name the number of people from whom those of "+
			"the table were drawn", fmt.Errorf("the table has %s, the population %d",
			text.Count(c.counts.Rows(), "row"), size))
	}
	return c.checkKept(ctx, report.Kept)
}
