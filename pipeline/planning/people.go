package planning

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/binding"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/masking"
	"github.com/kcut/kcut/pipeline/pseudonym"
	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/spill"
)

// People are the people of one of several tables, whom somebody finds who joins the tables by
// pseudonyms.
type People struct {
	Columns []string                  // of pseudonyms
	Keys    map[string]*pseudonym.Key // by column
	Room    int64                     // the bytes that Pairs may take

	// Pairs has, for each of the columns, the hashes of a person's pseudonym and of a class of
	// labels, each pair once. They lie outside the budget until the tables are joined: a sample has
	// at most mostSampled rows. Pairs is nil if Missing says why.
	Pairs   [][][2]uint64
	K       int // the smallest k of the release
	Missing string
}

// Of returns the pairs of a column.
func (p *People) Of(column string) [][2]uint64 { return p.Pairs[slices.Index(p.Columns, column)] }

// count reads the input, and finds the pairs of a person and the labels of a row.
func (p *People) count(
	ctx context.Context, m *masking.Masker, b *binding.Bound, cut *cutfile.File,
	budget *spill.Budget,
) error {
	p.K = cut.SmallestK()
	if m.Recoding.Cells() > 0 {
		p.Missing = "its algorithm divides rows with equal values"
		return nil
	}
	const noRoom = "the memory has no room for its people"
	bytes := b.Dataset.Rows() * risk.OwnerBytes * int64(len(p.Columns))
	if bytes > p.Room || budget.Draw("people of a table", bytes) != nil {
		p.Missing = noRoom
		return nil
	}
	defer budget.Return(bytes)
	var fields []int
	for _, name := range p.Columns {
		fields = append(fields, slices.IndexFunc(b.Specs, func(spec *job.Column) bool {
			return spec.Name == name
		}))
	}
	pairs, mu := make([][][2]uint64, len(fields)), sync.Mutex{}
	err := m.EachClass(ctx, fields, func() func(
		[]*formats.Column, int, int, []uint64, []uint64) error {
		var makers []*pseudonym.Maker
		for _, name := range p.Columns {
			makers = append(makers, p.Keys[name].NewMaker())
		}
		people := make([]risk.Hashes, len(makers))
		return func(columns []*formats.Column, from, to int, _, classes []uint64) error {
			mu.Lock()
			defer mu.Unlock()
			for i, c := range columns {
				hashes := people[i].Learn(makers[i].Pseudonyms(c.Values))
				for row, code := range c.Codes[from:to] {
					if code > 0 { // else it is null, and nobody's
						pairs[i] = append(pairs[i], [2]uint64{hashes[code], classes[row]})
					}
				}
			}
			return nil
		}
	})
	if errors.Is(err, spill.ErrBudget) {
		p.Missing = noRoom
		return nil
	}
	if err != nil {
		return fmt.Errorf("count the people of the table: %w", err)
	}
	for i := range pairs {
		slices.SortFunc(pairs[i], func(a, b [2]uint64) int { return slices.Compare(a[:], b[:]) })
		pairs[i] = slices.Clip(slices.Compact(pairs[i]))
	}
	p.Pairs = pairs
	return nil
}
