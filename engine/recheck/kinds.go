package recheck

import (
	"cmp"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
)

// kinds returns the kinds of the table, nil when the protections of its sets do not ask for them.
func (c *classes) kinds() *engine.Kinds {
	if set := &c.sets[0]; set.Entities || set.NeedsKinds() {
		return c.table.Kinds
	}
	return nil
}

// countBytes is what a count of a kind takes.
const countBytes = 16

// addKind adds records of a kind to counts, draws so many bytes for each that there is more room for, and adds them up.
func (c *classes) addKind(what string, to []engine.KindCount, m engine.KindCount, bytes int, drawn *int64) ([]engine.KindCount, error) {
	to, more := makeRoom(to)
	if more > 0 {
		if err := c.space.Draw(what, int64(bytes*more)); err != nil {
			return to, err
		}
		*drawn += int64(bytes * more)
		to = slices.Grow(to, more)
	}
	return append(to, m), nil
}

// makeRoom adds up counts that have no room for one more. It returns how much more room they need: some unless half of it has
// become free, so that they are not added up again before as many have come.
func makeRoom(counts []engine.KindCount) (_ []engine.KindCount, more int) {
	const few = 4
	if len(counts) == cap(counts) {
		if counts = sumUp(counts); 2*len(counts) >= cap(counts) {
			more = max(few, cap(counts))
		}
	}
	return counts, more
}

// sumUp adds up the counts of the same kind, in place.
func sumUp(counts []engine.KindCount) []engine.KindCount {
	slices.SortFunc(counts, func(a, b engine.KindCount) int { return cmp.Compare(a.Kind, b.Kind) })
	end := 0
	for _, c := range counts {
		if end > 0 && counts[end-1].Kind == c.Kind {
			counts[end-1].Records += c.Records
			continue
		}
		counts[end] = c
		end++
	}
	return counts[:end]
}

// withKinds adds what leaves the kinds of records as they are to maps of all other fields.
func (c *classes) withKinds(maps [][]uint32, domains []int) ([][]uint32, []int) {
	kinds := c.kinds()
	if kinds == nil {
		return maps, domains
	}
	all := engine.Identity(kinds.Len())
	return append(maps, all.Codes), append(domains, all.Domain)
}

// kindOf returns the kind of a record: its last field.
func kindOf(t *partition.Table, key []uint64) uint32 {
	return t.Layout.Fields[len(t.Layout.Fields)-1].Code(key)
}
