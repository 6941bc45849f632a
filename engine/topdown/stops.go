package topdown

import "github.com/kcut/kcut/engine"

// stops says why every label of every column was not refined further.
func (s *search) stops() [][]engine.Stop {
	stops := make([][]engine.Stop, len(s.columns))
	for a, c := range s.columns {
		stops[a] = c.stops(s)
	}
	return stops
}

// stop says why a candidate was not performed.
func (s *search) stop(value int32) engine.Stop {
	if !s.view.Dead(value) {
		return engine.Stop{Why: engine.WhySteps}
	}
	for i, set := range s.sets {
		for _, with := range s.with[s.candidates[value].column] {
			if with == set && !s.asked[i].Holds(engine.Stats{Records: set.After(value)}) {
				return engine.Stop{Why: engine.WhySet, Set: i}
			}
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

// finest does not hold for a leaf that stands for all that was below it.
func (t *taxonomy) finest(of span) bool {
	tree := t.attribute.Tree
	return of.node == nullNode || tree.IsLeaf(of.node) && !tree.IsPruned(of.node)
}

// finest does not count the null: where there is one number, nothing is split from it.
func (v *intervals) finest(of span) bool {
	values := 0
	for code := of.lo; code < min(of.hi, len(v.attribute.Texts)) && values < 2; code++ {
		if v.occurs(code) {
			values++
		}
	}
	return values < 2
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
