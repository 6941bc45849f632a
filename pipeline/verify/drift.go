package verify

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/spill"
)

// Drift says of a set and a kept column in how many equivalence classes that two releases have in common some
// value has more rows in one than in the other, or fewer, by less than k.
type Drift struct {
	Set     int // of the later release, from 1 on
	K       int
	Column  string
	Classes int
}

// valued is how many rows of a class have a value. Labels and values are hashed by their texts, so
// that those of two cuts can be compared.
type valued struct {
	class       [2]uint64
	value, rows uint64
}

const valuedBytes = 32

func compareValued(a, b valued) int {
	return cmp.Or(slices.Compare(a.class[:], b.class[:]), cmp.Compare(a.value, b.value))
}

// Drifts compares the sensitive columns, and the class, of two releases, in the sets that both have. What does
// not fit the budget is an error that wraps spill.ErrBudget.
func Drifts(ctx context.Context, earlier, later string, threads int, budget *spill.Budget) (drifts []Drift, err error) {
	was, err := newNight(ctx, earlier, threads, budget)
	if err != nil {
		return nil, err
	}
	defer was.close()
	is, err := newNight(ctx, later, threads, budget)
	if err != nil {
		return nil, err
	}
	defer is.close()
	pairs := was.inCommon(is)
	if len(pairs) == 0 {
		return nil, nil
	}
	for i, n := range []*night{was, is} {
		var claims []int
		for _, pair := range pairs {
			claims = append(claims, pair[i])
		}
		if err := n.count(ctx, claims); err != nil {
			return nil, err
		}
	}
	for _, pair := range pairs {
		of := is.claims()[pair[1]]
		set := &is.cut.Sets[of.set]
		if n := drifting(was.counted[pair[0]], is.counted[pair[1]], uint64(set.K)); n > 0 {
			drifts = append(drifts, Drift{Set: of.set + 1, K: set.K, Column: is.values[of.column].Column, Classes: n})
		}
	}
	return drifts, nil
}

// drifting returns how many classes are in both of two sorted lists and have a value of which the numbers of
// rows differ by less than k.
func drifting(was, is []valued, k uint64) (classes int) {
	for len(was) > 0 && len(is) > 0 {
		switch c := slices.Compare(was[0].class[:], is[0].class[:]); {
		case c < 0:
			was = was[endOfClass(was):]
		case c > 0:
			is = is[endOfClass(is):]
		default:
			w, i := endOfClass(was), endOfClass(is)
			if drifts(was[:w], is[:i], k) {
				classes++
			}
			was, is = was[w:], is[i:]
		}
	}
	return classes
}

// endOfClass returns where the first class of a list ends.
func endOfClass(list []valued) (end int) {
	for end < len(list) && list[end].class == list[0].class {
		end++
	}
	return end
}

// drifts reports whether a class has a value of which the numbers of rows differ by less than k.
func drifts(was, is []valued, k uint64) bool {
	for len(was) > 0 || len(is) > 0 {
		before, after := uint64(0), uint64(0)
		first := len(is) == 0 || len(was) > 0 && was[0].value <= is[0].value
		second := len(was) == 0 || len(is) > 0 && is[0].value <= was[0].value
		if first {
			before, was = was[0].rows, was[1:]
		}
		if second {
			after, is = is[0].rows, is[1:]
		}
		if change := max(before, after) - min(before, after); change > 0 && change < k {
			return true
		}
	}
	return false
}

// night is a release whose classes are counted with the values of kept columns.
type night struct {
	*rules
	parts   []string
	threads int
	budget  *spill.Budget
	drawn   int64
	counted [][]valued // of every claim, sorted
}

func newNight(ctx context.Context, path string, threads int, budget *spill.Budget) (*night, error) {
	cut, err := cutfile.Read(ctx, path)
	if err != nil {
		return nil, err
	}
	parts, err := fileset.Parts(ctx, path)
	if err != nil {
		return nil, err
	}
	return &night{rules: rulesOf(cut, true), parts: parts, threads: threads, budget: budget}, nil
}

