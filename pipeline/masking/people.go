package masking

import (
	"context"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/writer"
	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/spill"
)

// peopleRows is how many rows are hashed at a time.
const peopleRows = 1 << 12

// Group says by what rows are alike.
type Group struct {
	Masked []int // columns whose labels are, by their number among the masked ones; nil: all
	Kept   int   // field of a kept column whose values are, too; −1: none
	K      int   // classes of fewer are small
}

// CountPeople reads the input and counts the entities, which a column names, of every class of rows that are alike
// by each of some groups: the release does not say whose a row is. Without a column, −1, rows are counted.
func (m *Masker) CountPeople(ctx context.Context, entity int, groups []Group) (_ []*risk.Figures, err error) {
	if m.encoders, err = writer.NewPageEncoders(m.Write); err != nil {
		return nil, err
	}
	m.takeInOrder()
	held := m.Budget.Part(m.Budget.Limit())
	defer func() { held.Return(held.Used()) }()
	all := newCountedPeople(entity, groups, m.Threads, held)
	begin := func(number int) (*worker, error) { return m.readPeople(all.counters[number], entity) }
	err = m.scan(ctx, m.Dataset.Splits(), begin, func(number, rows int) error {
		c := all.counters[number]
		for _, r := range c.kept(0, rows) {
			for from := r.from; from < r.to; from += peopleRows {
				c.count(from, min(r.to, from+peopleRows))
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return all.figures()
}

// countedPeople are the counts of all goroutines, by group: of entities, or of rows.
type countedPeople struct {
	groups   []Group
	people   []*risk.People // nil: rows are counted
	alike    []*risk.Sum
	counters []*peopleCounter
}

func newCountedPeople(entity int, groups []Group, threads int, budget *spill.Budget) *countedPeople {
	all := &countedPeople{groups: groups}
	for _, g := range groups {
		if entity >= 0 {
			all.people = append(all.people, risk.NewPeople(g.K, budget))
		} else {
			all.alike = append(all.alike, risk.NewSum(risk.UnionHashes, budget))
		}
	}
	own := budget.Part(budget.Grant(&spill.Exposure))
	for range threads {
		c := &peopleCounter{groups: groups, hashes: make([]risk.Hashes, len(groups)+1), of: make([]uint64, peopleRows)}
		for range groups {
			c.classes = append(c.classes, make([]uint64, peopleRows))
		}
		for _, people := range all.people {
			c.people = append(c.people, people.Counter(own))
		}
		for _, alike := range all.alike {
			c.alike = append(c.alike, alike.Tally(own))
		}
		all.counters = append(all.counters, c)
	}
	return all
}

// figures tells what the classes of every group are like.
func (a *countedPeople) figures() (all []*risk.Figures, err error) {
	for g := range a.groups {
		var people []*risk.PeopleCounter
		var tallies []*risk.Tally
		rows := int64(0)
		for _, c := range a.counters {
			if rows += c.counted; a.people != nil {
				people = append(people, c.people[g])
			} else {
				tallies = append(tallies, c.alike[g])
			}
		}
		var figures *risk.Figures
		if a.people != nil {
			figures, err = a.people[g].Figures(people...)
		} else if err = a.alike[g].Join(tallies...); err == nil {
			figures = a.alike[g].Figures(rows, a.groups[g].K)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, figures)
	}
	return all, nil
}

// peopleCounter is one goroutine's reader of masked columns, of the entity, and of the kept columns of groups.
type peopleCounter struct {
	*worker // nil: it has read nothing
	groups  []Group
	at      []int                 // by group: position of the kept column among requests; −1: none
	people  []*risk.PeopleCounter // by group
	alike   []*risk.Tally         // or these count rows
	counted int64                 // of these
	entity  int                   // position among requests; −1: rows are counted
	hashes  []risk.Hashes         // of kept columns, and of the entity
	classes [][]uint64            // by group
	of      []uint64
}

// readPeople has a counter read the masked columns, the entity, and what groups keep.
func (m *Masker) readPeople(c *peopleCounter, entity int) (*worker, error) {
	w, err := m.newWorker()
	if err != nil {
		return nil, err
	}
	kept := make([]bool, len(m.Plan.columns))
	for i := range kept {
		kept[i] = m.Plan.columns[i].attribute < 0
		w.tokens[i] = nil
	}
	w.choose(kept)
	w.counted = m.Recoding.Cells() == 0 // else every record may go elsewhere
	c.worker = w
	for _, g := range c.groups {
		c.at = append(c.at, c.read(g.Kept))
	}
	c.entity = c.read(entity)
	return w, nil
}

// read has a field read, and returns its position among the requests; −1 of none.
func (c *peopleCounter) read(field int) int {
	if field < 0 {
		return -1
	}
	at := len(c.requests)
	if c.m.Class != nil { // it comes last
		at--
	}
	c.requests = slices.Insert(c.requests, at, formats.Request{Column: field, Coded: true})
	return at
}

// count counts rows from..to-1 of the batch.
func (c *peopleCounter) count(from, to int) {
	for g := range c.groups {
		c.classify(g, from, to)
	}
	counts := c.batch.CountsOf(from, to)
	c.counted += c.batch.Records(from, to)
	for g, alike := range c.alike {
		alike.AddCounted(c.classes[g][:to-from], counts)
	}
	if c.entity < 0 {
		return
	}
	of := c.of[:to-from]
	hashes := c.hashes[len(c.groups)].Learn(c.batch.Columns[c.entity].Values)
	for i, code := range c.batch.Columns[c.entity].Codes[from:to] {
		of[i] = hashes[code]
	}
	for g, people := range c.people {
		people.Add(c.classes[g][:to-from], of, counts)
	}
}

// classify hashes the classes of rows in a group.
func (c *peopleCounter) classify(g, from, to int) {
	classes := c.classes[g][:to-from]
	clear(classes)
	for i := range c.m.Plan.columns {
		attribute := c.m.Plan.columns[i].attribute
		if attribute < 0 || c.groups[g].Masked != nil && !slices.Contains(c.groups[g].Masked, attribute) {
			continue
		}
		if c.tuples != nil {
			for row, label := range c.tuples.labels[attribute][from:to] {
				classes[row] = risk.Join(classes[row], risk.Scatter(uint64(label)))
			}
			continue
		}
		_, labels := c.labels[i].Learned()
		for row, code := range c.batch.Columns[c.slots[i]].Codes[from:to] {
			classes[row] = risk.Join(classes[row], risk.Scatter(uint64(labels[code])))
		}
	}
	if at := c.at[g]; at >= 0 {
		column := c.batch.Columns[at]
		hashes := c.hashes[g].Learn(column.Values)
		for row, code := range column.Codes[from:to] {
			classes[row] = risk.Join(classes[row], hashes[code])
		}
	}
	for row, class := range classes {
		classes[row] = risk.Scatter(class)
	}
}
