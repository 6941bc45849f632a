package count

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/spill"
)

// entities know how many records every entity has: from a list or, where there are more entities
// than mostEntities, from counts that several entities may share, of which every entity has two,
// and the lesser one counts (a count-min sketch, Cormode and Muthukrishnan 2005): that is how many
// it has at most. Which counts depends on the value and the number of rows alone. The nulls
// together are one entity.
//
// They code values: by the weight of each of its records.
type entities struct {
	rows   uint64
	budget *spill.Budget
	held   int64 // bytes of the budget

	list   []uint64    // by tag: the tag, and as its lowest bits the records
	counts [2][]uint16 // instead of the list; they end at their greatest
	bits   int         // of a place among the counts
}

// mostEntities are listed; of more there is a sketch. Tests lower it.
var mostEntities uint64 = 1 << 20

const (
	// unit is how many parts an entity is divided into: a number of many divisors, so that few
	// parts are lost.
	unit = 840

	recordBits = 10
	greatest   = 1<<recordBits - 1 // of more records none weighs anything

	// Bits of the places of a row of counts: manyPlaces take 32 MiB.
	fewPlaces  = 8
	manyPlaces = 24
	mostPlaces = 26
)

// placesOf returns the bits of the places for so many rows: twice as many places, and from many on as many.
func placesOf(rows uint64) int {
	return max(fewPlaces, min(bits.Len64(2*rows), max(manyPlaces, min(bits.Len64(rows), mostPlaces))))
}

// tagOf returns the bits of a hash by which an entity is known, which are never all 0: that two of
// a million have the same 54 happens in one input of 30,000, and they are one entity then.
func tagOf(hash uint64) uint64 { return max(hash&^greatest, greatest+1) }

// newEntities returns the entities of so many rows, without their records.
func newEntities(rows uint64, budget *spill.Budget) (*entities, error) {
	e := &entities{rows: rows, bits: placesOf(rows), budget: budget}
	most := min(rows, mostEntities)
	if err := e.draw(8 * int64(most)); err != nil {
		return nil, err
	}
	e.list = make([]uint64, 0, most)
	return e, nil
}

// HoldEntities refuses a budget that has no room for the records of each of the entities, as
// counting them does.
func HoldEntities(rows, number uint64, budget *spill.Budget) error {
	e := &entities{bits: placesOf(rows), budget: budget}
	defer e.release()
	if err := e.draw(8 * int64(min(rows, mostEntities))); err != nil || number <= mostEntities {
		return err
	}
	return e.draw(4 << e.bits)
}

// draw draws what counts take.
func (e *entities) draw(bytes int64) error {
	const what = "the records of every entity"
	if limit := e.budget.Limit(); bytes > limit/2 {
		return fault.Errorf(fault.Resources, fmt.Sprintf("give at least %d MiB with --memory", (2*bytes+1<<20-1)>>20),
			"count %s: that takes %d bytes of a budget of %d", what, bytes, limit)
	}
	if err := e.budget.Draw(what, bytes); err != nil {
		return err
	}
	e.held += bytes
	return nil
}

// release gives back what is drawn.
func (e *entities) release() {
	e.budget.Return(e.held)
	e.held = 0
}

// add adds an entity with its records. Tags ascend.
func (e *entities) add(tag, records uint64) error {
	if e.counts[0] == nil && uint64(len(e.list)) == mostEntities {
		if err := e.spread(); err != nil {
			return err
		}
	}
	if e.counts[0] == nil {
		e.list = append(e.list, tag|records)
	} else {
		e.share(tag, records)
	}
	return nil
}

// spread takes the sketch for the list.
func (e *entities) spread() error {
	listed := e.held
	if err := e.draw(4 << e.bits); err != nil {
		return err
	}
	for row := range e.counts {
		e.counts[row] = make([]uint16, 1<<e.bits)
	}
	for _, entity := range e.list {
		e.share(entity&^greatest, entity&greatest)
	}
	e.list = nil
	e.budget.Return(listed)
	e.held -= listed
	return nil
}

// place returns the place of the count of a tag in a row.
func (e *entities) place(row int, tag uint64) uint64 {
	return tag >> [...]uint{recordBits, 64 - mostPlaces}[row] & (1<<e.bits - 1)
}

// share adds records to the counts of a tag.
func (e *entities) share(tag, records uint64) {
	for row := range e.counts {
		count := &e.counts[row][e.place(row, tag)]
		*count = uint16(min(uint64(*count)+records, greatest))
	}
}

// known returns how many entities there are, 0 when these are more than are listed.
func (e *entities) known() uint64 { return uint64(len(e.list)) }

// records returns how many records the entity of a hash has at most.
func (e *entities) records(hash uint64) uint64 {
	tag := tagOf(hash)
	if e.counts[0] == nil {
		if at, _ := slices.BinarySearch(e.list, tag); at < len(e.list) && e.list[at]&^greatest == tag {
			return e.list[at] & greatest
		}
		return 0
	}
	return uint64(min(e.counts[0][e.place(0, tag)], e.counts[1][e.place(1, tag)]))
}

// weight returns what each record of an entity weighs.
func (e *entities) weight(hash uint64) uint32 { return weightOf(e.records(hash)) }

// Weightless is how many records an entity has at least whose records weigh nothing.
const Weightless = 769

// weightOf returns what each record of an entity weighs that has so many. Entities of more than a
// few records weigh as those of the next larger number that is a few bits long: there are few
// weights.
func weightOf(n uint64) uint32 {
	const exact, digits = 12, 3
	if n == greatest {
		return 0
	}
	if n > exact {
		zeros := bits.Len64(n-1) - digits
		n = (n-1)>>zeros<<zeros + 1<<zeros
	}
	return uint32(unit / max(1, n))
}

// mayBeWeightless reports whether an entity may have so many records that they weigh nothing.
func (e *entities) mayBeWeightless() bool {
	most := uint64(0)
	for _, entity := range e.list {
		most = max(most, entity&greatest)
	}
	for _, count := range e.counts[0] {
		most = max(most, uint64(count))
	}
	return weightOf(most) == 0
}

// Null returns the weight of the records of the null.
func (e *entities) Null() uint32 { return e.weight(risk.Null) }

// Encode appends the weights of values.
func (e *entities) Encode(values *formats.Values, from int, codes []uint32) ([]uint32, int, error) {
	for i := from; i < values.Len(); i++ {
		codes = append(codes, e.weight(hashOf(values, i)))
	}
	return codes, unit + 1, nil
}

// hashOf returns the hash of a value, by its content.
func hashOf(values *formats.Values, i int) uint64 {
	if values.Type.Kind == formats.Float {
		return risk.Scatter(domain.CanonicalWord(values, i))
	}
	return risk.HashValue(values, i)
}
