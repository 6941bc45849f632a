package bottomup

import "math"

// tournament is a list of numbers in which the least is known, and the first that is not
// above a bound is found, in steps as many as the list's length has bits.
type tournament struct {
	least []float64 // node i has the children 2i and 2i+1; the list is the second half
}

// newTournament returns a list of n infinite numbers.
func newTournament(n int) tournament {
	half := 1
	for half < n {
		half *= 2
	}
	t := tournament{least: make([]float64, 2*half)}
	for i := range t.least {
		t.least[i] = math.Inf(1)
	}
	return t
}

// set makes x the number of a place.
func (t *tournament) set(place int, x float64) {
	i := place + len(t.least)/2
	t.least[i] = x
	for i /= 2; i > 0; i /= 2 {
		t.least[i] = min(t.least[2*i], t.least[2*i+1])
	}
}

// min returns the least number, infinite when there is none.
func (t *tournament) min() float64 { return t.least[1] }

// first returns the first place with a number that is at most bound, which some number is.
func (t *tournament) first(bound float64) (place int) {
	i := 1
	for i < len(t.least)/2 {
		i *= 2
		if t.least[i] > bound {
			i++
		}
	}
	return i - len(t.least)/2
}
