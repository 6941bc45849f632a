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
	if stride == 2 {
		return records[:compactShort(records, slots)], slots
	}
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

// compactShort merges records whose key is one word, the common case, and returns the end
// of the distinct ones. The number of slots is a power of two.
func compactShort(records []uint64, slots []uint32) (end int) {
	mask := uint64(len(slots) - 1)
	for i := 0; i+1 < len(records); i += 2 {
		key, count := records[i], records[i+1]
		slot := hash1(key) & mask
		for slots[slot] != 0 && records[2*slots[slot]-2] != key {
			slot = (slot + 1) & mask
		}
		if at := int(slots[slot]); at != 0 {
			records[2*at-1] += count
			continue
		}
		records[end], records[end+1] = key, count
		end += 2
		slots[slot] = uint32(end / 2)
	}
	return end
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
