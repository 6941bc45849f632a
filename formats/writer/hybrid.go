package writer

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// appendHybrid appends values in Parquet's RLE/bit-packing hybrid encoding, width bits
// each: a run of at least eight equal values becomes one RLE run, everything between such
// runs bit-packed groups of eight.
//
//	rle:    varint(length << 1)      value in ⌈width/8⌉ bytes
//	packed: varint(groups << 1 | 1)  groups × width bytes
//
// Width must be 1 to 32 and every value must fit it.
func appendHybrid[T uint8 | uint32](dst []byte, values []T, width int) []byte {
	packed := 0 // start of values not written yet, waiting to be bit-packed
	for i := 0; i+8 <= len(values); {
		if !uniform(values[i : i+8]) {
			i += 8
			continue
		}
		end := i + 8
		for end < len(values) && values[end] == values[i] {
			end++
		}
		dst = appendPacked(dst, values[packed:i], width)
		dst = appendRun(dst, uint32(values[i]), end-i, width)
		i, packed = end, end
	}
	return appendPacked(dst, values[packed:], width)
}

func uniform[T uint8 | uint32](v []T) bool {
	_ = v[7]
	return v[0] == v[1] && v[0] == v[2] && v[0] == v[3] && v[0] == v[4] && v[0] == v[5] && v[0] == v[6] && v[0] == v[7]
}

func appendRun(dst []byte, value uint32, length, width int) []byte {
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

// packGroups writes whole groups of eight values at dst[at:] and returns where they end.
// Up to eight bytes after the end are overwritten.
func packGroups[T uint8 | uint32](dst []byte, at int, values []T, width int) int {
	switch w := uint(width); {
	case w <= 8:
		for ; len(values) >= 8; values = values[8:] {
			v := values[:8]
			word := uint64(v[0]) | uint64(v[1])<<w | uint64(v[2])<<(2*w) | uint64(v[3])<<(3*w) |
				uint64(v[4])<<(4*w) | uint64(v[5])<<(5*w) | uint64(v[6])<<(6*w) | uint64(v[7])<<(7*w)
			binary.LittleEndian.PutUint64(dst[at:], word)
			at += width
		}
	case w <= 16:
		for ; len(values) >= 8; values = values[8:] {
			v := values[:8]
			low := uint64(v[0]) | uint64(v[1])<<w | uint64(v[2])<<(2*w) | uint64(v[3])<<(3*w)
			high := uint64(v[4]) | uint64(v[5])<<w | uint64(v[6])<<(2*w) | uint64(v[7])<<(3*w)
			binary.LittleEndian.PutUint64(dst[at:], low|high<<(4*w))
			binary.LittleEndian.PutUint64(dst[at+width-8:], tail(low, high, w))
			at += width
		}
	default:
		for ; len(values) >= 8; values = values[8:] {
			at = packWide(dst, at, values[:8], w)
		}
	}
	return at
}

// tail returns the last 64 of the 8w bits low | high<<4w, for w of 8 to 16.
func tail(low, high uint64, w uint) uint64 {
	skip := 8*w - 64
	return low>>skip | high<<(4*w-skip)
}

func packWide[T uint8 | uint32](dst []byte, at int, values []T, w uint) int {
	word, held := uint64(0), uint(0)
	for _, v := range values {
		word |= uint64(v) << held
		held += w
		if held >= 32 {
			binary.LittleEndian.PutUint32(dst[at:], uint32(word))
			at += 4
			word >>= 32
			held -= 32
		}
	}
	for ; held > 0; held -= 8 { // eight values are whole bytes
		dst[at] = byte(word)
		at++
		word >>= 8
	}
	return at
}

// widthOf returns the number of bits that hold every value up to highest.
func widthOf(highest int) int { return bits.Len(uint(highest)) }
