package masking

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/writer"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/spill"
)

// peopleRows is how many rows are hashed at a time.
const peopleRows = 1 << 12

// CountPeople reads the input and counts the entities, which a column names, of every class of rows
// that get the same labels in all masked columns: the release does not say whose a row is. Without
// a column, −1, rows are counted, as they are in the release.
func (m *Masker) CountPeople(ctx context.Context, entity, k int) (_ *risk.Figures, err error) {
	if m.encoders, err = writer.NewPageEncoders(m.Write); err != nil {
		return nil, err
	}
	threads := m.Threads
	if m.Recoding.Cells() > 0 { // which rows of a divided cell go where depends on those before
		threads, m.taken = 1, make([]uint64, m.Recoding.Cells())
	}
	held := m.Budget.Part(m.Budget.Limit())
	defer func() { held.Return(held.Used()) }()
	all := newCountedPeople(entity, k, threads, held)
	err = workers.Each(len(m.Dataset.Splits()), threads, func(pool workers.Worker, i int) (err error) {
		c, split := all.counters[pool.Number], m.Dataset.Splits()[i]
		if c.worker == nil {
			if err = m.readPeople(c, entity); err != nil {
				return err
			}
		}
		if c.pool = pool; ctx.Err() != nil {
			return ctx.Err()
		}
		if err := c.split(ctx, split); err != nil {
			return fmt.Errorf("count entities of %s: %w", split.File, err)
		}
		return nil
	})
	for _, c := range all.counters {
		if c.worker != nil {
			err = errors.Join(err, c.close())
		}
	}
	if err != nil {
		return nil, err
	}
	return all.figures(k)
}

// countedPeople are the counts of all goroutines: of entities, or of rows.
type countedPeople struct {
	people   *risk.People // nil: rows are counted
	alike    *risk.Sum
	counters []*peopleCounter
}

func newCountedPeople(entity, k, threads int, budget *spill.Budget) *countedPeople {
	all := &countedPeople{}
	if entity >= 0 {
		all.people = risk.NewPeople(k, budget)
	} else {
		all.alike = risk.NewSum(risk.UnionHashes, budget)
	}
	own := budget.Part(budget.Grant(&spill.Exposure))
	for range threads {
		c := &peopleCounter{classes: make([]uint64, peopleRows), of: make([]uint64, peopleRows)}
		if all.people != nil {
			c.people = all.people.Counter(own)
		} else {
			c.alike = all.alike.Tally(own)
		}
		all.counters = append(all.counters, c)
	}
	return all
}

// figures tells what the classes are like.
func (a *countedPeople) figures(k int) (*risk.Figures, error) {
	var people []*risk.PeopleCounter
	var tallies []*risk.Tally
	rows := int64(0)
	for _, c := range a.counters {
		people, tallies, rows = append(people, c.people), append(tallies, c.alike), rows+c.counted
	}
	if a.people != nil {
		return a.people.Figures(people...)
	}
	if err := a.alike.Join(tallies...); err != nil {
		return nil, err
	}
	return a.alike.Figures(rows, k), nil
}

// peopleCounter is one goroutine's reader of masked columns and of the entity.
type peopleCounter struct {
	*worker // nil: it has read nothing
	people  *risk.PeopleCounter
	alike   *risk.Tally // or this counts rows
	counted int64       // of these
	entity  int         // position among requests
	hashes  risk.Hashes
	classes []uint64
	of      []uint64
}

// readPeople has a counter read the masked columns and the entity.
func (m *Masker) readPeople(c *peopleCounter, entity int) error {
	w, err := m.newWorker()
	if err != nil {
		return err
	}
	kept := make([]bool, len(m.Plan.columns))
	for i := range kept {
		kept[i] = m.Plan.columns[i].attribute < 0
		w.tokens[i] = nil
	}
	w.choose(kept)
	if c.worker = w; entity < 0 {
		return nil
	}
	c.entity = len(w.requests)
	if m.Class != nil { // it comes last
		c.entity--
	}
	w.requests = slices.Insert(w.requests, c.entity, formats.Request{Column: entity, Coded: true})
	return nil
}

func (c *peopleCounter) split(ctx context.Context, s formats.Split) error {
	if err := c.openSplit(ctx, s); err != nil {
		return err
	}
	for rows := int64(0); rows < s.Rows; rows += int64(c.batch.Rows) {
		if err := c.next(ctx); err != nil {
			return err
		}
		for _, r := range c.kept(0, c.batch.Rows) {
			for from := r.from; from < r.to; from += peopleRows {
				c.count(from, min(r.to, from+peopleRows))
			}
		}
	}
	return nil
}

// count counts rows from..to-1 of the batch.
func (c *peopleCounter) count(from, to int) {
	classes := c.classes[:to-from]
	clear(classes)
	for i := range c.m.Plan.columns {
		column := &c.m.Plan.columns[i]
		if column.attribute < 0 {
			continue
		}
		if c.tuples != nil {
			for row, label := range c.tuples.labels[column.attribute][from:to] {
				classes[row] = risk.Join(classes[row], risk.Scatter(uint64(label)))
			}
			continue
		}
		_, labels := c.labels[i].Learned()
		for row, code := range c.batch.Columns[c.slots[i]].Codes[from:to] {
			classes[row] = risk.Join(classes[row], risk.Scatter(uint64(labels[code])))
		}
	}
	for row, class := range classes {
		classes[row] = risk.Scatter(class)
	}
	if c.alike != nil {
		c.alike.Add(classes)
		c.counted += int64(len(classes))
		return
	}
	of := c.of[:len(classes)]
	hashes := c.hashes.Learn(c.batch.Columns[c.entity].Values)
	for i, code := range c.batch.Columns[c.entity].Codes[from:to] {
		of[i] = hashes[code]
	}
	c.people.Add(classes, of)
}
