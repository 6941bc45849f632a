package masking

import (
	"context"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/spill"
)

// entityRows is the number of rows that are hashed at a time.
const entityRows = 1 << 12

// Group is the columns on which rows of a class are equal.
type Group struct {
	Masked []int // masked columns whose labels are equal, by their number; nil: all
	Kept   int   // field of a kept column whose values are equal, too; −1: none
	K      int   // classes of fewer than K are small
}

// CountEntities reads the input and counts the entities, which a column names, in every class of
// each group: the release does not say whose a row is. Without a column (−1), rows are counted.
func (m *Masker) CountEntities(
	ctx context.Context, entity int, groups []Group,
) (_ []*risk.Figures, err error) {
	held := m.Budget.Part(m.Budget.Limit())
	defer func() { held.Return(held.Used()) }()
	var ks []int
	for _, g := range groups {
		ks = append(ks, g.K)
	}
	all, own := risk.NewGroups(ks, entity >= 0, held), held.Part(held.Grant(&spill.Exposure))
	more, labels := []formats.Request(nil), m.labelHashes()
	at := func(field int) int { // returns the position among the columns of a batch
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
	var counters []*entityCounter
	err = m.Recoder.scan(ctx, m.Dataset, more, m.Threads, m.Budget,
		func(t *rowLabeler) func(*formats.Batch) error {
			c := &entityCounter{
				Plan: m.Plan, rowLabeler: t, groups: groups, kept: kept, entity: owner,
				labelHashes: labels, counts: all.Counter(own),
				hashes: make([]risk.Hashes, len(groups)+1), classes: make([]uint64, entityRows),
				of: make([]uint64, entityRows),
			}
			counters = append(counters, c)
			return func(b *formats.Batch) error { return c.batch(b, c.count) }
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

// EachClass reads the input. It calls begin for each goroutine, and the returned function with
// ranges of the rows that are released: columns of some fields, the first row of the range and the
// one after the last, the numbers of records of these rows, nil for one each, and the hashes of
// their classes: rows with the same labels have the same one.
func (m *Masker) EachClass(
	ctx context.Context, fields []int, begin func() func(
		columns []*formats.Column, from, to int, counts, classes []uint64) error,
) error {
	labels, first, more := m.labelHashes(), len(m.requests()), []formats.Request(nil)
	for _, field := range fields {
		more = append(more, formats.Request{Column: field, Coded: true})
	}
	return m.Recoder.scan(ctx, m.Dataset, more, m.Threads, m.Budget,
		func(t *rowLabeler) func(*formats.Batch) error {
			use := begin()
			c := &entityCounter{Plan: m.Plan, rowLabeler: t, groups: []Group{{Kept: -1}},
				kept: []int{-1}, labelHashes: labels, classes: make([]uint64, entityRows)}
			return func(b *formats.Batch) error {
				return c.batch(b, func(b *formats.Batch, from, to int) error {
					classes := c.classify(b, 0, from, to)
					return use(b.Columns[first:], from, to, b.CountsOf(from, to), classes)
				})
			}
		})
}

// labelHashes returns the hashes of the released values of every column of the release that has
// labels, by label number: labels with one released value have the same one.
func (m *Masker) labelHashes() [][]uint64 {
	all := make([][]uint64, len(m.Plan.columns))
	for i := range all {
		for _, code := range m.Plan.columns[i].codes {
			all[i] = append(all[i], risk.Scatter(uint64(code)))
		}
	}
	return all
}

// entityCounter counts the rows of one goroutine.
type entityCounter struct {
	*Plan
	*rowLabeler
	groups      []Group
	kept        []int // by group: position of the kept column in batches; −1: none
	entity      int   // position; −1: rows are counted
	labelHashes [][]uint64
	counts      *risk.GroupCounter
	counted     int64         // number of rows
	hashes      []risk.Hashes // of kept columns, then of the entity
	classes     []uint64      // classes of a block of rows
	of          []uint64      // entities of these rows
}

// batch calls a function with ranges of the rows of a batch, which are all except dropped ones.
func (c *entityCounter) batch(
	b *formats.Batch, use func(b *formats.Batch, from, to int) error,
) error {
	for from := 0; from < b.Rows; {
		to := from
		for to < min(b.Rows, from+entityRows) && c.labels[0][to] != engine.DroppedLabel {
			to++
		}
		if to > from {
			if err := use(b, from, to); err != nil {
				return err
			}
		}
		from = max(to, from+1)
	}
	return nil
}

// count counts rows from..to-1 of a batch.
func (c *entityCounter) count(b *formats.Batch, from, to int) error {
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
	return nil
}

// classify returns the hashes of the rows' classes in a group.
func (c *entityCounter) classify(b *formats.Batch, g, from, to int) []uint64 {
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
		if attribute >= 0 &&
			(c.groups[g].Masked == nil || slices.Contains(c.groups[g].Masked, attribute)) {
			join(c.rowLabeler.labels[attribute][from:to], c.labelHashes[i])
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
