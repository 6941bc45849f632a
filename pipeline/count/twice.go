package count

import (
	"context"
	"errors"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/spill"
)

// twice reads the input twice: once for the values of every column, which tell what codes a search
// will tell apart, and once to count the tuples of these codes. What does not fit the memory goes
// to the store.
func (r *Request) twice(ctx context.Context, res *Resources) (*Counts, error) {
	s := r.newSurvey(res)
	if err := s.read(ctx); err != nil {
		return nil, err
	}
	c, err := s.counts(ctx)
	if err != nil {
		return nil, err
	}
	return c, r.countTuples(ctx, res, c)
}

// counts returns what is known before tuples are counted.
func (s *survey) counts(ctx context.Context) (*Counts, error) {
	c := &Counts{Table: s.newTable()}
	c.Table.Merged = s.Merge != nil
	var err error
	if c.Columns, err = s.bind(ctx); err != nil {
		return nil, err
	}
	s.classes(c.Table, s.class, c.Columns)
	return c, nil
}

// newTable returns a table of which nothing is known but its rows.
func (r *Request) newTable() *engine.Table { return &engine.Table{Rows: uint64(r.Dataset.Rows())} }

// countTuples reads the input again and counts every grouping, on disk when that is in use
// already, or memory is not enough.
func (r *Request) countTuples(ctx context.Context, res *Resources, c *Counts) error {
	coders, sizes, err := r.finalCoders(c, res.Budget)
	if err != nil {
		return err
	}
	if res.Store() == nil {
		part := res.Budget.Part(res.Budget.Grant(&spill.CountedTuples))
		err := r.countFinal(ctx, res, c, coders, sizes, part, nil)
		if !errors.Is(err, spill.ErrBudget) {
			return err
		}
		part.Return(part.Used())
	}
	store, err := res.Open("the distinct tuples")
	if err != nil {
		return err
	}
	return r.countFinal(ctx, res, c, coders, sizes, res.Budget, store)
}

// merges returns which codes of the bound columns are told apart in tuples.
func (r *Request) merges(c *Counts) (merges []engine.CodeMerge) {
	if r.Merge != nil {
		merges = r.Merge(c.Table)
	}
	for _, column := range c.Columns[len(merges):] {
		merges = append(merges, engine.Identity(max(1, column.Attribute.Len())))
	}
	return merges
}

// finalCoders returns the coders of all columns, whose codes are those that the table will have, and
// the numbers of their codes.
func (r *Request) finalCoders(c *Counts, budget *spill.Budget) (coders []domain.Coder, sizes []int, err error) {
	for i, merge := range r.merges(c) {
		coder, err := r.Coder(i, c.Columns[i], budget)
		if err != nil {
			return nil, nil, err
		}
		coders = append(coders, domain.Renumbered{Coder: coder, Codes: merge.Codes, Domain: merge.Domain})
		sizes = append(sizes, merge.Domain)
	}
	return r.unboundCoders(c.Table, coders, sizes, budget)
}

// unboundCoders appends the coders of the columns that have no domain, the class and matches, and the
// numbers of their codes.
func (r *Request) unboundCoders(t *engine.Table, coders []domain.Coder, sizes []int, budget *spill.Budget) ([]domain.Coder, []int, error) {
	for i := len(coders); i < len(r.Columns); i++ {
		if i != r.Class {
			coders, sizes = append(coders, match{*r.Columns[i].Match}), append(sizes, 2)
			continue
		}
		coder, err := r.ClassCoder(t, budget)
		if err != nil {
			return nil, nil, err
		}
		coders, sizes = append(coders, coder), append(sizes, len(t.ClassNames))
	}
	return coders, sizes, nil
}

// countFinal counts the tuples of every grouping in final codes: in memory, or in a store.
func (r *Request) countFinal(ctx context.Context, res *Resources, c *Counts, coders []domain.Coder, sizes []int, budget *spill.Budget, store *spill.Store) error {
	reading := r.newReading(budget, res.Threads)
	reading.Coders, reading.Domains, reading.Store = coders, sizes, store
	reading.Share = res.Budget.Grant(&spill.SpilledTuples) / max(1, int64(len(r.Groupings)))
	reading.Advanced = func(rows int64) { res.Advanced(r.Dataset.Rows()+rows, 2*r.Dataset.Rows()) }
	reading.leaveOutUncounted()
	counted, err := reading.Count(ctx)
	if err != nil {
		return err
	}
	c.Table.Groupings, err = counted.Tables(ctx)
	return err
}
