package recheck

import (
	"cmp"
	"context"
	"errors"
	"hash/maphash"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

// member is what a record of a table is counted as: so many records of a class, of one kind.
type member struct {
	class []byte // valid until the next one
	engine.KindCount
}

// kinds returns the kinds of the table, nil when the protections of its sets do not ask for them.
func (c *classes) kinds() *engine.Kinds {
	if set := &c.sets[0]; set.Entities || set.NeedsKinds() {
		return c.table.Kinds
	}
	return nil
}

// countBytes is what a count of a kind takes.
const countBytes = 16

// mostHalvings is how often classes are halved until those of a part fit the memory.
const mostHalvings = 16

// classSeed seeds the hashes of classes, on which nothing depends but when they are counted.
var classSeed = maphash.MakeSeed()

// eachOf gathers what a table has of every class, and calls visit with it, in any order. Members says
// what a block's records are counted as. Where the classes do not fit the memory, the table is gone through
// again for every part of them.
func (c *classes) eachOf(ctx context.Context, t *partition.Table, members func(block *partition.Table, add func(member) error) error, visit func(class []byte, of []engine.KindCount) error) error {
	return c.eachOfPart(ctx, t, members, visit, 0, 0)
}

// eachOfPart is eachOf for the classes whose hash ends with some bits.
func (c *classes) eachOfPart(
	ctx context.Context, t *partition.Table, members func(*partition.Table, func(member) error) error,
	visit func(class []byte, of []engine.KindCount) error, part uint64, bits uint,
) error {
	const classBytes = 120 // beside the labels
	classes, drawn := make(map[string]*[]engine.KindCount), int64(0)
	defer func() { giveBack(c.space, drawn) }()
	add := func(m member) error {
		if bits > 0 && maphash.Bytes(classSeed, m.class)&(1<<bits-1) != part {
			return nil
		}
		of := classes[string(m.class)]
		if of == nil {
			bytes := int64(classBytes + len(m.class))
			if err := c.space.Draw("equivalence classes", bytes); err != nil {
				return err
			}
			drawn += bytes
			of = new([]engine.KindCount)
			classes[string(m.class)] = of
		}
		var err error
		*of, err = c.addKind("equivalence classes", *of, m.KindCount, countBytes, &drawn)
		return err
	}
	err := t.Scan(ctx, c.space, func(block *partition.Table) error { return members(block, add) })
	if errors.Is(err, spill.ErrBudget) && bits < mostHalvings {
		giveBack(c.space, drawn)
		classes, drawn = nil, 0
		if err := c.eachOfPart(ctx, t, members, visit, part, bits+1); err != nil {
			return err
		}
		return c.eachOfPart(ctx, t, members, visit, part|1<<bits, bits+1)
	}
	for class, of := range classes {
		if err != nil {
			return err
		}
		err = visit([]byte(class), sumUp(*of))
	}
	return err
}

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

// labelsOf returns the members, those of classes that are wanted, of a table some of whose fields
// are the labels of a class, and whose last one is the kind.
func labelsOf(fields []int, wanted func(class []byte) bool) func(*partition.Table, func(member) error) error {
	var class []byte
	return func(block *partition.Table, add func(member) error) error {
		for i, n := range block.Counts {
			key := block.Keys[i*block.Layout.Words:]
			class = class[:0]
			for _, f := range fields {
				class = appendLabel(class, block.Layout.Fields[f].Code(key))
			}
			if !wanted(class) {
				continue
			}
			if err := add(member{class, engine.KindCount{Kind: kindOf(block, key), Records: uint64(n)}}); err != nil {
				return err
			}
		}
		return nil
	}
}

// kindOf returns the kind of a record: its last field.
func kindOf(t *partition.Table, key []uint64) uint32 {
	return t.Layout.Fields[len(t.Layout.Fields)-1].Code(key)
}

// records returns how many records there are of all kinds.
func records(of []engine.KindCount) (all uint64) {
	for _, c := range of {
		all += c.Records
	}
	return all
}