func (n *night) close() { n.budget.Return(n.drawn) }

// inCommon returns the claims of the same sets and columns of two releases.
func (n *night) inCommon(o *night) (pairs [][2]int) {
	sameSet := func(a, b *cutfile.Set) bool { return a.Within(b) && b.Within(a) }
	for theirs, of := range o.claims() {
		ours := slices.IndexFunc(n.claims(), func(c claim) bool {
			return n.values[c.column].Column == o.values[of.column].Column && sameSet(&n.cut.Sets[c.set], &o.cut.Sets[of.set])
		})
		if ours >= 0 {
			pairs = append(pairs, [2]int{ours, theirs})
		}
	}
	return pairs
}

// count reads the masked and the sensitive columns, and counts by some claims. Tables take a quarter of the
// memory that is left, as they do when the lists are made of them.
func (n *night) count(ctx context.Context, claims []int) error {
	p, first := n.newReading(nil, n.threads), len(n.keys)-len(n.claims())
	p.open, p.again = p.open[:0], true // nothing else is looked at
	for _, claim := range claims {
		p.open = append(p.open, first+claim)
		p.spans[first+claim].limit = n.budget.Left() / 4 / int64(len(claims))
	}
	err := workers.Each(len(n.parts), n.threads, func(w workers.Worker, i int) error {
		_, err := p.part(ctx, w, n.parts[i])
		return err
	})
	if err != nil {
		return err
	}
	n.counted = make([][]valued, len(n.claims()))
	for i, key := range p.open {
		if p.spans[key].until.Load() < hashShares {
			return errManyGroups
		}
		if n.counted[claims[i]], err = n.list(p, key); err != nil {
			return err
		}
	}
	return nil
}

// list returns what was counted by a key, sorted, and forgets it.
func (n *night) list(p *reading, key int) (list []valued, err error) {
	groups := 0
	for _, c := range p.counters {
		groups += c.tables[key].used
	}
	if err := n.budget.Draw("the classes of two releases", valuedBytes*int64(groups)); err != nil {
		return nil, err
	}
	n.drawn += valuedBytes * int64(groups)
	list = make([]valued, 0, groups)
	k := &n.keys[key]
	hashes := n.labelHashes(k)
	for _, c := range p.counters {
		for group, rows := range c.tables[key].all() {
			v := valued{value: group[k.size-1], rows: rows}
			for i := range k.columns {
				hash := hashes[i][k.digit(group, i)]
				v.class[0], v.class[1] = v.class[0]+hash[0], v.class[1]+hash[1]
			}
			list = append(list, v)
		}
		c.tables[key].clear()
	}
	slices.SortFunc(list, compareValued)
	merged := list[:0]
	for _, v := range list {
		if last := len(merged) - 1; last >= 0 && compareValued(merged[last], v) == 0 {
			merged[last].rows += v.rows
		} else {
			merged = append(merged, v)
		}
	}
	return merged, nil
}

// labelHashes returns hashes of the columns' labels, by their numbers. Those of a row are added up: so the order
// of a set's columns does not matter.
func (r *rules) labelHashes(k *labelKey) [][][2]uint64 {
	all := make([][][2]uint64, len(k.columns))
	for i, column := range k.columns {
		check := &r.checks[column]
		all[i] = make([][2]uint64, check.below())
		set := func(number uint32, form, text string) {
			sum := sha256.Sum256([]byte(check.name + "\x00" + check.part + "\x00" + form + text))
			all[i][number] = [2]uint64{binary.LittleEndian.Uint64(sum[:]), binary.LittleEndian.Uint64(sum[8:])}
		}
		for text, number := range check.numbers {
			set(number, "text", text)
		}
		if number, ok := check.number("", true); ok {
			set(number, "null", "")
		}
		if number, ok := check.numberOfNone(); ok {
			set(number, "none", "")
		}
	}
	return all
}
