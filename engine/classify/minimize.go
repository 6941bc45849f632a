package classify

import (
	"math"
	"slices"
)

const (
	remembered = 10   // number of steps for estimating the curvature
	mostSteps  = 300  // flat directions may take any number of steps
	flat       = 1e-6 // largest partial derivative at the end

	// minimizedTimes is the number of numbers held for every unknown: two for every remembered
	// step, and the present and the next position.
	minimizedTimes = 2*remembered + 6
)

// minimize returns the minimum of a convex function, searching from 0 (limited-memory BFGS;
// Nocedal, 1980). The function writes its gradient; its error ends the search.
func minimize(n int, function func(at, gradient []float64) (float64, error)) (at []float64,
	err error) {
	m := &minimizer{function: function, at: make([]float64, n), gradient: make([]float64, n)}
	if m.value, err = function(m.at, m.gradient); err != nil {
		return nil, err
	}
	for step := 0; step < mostSteps && norm(m.gradient) > flat; step++ {
		further, err := m.step()
		if err != nil {
			return nil, err
		}
		if !further {
			break
		}
	}
	return m.at, nil
}

// minimizer is the state of the search.
type minimizer struct {
	function     func(at, gradient []float64) (float64, error)
	at, gradient []float64
	value        float64
	past         []move // the oldest first
}

// move is a step with the change of the gradient.
type move struct {
	by, change []float64
	curvature  float64 // their product, above 0
}

// step takes one step downhill, and reports whether that was possible.
func (m *minimizer) step() (bool, error) {
	direction := m.direction()
	slope := dot(direction, m.gradient)
	length := 1.0
	if len(m.past) == 0 {
		length = min(1, 1/norm(m.gradient))
	}
	at, gradient := make([]float64, len(m.at)), make([]float64, len(m.at))
	for ; length > 1e-12; length /= 2 {
		for i := range at {
			at[i] = m.at[i] + float64(length*direction[i])
		}
		value, err := m.function(at, gradient)
		if err != nil {
			return false, err
		}
		if value <= m.value+float64(1e-4*length*slope) {
			m.remember(at, gradient)
			m.at, m.gradient, m.value = at, gradient, value
			return true, nil
		}
	}
	return false, nil
}

// remember keeps the step to a new position, unless the function has no curvature there.
func (m *minimizer) remember(at, gradient []float64) {
	last := move{by: slices.Clone(at), change: slices.Clone(gradient)}
	add(last.by, -1, m.at)
	add(last.change, -1, m.gradient)
	if last.curvature = dot(last.by, last.change); last.curvature <= 1e-18 {
		return
	}
	if len(m.past) == remembered {
		m.past = slices.Delete(m.past, 0, 1)
	}
	m.past = append(m.past, last)
}

// direction returns the negative gradient times the estimated inverse of the curvature.
func (m *minimizer) direction() []float64 {
	d := make([]float64, len(m.gradient))
	for i, g := range m.gradient {
		d[i] = -g
	}
	shares := make([]float64, len(m.past))
	for i, p := range slices.Backward(m.past) {
		shares[i] = dot(p.by, d) / p.curvature
		add(d, -shares[i], p.change)
	}
	if n := len(m.past); n > 0 {
		scale := m.past[n-1].curvature / dot(m.past[n-1].change, m.past[n-1].change)
		for i := range d {
			d[i] *= scale
		}
	}
	for i, p := range m.past {
		add(d, shares[i]-dot(p.change, d)/p.curvature, p.by)
	}
	return d
}

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += float64(a[i] * b[i])
	}
	return sum
}

func add(to []float64, factor float64, v []float64) {
	for i := range to {
		to[i] += float64(factor * v[i])
	}
}

// norm returns the largest absolute value.
func norm(v []float64) (largest float64) {
	for _, x := range v {
		largest = max(largest, math.Abs(x))
	}
	return largest
}
