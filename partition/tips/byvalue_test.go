package tips

import (
	"math/rand/v2"
	"testing"
)

// TestByValueKeepsWhatIsKnown compares the entries of random values with a map, and measures the
// memory: it is small for values without entries.
func TestByValueKeepsWhatIsKnown(t *testing.T) {
	const values = 100_000
	r := rand.New(rand.NewPCG(1, 1))
	b, want := byValue[uint64]{blank: 7}, make(map[int32]uint64)
	for range 200 {
		value := int32(r.IntN(values))
		want[value] = r.Uint64()
		*b.at(value) = want[value]
	}
	for value := range int32(values + 100) {
		known, ok := want[value]
		if !ok {
			known = b.blank
		}
		if got := b.get(value); got != known {
			t.Fatalf("of value %d %d is known, want %d", value, got, known)
		}
	}
	if most := int64(200*pageValues*8 + 2*8*values/pageValues); b.bytes() > most {
		t.Errorf("200 of %d values take %d bytes, want at most %d", values, b.bytes(), most)
	}
}

// TestSetsTakeNoRoomForOthers has many sets of a column each, and compares their memory with that
// of one set.
func TestSetsTakeNoRoomForOthers(t *testing.T) {
	const sets, refinements = 400, 30
	var all []byValue[known]
	value := int32(0)
	for range sets {
		all = append(all, byValue[known]{})
	}
	for range refinements {
		for set := range all {
			all[set].at(value).smallest = 1
			all[set].at(value + 1).smallest = 1
			value += 2
		}
	}
	bytes := int64(0)
	for i := range all {
		bytes += all[i].bytes()
	}
	// a part of the memory for all values of all sets
	if most := int64(sets) * int64(value) * 16 / 4; bytes > most {
		t.Errorf("%d sets take %d bytes, want at most %d", sets, bytes, most)
	}
}
