package masking

import (
	"bytes"
	"slices"
	"sort"

	"github.com/kcut/kcut/formats"
)

// listedCoder finds the places of values in a list of all values of a column, which are in order.
type listedCoder struct{ *formats.Values }

// Encode appends 1 + the place of each value from one on, or noLabel.
func (l listedCoder) Encode(values *formats.Values, from int, codes []uint32) ([]uint32, int, error) {
	for i := from; i < values.Len(); i++ {
		at, is := l.find(values, i)
		if !is {
			at = noLabel - 1
		}
		codes = append(codes, uint32(at+1))
	}
	return codes, l.Len() + 1, nil
}

// Null returns the code of the null.
func (l listedCoder) Null() uint32 { return 0 }

func (l listedCoder) find(values *formats.Values, i int) (at int, is bool) {
	if l.Type.InWords() {
		return slices.BinarySearch(l.Words, values.Words[i])
	}
	value := values.Bytes(i)
	return sort.Find(len(l.Ends), func(at int) int { return bytes.Compare(value, l.Bytes(at)) })
}
