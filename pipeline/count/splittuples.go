package count

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/spill"
)

// CodeBook returns what leads from values to the codes that tuples are counted in, of the columns
// of counts that BindSurveys has returned.
func CodeBook(ctx context.Context, r *Request, res *Resources, c *Counts) ([]byte, error) {
	merges := r.merges(c)
	return encode(bookForm, res.Budget, func(w *checkpoint.Writer) {
		w.Uint(uint64(len(c.Columns)))
		for i, column := range c.Columns {
			saveAttribute(w, &column.Attribute)
			checkpoint.Numbers(w, merges[i].Codes)
			w.Uint(uint64(merges[i].Domain))
		}
		checkpoint.List(w, c.Table.ClassNames, func(class engine.Label) {
			w.String(class.Text)
			w.Bool(class.Null)
		})
	})
}

// loadBook returns the coders of a code book and the numbers of their codes.
func (r *Request) loadBook(book []byte, budget *spill.Budget) (coders []domain.Coder, sizes []int, err error) {
	table := &engine.Table{}
	err = decode(bookForm, book, func(from *checkpoint.Reader) (err error) {
		if from.Int() != r.bound() {
			return ErrDamaged
		}
		for i := range r.bound() {
			c := &Bound{}
			if c.Attribute, err = loadAttribute(from); err != nil {
				return err
			}
			if c.Attribute.Name != r.Columns[i].Spec.Name {
				return ErrDamaged
			}
			coder, err := r.Coder(i, c, budget)
			if err != nil {
				return err
			}
			final := domain.Renumbered{Coder: coder, Codes: checkpoint.ReadNumbers[uint32](from), Domain: from.Int()}
			coders, sizes = append(coders, final), append(sizes, final.Domain)
		}
		table.ClassNames = checkpoint.ReadList(from, func() engine.Label {
			return engine.Label{Text: from.String(), Null: from.Bool()}
		})
		return from.Err()
	})
	if err != nil {
		return nil, nil, err
	}
	return r.unboundCoders(table, coders, sizes, budget)
}

// CountSplit returns the tuples of every grouping of one split in the codes of a code book. They
// must fit the memory.
func CountSplit(ctx context.Context, r *Request, res *Resources, book []byte, split formats.Split) ([]byte, error) {
	res, end := res.alone()
	defer end()
	coders, sizes, err := r.loadBook(book, res.Budget)
	if err != nil {
		return nil, fmt.Errorf("read the code book: %w", err)
	}
	reading := r.newReading(res.Budget, 1)
	reading.Coders, reading.Domains = coders, sizes
	reading.leaveOutUncounted()
	w := reading.newCounting(1)
	domains := r.groupingDomains(sizes)
	for g := range w.groupings {
		if err := w.groupings[g].counter.Add(0, nil, domains[g]); err != nil {
			return nil, err
		}
	}
	err = dataset.ScanSplit(ctx, r.Dataset, split, reading.Requests, []*counting{w}, workers.Worker{}, func(int) {})
	if err != nil {
		return nil, err
	}
	tables, err := (&Tuples{reading, []*counting{w}}).Tables(ctx)
	if err != nil {
		return nil, err
	}
	return encodeTuples(ctx, res, domains, tables)
}

// groupingDomains returns the numbers of codes of the columns of every grouping.
func (r *Request) groupingDomains(sizes []int) (domains [][]int) {
	for _, columns := range r.Groupings {
		var of []int
		for _, column := range columns {
			of = append(of, sizes[column])
		}
		domains = append(domains, of)
	}
	return domains
}

// Merge returns the sum of what CountSplit, or Merge, has returned of some splits. It must fit the
// memory.
func Merge(ctx context.Context, res *Resources, runs [][]byte) ([]byte, error) {
	res, end := res.alone()
	defer end()
	s := &tupleSum{space: partition.Space{Budget: res.Budget}}
	tables, err := s.tables(ctx, res, runs)
	if err != nil {
		return nil, err
	}
	return encodeTuples(ctx, res, s.domains, tables)
}

