package verify

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/cutfile"
)

// order is the order of the values of a sensitive column. Their words stand for them instead of
// hashes: words are in the order of values.
type order struct {
	of      *cutfile.Sensitive
	lacking atomic.Bool // there are values without an order

	mu    sync.Mutex
	named map[uint64]float64 // by word of a named value: its largest allowed share

	words []uint64 // of all values, ascending, the null last
	all   *engine.Order
}

// newOrder returns the order of a column's values if one of its measures needs it, else nil.
func newOrder(of *cutfile.Sensitive) *order {
	if of.TOrdered == nil {
		return nil
	}
	return &order{of: of, named: make(map[uint64]float64)}
}

// hash returns the word of a value.
func (o *order) hash(values *formats.Values, i int) uint64 {
	if !values.Type.Ordered() || !values.Type.InWords() {
		o.lacking.Store(true)
		return valueHash(values.Text(i))
	}
	word := values.Words[i]
	if values.Type.Kind == formats.Float { // -0 is 0, and every NaN is one value
		x := math.Float64frombits(formats.WordFloat(word)) + 0
		if x != x {
			x = math.NaN()
		}
		word = formats.FloatWord(math.Float64bits(x))
	}
	if shares := o.of.MaxConfidence; shares != nil {
		if most, named := shares.Of[values.Text(i)]; named {
			o.mu.Lock()
			o.named[word] = most
			o.mu.Unlock()
		}
	}
	return word
}

// arrange puts the counted values of all rows in order.
func (o *order) arrange(counted *table) {
	o.words = nil
	null := false
	for value := range counted.all() {
		if value[0] == nullHash {
			null = true
		} else {
			o.words = append(o.words, value[0])
		}
	}
	slices.Sort(o.words)
	if null {
		o.words = append(o.words, nullHash)
	}
	places, whole := make([]uint32, len(o.words)), make([]uint64, len(o.words))
	for i, word := range o.words {
		places[i], whole[i] = uint32(i), counted.records([]uint64{word})
	}
	if o.all = nil; !o.lacking.Load() {
		o.all = engine.NewOrder(places, whole)
	}
}

// rank returns the rank of a value's word.
func (o *order) rank(word uint64) uint32 {
	last := len(o.words) - 1
	if word == nullHash && o.words[last] == nullHash {
		return uint32(last)
	}
	at, _ := slices.BinarySearch(o.words[:last], word)
	return uint32(at)
}
