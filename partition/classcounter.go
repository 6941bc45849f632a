package partition

import (
	"context"
	"math/bits"

	"github.com/kcut/kcut/spill"
)

// denseClasses is the largest number of (code, class) pairs that are counted in a plain
// array: 32 MiB. More are counted as tuples.
const denseClasses = 1 << 22

// ClassCounter counts the (code, class) pairs of one column while neither domain is known. It
// belongs to one goroutine; JoinClassCounters joins several.
type ClassCounter struct {
	budget *spill.Budget
	stride int // classes there is room for, a power of two
	counts []uint64
	pairs  *Counter // instead of counts when there are too many
}

// NewClassCounter returns an empty counter.
func NewClassCounter(budget *spill.Budget) *ClassCounter {
	return &ClassCounter{budget: budget, stride: 1}
}

// Add counts rows with the given codes and classes, below the given domains, as often as times
// says; classes is nil when there is no class, and times where each row counts once.
func (t *ClassCounter) Add(codes, classes []uint32, times []uint64, domain, classDomain int) error {
	if t.pairs == nil {
		if err := t.grow(domain, classDomain); err != nil {
			return err
		}
	}
	if t.pairs != nil {
		if classes == nil {
			classes, classDomain = make([]uint32, len(codes)), 1
		}
		return t.pairs.AddCounted(len(codes), times, [][]uint32{codes, classes}, []int{domain, classDomain})
	}
	t.addDense(codes, classes, times)
	return nil
}

// addDense is Add to the plain array.
func (t *ClassCounter) addDense(codes, classes []uint32, times []uint64) {
	counts, shift := t.counts, bits.TrailingZeros(uint(t.stride))
	switch {
	case times != nil:
		for i, code := range codes {
			at := uint64(code) << (shift & 63)
			if classes != nil {
				at |= uint64(classes[i])
			}
			counts[at] += times[i]
		}
	case classes == nil:
		for _, code := range codes {
			counts[code]++
		}
	default:
		classes = classes[:len(codes)]
		for i, code := range codes {
			counts[uint64(code)<<(shift&63)|uint64(classes[i])]++
		}
	}
}

// grow makes room for the domains, moving to pairs when the array would be too large.
func (t *ClassCounter) grow(domain, classDomain int) error {
	stride := t.stride
	for stride < classDomain {
		stride *= 2
	}
	if stride == t.stride && domain*stride <= len(t.counts) {
		return nil
	}
	room := 2 * domain * stride
	if domain*stride > denseClasses {
		return t.toPairs()
	}
	if err := t.budget.Draw("class counts", int64(room)*8); err != nil {
		return err
	}
	counts := make([]uint64, room)
	for from, to := 0, 0; from < len(t.counts) && to < room; from, to = from+t.stride, to+stride {
		copy(counts[to:to+t.stride], t.counts[from:from+t.stride])
	}
	t.budget.Return(int64(len(t.counts)) * 8)
	t.counts, t.stride = counts, stride
	return nil
}

func (t *ClassCounter) toPairs() error {
	t.pairs = NewCounter(make([]int, 2), Space{Budget: t.budget})
	if err := t.pairs.widen([]int{max(1, len(t.counts)/t.stride), t.stride}); err != nil {
		return err
	}
	key := make([]uint64, t.pairs.layout.Words)
	fields := t.pairs.layout.Fields
	for i, count := range t.counts {
		if count > 0 {
			clear(key)
			key[fields[0].Word] |= uint64(i/t.stride) << fields[0].Shift
			key[fields[1].Word] |= uint64(i%t.stride) << fields[1].Shift
			if err := t.pairs.add(key, count); err != nil {
				return err
			}
		}
	}
	t.budget.Return(int64(len(t.counts)) * 8)
	t.counts = nil
	return nil
}

// JoinClassCounters adds up what counters of the same column have counted. They are consumed.
func JoinClassCounters(ctx context.Context, parts []*ClassCounter, budget *spill.Budget, threads int) (Pairs, error) {
	var dense []*ClassCounter
	var counters []*Counter
	for _, t := range parts {
		if t.pairs != nil {
			counters = append(counters, t.pairs)
		} else {
			dense = append(dense, t)
		}
	}
	pairs := sumDense(dense, budget)
	if len(counters) == 0 {
		return pairs, nil
	}
	table, err := Tabulate(ctx, counters, Space{Budget: budget}, threads)
	if err != nil {
		return nil, err
	}
	code, class := table.Layout.Fields[0], table.Layout.Fields[1]
	for i, count := range table.Counts {
		key := table.Keys[i*table.Layout.Words:]
		pairs = append(pairs, Pair{code.Code(key), class.Code(key), count})
	}
	budget.Return(table.Bytes())
	return pairs.Merge(), nil
}

// sumDense adds up plain arrays, which are consumed. The pairs come in their order.
func sumDense(parts []*ClassCounter, budget *spill.Budget) Pairs {
	occur := 0
	eachSum(parts, func(Pair) { occur++ })
	pairs := make(Pairs, 0, occur)
	eachSum(parts, func(p Pair) { pairs = append(pairs, p) })
	for _, t := range parts {
		budget.Return(int64(len(t.counts)) * 8)
		t.counts = nil
	}
	return pairs
}

// eachSum calls f with the sums of plain arrays that are not zero, in their order.
func eachSum(parts []*ClassCounter, f func(Pair)) {
	domain, classes := 0, 1
	for _, t := range parts {
		domain, classes = max(domain, len(t.counts)/t.stride), max(classes, t.stride)
	}
	sums := make([]uint64, classes)
	for code := range domain {
		clear(sums)
		for _, t := range parts {
			if at := code * t.stride; at < len(t.counts) {
				for class, n := range t.counts[at : at+t.stride] {
					sums[class] += n
				}
			}
		}
		for class, n := range sums {
			if n > 0 {
				f(Pair{uint32(code), uint32(class), n})
			}
		}
	}
}
