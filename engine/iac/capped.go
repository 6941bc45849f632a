package iac

import (
	"context"
	"fmt"

	"github.com/kcut/kcut/engine"
)

// suppressCapped is IACc: it suppresses the smallest classes, all of one size together, as
// long as no attribute changes by more than it may (Algorithm 2).
func (s *search) suppressCapped(ctx context.Context) (*tuples, error) {
	cells, err := s.collect(ctx, func([]uint64) bool { return true })
	if err != nil {
		return nil, err
	}
	t, classes, err := s.join(cells)
	if err != nil {
		return nil, err
	}
	reached := s.suppressBySize(t, s.newCaps(t, classes))
	if s.all.K <= 0 {
		s.all.K = engine.KAnonymity(reached)
	}
	if !s.all.Holds(engine.Stats{Records: reached}) {
		return nil, fmt.Errorf("reach k %d: it is %d: %w", s.all.K, reached, engine.ErrUnreached)
	}
	core, err := s.newCore(t, []set{newSet(s.sets[0], s.attributes, t.layout)})
	if err == nil {
		s.fill(core)
	}
	return t, err
}

// suppressBySize suppresses the smallest classes while the caps allow it, and returns the
// k that is reached: the size of the smallest one left or, if none is, all records.
func (s *search) suppressBySize(t *tuples, caps caps) (k uint64) {
	order, _ := t.left()
	t.bySize(order)
	for first := 0; first < len(order); {
		size, last := t.sizes[order[first]], first
		for last < len(order) && t.sizes[order[last]] == size {
			caps.suppress(order[last])
			last++
		}
		if caps.exceeded(s.Delta, s.Epsilon) {
			return size
		}
		for _, tuple := range order[first:last] {
			t.gone[tuple] = true
		}
		first = last
	}
	return s.input.Rows
}
