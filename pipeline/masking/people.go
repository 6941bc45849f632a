package masking

import (
	"context"
	"slices"

	"github.com/kcut/kcut/engine"
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
	held := m.Budget.Part(m.Budget.Limit())
	defer func() { held.Return(held.Used()) }()
	var ks []int
	for _, g := range groups {
		ks = append(ks, g.K)
	}
	all, own := risk.NewGroups(ks, entity >= 0, held), held.Part(held.Grant(&spill.Exposure))
	more, labels := []formats.Request(nil), m.labelHashes()
	at := func(field int) int { // position among the columns of a batch
		if field < 0 {
			return -1
		}
		more = append(more, formats.Request{Column: field, Coded: true})
		return len(m.requests()) + len(more) - 1
	}
	owner, kept := at(entity), make([]int, len(groups))
	for i, g := range groups {
		kept[i] = at(g.Kept)
	}
	var counters []*peopleCounter
	err = m.Recoder.scan(ctx, m.Dataset, more, m.Threads, m.Budget, func(t *recoded) func(*formats.Batch) {
		c := &peopleCounter{
			Plan: m.Plan, recoded: t, groups: groups, kept: kept, entity: owner, labelled: labels, counts: all.Counter(own),
			hashes: make([]risk.Hashes, len(groups)+1), classes: make([]uint64, peopleRows), of: make([]uint64, peopleRows),
		}
		counters = append(counters, c)
		return c.batch
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

// labelHashes returns the hashes of the labels of every masked column of the release, by their numbers:
// where labels depend on their column alone, of the values that stand for them.
func (m *Masker) labelHashes() [][]uint64 {
	all, columnwise := make([][]uint64, len(m.Plan.columns)), Columnwise(m.Recoding, len(m.Coders))
	for i := range all {
		for label, code := range m.Plan.columns[i].codes {
			if !columnwise {
				code = uint32(label)
			}
			all[i] = append(all[i], risk.Scatter(uint64(code)))
		}
	}
	return all
}

// peopleCounter counts the rows of one goroutine.
type peopleCounter struct {
	*Plan
	*recoded
	groups   []Group
	kept     []int // by group: position of the kept column in batches; −1: none
	entity   int   // position; −1: rows are counted
	labelled [][]uint64
	counts   *risk.GroupCounter
	counted  int64         // rows
	hashes   []risk.Hashes // of kept columns, and of the entity
	classes  []uint64      // of a block of rows
	of       []uint64      // their entities
}

// batch counts the rows of a batch that are not dropped.
func (c *peopleCounter) batch(b *formats.Batch) {
	for from := 0; from < b.Rows; {
		to := from
		for to < min(b.Rows, from+peopleRows) && c.labels[0][to] != engine.DroppedLabel {
			to++
		}
		if to > from {
			c.count(b, from, to)
		}
		from = max(to, from+1)
	}
}

// count counts rows from..to-1 of a batch.
func (c *peopleCounter) count(b *formats.Batch, from, to int) {
	counts := b.CountsOf(from, to)
	c.counted += b.Records(from, to)
	if c.entity >= 0 {
		of := c.of[:to-from]
		hashes := c.hashes[len(c.groups)].Learn(b.Columns[c.entity].Values)
		for i, code := range b.Columns[c.entity].Codes[from:to] {
			of[i] = hashes[code]
		}
		c.counts.Begin(of, counts)
	}
	for g := range c.groups {
		c.counts.Add(g, c.classify(b, g, from, to), counts)
	}
}

// classify hashes the classes of rows in a group.
func (c *peopleCounter) classify(b *formats.Batch, g, from, to int) []uint64 {
	classes := c.classes[:to-from]
	clear(classes)
	join := func(codes []uint32, hashes []uint64) {
		for row, code := range codes {
			hash := uint64(risk.Null)
			if int(code) < len(hashes) { // else the input has changed
				hash = hashes[code]
			}
			classes[row] = risk.Join(classes[row], hash)
		}
	}
	for i := range c.columns {
		attribute := c.columns[i].attribute
		if attribute >= 0 && (c.groups[g].Masked == nil || slices.Contains(c.groups[g].Masked, attribute)) {
			join(c.recoded.labels[attribute][from:to], c.labelled[i])
		}
	}
	if at := c.kept[g]; at >= 0 {
		join(b.Columns[at].Codes[from:to], c.hashes[g].Learn(b.Columns[at].Values))
	}
	for row, class := range classes {
		classes[row] = risk.Scatter(class)
	}
	return classes
}
