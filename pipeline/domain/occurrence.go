package domain

import (
	"encoding/binary"
	"slices"
	"strings"
)

// occurrence is a distinct value that some record has.
type occurrence struct {
	provisional uint32
	first       uint32 // its first pair
	text        string
}

// withTexts returns found values with their texts, in the order of these.
func withTexts(in *Interner, found []occurrence) []occurrence {
	for i := range found {
		found[i].text = in.values.Text(int(found[i].provisional) - 1)
	}
	sortOccurrences(found,
		func(o *occurrence) uint64 { return prefix(o.text) },
		func(a, b occurrence) int { return strings.Compare(a.text, b.text) })
	return found
}

// sortByValue orders values of an interner.
func (in *Interner) sortByValue(found []occurrence) {
	values := &in.values
	key := func(o *occurrence) uint64 { return values.Words[o.provisional-1] }
	if !values.Type.InWords() {
		key = func(o *occurrence) uint64 { return prefix(values.Bytes(int(o.provisional) - 1)) }
	}
	sortOccurrences(found, key, func(x, y occurrence) int {
		return CompareValues(values, int(x.provisional)-1, values, int(y.provisional)-1)
	})
}

// sortOccurrences orders values by key and, where keys are equal, as compare says. Sorting
// small places by the bytes of their keys takes about half as long as comparing the values.
func sortOccurrences(found []occurrence, key func(*occurrence) uint64, compare func(a, b occurrence) int) {
	places := make([]place, len(found))
	for i := range found {
		places[i] = place{key(&found[i]), uint32(i)}
	}
	places = sortPlaces(places)
	unordered := slices.Clone(found)
	alike := 0 // where those with the present key start
	for i, p := range places {
		found[i] = unordered[p.at]
		if i+1 == len(places) || places[i+1].key != p.key {
			slices.SortFunc(found[alike:i+1], compare)
			alike = i + 1
		}
	}
}

// place is where a value lies that has a key.
type place struct {
	key uint64
	at  uint32
}

// sortPlaces returns places by ascending key: dealt out by every byte in which some keys
// differ, the last one first. The given ones are consumed.
func sortPlaces(places []place) []place {
	differ := uint64(0)
	for _, p := range places {
		differ |= p.key ^ places[0].key
	}
	dealt := make([]place, len(places))
	for shift := 0; differ>>shift != 0; shift += 8 {
		if byte(differ>>shift) == 0 {
			continue
		}
		var next [1 << 8]int
		for _, p := range places {
			next[byte(p.key>>shift)]++
		}
		start := 0
		for b, n := range next {
			next[b] = start
			start += n
		}
		for _, p := range places {
			b := byte(p.key >> shift)
			dealt[next[b]] = p
			next[b]++
		}
		places, dealt = dealt, places
	}
	return places
}

// prefix returns a number of the first bytes of a value, in whose order values are unless they
// begin alike.
func prefix[T string | []byte](value T) uint64 {
	var first [8]byte
	copy(first[:], value)
	return binary.BigEndian.Uint64(first[:])
}
