package count

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/spill"
)

// Tuples are the tuples of every grouping in some splits, in the codes of a book.
type Tuples struct {
	*reading
	joined []*partition.Table
}

// Count counts the tuples of some splits: in memory, or in the store if that is open already, or
// memory is not enough.
func Count(ctx context.Context, r *Request, res *Resources, book *Book, splits []formats.Split) (*Tuples, error) {
	rows := r.Dataset.Rows()
	// With a store those without a split of their own would take part of its share from the others.
	scanners := func(store *spill.Store) int {
		if store != nil {
			return r.Dataset.Scanners(res.Threads)
		}
		return r.Dataset.BlockScanners(res.Threads)
	}
	return newTuples(ctx, r, res, book, scanners, func(t *Tuples) error {
		return t.read(ctx, splits, func(n int64) { res.Advanced(rows+n, 2*rows) })
	})
}

// Merge returns the sum of encoded tuples of some splits, in any order. They may be asked for again.
func Merge(ctx context.Context, r *Request, res *Resources, book *Book, runs iter.Seq2[[]byte, error]) (*Tuples, error) {
	one := func(*spill.Store) int { return 1 }
	return newTuples(ctx, r, res, book, one, func(t *Tuples) error {
		return decodeAll(tuplesForm, runs, t.load)
	})
}

// newTuples returns the tuples that are filled in, by a number of workers.
func newTuples(ctx context.Context, r *Request, res *Resources, book *Book, scanners func(*spill.Store) int, fill func(*Tuples) error) (*Tuples, error) {
	columns, err := book.columns(r, res.Budget)
	if err != nil {
		return nil, err
	}
	class, last := r.Class, len(columns)-r.own()-1
	byKind := slices.ContainsFunc(r.Groupings, func(g Grouping) bool { return g.Weighted || slices.Contains(g.Columns, r.Kind()) })
	if !byKind && class == last {
		class, columns = -1, columns[:r.bound()] // no grouping has it
	}
	budget := res.Budget.Part(res.Budget.Grant(&spill.CountedTuples))
	for store := res.Store(); ; {
		if store != nil {
			budget = res.Budget.Part(res.Budget.Limit())
		}
		share := res.Budget.Grant(&spill.SpilledTuples) / max(1, int64(len(r.Groupings)))
		t := &Tuples{reading: &reading{
			Request: r, space: partition.Space{Budget: budget, Store: store, Share: share}, threads: res.Threads,
			columns: columns, class: class, groupings: r.Groupings,
		}}
		if r.Kinds != nil && byKind {
			if t.kinds, err = r.finalKinds(book.kinds, budget); err != nil {
				return nil, err
			}
		}
		t.start(scanners(store), nil)
		if err = fill(t); err == nil {
			t.joined, err = t.tables(ctx)
		}
		if err == nil {
			return t, nil
		}
		if store != nil || !errors.Is(err, spill.ErrBudget) {
			return nil, err
		}
		budget.Return(budget.Used())
		if store, err = res.Open("the distinct tuples"); err != nil {
			return nil, err
		}
	}
}

// Bind gives counts their groupings, of the tuples of an input.
func (t *Tuples) Bind(c *Counts) error {
	for g, table := range t.joined {
		all := c.Table.Rows
		if t.groupings[g].Weighted {
			all = c.weight
		}
		if n := table.Size(); t.Take == nil && n != all {
			err := fmt.Errorf("bind tuples of %d rows of set %d of an input of %d: %w", n, g+1, c.Table.Rows, ErrDamaged)
			for _, table := range t.joined {
				err = errors.Join(err, table.Discard(t.space))
			}
			return err
		}
	}
	c.Table.Groupings = t.joined
	return nil
}

// Encode returns the tuples as bytes, in order, the same ones whoever counted them, in so many parts: those of a number
// have the same tuples of whatever splits, so that Merge may sum them up one number after the other. They must fit the memory. What
// they have drawn is given back.
func (t *Tuples) Encode(ctx context.Context, parts int) (encoded [][]byte, err error) {
	budget := t.space.Budget
	defer func() { budget.Return(budget.Used()) }()
	if t.space.Store != nil {
		return nil, fmt.Errorf("write down the tuples of a split: there are too many: %w", spill.ErrBudget)
	}
	dealt := make([][]*partition.Table, parts)
	for _, table := range t.joined {
		table.Sort()
		if parts > 1 {
			if err := budget.Draw("the tuples of a split", table.Bytes()); err != nil {
				return nil, err
			}
		}
		for i, part := range deal(table, parts) {
			dealt[i] = append(dealt[i], part)
		}
	}
	for _, tables := range dealt {
		part, err := t.encodePart(tables)
		if err != nil {
			return nil, err
		}
		encoded = append(encoded, part)
	}
	return encoded, nil
}

// encodePart returns tables of the groupings as bytes.
func (t *Tuples) encodePart(tables []*partition.Table) ([]byte, error) {
	return encode(tuplesForm, t.space.Budget, func(w *checkpoint.Writer) {
		w.Uint(uint64(len(tables)))
		for g, table := range tables {
			checkpoint.Numbers(w, t.domainsOf(t.groupings[g].Columns))
			w.Uint(uint64(table.Len()))
			w.Fail(table.Save(func(chunk []byte) error {
				w.Bytes(chunk)
				return w.Err()
			}))
			w.Bytes(nil)
		}
	})
}

// deal deals the records of a table by their keys.
func deal(t *partition.Table, parts int) []*partition.Table {
	if parts == 1 {
		return []*partition.Table{t}
	}
	dealt := make([]*partition.Table, parts)
	for i := range dealt {
		dealt[i] = &partition.Table{Layout: t.Layout}
	}
	words := t.Layout.Words
	for i, n := range t.Counts {
		key := t.Keys[i*words : (i+1)*words]
		hash := uint64(0)
		for _, word := range key {
			hash = (hash ^ word) * 0x9e3779b97f4a7c15
			hash ^= hash >> 32
		}
		to := dealt[hash%uint64(parts)]
		to.Keys, to.Counts = append(to.Keys, key...), append(to.Counts, n)
	}
	return dealt
}

// load adds what Encode has written.
func (t *Tuples) load(r *checkpoint.Reader) error {
	if r.Int() != len(t.groupings) {
		return ErrDamaged
	}
	for g := range t.groupings {
		if !slices.Equal(checkpoint.ReadNumbers[int](r), t.domainsOf(t.groupings[g].Columns)) {
			return ErrDamaged
		}
		if err := t.workers[0].counts[g].load(r); err != nil {
			return err
		}
	}
	return r.Err()
}

// load adds the tuples of a grouping.
func (g *groupingCount) load(r *checkpoint.Reader) error {
	table := &partition.Table{Layout: partition.NewLayout(g.domains)}
	left := r.Int()
	for chunk := r.Bytes(); len(chunk) > 0; chunk = r.Bytes() {
		table.Truncate()
		if err := table.Decode(chunk); err != nil {
			return err
		}
		left -= table.Len()
		for i, field := range table.Layout.Fields {
			g.codes[i] = g.codes[i][:0]
			for at := range table.Len() {
				g.codes[i] = append(g.codes[i], field.Code(table.Keys[at*table.Layout.Words:]))
			}
		}
		if err := g.counter.AddCounted(table.Len(), table.Counts, g.codes, g.domains); err != nil {
			return err
		}
	}
	if r.Err() == nil && left != 0 {
		return ErrDamaged
	}
	return r.Err()
}
