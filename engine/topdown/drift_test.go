package topdown

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/partition"
)

// TestBoundsOfGainsHold discloses random values in random order, computes some gains from time to
// time, and compares the bounds of all others with their gains until the horizon.
func TestBoundsOfGainsHold(t *testing.T) {
	bounds, close := 0, 0
	enginetest.Cases(t, 300, func(r *rand.Rand) {
		c := randomSuppressed(r)
		c.rest.impurity = c.impurity(c.frequencies, c.rest.size, 1)
		for _, code := range c.open {
			c.gain(code)
		}
		order := slices.Clone(c.open)
		r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for i, code := range order {
			left := c.without(code)
			c.drifts.advance(c.rest.size, c.rest.size-c.parts[code].size, c.frequencies, left)
			copy(c.frequencies, left)
			c.rest.size -= c.parts[code].size
			c.rest.impurity = c.impurity(c.frequencies, c.rest.size, 1)
			c.disclosed[code] = true
			c.state++
			if c.drifts.beyond {
				c.renew(len(c.open))
			}
			for _, other := range order[i+1:] {
				most := c.atMost(c.kind[other])
				fresh := part{size: c.rest.size - c.parts[other].size}
				fresh.impurity = c.impurity(c.without(other), fresh.size, 1)
				gain := c.gainOf(c.rest, c.parts[other], fresh) * c.unit()
				if bounds++; gain > most {
					t.Fatalf("after %d disclosures the gain is %v, the bound %v", i+1, gain, most)
				}
				if most < gain+float64(c.parts[other].size)/4 {
					close++
				}
				if r.IntN(20) == 0 {
					c.gain(other)
				}
			}
		}
	})
	t.Logf("%d bounds, %d of them close", bounds, close)
	if close < bounds/4 {
		t.Error("few bounds are close to the gain")
	}
}

// randomSuppressed returns a column of random values, some of them rare, with or without classes.
func randomSuppressed(r *rand.Rand) *suppressed {
	values, classes := 2+r.IntN(60), 1+r.IntN(6)
	a := engine.Attribute{Mask: engine.Suppress, Texts: make([]string, values)}
	h := &partition.Histogram{Classes: classes, Start: []int{0}}
	for range values {
		most := 1 + r.IntN(1+1<<r.IntN(12))
		for class := range classes {
			n := r.IntN(1 + most>>(r.IntN(class+1)*2))
			if class == 0 {
				n++
			}
			if n > 0 {
				h.Class, h.Count = append(h.Class, uint32(class)), append(h.Count, uint64(n))
			}
		}
		h.Start = append(h.Start, len(h.Class))
	}
	p := profile{
		attribute: &a,
		histogram: h,
		classes:   classes,
		kinds:     &engine.Kinds{},
		set:       engine.Set{Columns: []int{0}, K: 1},
	}
	if classes == 1 {
		p.classes = 0
	}
	return newSuppressed(p)
}

// TestHorizonsGoByCost: if bounds let too many gains be computed, renewal moves the horizons closer
// as soon as these gains cost more than renewing the bounds of the groups.
func TestHorizonsGoByCost(t *testing.T) {
	for _, tt := range []struct {
		spent, groups int
		closer        bool
	}{
		{0, 1000, false},
		{200, 1000, false},
		{500, 1000, true},
		{500, 8000, false},
	} {
		d := newDrift(2)
		d.spent = tt.spent
		before := d.ahead
		d.renew(tt.groups, []uint64{5, 5})
		if closer := d.ahead < before; closer != tt.closer {
			t.Errorf("after %d gains, with %d groups: closer is %v", tt.spent, tt.groups, closer)
		}
	}
}
