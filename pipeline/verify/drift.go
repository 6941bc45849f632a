package verify

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/spill"
)

// Drift is the number of equivalence classes of a set, among those of two releases, in which some
// value of a kept column has gained or lost fewer than k rows.
type Drift struct {
	Set     int // in the later release, from 1 on
	K       int
	Column  string
	Classes int
}

// classValue is a class and a value. Labels and values are hashed by their texts, so that those of
// two cuts can be compared.
type classValue struct {
	class [2]uint64
	value uint64
}

// rowChanges has the number of rows with each class and value, before and after.
type rowChanges map[classValue][2]uint64

// changeBytes is the approximate size of an entry, together with its class in drifting.
const changeBytes = 192

// drifting returns the number of classes of both releases in which the number of rows with some
// value differs by less than k.
func (c rowChanges) drifting(k uint64) (classes int) {
	const before, after, few = 1, 2, 4
	found := make(map[[2]uint64]uint8)
	for of, rows := range c {
		if rows[0] > 0 {
			found[of.class] |= before
		}
		if rows[1] > 0 {
			found[of.class] |= after
		}
		if change := max(rows[0], rows[1]) - min(rows[0], rows[1]); change > 0 && change < k {
			found[of.class] |= few
		}
	}
	for _, is := range found {
		if is == before|after|few {
			classes++
		}
	}
	return classes
}

// Drifts compares the sensitive columns, and the class, of two releases in the sets that both have.
// If the counts do not fit the budget, that is an error that wraps spill.ErrBudget.
func Drifts(
	ctx context.Context, earlier, later string, threads int, budget *spill.Budget,
) (drifts []Drift, err error) {
	own := budget.Part(budget.Limit())
	defer func() { own.Return(own.Used()) }()
	var releases [2]*countedRelease
	for i, path := range []string{earlier, later} {
		if releases[i], err = newCountedRelease(ctx, path, threads, own); err != nil {
			return nil, err
		}
	}
	is := releases[1]
	pairs := releases[0].inCommon(is)
	if len(pairs) == 0 {
		return nil, nil
	}
	counted := make([]rowChanges, len(pairs))
	for p := range pairs {
		counted[p] = make(rowChanges)
	}
	for which, n := range releases {
		if err := n.count(ctx, which, pairs, counted); err != nil {
			return nil, err
		}
	}
	for p, pair := range pairs {
		of := is.claims()[pair[1]]
		set := &is.cut.Sets[of.set]
		if n := counted[p].drifting(uint64(set.K)); n > 0 {
			drifts = append(drifts,
				Drift{Set: of.set + 1, K: set.K, Column: is.values[of.column].Column, Classes: n})
		}
	}
	return drifts, nil
}

// countedRelease is a release whose classes are counted together with the values of kept columns.
type countedRelease struct {
	*rules
	parts   []string
	threads int
	budget  *spill.Budget
}

func newCountedRelease(
	ctx context.Context, path string, threads int, budget *spill.Budget,
) (*countedRelease, error) {
	cut, err := cutfile.Read(ctx, path)
	if err != nil {
		return nil, err
	}
	parts, err := fileset.Parts(ctx, path)
	r := rulesOf(cut, nil, classOf(cut, cut.Sensitive))
	return &countedRelease{r, parts, threads, budget}, err
}

// inCommon returns the pairs of claims about the same sets and columns of two releases.
func (n *countedRelease) inCommon(o *countedRelease) (pairs [][2]int) {
	sameSet := func(a, b *cutfile.Set) bool { return a.Within(b) && b.Within(a) }
	for theirs, of := range o.claims() {
		ours := slices.IndexFunc(n.claims(), func(c claim) bool {
			return n.values[c.column].Column == o.values[of.column].Column &&
				sameSet(&n.cut.Sets[c.set], &o.cut.Sets[of.set])
		})
		if ours >= 0 {
			pairs = append(pairs, [2]int{ours, theirs})
		}
	}
	return pairs
}

// count reads the masked and the sensitive columns, and counts one claim of every pair. Tables take
// a quarter of the memory that is left.
func (n *countedRelease) count(
	ctx context.Context, which int, pairs [][2]int, counted []rowChanges,
) error {
	p, first := n.newReading(nil, n.threads), len(n.keys)-len(n.claims())
	p.open, p.again = p.open[:0], true // nothing else is checked
	for _, pair := range pairs {
		p.open = append(p.open, first+pair[which])
		p.shares[first+pair[which]].limit = n.budget.Left() / 4 / int64(len(pairs))
	}
	err := workers.Each(len(n.parts), n.threads, func(w workers.Worker, i int) error {
		_, err := p.part(ctx, w, n.parts[i])
		return err
	})
	if err != nil {
		return err
	}
	for pair, key := range p.open {
		if p.shares[key].until.Load() < hashShares {
			return errManyGroups
		}
		k := &n.keys[key]
		hashes := n.labelHashes(k)
		for _, c := range p.counters {
			bytes := changeBytes * int64(c.tables[key].used)
			if err := n.budget.Draw("the classes of two releases", bytes); err != nil {
				return err
			}
			for group, rows := range c.tables[key].all() {
				of := classValue{value: group[k.size-1]}
				for i := range k.columns {
					hash := hashes[i][k.digit(group, i)]
					of.class[0], of.class[1] = of.class[0]+hash[0], of.class[1]+hash[1]
				}
				all := counted[pair][of]
				all[which] += rows
				counted[pair][of] = all
			}
			c.tables[key].clear()
		}
	}
	return nil
}

// labelHashes returns hashes of the columns' labels, by number. The hashes of a row are added, so
// that the order of a set's columns does not matter.
func (r *rules) labelHashes(k *labelKey) [][][2]uint64 {
	all := make([][][2]uint64, len(k.columns))
	for i, column := range k.columns {
		check := &r.checks[column]
		all[i] = make([][2]uint64, check.below())
		for l, number := range check.numbers {
			form := "text"
			if l.null {
				form = "null"
			} else if l.none {
				form = "none"
			}
			sum := sha256.Sum256([]byte(check.name + "\x00" + check.part + "\x00" + form + l.text))
			all[i][number] = [2]uint64{
				binary.LittleEndian.Uint64(sum[:]), binary.LittleEndian.Uint64(sum[8:]),
			}
		}
	}
	return all
}
