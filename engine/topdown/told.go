package topdown

import "slices"

// told is the state of the sets in the last report. A step changes only the sets with its column,
// which may be few among many.
type told struct {
	sets      []reached
	anonymity []uint64 // by set
	all       reached  // live and touched, summed over the sets
}

// reached is the state of a set after a step.
type reached struct{ anonymity, live, touched uint64 }

func (s *search) reached(set int) reached {
	t := s.sets[set]
	return reached{s.kinds.Entities(t.Anonymity()), s.kinds.Entities(t.Live()),
		s.kinds.Entities(t.Touched())}
}

// begin records the state of the sets before the first step, which is not reported.
func (s *search) begin() {
	for i := range s.sets {
		r := s.reached(i)
		s.told.sets, s.told.anonymity = append(s.told.sets, r),
			append(s.told.anonymity, r.anonymity)
		s.told.all.live += r.live
		s.told.all.touched += r.touched
	}
}

// tell adds the state of all sets after a step to it, and reports it.
func (s *search) tell(p *performedStep) {
	if s.options.OnStep == nil {
		return
	}
	for i, set := range s.with[p.Attribute] {
		was, is := &s.told.sets[set], p.reached[i]
		s.told.all.live += is.live - was.live
		s.told.all.touched += is.touched - was.touched
		*was, s.told.anonymity[set] = is, is.anonymity
	}
	step := p.Step
	step.Anonymity, step.Live, step.Touched = slices.Clone(s.told.anonymity), s.told.all.live,
		s.told.all.touched
	s.options.OnStep(step)
}
