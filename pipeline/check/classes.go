package check

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/spill"
)

// digestWords is the number of words of a digest in a key.
const digestWords = pieces / 2

// walk processes the tuples of a table, class after class.
type walk struct {
	*Request
	fields  []partition.Field // of the codes of sensitive values
	spreads []spread
	weights *weights    // nil: rows have none
	homes   *households // nil: rows have none
	classes risk.ClassSizes
	people  int64 // sum over all classes
	// Register is nil without a population.
	register *risk.Register
	lacking  int64   // rows whose combinations the population lacks
	found    float64 // expected number of people found by who links all with the population

	class     []uint64 // the words of the last tuple's digests; nil: there is none
	size      int64    // number of people in its class so far
	rows      int64    // number of rows in its class so far
	inhabited int64    // number of people of the population in its class so far
}

func (r *Request) newWalk(
	layout partition.Layout, values []*domain.Interner, budget *spill.Budget,
) *walk {
	w := &walk{Request: r, classes: risk.ClassSizes{K: r.K}}
	if r.PopulationSize > 0 {
		w.classes.Sizes = make(map[int64]int64)
	}
	w.fields = layout.Fields[r.digests():]
	if r.Population != nil {
		w.register = risk.NewRegister()
	}
	if r.Weight >= 0 {
		last := len(values) - 1
		w.weights = newWeights(r.field(r.Weight).Name, w.fields[last], values[last])
	}
	if r.Household >= 0 {
		w.homes = newHouseholds(r, layout, budget)
	}
	for i := range r.Sensitive {
		v := values[i]
		s := spread{
			column: r.field(r.Sensitive[i]).Name, null: v.Null(),
			whole: make([]uint64, v.Len()), class: make([]uint64, v.Len()),
		}
		for _, m := range engine.Measures {
			if m != engine.RecursiveC && !m.Given { // c is for the smallest number of values
				s.verdicts = append(s.verdicts, engine.Verdict{Limit: engine.Limit{Measure: m}})
			}
		}
		w.spreads = append(w.spreads, s)
	}
	return w
}

// addWhole counts the sensitive values of rows, and the rows without a weight.
func (w *walk) addWhole(key []uint64, n uint64) {
	if w.isPopulation(key) {
		return
	}
	for s := range w.spreads {
		w.spreads[s].whole[w.fields[s].Code(key)] += n
	}
	if w.weights != nil {
		w.weights.inspect(key, n)
	}
}

// order puts the sensitive values of all rows in order.
func (w *walk) order(values []*domain.Interner) {
	for i := range w.spreads {
		if places := values[i].Places(); places != nil {
			w.spreads[i].order = engine.NewOrder(places, w.spreads[i].whole)
		}
	}
}

// add processes tuples; those of one class follow each other.
func (w *walk) add(records *partition.Table) error {
	known := digestWords
	if w.Entity >= 0 {
		known += digestWords
	}
	for key, n := range records.All() {
		same := len(w.class) > 0 && slices.Equal(key[:digestWords], w.class[:digestWords])
		if !same {
			w.end()
		}
		if w.isPopulation(key) {
			if w.inhabited += int64(n); !same {
				w.class = append(w.class[:0], key[:known]...)
			}
			continue
		}
		w.rows += int64(n)
		switch {
		case w.Entity < 0:
			w.size += int64(n)
		case w.size == 0 || !slices.Equal(key[digestWords:known], w.class[digestWords:known]):
			w.size++
		}
		w.class = append(w.class[:0], key[:known]...)
		for s := range w.spreads {
			w.spreads[s].add(w.fields[s].Code(key), n)
		}
		if w.weights != nil {
			w.weights.add(key, n)
		}
		if w.homes != nil {
			if err := w.homes.add(key, n); err != nil {
				return err
			}
		}
	}
	return nil
}

// end processes the class whose tuples were added, if there is one.
func (w *walk) end() {
	if w.register != nil && len(w.class) > 0 {
		w.found += w.register.Add(w.rows, w.size, w.inhabited)
		w.rows, w.inhabited = 0, 0
	}
	if w.size == 0 { // the class has people of the population alone
		return
	}
	w.classes.Add(w.size)
	w.people += w.size
	own := 1 / float64(w.size)
	if w.weights != nil {
		own = risk.IndividualRisk(float64(w.size), w.weights.class.Float())
		w.weights.end(w.size)
	}
	if w.homes != nil {
		w.homes.end(own)
	}
	w.size = 0
	for s := range w.spreads {
		w.spreads[s].end(uint64(w.Dataset.Rows()))
	}
}

