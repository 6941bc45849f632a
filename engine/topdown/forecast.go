package topdown

import "github.com/kcut/kcut/partition/tips"

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
	anonymity  map[*tips.TIPS]float64
	rarest     []float64 // by attribute: the records of its rarest value
	open       []prospect
	considered map[int32]bool
}

// prospect is a refinement that may be performed.
type prospect struct {
	column, node int
	gain         float64
	outcome
}

func (p *prospect) parting() tips.SplitPoints {
	return tips.SplitPoints{Column: p.column, Starts: p.starts}
}

// outcome says what refining a node makes.
type outcome struct {
	starts   []uint32 // the codes of the search at which parts start
	smallest uint64   // records of the smallest one
	nodes    []int    // that can be refined in turn
}

// predict returns the refinements that are expected to follow, the next one first.
func (s *search) predict() (ahead tips.Lookahead) {
	f := &forecast{search: s, anonymity: make(map[*tips.TIPS]float64), rarest: make([]float64, len(s.columns)), considered: make(map[int32]bool)}
	for _, set := range s.sets {
		f.anonymity[set] = float64(set.Anonymity())
	}
	for a, c := range s.columns {
		f.rarest[a] = float64(c.rarest())
	}
	for _, value := range s.queue.values[:min(len(s.queue.values), forecastStart)] {
		f.consider(value)
	}
	for _, value := range s.stale[max(0, len(s.stale)-forecastStart):] {
		if s.candidates[value].place == 0 { // it is new
			f.consider(value)
		}
	}
	for len(ahead.Next) < forecastSteps && len(f.open) > 0 {
		p := f.next()
		if f.anonymityAfter(p) >= float64(f.columns[p.column].threshold()) {
			ahead.Next = append(ahead.Next, p.parting())
			f.perform(p)
		} else {
			ahead.Beyond = append(ahead.Beyond, p.parting())
		}
	}
	for _, p := range f.open {
		ahead.Beyond = append(ahead.Beyond, p.parting())
	}
	return ahead
}

// consider adds a candidate, once.
func (f *forecast) consider(value int32) {
	if c := &f.candidates[value]; !f.view.Dead(value) && !f.considered[value] {
		f.considered[value] = true
		f.add(c.column, c.node)
	}
}

func (f *forecast) add(column, node int) {
	c := f.columns[column]
	f.open = append(f.open, prospect{column: column, node: node, gain: c.gain(node), outcome: c.outcome(node)})
}

// next takes the best prospect out.
func (f *forecast) next() prospect {
	best, score := 0, f.score(&f.open[0])
	for i := range f.open[1:] {
		if s := f.score(&f.open[1+i]); s > score {
			best, score = 1+i, s
		}
	}
	p := f.open[best]
	last := len(f.open) - 1
	f.open[best] = f.open[last]
	f.open = f.open[:last]
	return p
}

// score is what search.rescore would compute.
func (f *forecast) score(p *prospect) float64 {
	sets := f.with[p.column]
	loss := 0.0
	for _, set := range sets {
		loss += f.anonymity[set] * (1 - f.left(p))
	}
	return score(f.options.Score, p.gain, loss/float64(len(sets)))
}

// left returns what refining a value would leave of the smallest partitions.
func (f *forecast) left(p *prospect) float64 {
	return min(1, float64(p.smallest)/f.rarest[p.column])
}

// anonymityAfter returns the least A(QID) after a refinement of the sets with its column.
func (f *forecast) anonymityAfter(p prospect) float64 {
	least := f.anonymity[f.with[p.column][0]]
	for _, set := range f.with[p.column] {
		least = min(least, f.anonymity[set])
	}
	return least * f.left(&p)
}

func (f *forecast) perform(p prospect) {
	left := f.left(&p)
	for _, set := range f.with[p.column] {
		f.anonymity[set] *= left
	}
	f.rarest[p.column] *= left
	for _, node := range p.nodes {
		f.add(p.column, node)
	}
}
