package count

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/spill"
)

// entities has the number of records of every entity. If there are at most mostEntities entities, a
// list has the exact numbers. Else a sketch has upper bounds: every entity has two counts, which
// several entities may share, and the smaller count is the bound (a count-min sketch, Cormode and
// Muthukrishnan 2005). The value of the entity and the number of rows alone determine its two
// counts. All nulls together are one entity.
//
// entities is the coder of the entity column: the code of a value is the weight of each record of
// the entity.
type entities struct {
	budget *spill.Budget
	drawn  int64 // bytes drawn from the budget

	list   []uint64    // sorted; an element is a key, with the number of records in the lowest bits
	counts [2][]uint16 // the sketch, which replaces the list; the largest count is greatest
	bits   int         // the number of bits of a position in a row of counts
}

// mostEntities is the largest number of entities in the list. Tests lower it.
var mostEntities uint64 = 1 << 20

const (
	// unit is the weight of an entity. Its records share this weight. The number has many divisors,
	// so that rounding loses little weight.
	unit = 840

	recordBits = 10
	greatest   = 1<<recordBits - 1 // the largest count; records of an entity with it have no weight

	// Bits of a position in a row of counts. Rows with manyPlaces bits take 32 MiB.
	fewPlaces  = 8
	manyPlaces = 24
	mostPlaces = 26
)

// placesOf returns the number of bits of a position for an input with the given number of rows. A
// row of counts has about twice as many positions as the input has rows. For many rows it has about
// as many positions as the input has rows.
func placesOf(rows uint64) int {
	large := max(manyPlaces, min(bits.Len64(rows), mostPlaces))
	return max(fewPlaces, min(bits.Len64(2*rows), large))
}

// entityKey returns the 54 bits of a hash that identify an entity, never 0. Among a million
// entities, two have the same key in one of 30,000 inputs. They then count as one entity.
func entityKey(hash uint64) uint64 { return max(hash&^greatest, greatest+1) }

// newEntities returns entities without records, for an input with the given number of rows.
func newEntities(rows uint64, budget *spill.Budget) (*entities, error) {
	e := &entities{bits: placesOf(rows), budget: budget}
	most := min(rows, mostEntities)
	if err := e.draw(8 * int64(most)); err != nil {
		return nil, err
	}
	e.list = make([]uint64, 0, most)
	return e, nil
}

// CheckEntityRoom refuses a budget that has no room for the counts of the given number of entities,
// as counting the entities would.
func CheckEntityRoom(rows, number uint64, budget *spill.Budget) error {
	e := &entities{bits: placesOf(rows), budget: budget}
	defer e.release()
	if err := e.draw(8 * int64(min(rows, mostEntities))); err != nil || number <= mostEntities {
		return err
	}
	return e.draw(4 << e.bits)
}

// draw draws memory for the list or the counts.
func (e *entities) draw(bytes int64) error {
	const what = "the records of every entity"
	if limit := e.budget.Limit(); bytes > limit/2 {
		hint := fmt.Sprintf("give at least %d MiB with --memory", (2*bytes+1<<20-1)>>20)
		return fault.Errorf(fault.Resources, hint,
			"count %s: that takes %d bytes of a budget of %d", what, bytes, limit)
	}
	if err := e.budget.Draw(what, bytes); err != nil {
		return err
	}
	e.drawn += bytes
	return nil
}

// release returns the drawn memory to the budget.
func (e *entities) release() {
	e.budget.Return(e.drawn)
	e.drawn = 0
}

// add adds an entity with the number of its records. The keys must ascend from call to call.
func (e *entities) add(key, records uint64) error {
	if e.counts[0] == nil && uint64(len(e.list)) == mostEntities {
		if err := e.makeSketch(); err != nil {
			return err
		}
	}
	if e.counts[0] == nil {
		e.list = append(e.list, key|records)
	} else {
		e.addToSketch(key, records)
	}
	return nil
}

// makeSketch replaces the list by the sketch.
func (e *entities) makeSketch() error {
	listed := e.drawn
	if err := e.draw(4 << e.bits); err != nil {
		return err
	}
	for row := range e.counts {
		e.counts[row] = make([]uint16, 1<<e.bits)
	}
	for _, entity := range e.list {
		e.addToSketch(entity&^greatest, entity&greatest)
	}
	e.list = nil
	e.budget.Return(listed)
	e.drawn -= listed
	return nil
}

// place returns the position of a key's count in a row of counts.
func (e *entities) place(row int, key uint64) uint64 {
	return key >> [...]uint{recordBits, 64 - mostPlaces}[row] & (1<<e.bits - 1)
}

// addToSketch adds records to the counts of a key.
func (e *entities) addToSketch(key, records uint64) {
	for row := range e.counts {
		count := &e.counts[row][e.place(row, key)]
		*count = uint16(min(uint64(*count)+records, greatest))
	}
}

// number returns the number of entities, or 0 if there is a sketch instead of the list.
func (e *entities) number() uint64 { return uint64(len(e.list)) }

// records returns the largest possible number of records of the entity with a hash.
func (e *entities) records(hash uint64) uint64 {
	key := entityKey(hash)
	if e.counts[0] == nil {
		at, _ := slices.BinarySearch(e.list, key)
		if at < len(e.list) && e.list[at]&^greatest == key {
			return e.list[at] & greatest
		}
		return 0
	}
	return uint64(min(e.counts[0][e.place(0, key)], e.counts[1][e.place(1, key)]))
}

// weight returns the weight of each record of an entity.
func (e *entities) weight(hash uint64) uint32 { return weightOf(e.records(hash)) }

// Weightless is the smallest number of records of an entity for which its records have no weight.
const Weightless = 769

// weightOf returns the weight of each record of an entity with n records. To get few different
// weights, a large n is rounded up to the next number with only a few significant bits.
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

// mayBeWeightless reports whether the records of some entity may have no weight.
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

// Null returns the weight of a record whose entity is null.
func (e *entities) Null() uint32 { return e.weight(risk.Null) }

// Encode appends the weights of the records of values.
func (e *entities) Encode(values *formats.Values, from int, codes []uint32) ([]uint32, int, error) {
	for i := from; i < values.Len(); i++ {
		codes = append(codes, e.weight(hashOf(values, i)))
	}
	return codes, unit + 1, nil
}

// hashOf returns the hash of a value. Equal values have equal hashes.
func hashOf(values *formats.Values, i int) uint64 {
	if values.Type.Kind == formats.Float {
		return risk.Scatter(domain.CanonicalWord(values, i))
	}
	return risk.HashValue(values, i)
}

// entityGroups deals entities to a number of groups. It is the coder of a column with Groups.
type entityGroups struct {
	*entities
	groups int
}

// group returns the group of the entity with a hash. The entities of the list are dealt one after
// the other, in the order of their hashes, so that the groups have the same number of them, or one
// more.
func (g entityGroups) group(hash uint64) uint32 {
	key := entityKey(hash)
	number := engine.Mix(key)
	if g.counts[0] == nil {
		at, _ := slices.BinarySearch(g.list, key)
		number = uint64(at)
	}
	return uint32(number % uint64(g.groups))
}

// Null returns the group of the entity of all nulls.
func (g entityGroups) Null() uint32 { return g.group(risk.Null) }

// Encode appends the groups of the entities of values.
func (g entityGroups) Encode(
	values *formats.Values, from int, codes []uint32,
) ([]uint32, int, error) {
	for i := from; i < values.Len(); i++ {
		codes = append(codes, g.group(hashOf(values, i)))
	}
	return codes, g.groups, nil
}
