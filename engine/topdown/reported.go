package topdown

import "slices"

// reported is the state of the sets in the last report. A step changes only the sets with its
// column, which may be few among many.
type reported struct {
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
		s.reported.sets, s.reported.anonymity = append(s.reported.sets, r),
			append(s.reported.anonymity, r.anonymity)
		s.reported.all.live += r.live
		s.reported.all.touched += r.touched
	}
}

// reportStep adds the state of all sets after a step to the step, and reports the step.
func (s *search) reportStep(p *performedStep) {
	if s.options.OnStep == nil {
		return
	}
	for i, set := range s.with[p.Attribute] {
		was, is := &s.reported.sets[set], p.reached[i]
		s.reported.all.live += is.live - was.live
		s.reported.all.touched += is.touched - was.touched
		*was, s.reported.anonymity[set] = is, is.anonymity
	}
	step := p.Step
	step.Anonymity = slices.Clone(s.reported.anonymity)
	step.Live, step.Touched = s.reported.all.live, s.reported.all.touched
	s.options.OnStep(step)
}
