package masking

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/writer"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/pipeline/risk"
)

// peopleRows is how many rows are hashed at a time.
const peopleRows = 1 << 12

// CountPeople reads the input and counts the entities, which a column names, of every class of rows
// that get the same labels in all masked columns: the release does not say whose a row is. Without
// a column, −1, every row is an entity.
func (m *Masker) CountPeople(ctx context.Context, entity, k int) (_ *risk.People, err error) {
	if m.encoders, err = writer.NewPageEncoders(m.Write); err != nil {
		return nil, err
	}
	threads := m.Threads
	if m.Recoding.Cells() > 0 { // which rows of a divided cell go where depends on those before
		threads, m.taken = 1, make([]uint64, m.Recoding.Cells())
	}
	people, splits := &sharedPeople{of: risk.NewPeople(k)}, m.Dataset.Splits()
	counters := make([]*peopleCounter, threads)
	err = workers.Each(len(splits), threads, func(pool workers.Worker, i int) (err error) {
		c := counters[pool.Number]
		if c == nil {
			if c, err = m.newPeopleCounter(entity); err != nil {
				return err
			}
			counters[pool.Number] = c
		}
		if c.pool = pool; ctx.Err() != nil {
			return ctx.Err()
		}
		if err := c.split(ctx, splits[i], people); err != nil {
			return fmt.Errorf("count entities of %s: %w", splits[i].File, err)
		}
		return nil
	})
	for _, c := range counters {
		if c != nil {
			err = errors.Join(err, c.close())
		}
	}
	return people.of, err
}

// sharedPeople are the counts of all goroutines.
type sharedPeople struct {
	mu sync.Mutex
	of *risk.People
}

// peopleCounter is one goroutine's reader of masked columns and of the entity.
type peopleCounter struct {
	*worker
	entity  int // position among requests; −1: rows are counted
	row     int64
	hashes  risk.Hashes
	classes []uint64
	of      []uint64
}

func (m *Masker) newPeopleCounter(entity int) (*peopleCounter, error) {
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
	c := &peopleCounter{worker: w, entity: -1, classes: make([]uint64, peopleRows), of: make([]uint64, peopleRows)}
	if entity < 0 {
		return c, nil
	}
	c.entity = len(w.requests)
	if m.Class != nil { // it comes last
		c.entity--
	}
	w.requests = slices.Insert(w.requests, c.entity, formats.Request{Column: entity, Coded: true})
	return c, nil
}

func (c *peopleCounter) split(ctx context.Context, s formats.Split, people *sharedPeople) error {
	if err := c.openSplit(ctx, s); err != nil {
		return err
	}
	for rows := int64(0); rows < s.Rows; rows += int64(c.batch.Rows) {
		if err := c.next(ctx); err != nil {
			return err
		}
		c.row = s.Row + rows
		for _, r := range c.kept(0, c.batch.Rows) {
			for from := r.from; from < r.to; from += peopleRows {
				c.count(from, min(r.to, from+peopleRows), people)
			}
		}
	}
	return nil
}

// count counts rows from..to-1 of the batch.
func (c *peopleCounter) count(from, to int, people *sharedPeople) {
	classes, of := c.classes[:to-from], c.of[:to-from]
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
	c.whose(of, from)
	for row, class := range classes {
		classes[row] = risk.Scatter(class)
	}
	people.mu.Lock()
	people.of.Add(classes, of)
	people.mu.Unlock()
}

// whose sets whose rows of the batch are, from one on.
func (c *peopleCounter) whose(of []uint64, from int) {
	if c.entity < 0 {
		for i := range of {
			of[i] = risk.Scatter(uint64(c.row) + uint64(from+i))
		}
		return
	}
	hashes := c.hashes.Learn(c.batch.Columns[c.entity].Values)
	for i, code := range c.batch.Columns[c.entity].Codes[from : from+len(of)] {
		of[i] = hashes[code]
	}
}
