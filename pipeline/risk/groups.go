package risk

import "github.com/kcut/kcut/spill"

// Groups count rows that are alike in several ways or, where entities such as people have several
// rows, those in whose classes of rows there are few of them. Each goroutine uses a GroupCounter.
type Groups struct {
	ks     []int     // by way: classes of fewer are small
	rows   []*Sum    // by way; nil: entities are counted
	people []*People // by way
	owners *Sum      // the entities
}

// NewGroups returns counts by as many ways as there are ks. What does not fit the budget is an
// error.
func NewGroups(ks []int, entities bool, budget *spill.Budget) *Groups {
	g := &Groups{ks: ks}
	for _, k := range ks {
		if entities {
			g.people = append(g.people, NewPeople(k, budget))
		} else {
			g.rows = append(g.rows, NewSum(UnionHashes, budget))
		}
	}
	if entities {
		g.owners = NewSum(UnionHashes, budget)
	}
	return g
}

// Figures tells of so many rows what the classes of one way are like, when all counters are done.
func (g *Groups) Figures(way int, rows int64) (*Figures, error) {
	if g.owners == nil {
		return g.rows[way].Figures(rows, g.ks[way]), g.rows[way].err()
	}
	if err := g.owners.err(); err != nil {
		return nil, err
	}
	return g.people[way].Figures(g.owners.Figures(rows, 0).Classes)
}

// Close gives back the bytes that were drawn.
func (g *Groups) Close() {
	for _, sum := range g.rows {
		sum.Close()
	}
	for _, people := range g.people {
		people.Close()
	}
	if g.owners != nil {
		g.owners.Close()
	}
}

// GroupCounter is what one goroutine counts with.
type GroupCounter struct {
	rows     []*Tally
	people   []*PeopleCounter
	owners   *Tally
	entities []uint64 // of a block of rows
}

// Counter returns a counter of one goroutine, which grows as far as a budget has room.
func (g *Groups) Counter(budget *spill.Budget) *GroupCounter {
	c := &GroupCounter{}
	for _, sum := range g.rows {
		c.rows = append(c.rows, sum.Tally(budget))
	}
	for _, people := range g.people {
		c.people = append(c.people, people.Counter())
	}
	if g.owners != nil {
		c.owners = g.owners.Tally(budget)
	}
	return c
}

// Begin says whose the rows of a block are, by hashes that stay until the next block: as many rows
// of each as counts say; nil: one.
func (c *GroupCounter) Begin(entities, counts []uint64) {
	c.entities = entities
	c.owners.AddCounted(entities, counts)
}

// Add counts the rows of a block by the hashes of their classes.
func (c *GroupCounter) Add(way int, classes, counts []uint64) {
	if c.owners == nil {
		c.rows[way].AddCounted(classes, counts)
		return
	}
	c.people[way].Add(classes, c.entities)
}

// Close hands over what was counted.
func (c *GroupCounter) Close() {
	for _, tally := range c.rows {
		tally.close()
	}
	if c.owners != nil {
		c.owners.close()
	}
	*c = GroupCounter{}
}
