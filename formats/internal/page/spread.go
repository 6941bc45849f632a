package page

import "encoding/binary"

// Spread moves the codes of values to the entries that have one, and gives the other entries the
// codes of their levels. Codes has room for all entries, and the values' codes come first. Levels
// has one level for each entry; entries of the highest one have a value. OfLevel has a code for
// every level.
func Spread(codes []uint32, levels []byte, values int, ofLevel []uint32) {
	highest := len(ofLevel) - 1
	full := uint64(highest) * (^uint64(0) / 0xff) // in every byte
	for row := len(codes); values < row; {        // from behind, so that no value is overwritten
		from := max(row-spreadAtOnce, 0)
		if row-from == spreadAtOnce && values >= spreadAtOnce &&
			binary.LittleEndian.Uint64(levels[from:]) == full {
			copy(codes[from:row], codes[values-spreadAtOnce:values])
			values -= spreadAtOnce
			row = from
			continue
		}
		for ; row > from && values > 0; row-- { // no branch: nulls cannot be predicted
			level := levels[row-1]
			other := uint32(int32(int(level)-highest) >> 31) // all bits, or none for the highest
			codes[row-1] = codes[values-1]&^other | ofLevel[level]&other
			values -= int(1 + int32(other))
		}
		for ; row > from; row-- { // no value is left
			codes[row-1] = ofLevel[levels[row-1]]
		}
	}
}

// spreadAtOnce is the number of entries that are moved at a time where all have a value: in longer
// ranges some usually have none.
const spreadAtOnce = 8
