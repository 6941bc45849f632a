package release

import (
	"bytes"
	"math"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/meta"
	"github.com/kcut/kcut/formats/internal/page"
	"github.com/kcut/kcut/formats/internal/plain"
	"github.com/kcut/kcut/formats/internal/schema"
)

// valueReader decodes the values of a chunk, and keeps the smallest and the largest, to check those
// in the footer: a reader that trusts them skips chunks. It uses dictionaries instead of rows,
// since an entry that no row uses is a finding of its own. It keeps nothing if the footer has no
// such values.
type valueReader struct {
	formats.Values      // the last values
	decode              plain.Decoder
	width               int
	unknown             error // error of a type without a decoder
	asked               bool  // the footer has such values
	any                 bool
	low, high           uint64 // of a type that is InWords
	lowBytes, highBytes []byte // of others
}

// stepValues is the number of values that are decoded at a time.
const stepValues = 1 << 10

// reset starts with a chunk of a leaf.
func (r *valueReader) reset(l *schema.Leaf, said *meta.Statistics) {
	*r = valueReader{
		Values:    r.Values,
		width:     plain.SizeOf(l.SchemaElement),
		lowBytes:  r.lowBytes[:0],
		highBytes: r.highBytes[:0],
	}
	r.Type, r.unknown = schema.TypeOf(l.SchemaElement)
	r.decode = plain.DecoderOf(r.Type, l.Type.V, r.width)
	r.asked = (said.MinValue != nil || said.MaxValue != nil) && r.unknown == nil &&
		r.Type.Kind != formats.Null
}

// read decodes n values of a page, or of a dictionary, some at a time, and passes their positions
// to show, which may be nil.
func (r *valueReader) read(values *page.Values, n int, show func(i int)) error {
	if show == nil && !r.asked {
		return nil
	}
	for at := 0; at < n; at += stepValues {
		step := min(n-at, stepValues)
		r.Clear()
		if err := values.Append(&r.Values, r.decode, at, step); err != nil {
			return err
		}
		for i := range step {
			if show != nil {
				show(i)
			}
		}
		if r.asked {
			r.add()
		}
	}
	return nil
}

// add updates the extremes with the last values.
func (r *valueReader) add() {
	for _, w := range r.Words {
		r.addWord(w)
	}
	for i := range r.Ends {
		r.addBytes(r.Bytes(i))
	}
}

func (r *valueReader) addWord(w uint64) {
	if !r.any {
		r.any, r.low, r.high = true, w, w
	}
	r.low, r.high = min(r.low, w), max(r.high, w)
}

func (r *valueReader) addBytes(value []byte) {
	if !r.any || bytes.Compare(value, r.lowBytes) < 0 {
		r.lowBytes = append(r.lowBytes[:0], value...)
	}
	if !r.any || bytes.Compare(value, r.highBytes) > 0 {
		r.highBytes = append(r.highBytes[:0], value...)
	}
	r.any = true
}

// wrong counts the extreme values of a footer that are not those of the chunk. kcut writes none if
// some value is not a number, and none in the deprecated fields.
func (r *valueReader) wrong(said *meta.Statistics) (wrong int) {
	low, high, known := r.low, r.high, r.any
	// the format demands -0 for a smallest 0, and +0 for a largest one
	if r.Type.Kind == formats.Float {
		if low == zero {
			low = negativeZero
		}
		if high == negativeZero {
			high = zero
		}
		known = known && low >= floatWord(math.Inf(-1)) && high <= floatWord(math.Inf(1))
	}
	for _, s := range []struct {
		said []byte
		ok   bool
	}{
		{said.Min, false}, {said.Max, false},
		{said.MinValue, known && r.is(said.MinValue, low, r.lowBytes)},
		{said.MaxValue, known && r.is(said.MaxValue, high, r.highBytes)},
	} {
		if s.said != nil && !s.ok {
			wrong++
		}
	}
	return wrong
}

var zero, negativeZero = floatWord(0), floatWord(math.Copysign(0, -1))

func floatWord(x float64) uint64 { return formats.FloatWord(math.Float64bits(x)) }

// is reports whether the bytes of a footer represent a word or, for types that are not InWords, a
// value's bytes.
func (r *valueReader) is(said []byte, word uint64, value []byte) bool {
	values := page.Values{Data: said, Width: r.width}
	if r.width == 0 {
		values.Ends = []uint32{0, uint32(len(said))}
	} else if len(said) != r.width {
		return false
	}
	v := &formats.Values{Type: r.Type}
	if err := values.Append(v, r.decode, 0, 1); err != nil || v.Type.InWords() {
		return err == nil && v.Words[0] == word
	}
	return bytes.Equal(v.Bytes(0), value)
}
