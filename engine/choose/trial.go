package choose

import (
	"context"
	"errors"
	"fmt"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/classify"
	"github.com/kcut/kcut/engine/labels"
	"github.com/kcut/kcut/engine/workload"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/partition"
)

// trial is a candidate being judged by a fold.
type trial struct {
	*fold
	*Candidate
	space partition.Space

	features  []labels.Feature
	penalties [][]float64
	masker    masker
	missed    []bool // by test record: whether the tree gets its class wrong
}

// run lets the candidate search the training part, and judges what it has found.
func (t *trial) run(ctx context.Context) (s score, err error) {
	recoding, err := t.search(ctx)
	if err != nil {
		return s, err
	}
	if err := t.space.Budget.Draw("regions", recoding.Bytes()); err != nil {
		return s, err
	}
	for a := range t.table.Attributes {
		of := labels.Of(&t.table.Attributes[a], recoding, a)
		t.features, t.penalties = append(t.features, of.Feature(false)), append(t.penalties, of.Penalties())
	}
	learned := t.sight()
	costs := t.costing(recoding)
	err = t.mask(ctx, recoding, t.training, func(b *block) error {
		dropped := t.drop(b)
		s.trained += float64(dropped + partition.Sum(b.counts))
		s.penalty += float64(dropped)
		return errors.Join(learned.show(b), costs.add(b))
	})
	if err != nil {
		return s, err
	}
	if err := costs.answer(ctx, &s); err != nil || learned == nil {
		return s, err
	}
	tree, err := t.learn(ctx, learned)
	if err != nil {
		return s, err
	}
	s.plain = t.fold.plain
	return s, t.mask(ctx, recoding.Unsearched(), t.test, func(b *block) error {
		t.examine(b, tree, &s)
		return nil
	})
}

// searcher returns what searches for the candidate.
func (t *trial) searcher() *Searcher {
	if t.own {
		return &t.Searcher
	}
	return t.judged()
}

// search finds the candidate's recoding of the training part.
func (t *trial) search(ctx context.Context) (engine.Recoding, error) {
	table := *t.table
	requirement := t.of(t.fold.requirement)
	space := t.space
	if err := group(ctx, t.searcher().Engine, &table, requirement, space, t.training); err != nil {
		return nil, err
	}
	options := t.options
	options.Space = space
	options.Space.Share = space.Budget.Left()
	for _, grouping := range table.Groupings {
		options.Space.Share += grouping.Bytes()
	}
	recoding, err := t.searcher().Engine.Search(ctx, &table, requirement, options)
	if err != nil || !t.Limited || t.Suppresses {
		return recoding, err
	}
	suppressed, dropped := recoding.Lost()
	if most := t.fold.requirement.MaxSuppressed; suppressed+dropped > most {
		return nil, fault.Errorf(fault.Privacy, "", "%d of %d records are left in groups that are too small, %d may be", suppressed+dropped, table.Rows, most)
	}
	return recoding, nil
}

// drop takes the records of a masked block away that are not released, and returns how many they are.
func (t *trial) drop(b *block) (dropped uint64) {
	for i, label := range b.columns[0] {
		if label == engine.DroppedLabel {
			dropped += b.counts[i]
			b.counts[i] = 0
		}
	}
	return dropped
}

// masker replaces codes by numbers of labels.
type masker struct {
	labels [][]uint32 // scratch
	single *block     // scratch
}

// mask hands out the records of a source with the numbers of their labels. What is not released has
// engine.DroppedLabel everywhere.
func (t *trial) mask(ctx context.Context, recoding engine.Recoding, from source, visit func(*block) error) error {
	m, taken := &t.masker, make([]uint64, recoding.Cells())
	return from(ctx, func(b *block) error {
		if len(taken) > 0 { // every record may go elsewhere
			b = m.singly(b)
		}
		classes := make([]uint32, 0, len(b.counts))
		for _, kind := range b.kinds() {
			classes = append(classes, classOf(t.fold.table, kind))
		}
		for len(m.labels) < len(b.attributes()) {
			m.labels = append(m.labels, nil)
		}
		for a, codes := range b.attributes() {
			m.labels[a] = append(m.labels[a][:0], codes...)
		}
		recoding.Recode(engine.Rows{N: len(b.counts), Codes: b.attributes(), Classes: classes, Taken: taken}, m.labels)
		engine.DropEverywhere(m.labels)
		for a, labels := range m.labels {
			b.columns[a], m.labels[a] = labels, b.columns[a]
		}
		return visit(b)
	})
}

