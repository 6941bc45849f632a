package topdown

import (
	"math"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition/tips"
)

const (
	// forecastSteps is how many steps are predicted.
	forecastSteps = 64
	// forecastStart is how many of the present candidates are looked at, and of new ones.
	forecastStart = 256
)

// forecast plays the next steps as if the columns were independent of each other: then the
// smallest partition is as large as the rarest values of all columns allow, and refining a
// value makes it smaller as far as the column's rarest value becomes rarer. What is predicted
// makes a search on disk faster; nothing else depends on it.
type forecast struct {
	*search
	balance
	anonymity []float64 // by set
	rarest    []float64 // by attribute: the records of its rarest value
	open      []prospect
}

// prospect is a refinement that may be performed.
type prospect struct {
	tips.SplitPoints
	gain     float64
	smallest uint64 // records of the smallest part
	nodes    []int  // parts that can be refined in turn
}

// predict returns the refinements that are expected to follow, the next one first.
func (s *search) predict() (ahead tips.Lookahead) {
	f := &forecast{search: s, balance: s.clone()}
	for _, set := range s.sets {
		f.anonymity = append(f.anonymity, float64(set.Anonymity()))
	}
	for _, c := range s.columns {
		f.rarest = append(f.rarest, float64(c.rarest()))
	}
	present := s.queue.some(forecastStart)
	for _, value := range s.stale[max(0, len(s.stale)-forecastStart):] {
		if s.queue.candidates[value].group == noGroup { // it is new
			present = append(present, value)
		}
	}
	for _, value := range slices.Compact(slices.Sorted(slices.Values(present))) {
		if !s.view.Dead(value) {
			f.add(s.queue.candidates[value].column, s.queue.candidates[value].node)
		}
	}
	for len(ahead.Next) < forecastSteps && len(f.open) > 0 {
		p := f.next()
		if f.holds(&p) {
			ahead.Next = append(ahead.Next, p.SplitPoints)
			f.perform(&p)
		} else {
			ahead.Beyond = append(ahead.Beyond, p.SplitPoints)
		}
	}
	for _, p := range f.open {
		ahead.Beyond = append(ahead.Beyond, p.SplitPoints)
	}
	return ahead
}

func (f *forecast) add(column, node int) {
	p := f.columns[column].outcome(node)
	p.Column, p.gain = column, f.columns[column].gain(node)
	f.open = append(f.open, p)
}

// next takes the best prospect out.
func (f *forecast) next() prospect {
	best, highest := 0, math.Inf(-1)
	for i := range f.open {
		if score := f.score(&f.open[i]); score > highest {
			best, highest = i, score
		}
	}
	p, last := f.open[best], len(f.open)-1
	f.open[best] = f.open[last]
	f.open = f.open[:last]
	return p
}

// score is what search.rescore would compute.
func (f *forecast) score(p *prospect) float64 {
	sets, loss := f.with[p.Column], 0.0
	for _, i := range sets {
		loss += f.anonymity[i] * (1 - f.left(p))
	}
	return f.balanced(p.Column, score(f.options.Score, p.gain, loss/float64(len(sets))))
}

// left returns what a refinement would leave of the smallest partitions.
func (f *forecast) left(p *prospect) float64 {
	return min(1, float64(p.smallest)/f.rarest[p.Column])
}

// holds reports whether every set with its column would hold after a refinement.
func (f *forecast) holds(p *prospect) bool {
	least, k := math.Inf(1), engine.KAnonymity(0)
	for _, i := range f.with[p.Column] {
		least, k = min(least, f.anonymity[i]), max(k, f.asked[i].K)
	}
	return least*f.left(p) >= float64(k)
}

func (f *forecast) perform(p *prospect) {
	left := f.left(p)
	for _, i := range f.with[p.Column] {
		f.anonymity[i] *= left
	}
	f.rarest[p.Column] *= left
	f.balance.count(p.Column)
	for _, node := range p.nodes {
		f.add(p.Column, node)
	}
}
