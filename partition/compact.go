package partition

import "math/bits"

// compact merges equal tuples of records in place and returns the shorter list. slots is
// scratch that is returned for reuse.
func compact(records []uint64, stride int, slots []uint32) ([]uint64, []uint32) {
	n := len(records) / stride
	if n < 2 {
		return records, slots
	}
	size := 1 << bits.Len(uint(2*n-1))
	if cap(slots) < size {
		slots = make([]uint32, size)
	}
	slots = slots[:size]
	clear(slots)
	mask := uint64(size - 1)
	words := stride - 1
	end := 0 // of the distinct records
	for i := 0; i < len(records); i += stride {
		key := records[i : i+words]
		slot := hash(key) & mask
		for {
			at := int(slots[slot])
			if at == 0 {
				copy(records[end:], records[i:i+stride])
				end += stride
				slots[slot] = uint32(end / stride)
				break
			}
			if found := (at - 1) * stride; equal(records[found:], key) {
				records[found+words] += records[i+words]
				break
			}
			slot = (slot + 1) & mask
		}
	}
	return records[:end], slots
}

// equal reports whether record starts with key.
func equal(record, key []uint64) bool {
	for i, word := range key {
		if record[i] != word {
			return false
		}
	}
	return true
}

// hashFactor is 2^64 divided by the golden ratio, odd: multiplying by it and folding the
// halves of the product mixes every bit of a word into every bit of the hash.
const hashFactor = 0x9e3779b97f4a7c15

func hash1(word uint64) uint64 {
	hi, lo := bits.Mul64(word^0xd6e8feb86659fd93, hashFactor)
	return hi ^ lo
}

func hash(key []uint64) uint64 {
	h := hash1(key[0])
	for _, word := range key[1:] {
		hi, lo := bits.Mul64(h^word, hashFactor)
		h = hi ^ lo
	}
	return h
}
