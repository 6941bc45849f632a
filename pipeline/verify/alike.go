package verify

import (
	"context"
	"slices"

	"github.com/kcut/kcut/formats/release"
	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/spill"
)

// keptColumns returns the columns of a part that its cut does not name, or as pseudonyms. A class alone is none: it has few values.
func (r *rules) keptColumns(ctx context.Context, part string) ([]string, error) {
	file, err := release.Open(ctx, part)
	if err != nil {
		return nil, err
	}
	defer file.Close() // it was only read
	kept := slices.DeleteFunc(file.Flat(), func(name string) bool {
		return slices.ContainsFunc(r.checks, func(c columnCheck) bool { return c.name == name && !c.tokens })
	})
	if slices.Equal(kept, []string{r.cut.Class}) {
		return nil, nil
	}
	return kept, nil
}

// alike counts the rows of a release that are alike on labels and, where there are kept columns, on these and
// on both. One goroutine uses it.
type alike struct {
	labels, kept, both *risk.Tally // nil: it is not counted
	byLabels, byKept   []uint64    // hashes of a block of rows
	codes              [][]uint32  // of these, in kept columns
	ofCodes            [][]uint64  // hashes
}

// newAlike returns the counts, of a release of so many rows, of one of so many workers that share so many bytes: with kept
// columns, by these alone, too.
func newAlike(kept, alone bool, rows int64, workers int, memory int64) *alike {
	memory /= int64(workers)
	tallies := risk.NewTallies(3, rows, spill.NewBudget(memory), memory)
	a := &alike{labels: tallies[0], byLabels: make([]uint64, release.BlockRows), byKept: make([]uint64, release.BlockRows)}
	if kept {
		a.both = tallies[1]
	}
	if kept && alone {
		a.kept = tallies[2]
	}
	return a
}

// join adds the keys of a set, of so many words each, to what is known of the labels of a block.
func (a *alike) join(keys []uint64, size int) {
	labels := a.byLabels[:len(keys)/size]
	if size == 1 { // nearly always
		for i, key := range keys[:len(labels)] {
			labels[i] = risk.Join(labels[i], key)
		}
		return
	}
	for i, label := range labels {
		for _, word := range keys[i*size:][:size] {
			label = risk.Join(label, word)
		}
		labels[i] = label
	}
}

// firsts are the numbers of rows that have the same.
var firsts [release.BlockRows]uint32

// count counts the rows of a block, of which the keys of all sets are joined.
func (a *alike) count(rows int, columns []release.Hashes) {
	labels, kept := a.byLabels[:rows], a.byKept[:rows]
	for i, label := range labels {
		labels[i] = risk.Scatter(label)
	}
	a.labels.Add(labels)
	if a.both != nil {
		clear(kept)
		a.codes, a.ofCodes = a.codes[:0], a.ofCodes[:0]
		for _, c := range columns {
			if c.Same { // all are the first of the list then
				c.Every, c.List = firsts[:], c.List[c.One:]
			}
			a.codes, a.ofCodes = append(a.codes, c.Every[:rows]), append(a.ofCodes, c.List)
		}
		risk.JoinAll(kept, a.codes, a.ofCodes)
		if a.kept != nil {
			a.kept.Add(kept)
		}
		for i, hash := range kept {
			labels[i] = risk.Join(labels[i], hash)
		}
		a.both.Add(labels)
	}
	clear(labels)
}

// merge adds what another worker has counted.
func (a *alike) merge(o *alike) {
	a.labels.Merge(o.labels)
	if a.both != nil {
		a.both.Merge(o.both)
	}
	if a.kept != nil {
		a.kept.Merge(o.kept)
	}
}

// tell tells which rows are alike, by the counts of all workers.
func (v *verifier) tell(all []*alike) {
	sum := all[0]
	for _, a := range all[1:] {
		sum.merge(a)
	}
	v.told = &risk.Report{Columns: v.kept}
	for _, set := range v.cut.Sets {
		v.told.K = max(v.told.K, set.K)
	}
	figures := func(t *risk.Tally) *risk.Figures { return t.Figures(v.rows, v.told.K) }
	v.told.Labels = figures(sum.labels)
	if sum.both == nil {
		return
	}
	if v.told.Kept = v.known; sum.kept != nil {
		v.told.Kept = figures(sum.kept)
	}
	v.told.Both = figures(sum.both)
	v.told.Both.Refine(v.told.Kept)
	v.told.Both.Refine(v.told.Labels)
}