// BindTuples gives the counts that BindSurveys has returned their groupings: of what CountSplit has
// returned of all splits, each once, merged or not. They are in the store if that is open.
func BindTuples(ctx context.Context, r *Request, res *Resources, c *Counts, runs [][]byte) error {
	share := (res.Budget.Limit() - res.Budget.Used()) / 2 / max(1, int64(len(r.Groupings)))
	s := &tupleSum{space: partition.Space{Budget: res.Budget, Store: res.Store(), Share: share}}
	var sizes []int
	for _, merge := range r.merges(c) {
		sizes = append(sizes, merge.Domain)
	}
	_, sizes, err := r.unboundCoders(c.Table, make([]domain.Coder, len(sizes)), sizes, res.Budget)
	if err != nil {
		return err
	}
	s.domains = r.groupingDomains(sizes)
	tables, err := s.tables(ctx, res, runs)
	if err != nil {
		return err
	}
	for g, table := range tables {
		if n := table.Size(); r.Take == nil && n != c.Table.Rows {
			err := fmt.Errorf("bind tuples of %d rows of set %d of an input of %d: %w", n, g+1, c.Table.Rows, ErrDamaged)
			for _, table := range tables {
				err = errors.Join(err, table.Discard(s.space))
			}
			return err
		}
	}
	c.Table.Groupings = tables
	return nil
}

// encodeTuples returns the records of tables in order.
func encodeTuples(ctx context.Context, res *Resources, domains [][]int, tables []*partition.Table) ([]byte, error) {
	return encode(tuplesForm, res.Budget, func(w *checkpoint.Writer) {
		w.Uint(uint64(len(tables)))
		for g, table := range tables {
			checkpoint.Numbers(w, domains[g])
			w.Uint(uint64(table.Len()))
			table.Sort()
			w.Fail(table.Save(ctx, partition.Space{}, func(chunk []byte) error {
				w.Bytes(chunk)
				return w.Err()
			}))
			w.Bytes(nil)
		}
	})
}

// tupleSum adds up the tuples of every grouping.
type tupleSum struct {
	space    partition.Space
	domains  [][]int // nil until the first are read
	counters []*partition.Counter
}

// tables returns the sums of some runs.
func (s *tupleSum) tables(ctx context.Context, res *Resources, runs [][]byte) (tables []*partition.Table, err error) {
	for _, run := range runs {
		if err := decode(tuplesForm, run, s.load); err != nil {
			return nil, fmt.Errorf("read the tuples of a split: %w", err)
		}
	}
	sums := &Reading{Threads: res.Threads, Tables: Tables{Budget: s.space.Budget, Store: s.space.Store, Share: s.space.Share}}
	for _, counter := range s.counters {
		table, err := sums.tabulate(ctx, []*partition.Counter{counter})
		if err != nil {
			return nil, fmt.Errorf("merge tuples: %w", err)
		}
		tables = append(tables, table)
	}
	return tables, nil
}

// load adds the tuples of a run.
func (s *tupleSum) load(r *checkpoint.Reader) error {
	groupings := r.Int()
	if s.domains != nil && len(s.domains) != groupings {
		return ErrDamaged
	}
	for g := 0; g < groupings && r.Err() == nil; g++ {
		domains := checkpoint.ReadNumbers[int](r)
		if g == len(s.domains) {
			s.domains = append(s.domains, domains)
		}
		if !slices.Equal(s.domains[g], domains) {
			return ErrDamaged
		}
		if g == len(s.counters) {
			s.counters = append(s.counters, s.newCounter(domains))
		}
		if err := s.loadGrouping(r, g); err != nil {
			return err
		}
	}
	return r.Err()
}

func (s *tupleSum) newCounter(domains []int) *partition.Counter {
	if s.space.Store == nil {
		return partition.NewCounter(len(domains), s.space.Budget)
	}
	return partition.NewSpillCounter(domains, s.space)
}

// loadGrouping adds the tuples of a grouping.
func (s *tupleSum) loadGrouping(r *checkpoint.Reader, g int) error {
	table := &partition.Table{Layout: partition.NewLayout(s.domains[g])}
	codec, codes := partition.NewCodec(table.Layout), make([][]uint32, len(s.domains[g]))
	left := r.Int()
	for {
		chunk := r.Bytes()
		if len(chunk) == 0 {
			break
		}
		table.Truncate()
		if err := codec.Decode(chunk, table); err != nil {
			return err
		}
		left -= table.Len()
		for i, field := range table.Layout.Fields {
			codes[i] = codes[i][:0]
			for at := range table.Len() {
				codes[i] = append(codes[i], field.Code(table.Keys[at*table.Layout.Words:]))
			}
		}
		if err := s.counters[g].AddCounted(table.Counts, codes, s.domains[g]); err != nil {
			return err
		}
	}
	if r.Err() == nil && left != 0 {
		return ErrDamaged
	}
	return r.Err()
}
