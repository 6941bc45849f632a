package page

import "encoding/binary"

// Spread moves the codes of values to the entries that have one, and gives the others the codes of
// their levels. Codes has room for all entries, and the values' codes are the first ones. Levels
// has one level an entry; entries of the highest one have a value. OfLevel has a code for every
// level.
func Spread(codes []uint32, levels []byte, values int, ofLevel []uint32) {
	highest := len(ofLevel) - 1
	full := uint64(highest) * (^uint64(0) / 0xff) // in every byte
	for row := len(codes); values < row; {        // from behind: no value is in the way
		from := max(row-spreadAtOnce, 0)
		if row-from == spreadAtOnce && values >= spreadAtOnce && binary.LittleEndian.Uint64(levels[from:]) == full {
			copy(codes[from:row], codes[values-spreadAtOnce:values])
			values -= spreadAtOnce
			row = from
			continue
		}
		for ; row > from; row-- {
			level := levels[row-1]
			has := 1 - min(1, highest-int(level)) // no branch
			codes[row-1] = codes[max(values-1, 0)]&uint32(-has) | ofLevel[level]&^uint32(-has)
			values -= has
		}
	}
}

// spreadAtOnce is how many entries are moved at a time where all have a value: mostly some do not.
const spreadAtOnce = 8