// singly returns the records of a block one by one.
func (m *masker) singly(b *block) *block {
	if m.single == nil {
		m.single = &block{columns: make([][]uint32, len(b.columns))}
	}
	m.single.reset()
	for i, n := range b.counts {
		for range n {
			for c, codes := range b.columns {
				m.single.columns[c] = append(m.single.columns[c], codes[i])
			}
			m.single.counts = append(m.single.counts, 1)
		}
	}
	return m.single
}

// sight is what the tree is shown. Nil sees nothing.
type sight struct {
	*tally
	*trial
	columns [][]uint32 // scratch
}

// sight returns one that has seen nothing, nil where there is no tree to learn.
func (t *trial) sight() *sight {
	if t.Objective == Queries {
		return nil
	}
	var domains []int
	for i := range t.features {
		domains = append(domains, t.features[i].Domain)
	}
	domains = append(domains, max(1, t.fold.table.Classes))
	return &sight{tally: newTally(domains, t.space, tallies), trial: t, columns: make([][]uint32, len(domains))}
}

// tallies is how many tallies a trial has at the same time.
const tallies = 2

// show shows a masked block. Records that are not released have nothing but missing values.
func (s *sight) show(b *block) error {
	if s == nil {
		return nil
	}
	for a := range s.features {
		s.columns[a] = s.columns[a][:0]
		for _, label := range b.columns[a] {
			s.columns[a] = append(s.columns[a], s.features[a].Code(label))
		}
	}
	last := len(s.features)
	s.columns[last] = s.columns[last][:0]
	for _, kind := range b.kinds() {
		s.columns[last] = append(s.columns[last], classOf(s.fold.table, kind))
	}
	return s.add(b.counts, s.columns)
}

// data returns what was shown.
func (s *sight) data(ctx context.Context) (classify.Data, error) {
	d := classify.Data{Classes: s.domains[len(s.domains)-1]}
	for i := range s.features {
		d.Columns = append(d.Columns, s.features[i].Column)
	}
	var err error
	d.Table, err = s.ordered(ctx)
	d.Space = s.trial.space
	d.Space.Share = d.Space.Budget.Left()
	return d, err
}

// learn grows a tree.
func (t *trial) learn(ctx context.Context, learned *sight) (classify.Classifier, error) {
	training, err := learned.data(ctx)
	if err != nil {
		return nil, err
	}
	tree, err := classify.Tree{}.Learn(ctx, training)
	if err != nil {
		return nil, fmt.Errorf("train a tree: %w", err)
	}
	return tree, nil
}

// examine tells of every record of a masked block whether the tree gets its class wrong.
func (t *trial) examine(b *block, tree classify.Classifier, s *score) {
	tuple := make([]uint32, len(t.features))
	for i, kind := range b.kinds() {
		for a := range t.features {
			tuple[a] = t.features[a].Code(b.columns[a][i])
		}
		wrong := tree.Classify(tuple) != classOf(t.fold.table, kind)
		for range b.counts[i] {
			t.missed = append(t.missed, wrong)
		}
		s.tested += b.counts[i]
		if wrong {
			s.wrong += b.counts[i]
		}
	}
}

// costing counts what a release costs those who count. Nil counts nothing.
type costing struct {
	*tally
	*trial
	estimate *workload.Estimate
}

func (t *trial) costing(recoding engine.Recoding) *costing {
	if t.Objective == Classification {
		return nil
	}
	var domains []int
	for _, of := range t.penalties {
		domains = append(domains, len(of))
	}
	return &costing{tally: newTally(domains, t.space, tallies), trial: t, estimate: t.workload.Estimate(recoding)}
}

// add counts the records of a masked block.
func (c *costing) add(b *block) error {
	if c == nil {
		return nil
	}
	return c.tally.add(b.counts, b.attributes())
}

// answer asks the release, by its equivalence classes in order.
func (c *costing) answer(ctx context.Context, s *score) error {
	if c == nil {
		return nil
	}
	if err := c.trial.space.Budget.Draw("labels of queries", c.estimate.Bytes()); err != nil {
		return err
	}
	table, err := c.ordered(ctx)
	if err != nil {
		return err
	}
	labels, w := make([]uint32, len(c.penalties)), table.Layout.Words
	err = table.Scan(ctx, c.tally.space, func(block *partition.Table) error {
		for i, n := range block.Counts {
			penalty := 0.0
			for a, field := range block.Layout.Fields {
				labels[a] = field.Code(block.Keys[i*w : (i+1)*w])
				penalty += c.penalties[a][labels[a]]
			}
			s.penalty += float64(float64(n) * (penalty / float64(len(labels))))
			c.estimate.Add(labels, n)
		}
		return nil
	})
	s.queries, s.removal = c.estimate.Error(c.truth).Mean, c.fold.removal
	return errors.Join(err, table.Discard(c.tally.space))
}
