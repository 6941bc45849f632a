package masking

import (
	"context"
	"slices"

	"github.com/kcut/kcut/formats"
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
	m.takeInOrder()
	held := m.Budget.Part(m.Budget.Limit())
	defer func() { held.Return(held.Used()) }()
	var ks []int
	for _, g := range groups {
		ks = append(ks, g.K)
	}
	all, own := risk.NewGroups(ks, entity >= 0, held), held.Part(held.Grant(&spill.Exposure))
	counters := make([]*peopleCounter, m.Threads)
	for i := range counters {
		counters[i] = newPeopleCounter(groups, all.Counter(own))
	}
	begin := func(number int) *worker { return m.readPeople(counters[number], entity) }
	err = m.scan(ctx, m.Dataset.Splits(), begin, func(number, rows int) error {
		c := counters[number]
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
	rows := int64(0)
	for _, c := range counters {
		c.counts.Close()
		rows += c.counted
	}
	figures := make([]*risk.Figures, len(groups))
	for g := range figures {
		if figures[g], err = all.Figures(g, rows); err != nil {
			return nil, err
		}
	}
	return figures, nil
}

// peopleCounter is one goroutine's reader of masked columns, of the entity, and of the kept columns of groups.
type peopleCounter struct {
	*worker // nil: it has read nothing
	groups  []Group
	at      []int // by group: position of the kept column among requests; −1: none
	counts  *risk.GroupCounter
	counted int64         // rows
	entity  int           // position among requests; −1: rows are counted
	hashes  []risk.Hashes // of kept columns, and of the entity
	classes []uint64      // of a block of rows
	of      []uint64      // their entities
}

func newPeopleCounter(groups []Group, counts *risk.GroupCounter) *peopleCounter {
	return &peopleCounter{
		groups: groups, counts: counts, hashes: make([]risk.Hashes, len(groups)+1),
		classes: make([]uint64, peopleRows), of: make([]uint64, peopleRows),
	}
}

// readPeople has a counter read the masked columns, the entity, and what groups keep.
func (m *Masker) readPeople(c *peopleCounter, entity int) *worker {
	w := m.newWorker()
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
	return w
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
	counts := c.batch.CountsOf(from, to)
	c.counted += c.batch.Records(from, to)
	if c.entity >= 0 {
		of := c.of[:to-from]
		hashes := c.hashes[len(c.groups)].Learn(c.batch.Columns[c.entity].Values)
		for i, code := range c.batch.Columns[c.entity].Codes[from:to] {
			of[i] = hashes[code]
		}
		c.counts.Begin(of, counts)
	}
	for g := range c.groups {
		c.counts.Add(g, c.classify(g, from, to), counts)
	}
}

// classify hashes the classes of rows in a group.
func (c *peopleCounter) classify(g, from, to int) []uint64 {
	classes := c.classes[:to-from]
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
	return classes
}
