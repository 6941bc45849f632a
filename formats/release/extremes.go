package release

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/meta"
	"github.com/kcut/kcut/formats/internal/page"
	"github.com/kcut/kcut/formats/internal/plain"
	"github.com/kcut/kcut/formats/internal/schema"
)

// extremes keeps the smallest and the largest value of a chunk, for what the footer says they are: a
// reader that trusts it passes over chunks. Dictionaries are asked instead of rows, since one with an entry
// that no row uses is a finding of its own. It keeps nothing where the footer says nothing.
type extremes struct {
	values formats.Values // scratch
	decode plain.Decoder  // nil: nothing is said
	width  int
	any    bool
	// Of a type that is InWords, the words; else the bytes, and the first eight of them as a number.
	low, high           uint64
	lowBytes, highBytes []byte
}

// stepValues is how many values are decoded at a time.
const stepValues = 1 << 10

// reset begins with a chunk of a leaf.
func (e *extremes) reset(l *schema.Leaf, said *meta.Statistics) {
	*e = extremes{values: e.values, width: plain.SizeOf(l.SchemaElement), lowBytes: e.lowBytes[:0], highBytes: e.highBytes[:0]}
	t, err := schema.TypeOf(l.SchemaElement)
	if (said.MinValue != nil || said.MaxValue != nil) && err == nil && t.Kind != formats.Null {
		e.values.Type, e.decode = t, plain.DecoderOf(t, l.Type.V, e.width)
	}
}

// add takes in n values of a page, or of a dictionary.
func (e *extremes) add(values *page.Values, n int) error {
	if e.decode == nil {
		return nil
	}
	if values.Ends != nil && e.values.Type.Kind != formats.Decimal {
		for i := range n {
			e.addText(values.Text(i))
		}
		return nil
	}
	for at := 0; at < n; at += stepValues {
		v := &e.values
		v.Clear()
		if err := values.Append(v, e.decode, at, min(n-at, stepValues)); err != nil {
			return err
		}
		e.addValues(v)
	}
	return nil
}

// addText takes in a value of bytes. Most have beginnings that are between those of the extremes.
func (e *extremes) addText(value []byte) {
	if e.any && len(value) >= 8 {
		if head := binary.BigEndian.Uint64(value); head > e.low && head < e.high {
			return
		}
	}
	e.addBytes(value)
}

func (e *extremes) addValues(v *formats.Values) {
	for _, w := range v.Words {
		e.addWord(w)
	}
	for i := range v.Ends {
		e.addBytes(v.Bytes(i))
	}
}

func (e *extremes) addWord(w uint64) {
	if !e.any {
		e.any, e.low, e.high = true, w, w
	}
	e.low, e.high = min(e.low, w), max(e.high, w)
}

func (e *extremes) addBytes(value []byte) {
	if !e.any || bytes.Compare(value, e.lowBytes) < 0 {
		e.lowBytes = append(e.lowBytes[:0], value...)
		e.low = head(value)
	}
	if !e.any || bytes.Compare(value, e.highBytes) > 0 {
		e.highBytes = append(e.highBytes[:0], value...)
		e.high = head(value)
	}
	e.any = true
}

// head returns the first eight bytes of a value as a number.
func head(value []byte) uint64 {
	var first [8]byte
	copy(first[:], value)
	return binary.BigEndian.Uint64(first[:])
}

// wrong counts the extreme values of a footer that are not those of the chunk. Kcut says none where a value is
// not a number, and none in the fields of old.
func (e *extremes) wrong(said *meta.Statistics) (wrong int) {
	low, high, known := e.low, e.high, e.any && e.decode != nil
	if e.values.Type.Kind == formats.Float { // the format asks for a smallest 0 to be -0, and a largest to be +0
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
		{said.MinValue, known && e.is(said.MinValue, low, e.lowBytes)},
		{said.MaxValue, known && e.is(said.MaxValue, high, e.highBytes)},
	} {
		if s.said != nil && !s.ok {
			wrong++
		}
	}
	return wrong
}

var zero, negativeZero = floatWord(0), floatWord(math.Copysign(0, -1))

func floatWord(x float64) uint64 { return formats.FloatWord(math.Float64bits(x)) }

// is reports whether the bytes of a footer are a word or, of types that are not InWords, a value's bytes.
func (e *extremes) is(said []byte, word uint64, value []byte) bool {
	values := page.Values{Data: said, Width: e.width}
	if e.width == 0 {
		values.Ends = []uint32{0, uint32(len(said))}
	} else if len(said) != e.width {
		return false
	}
	v := &formats.Values{Type: e.values.Type}
	if err := values.Append(v, e.decode, 0, 1); err != nil || v.Type.InWords() {
		return err == nil && v.Words[0] == word
	}
	return bytes.Equal(v.Bytes(0), value)
}
