package risk

import "github.com/kcut/kcut/spill"

// Groups count the rows, or the entities, of equivalence classes by several groups of columns.
// Entities, such as people, may have several rows. Each goroutine uses a GroupCounter.
type Groups struct {
	ks       []int       // by group: classes of fewer are small
	rows     []*Sum      // by group; nil: entities are counted
	byEntity []*Entities // by group; nil: rows are counted
	owners   *Sum        // all entities
}

// NewGroups returns counts by as many groups as there are ks. If they do not fit the budget, that
// is an error.
func NewGroups(ks []int, entities bool, budget *spill.Budget) *Groups {
	g := &Groups{ks: ks}
	for _, k := range ks {
		if entities {
			g.byEntity = append(g.byEntity, NewEntities(k, budget))
		} else {
			g.rows = append(g.rows, NewSum(UnionHashes, budget))
		}
	}
	if entities {
		g.owners = NewSum(UnionHashes, budget)
	}
	return g
}

// Figures returns the figures of one group for a table of the given number of rows. All counters
// must be closed.
func (g *Groups) Figures(group int, rows int64) (*Figures, error) {
	if g.owners == nil {
		return g.rows[group].Figures(rows, g.ks[group]), g.rows[group].err()
	}
	if err := g.owners.err(); err != nil {
		return nil, err
	}
	return g.byEntity[group].Figures(g.owners.Figures(rows, 0).Classes)
}

// Close returns the drawn bytes.
func (g *Groups) Close() {
	for _, sum := range g.rows {
		sum.Close()
	}
	for _, entities := range g.byEntity {
		entities.Close()
	}
	if g.owners != nil {
		g.owners.Close()
	}
}

// GroupCounter counts for one goroutine.
type GroupCounter struct {
	rows     []*Counter
	byEntity []*EntityCounter
	owners   *Counter
	entities []uint64 // of the rows of a block
}

// Counter returns the counter of one goroutine. It grows while the budget has room.
func (g *Groups) Counter(budget *spill.Budget) *GroupCounter {
	c := &GroupCounter{}
	for _, sum := range g.rows {
		c.rows = append(c.rows, sum.Counter(budget))
	}
	for _, entities := range g.byEntity {
		c.byEntity = append(c.byEntity, entities.Counter())
	}
	if g.owners != nil {
		c.owners = g.owners.Counter(budget)
	}
	return c
}

// Begin starts a block of rows. It takes the hashes of the rows' entities, which must stay the same
// until the next block, and the number of records that each row stands for; nil: one each.
func (c *GroupCounter) Begin(entities, counts []uint64) {
	c.entities = entities
	c.owners.AddCounted(entities, counts)
}

// Add counts the rows of a block by the hashes of their classes in one group.
func (c *GroupCounter) Add(group int, classes, counts []uint64) {
	if c.owners == nil {
		c.rows[group].AddCounted(classes, counts)
		return
	}
	c.byEntity[group].Add(classes, c.entities)
}

// Close passes the counts on.
func (c *GroupCounter) Close() {
	for _, counter := range c.rows {
		counter.close()
	}
	if c.owners != nil {
		c.owners.close()
	}
	*c = GroupCounter{}
}