// isPopulation reports whether a tuple is of people of the population.
func (w *walk) isPopulation(key []uint64) bool {
	return w.register != nil && w.fields[len(w.fields)-1].Code(key) == ofPopulation
}

// result returns the result.
func (w *walk) result() *Result {
	w.end()
	r := &Result{
		Rows:      w.Dataset.Rows(),
		K:         w.K,
		Anonymity: w.classes.Smallest(),
		Figures:   w.classes.Figures(w.people),
	}
	for _, field := range w.Columns {
		r.Columns = append(r.Columns, w.field(field).Name)
	}
	if w.Entity >= 0 {
		r.Entity = w.field(w.Entity).Name
	}
	if w.weights != nil {
		r.Weighted = w.weights.classes.Figures(w.people)
	}
	if w.homes != nil {
		r.Households = w.homes.figures()
	}
	for i := range w.spreads {
		r.Sensitive = append(r.Sensitive, w.spreads[i].result())
	}
	if w.PopulationSize >= w.people && w.PopulationSize > 0 {
		r.Population = w.classes.Population(w.PopulationSize, w.people)
	}
	if r.Anonymity < int64(w.K) {
		r.broken = append(r.broken, fmt.Sprintf("anonymity %d is below k = %d", r.Anonymity, w.K))
	}
	if most := w.MaxAverageRisk; most > 0 && r.Prosecutor.Average > most+engine.Slack {
		r.broken = append(r.broken, fmt.Sprintf("the average risk %s is above %s",
			text.Percent(r.Prosecutor.Average), text.Percent(most)))
	}
	if w.register != nil {
		w.addRegister(r)
	}
	r.OK = len(r.broken) == 0
	return r
}

// addRegister adds the comparison with the population.
func (w *walk) addRegister(r *Result) {
	of := w.register
	if r.Register, w.lacking = of, of.End(); w.people > 0 {
		// a journalist's classes are those of the population
		average := w.found / float64(w.people)
		r.Journalist = risk.Risk{Highest: 1 / float64(of.KMap), Average: average}
		r.Marketer = average
	}
	r.broken = append(r.broken, of.Broken(int64(w.KMap), w.MinPresence, w.MaxPresence)...)
}

// spread is the counts of the values of a sensitive column.
type spread struct {
	column       string
	whole, class []uint64         // rows by code: of the table, and of the class
	met          []uint32         // codes that the class has
	null         uint32           // code of the null
	verdicts     []engine.Verdict // on all measures
	recursive    []float64        // by l from 2 on, to the smallest number of values: worst c
	classes      bool             // there is one
	values       engine.Histogram // of the last class
	order        *engine.Order    // nil: the values have none
}

// add adds rows of the class.
func (s *spread) add(code uint32, rows uint64) {
	if s.class[code] == 0 {
		s.met = append(s.met, code)
	}
	s.class[code] += rows
}

// end processes the class, in a table with a number of rows. Its values come in an order that
// depends on their rows alone: sums of floats depend on the order.
func (s *spread) end(rows uint64) {
	slices.SortFunc(s.met, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(s.class[a], s.class[b]), cmp.Compare(s.whole[a], s.whole[b]))
	})
	h := engine.Histogram{Records: s.values.Records[:0], Whole: s.values.Whole[:0], Total: rows,
		Order: s.order, Rank: s.values.Rank[:0]}
	for i, code := range s.met {
		if code == s.null {
			h.Null = i + 1
		}
		h.Records, h.Whole = append(h.Records, s.class[code]), append(h.Whole, s.whole[code])
		if s.order != nil {
			h.Rank = append(h.Rank, s.order.Rank[code])
		}
		s.class[code] = 0
	}
	s.met, s.values = s.met[:0], h
	for i := range s.verdicts {
		s.verdicts[i].Add(h)
	}
	most := len(h.Records)
	if s.classes {
		most = len(s.recursive) + 1
	}
	least := h.RecursiveC(most)
	for i := range min(len(least), len(s.recursive)) {
		least[i] = max(least[i], s.recursive[i])
	}
	s.recursive, s.classes = least, true
}

// result returns the measures in their worst classes.
func (s *spread) result() Sensitive {
	r := Sensitive{Column: s.column, Measurements: engine.WorstOf(s.verdicts)}
	if n := len(s.recursive); n > 0 {
		r.C = &s.recursive[n-1]
	}
	for _, rows := range s.whole {
		if rows > 0 {
			r.Values++
		}
	}
	return r
}
