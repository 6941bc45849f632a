package topdown

import "github.com/kcut/kcut/engine"

// stop says why a candidate was not performed.
func (s *search) stop(value int32) engine.Stop {
	if !s.view.Dead(value) {
		return engine.Stop{Why: engine.WhySteps}
	}
	for _, i := range s.with[s.queue.candidates[value].column] {
		if !s.asked[i].Holds(engine.Stats{Records: s.sets[i].After(value)}) {
			return engine.Stop{Why: engine.WhySet, Set: i}
		}
	}
	return engine.Stop{Why: engine.WhyRecords}
}

func (r *refined) stops(s *search) (stops []engine.Stop) {
	r.through(0, func(n int) { stops = append(stops, r.stop(s, n)) })
	return stops
}

// stop says why a node of the cut was not refined.
func (r *refined) stop(s *search, n int) engine.Stop {
	switch whole := &r.nodes[n]; {
	case whole.children > 0:
		return s.stop(s.view.Columns[r.index].Value[r.code[whole.lo]])
	case whole.size == 0:
		return engine.Stop{Why: engine.WhyEmpty}
	case r.shape.finest(whole.span):
		return engine.Stop{Why: engine.WhyFinest}
	default:
		return engine.Stop{Why: whole.why}
	}
}

// stops has nothing to say of disclosed values. Of all others it says why the last of them that
// could have been disclosed was not.
func (c *suppressed) stops(s *search) (stops []engine.Stop) {
	rest := engine.Stop{Why: engine.WhyRecords}
	for code, disclosed := range c.disclosed {
		switch {
		case disclosed:
			stops = append(stops, engine.Stop{Why: engine.WhyFinest})
		case int(c.code[code]) < c.domain-1 && rest.Why != engine.WhySteps:
			rest = s.stop(c.value[code])
		}
	}
	switch {
	case c.rest.size == 0:
		rest = engine.Stop{Why: engine.WhyEmpty}
	case !c.beneficial(c.frequencies):
		rest = engine.Stop{Why: engine.WhyClass}
	}
	return append(stops, rest)
}
