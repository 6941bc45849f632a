package rle

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// Append appends values of width bits each: at least eight equal values become one run, and the
// values between such runs are packed in groups of eight.
//
//	run:    varint(length << 1)      value in ⌈width/8⌉ bytes
//	packed: varint(groups << 1 | 1)  groups × width bytes
//
// Width must be 1 to 32 and every value must fit it.
func Append[T uint8 | uint32](dst []byte, values []T, width int) []byte {
	packed := 0 // start of the values that wait to be packed
	for i := 0; i+8 <= len(values); {
		v := values[i : i+8 : i+8]
		if v[0] != v[1] || v[0] != v[2] || v[0] != v[3] || v[0] != v[4] || v[0] != v[5] ||
			v[0] != v[6] || v[0] != v[7] {
			i += 8
			continue
		}
		end := i + 8
		for end < len(values) && values[end] == values[i] {
			end++
		}
		dst = appendPacked(dst, values[packed:i], width)
		dst = AppendRun(dst, uint32(values[i]), end-i, width)
		i, packed = end, end
	}
	return appendPacked(dst, values[packed:], width)
}

// AppendRun appends a run of one value.
func AppendRun(dst []byte, value uint32, length, width int) []byte {
	dst = binary.AppendUvarint(dst, uint64(length)<<1)
	for ; width > 0; width -= 8 {
		dst = append(dst, byte(value))
		value >>= 8
	}
	return dst
}

// appendPacked appends groups of eight values, the last filled up with zeros.
func appendPacked[T uint8 | uint32](dst []byte, values []T, width int) []byte {
	if len(values) == 0 {
		return dst
	}
	groups := (len(values) + 7) / 8
	dst = binary.AppendUvarint(dst, uint64(groups)<<1|1)
	size := len(dst) + groups*width
	dst = slices.Grow(dst, groups*width+8) // packGroups writes whole words
	at := len(dst)
	whole := len(values) &^ 7
	at = packGroups(dst[:cap(dst)], at, values[:whole], width)
	if whole < len(values) {
		var last [8]T
		copy(last[:], values[whole:])
		packGroups(dst[:cap(dst)], at, last[:], width)
	}
	return dst[:size]
}

// packGroups writes whole groups of eight values at dst[at:] and returns their end. It may
// overwrite up to eight bytes after the end.
func packGroups[T uint8 | uint32](dst []byte, at int, values []T, width int) int {
	w := uint(width)
	for ; w <= 8 && len(values) >= 8; values = values[8:] {
		v := values[:8]
		word := uint64(v[0]) | uint64(v[1])<<w | uint64(v[2])<<(2*w) | uint64(v[3])<<(3*w) |
			uint64(v[4])<<(4*w) | uint64(v[5])<<(5*w) | uint64(v[6])<<(6*w) | uint64(v[7])<<(7*w)
		binary.LittleEndian.PutUint64(dst[at:], word)
		at += width
	}
	word, held := uint64(0), uint(0)
	for _, v := range values {
		word |= uint64(v) << held
		for held += w; held >= 32; held -= 32 {
			binary.LittleEndian.PutUint32(dst[at:], uint32(word))
			at += 4
			word >>= 32
		}
	}
	binary.LittleEndian.PutUint32(dst[at:], uint32(word))
	return at + int(held/8) // eight values are whole bytes
}

// Width returns the number of bits that hold every value up to highest.
func Width(highest int) int { return bits.Len(uint(highest)) }

// AppendLevels appends levels of at most highest, preceded by their length; nothing when only level
// 0 is possible.
func AppendLevels(dst, levels []byte, highest int) []byte {
	if highest == 0 {
		return dst
	}
	at := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	dst = Append(dst, levels, Width(highest))
	binary.LittleEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	return dst
}
