package verify

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/release"
	"github.com/kcut/kcut/pipeline/cutfile"
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

// tallies are those that count.
func (a *alike) tallies() []*risk.Tally {
	return slices.DeleteFunc([]*risk.Tally{a.labels, a.both, a.kept}, func(t *risk.Tally) bool { return t == nil })
}

// alikeOf returns the counts whose tallies these are.
func alikeOf(tallies []*risk.Tally) *alike {
	all := append(tallies, nil, nil, nil)
	return &alike{labels: all[0], both: all[1], kept: all[2]}
}

// mergeAlike adds up encoded tallies of parts of a release, unless there are none.
func mergeAlike(a, b []byte) ([]byte, error) {
	if len(a) == 0 && len(b) == 0 {
		return nil, nil
	}
	sums, rows, err := risk.DecodeTallies(a)
	if err != nil {
		return nil, err
	}
	others, ofOthers, err := risk.DecodeTallies(b)
	if err != nil {
		return nil, err
	}
	if len(sums) != len(others) || rows != ofOthers {
		return nil, fmt.Errorf("merge recounts: they count other rows that are alike: %w", formats.ErrSchema)
	}
	for i, sum := range sums {
		sum.Merge(others[i])
	}
	return risk.EncodeTallies(sums, rows)
}

// Exposed tells which rows of a release are alike, by the merged recount of all of it. Figures on kept columns may be known.
func (r *Recount) Exposed(cut *cutfile.File, known *risk.Figures) (*risk.Report, error) {
	tallies, _, err := risk.DecodeTallies(r.Alike)
	if err != nil || len(tallies) == 0 || len(tallies) > 3 {
		return nil, fmt.Errorf("read recount: %w", cmp.Or(err, error(formats.ErrDamaged)))
	}
	return exposed(cut, r.Kept, known, r.Rows, alikeOf(tallies)), nil
}

// tell tells which rows are alike, by the counts of all workers.
func (v *verifier) tell(all []*alike) {
	sum := all[0]
	for _, a := range all[1:] {
		sum.merge(a)
	}
	v.told = exposed(v.cut, v.kept, v.known, v.rows, sum)
}

// exposed tells which of so many rows are alike. Figures on kept columns may be known.
func exposed(cut *cutfile.File, kept []string, known *risk.Figures, rows int64, sum *alike) *risk.Report {
	told := &risk.Report{Columns: kept}
	for _, set := range cut.Sets {
		told.K = max(told.K, set.K)
	}
	figures := func(t *risk.Tally) *risk.Figures { return t.Figures(rows, told.K) }
	told.Labels = figures(sum.labels)
	if sum.both == nil {
		return told
	}
	if told.Kept = known; sum.kept != nil {
		told.Kept = figures(sum.kept)
	}
	told.Both = figures(sum.both)
	told.Both.Refine(told.Kept)
	told.Both.Refine(told.Labels)
	return told
}
