package judge

import (
	"context"
	"errors"
	"slices"

	"github.com/kcut/kcut/engine/workload"
)

// Costs are the costs of a release, for the records from which its rules were made. Equivalence
// classes are the records that share the labels of all attributes.
type Costs struct {
	Discernibility float64 // the sum of the squared sizes of the equivalence classes
	Penalty        float64 // normalized certainty penalty
	ClassSize      float64 // the mean size of an equivalence class, as a multiple of k
	// share of records that do not have the most frequent class of their equivalence class
	Misclassified float64
	Dropped       float64 // number of dropped records
	Queries       workload.Error
	NoRegion      float64 // share of test records that are in no region; only if they are placed
	Propensity    float64 // how much better than chance a tree separates records from originals
}

// costing computes the costs of a release; a nil costing does nothing.
type costing struct {
	*counter  // counts of the equivalence classes: their labels, the class
	penalties [][]float64
	records   [][]uint64 // by attribute and label
	released  uint64
	dropped   uint64
	answered  *workload.Estimate
}

// costing returns the costing of a release whose labels have the given penalties, by attribute.
func (t *Trial) costing(r *Release, penalties [][]float64) (*costing, error) {
	if t.Workload == nil {
		return nil, nil
	}
	c := &costing{penalties: penalties}
	var domains []int
	for _, of := range penalties {
		c.records, domains = append(c.records, make([]uint64, len(of))), append(domains, len(of))
	}
	c.counter = newCounter(append(domains, max(1, t.Classes)), t.Space, counters)
	c.answered = t.Workload.Within(r.Attributes).Estimate(r.Recoding)
	return c, t.Space.Budget.Draw("labels of queries", c.answered.Bytes())
}

// add adds the released records of a masked block, from which dropped records were removed.
func (c *costing) add(b *Block, dropped uint64) error {
	if c == nil {
		return nil
	}
	c.dropped += dropped
	columns := append(b.Labels[:len(b.Labels):len(b.Labels)], b.Classes)
	return c.counter.add(b.Counts, columns)
}

// costs returns the costs of a release whose groups must have k records.
func (c *costing) costs(ctx context.Context, truth *workload.Truth, k uint64) (m Costs, err error) {
	if c == nil {
		return m, nil
	}
	wrong, groups := c.dropped, 0
	err = c.each(ctx, func(labels []uint32, size, largest uint64) {
		for a, label := range labels {
			c.records[a][label] += size
		}
		m.Discernibility += float64(size) * float64(size)
		c.released += size
		wrong += size - largest
		groups++
		c.answered.Add(labels, size)
	})
	if err != nil {
		return m, err
	}
	all := float64(c.released + c.dropped)
	m.Dropped = float64(c.dropped)
	m.Discernibility += m.Dropped * all
	m.Misclassified = float64(wrong) / all
	if groups > 0 {
		m.ClassSize = all / float64(groups) / float64(k)
	}
	m.Penalty = (c.penalty() + m.Dropped) / all
	m.Queries = c.answered.Error(truth)
	return m, nil
}

// each calls visit with the equivalence classes: their labels, their sizes, and the numbers of
// records of their most frequent classes. It consumes the counts.
func (c *costing) each(
	ctx context.Context, visit func(labels []uint32, size, largest uint64),
) error {
	table, err := c.table(ctx)
	if err != nil {
		return err
	}
	if err := table.Gather(ctx, c.space); err != nil {
		return err
	}
	var labels, next []uint32
	size, largest := uint64(0), uint64(0)
	err = table.Each(ctx, c.space, func(key []uint64, n uint64) {
		next = next[:0]
		for _, field := range table.Layout.Fields[:len(c.penalties)] {
			next = append(next, field.Code(key))
		}
		if size > 0 && !slices.Equal(labels, next) {
			visit(labels, size, largest)
			size, largest = 0, 0
		}
		labels = append(labels[:0], next...)
		size, largest = size+n, max(largest, n)
	})
	if size > 0 {
		visit(labels, size, largest)
	}
	return errors.Join(err, table.Discard(c.space))
}

// penalty returns the sum of the records' penalties, each of which is the mean over the attributes.
func (c *costing) penalty() (sum float64) {
	for a, records := range c.records {
		for label, n := range records {
			sum += float64(float64(n) * c.penalties[a][label])
		}
	}
	return sum / float64(len(c.records))
}
