package masking

import (
	"bytes"
	"slices"
	"sort"

	"github.com/kcut/kcut/formats"
)

// dictionaryCoder finds the positions of values in a column's dictionary, a sorted list of its
// values.
type dictionaryCoder struct{ *formats.Values }

// Encode appends, for each value from a position on, 1 + its position in the dictionary, or
// noLabel.
func (l dictionaryCoder) Encode(
	values *formats.Values, from int, codes []uint32,
) ([]uint32, int, error) {
	for i := from; i < values.Len(); i++ {
		at, is := l.find(values, i)
		if !is {
			at = noLabel - 1
		}
		codes = append(codes, uint32(at+1))
	}
	return codes, l.Len() + 1, nil
}

// Null returns the code of null.
func (l dictionaryCoder) Null() uint32 { return 0 }

func (l dictionaryCoder) find(values *formats.Values, i int) (at int, is bool) {
	if l.Type.InWords() {
		return slices.BinarySearch(l.Words, values.Words[i])
	}
	value := values.Bytes(i)
	return sort.Find(len(l.Ends), func(at int) int { return bytes.Compare(value, l.Bytes(at)) })
}
