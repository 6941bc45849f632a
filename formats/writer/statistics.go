package writer

import (
	"bytes"
	"math"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/plain"
)

// bounds keeps the smallest and the largest value so far, in the order of Values: of long ones only
// enough bytes to show that they are too long for a footer.
type bounds struct {
	any       bool
	low, high uint64
	min, max  []byte
}

func (b *bounds) reset() { *b = bounds{min: b.min[:0], max: b.max[:0]} }

func (b *bounds) addWords(words []uint64) {
	if len(words) == 0 {
		return
	}
	if !b.any {
		b.any, b.low, b.high = true, words[0], words[0]
	}
	for _, w := range words {
		b.low, b.high = min(b.low, w), max(b.high, w)
	}
}

func (b *bounds) addBytes(v []byte) {
	v = v[:min(len(v), maxStatistic+1)]
	if !b.any || bytes.Compare(v, b.min) < 0 {
		b.min = append(b.min[:0], v...)
	}
	if !b.any || bytes.Compare(v, b.max) > 0 {
		b.max = append(b.max[:0], v...)
	}
	b.any = true
}

func (b *bounds) add(v *formats.Values) {
	if v.Type.InWords() {
		b.addWords(v.Words)
		return
	}
	for i := range v.Ends {
		b.addBytes(v.Bytes(i))
	}
}

// maxStatistic is the largest length in bytes of extreme values in the footer.
const maxStatistic = 64

// extremes returns the PLAIN bytes of the smallest and the largest value for a footer, or nil when
// there are none, when the element has no defined order, when they are too long, or when there is a
// NaN, which has no place in the order.
func (b *bounds) extremes(f plain.Form, e *format.SchemaElement) (low, high []byte) {
	if !b.any || !hasOrder(e) || max(len(b.min), len(b.max)) > maxStatistic {
		return nil, nil
	}
	if !f.Type.InWords() {
		low, _ = f.AppendBytes([]byte{}, b.min)
		high, _ = f.AppendBytes([]byte{}, b.max)
	} else {
		first, last := b.low, b.high
		if f.Type.Kind == formats.Float {
			if first < formats.FloatWord(math.Float64bits(math.Inf(-1))) ||
				last > formats.FloatWord(math.Float64bits(math.Inf(1))) {
				return nil, nil
			}
			// The format demands it: readers may treat the two zeros as equal.
			positive, negative := formats.FloatWord(0),
				formats.FloatWord(math.Float64bits(math.Copysign(0, -1)))
			if first == positive {
				first = negative
			}
			if last == negative {
				last = positive
			}
		}
		low, _ = f.AppendWords(nil, []uint64{first})
		high, _ = f.AppendWords(nil, []uint64{last})
	}
	if e.Type.V == format.ByteArray {
		low, high = low[4:], high[4:] // the length is implied
	}
	return low, high
}

// hasOrder reports whether the format defines an order of the element's values.
func hasOrder(e *format.SchemaElement) bool {
	if e.Type.V == format.Int96 || e.ConvertedType.Valid &&
		e.ConvertedType.V == deprecated.Interval {
		return false
	}
	switch e.LogicalType.Value.(type) {
	case *format.NullType, *format.VariantType, *format.GeometryType, *format.GeographyType:
		return false
	}
	return true
}
