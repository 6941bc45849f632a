package bottomup

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// search is the state of one search.
type search struct {
	options engine.Options
	columns []*column // by attribute
	sets    []*qid
	// the losses of the valid generalizations of open sets, by number of the node
	valid tournament
}

// choice is a generalization that may be the best.
type choice struct {
	attribute, node int
	gain            uint64 // P(G)
	score           float64
}

func newSearch(e Engine, table *engine.Table, requirement engine.Requirement,
	options engine.Options) *search {
	s := &search{options: options}
	nodes := 0
	for a := range table.Attributes {
		c := newColumn(&table.Attributes[a], table.Histograms[a], e)
		c.first = nodes
		nodes += c.tree.Len()
		s.columns = append(s.columns, c)
	}
	for i, set := range requirement.Sets {
		s.sets = append(s.sets, newQID(table.Groupings[i], set, s.columns,
			cmp.Or(e.witnesses, maxWitnesses)))
	}
	s.valid = newTournament(nodes)
	for _, c := range s.columns {
		for node := range c.loss {
			if c.isValid(node) {
				s.valid.set(c.first+node, c.loss[node])
			}
		}
	}
	return s
}

// run generalizes until no set is open.
func (s *search) run(ctx context.Context) error {
	if err := s.update(ctx); err != nil {
		return err
	}
	for number := 1; slices.ContainsFunc(s.sets, (*qid).isOpen); number++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		best, err := s.best(ctx)
		if err != nil {
			return err
		}
		s.perform(best)
		if err := s.update(ctx); err != nil {
			return err
		}
		s.report(best, number)
	}
	return nil
}

// update computes A(QID) of every set, and drops the generalizations that help no open set.
func (s *search) update(ctx context.Context) error {
	helps := make([]bool, len(s.columns))
	for _, q := range s.sets {
		if err := q.update(ctx, s.space()); err != nil {
			return err
		}
		for _, a := range q.Columns {
			helps[a] = helps[a] || q.isOpen()
		}
	}
	for a, c := range s.columns {
		if !helps[a] && !c.retired {
			c.retired = true
			for node := range c.loss {
				s.valid.set(c.first+node, math.Inf(1))
			}
		}
	}
	return nil
}

// space returns the space that is left besides the sets' classes.
func (s *search) space() partition.Space {
	space := s.options.Space
	for _, q := range s.sets {
		space.Share -= q.table.Bytes()
	}
	return space
}

// best returns the generalization to perform: the critical one with the least loss for the
// anonymity gained; if none is critical, the one with the least loss.
func (s *search) best(ctx context.Context) (choice, error) {
	choices, err := s.critical(ctx)
	if err != nil {
		return choice{}, err
	}
	var best engine.Best[choice]
	best.Reset(1)
	for _, c := range choices {
		best.Offer(c.score, c)
	}
	if c, ok := best.First(); ok {
		return c, nil
	}
	return s.leastLoss()
}

// critical returns the critical generalizations, by attribute and node.
func (s *search) critical(ctx context.Context) (choices []choice, err error) {
	for _, q := range s.sets {
		gains, err := q.examine(ctx, s.space())
		if err != nil {
			return nil, err
		}
		for _, g := range gains {
			if g.after > q.anonymity {
				choices = append(choices,
					choice{
						attribute: q.Columns[g.column],
						node:      int(g.node),
						gain:      min(g.after, q.K.Size()) - q.anonymity,
					})
			}
		}
	}
	slices.SortFunc(choices, func(a, b choice) int {
		return cmp.Or(cmp.Compare(a.attribute, b.attribute), cmp.Compare(a.node, b.node))
	})
	choices = join(choices)
	for i := range choices {
		c := &choices[i]
		c.score = s.columns[c.attribute].loss[c.node] / float64(c.gain)
	}
	return choices, nil
}

// join adds up the gains of the same generalization in several sets.
func join(choices []choice) (joined []choice) {
	for _, c := range choices {
		if n := len(joined); n > 0 && joined[n-1].attribute == c.attribute &&
			joined[n-1].node == c.node {
			joined[n-1].gain += c.gain
		} else {
			joined = append(joined, c)
		}
	}
	return joined
}

// leastLoss returns the valid generalization with the least loss.
func (s *search) leastLoss() (choice, error) {
	least := s.valid.min()
	if math.IsInf(least, 1) {
		return choice{}, errors.New("the counts are not those of the histograms")
	}
	place := s.valid.first(engine.AsGoodAs(least, 1))
	a := 0
	for a+1 < len(s.columns) && s.columns[a+1].first <= place {
		a++
	}
	c := s.columns[a]
	node := place - c.first
	return choice{attribute: a, node: node, score: c.loss[node]}, nil
}

// perform performs a generalization.
func (s *search) perform(c choice) {
	column := s.columns[c.attribute]
	s.valid.set(column.first+c.node, math.Inf(1))
	if p := column.generalize(c.node); p >= 0 {
		s.valid.set(column.first+int(p), column.loss[p])
	}
	for _, q := range s.sets {
		if i := slices.Index(q.Columns, c.attribute); i >= 0 {
			q.generalized(generalization{column: i, node: int32(c.node)})
		}
	}
}

// report reports a step that was performed.
func (s *search) report(c choice, number int) {
	if s.options.OnStep == nil {
		return
	}
	column := s.columns[c.attribute]
	step := engine.Step{
		Number: number, Attribute: c.attribute, Value: column.tree.Label(c.node),
		InfoGain: column.loss[c.node], AnonyLoss: float64(c.gain), Score: c.score,
	}
	for _, child := range column.tree.Children(c.node) {
		step.Children = append(step.Children, column.tree.Label(child))
	}
	for _, q := range s.sets {
		step.Anonymity = append(step.Anonymity, q.anonymity)
	}
	s.options.OnStep(step)
}

// discard frees the sets' tables.
func (s *search) discard() (err error) {
	for _, q := range s.sets {
		err = errors.Join(err, q.table.Discard(s.options.Space))
	}
	return err
}

// cut returns the present cut.
func (s *search) cut() *engine.Cut {
	cut := &engine.Cut{}
	for _, q := range s.sets {
		cut.Reached = append(cut.Reached, q.anonymity)
	}
	for _, c := range s.columns {
		var nodes []int
		for _, node := range c.cut() {
			nodes = append(nodes, int(node))
		}
		cut.Columns = append(cut.Columns, c.tree.Cut(nodes))
	}
	return cut
}

// tournament is a list of numbers with their minimum. It finds the first number that is not above a
// bound in a number of steps that is the logarithm of the list's length.
type tournament struct {
	least []float64 // node i has the children 2i and 2i+1; the list is the second half
}

// newTournament returns a list of n infinite numbers.
func newTournament(n int) tournament {
	half := 1
	for half < n {
		half *= 2
	}
	t := tournament{least: make([]float64, 2*half)}
	for i := range t.least {
		t.least[i] = math.Inf(1)
	}
	return t
}

// set sets the number at a place.
func (t *tournament) set(place int, x float64) {
	i := place + len(t.least)/2
	t.least[i] = x
	for i /= 2; i > 0; i /= 2 {
		t.least[i] = min(t.least[2*i], t.least[2*i+1])
	}
}

// min returns the least number, infinite if there is none.
func (t *tournament) min() float64 { return t.least[1] }

// first returns the first place with a number of at most bound. There must be one.
func (t *tournament) first(bound float64) (place int) {
	i := 1
	for i < len(t.least)/2 {
		i *= 2
		if t.least[i] > bound {
			i++
		}
	}
	return i - len(t.least)/2
}
