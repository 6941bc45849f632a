package topdown_test

import (
	"math"
	"slices"
	"strconv"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/taxonomy"
)

// naive is the search as the definitions read: it rescans all rows, as text, for every candidate of
// every step, and shares nothing with the engine except the input.
type naive struct {
	data     enginetest.Data
	sets     []engine.Set
	outliers uint64  // records that may be taken away
	risk     float64 // the largest average risk, 0: any
	score    engine.Score
	scales   []float64 // by column, nil: 1
	balance  float64
	steps    []int      // by column
	weights  []uint64   // by row, nil where k counts records
	values   [][]string // one for each sensitive column
	rows     []int
	classes  []string
	columns  []naiveColumn
	released [][]engine.Label // by row and column
}

// naiveColumn is the state of one column.
type naiveColumn struct {
	cut       []naiveNode     // Generalize
	intervals []naiveInterval // Discretize
	disclosed map[engine.Label]bool
}

type naiveNode struct {
	node     taxonomy.Node
	root     bool
	preorder int
}

type naiveInterval struct {
	lower, upper string // texts of the ends; empty: the end of the column
	lo, hi       float64
	root         bool
}

// naiveCandidate is one possible refinement.
type naiveCandidate struct {
	column, order int
	value         engine.Label
	children      []engine.Label // as a step reports them
	rows          []int
	parts         []naivePart
	penalty       float64
	apply         func()

	gain, loss, score float64
	anonymity         []uint64
}

type naivePart struct {
	label   engine.Label
	rows    []int
	penalty float64
}

// naiveSearch returns the steps and the released rows. It keeps as many steps as leave classes that
// hold, with the rows without weight, which the search does not count.
func (c randomCase) naiveSearch() ([]engine.Step, [][]engine.Label) {
	options, n := c.options, newNaive(c.data, c.sets, c.options)
	n.risk = c.risk
	steps := n.search(options)
	for !n.holds() {
		options.MaxSteps = len(steps) - 1
		n = newNaive(c.data, c.sets, options)
		n.risk = c.risk
		steps = n.search(options)
	}
	return steps, n.released
}

// holds reports whether all classes hold, also with the rows without weight.
func (n *naive) holds() bool {
	for _, s := range n.sets {
		for _, rows := range n.groupsOf(s, n.rows) {
			if !s.Holds(n.stats(rows)) {
				return false
			}
		}
	}
	return true
}

// newNaive returns the search before its first step.
func newNaive(data enginetest.Data, sets []engine.Set, options engine.Options) *naive {
	kept, _ := engine.Requirement{Sets: sets}.Reduce()
	n := &naive{
		data:    data,
		sets:    kept.Sets,
		score:   options.Score,
		scales:  options.Weights,
		balance: options.Balance,
		steps:   make([]int, len(data.Columns)),
		weights: data.Weights(),
	}
	for _, column := range data.Sensitive {
		n.values = append(n.values, slices.Compact(slices.Sorted(slices.Values(column))))
	}
	for r := range data.Rows {
		n.rows = append(n.rows, r)
		n.released = append(n.released, make([]engine.Label, len(data.Columns)))
	}
	n.classes = slices.Compact(slices.Sorted(slices.Values(data.Classes)))
	for c := range data.Columns {
		n.start(c)
	}
	return n
}

// search performs steps until none is left.
func (n *naive) search(options engine.Options) (steps []engine.Step) {
	for options.MaxSteps < 0 || len(steps) < options.MaxSteps {
		best := n.best()
		if best == nil {
			break
		}
		for _, p := range best.parts {
			for _, r := range p.rows {
				n.released[r][best.column] = p.label
			}
		}
		best.apply()
		n.steps[best.column]++
		steps = append(steps, engine.Step{
			Number: len(steps) +
				1, Attribute: best.column, Value: best.value, Children: best.children,
			InfoGain: best.gain, AnonyLoss: best.loss, Score: best.score, Anonymity: best.anonymity,
		})
	}
	return steps
}

func (n *naive) start(c int) {
	column := n.data.Columns[c]
	state := naiveColumn{disclosed: map[engine.Label]bool{}}
	var label engine.Label
	switch column.Mask {
	case engine.Generalize:
		state.cut = []naiveNode{{node: column.Tree, root: true}}
		label.Text = column.Tree.Name
	case engine.Discretize:
		whole := naiveInterval{lo: math.Inf(-1), hi: math.Inf(1), root: true}
		state.intervals = []naiveInterval{whole}
		label.Text = column.Interval("", "")
	case engine.Suppress:
		label.Text = "*"
	}
	n.columns = append(n.columns, state)
	for r := range n.rows {
		n.released[r][c] = label
	}
}

// best returns the valid and beneficial candidate to perform, or nil.
func (n *naive) best() *naiveCandidate {
	var best *naiveCandidate
	for c := range n.data.Columns {
		for _, x := range n.candidates(c) {
			if n.beneficial(x) && n.weigh(x) && (best == nil || better(x, best)) {
				best = x
			}
		}
	}
	return best
}

func better(x, y *naiveCandidate) bool {
	if x.score != y.score {
		return x.score > y.score
	}
	if x.gain != y.gain {
		return x.gain > y.gain
	}
	if x.column != y.column {
		return x.column < y.column
	}
	return x.order < y.order
}

func (n *naive) beneficial(x *naiveCandidate) bool {
	if len(n.classes) == 0 {
		return len(x.rows) > 0
	}
	for _, r := range x.rows {
		if n.data.Classes[r] != n.data.Classes[x.rows[0]] {
			return true
		}
	}
	return false
}

// weigh computes the candidate's figures and reports whether it is valid.
func (n *naive) weigh(x *naiveCandidate) bool {
	before := make([][]engine.Label, len(n.released))
	for r := range n.released {
		before[r] = slices.Clone(n.released[r])
	}
	var now []uint64
	already := uint64(0)
	for _, s := range n.sets {
		anonymity, outliers, _ := n.anonymityOf(s)
		now, already = append(now, anonymity), already+outliers
	}
	for _, p := range x.parts {
		for _, r := range p.rows {
			n.released[r][x.column] = p.label
		}
	}
	valid, sets, lost, outliers := n.partsHold(x), 0, 0.0, uint64(0)
	for i, s := range n.sets {
		after, taken, holds := n.anonymityOf(s)
		x.anonymity = append(x.anonymity, after)
		outliers += taken
		if slices.Contains(s.Columns, x.column) {
			sets++
			lost += float64(now[i] - after)
			valid = valid && holds && !n.isRisky(s)
		}
	}
	valid = valid && n.populationHolds(x.column)
	n.released = before
	if sets == 0 || outliers > n.outliers || n.outliers > 0 && !n.tells(x) {
		return false
	}
	x.gain = n.gain(x.rows, x.penalty, x.parts)
	x.loss = lost/float64(sets) + float64(outliers-already)
	switch {
	case n.score == engine.ScoreTDR:
		x.score = x.gain / (x.loss + 1)
	case n.score == engine.ScoreTDS && x.loss != 0:
		x.score = x.gain / x.loss
	default:
		x.score = x.gain
	}
	if n.scales != nil {
		x.score *= n.scales[x.column]
	}
	if n.balance > 0 {
		x.score /= math.Pow(float64(1+n.steps[x.column]), n.balance)
	}
	return valid
}

// isRisky reports whether the average risk of a row in a set is too high.
func (n *naive) isRisky(s engine.Set) bool {
	risk := 0.0
	for _, rows := range n.groupsOf(s, n.rows) {
		for range rows {
			risk += 1 / float64(len(rows)) / float64(len(n.rows))
		}
	}
	return n.risk > 0 && risk > n.risk+1e-9
}

// partsHold reports whether every part of a candidate's records has at least k records, or fewer
// only within the number that may be taken away. Records that are not disclosed need nothing.
func (n *naive) partsHold(x *naiveCandidate) bool {
	of := engine.Requirement{Sets: n.sets}.ByAttribute(len(n.data.Columns))[x.column]
	parts, small := x.parts, 0
	if n.data.Columns[x.column].Mask == engine.Suppress {
		parts = parts[:1]
	}
	for _, p := range parts {
		if n.stats(p.rows).Size < of.K.Size() {
			small += len(p.rows)
		}
	}
	return uint64(small) <= n.outliers
}

// stats returns the figures of some rows that protections ask for.
func (n *naive) stats(rows []int) engine.Stats {
	stats := engine.Stats{Size: uint64(len(rows))}
	if n.weights != nil {
		weight := uint64(0)
		for _, r := range rows {
			weight += n.weights[r]
		}
		stats.Size = (weight + enginetest.Unit - 1) / enginetest.Unit
	}
	for s, values := range n.values {
		counts := make([]uint64, len(values))
		for _, r := range rows {
			counts[slices.Index(values, n.data.Sensitive[s][r])]++
		}
		stats.Values = append(stats.Values, counts)
	}
	return stats
}

// counted returns the rows that a search counts: those with weight.
func (n *naive) counted() []int {
	if n.weights == nil {
		return n.rows
	}
	return slices.DeleteFunc(slices.Clone(n.rows), func(r int) bool { return n.weights[r] == 0 })
}

// group returns the group of a row in a set.
func (n *naive) group(s engine.Set, r int) (key string) {
	for _, c := range s.Columns {
		key += strconv.FormatBool(n.released[r][c].Null) + n.released[r][c].Text + "\x00"
	}
	return key
}

// groupsOf returns the groups of some rows in a set.
func (n *naive) groupsOf(s engine.Set, rows []int) map[string][]int {
	groups := map[string][]int{}
	for _, r := range rows {
		key := n.group(s, r)
		groups[key] = append(groups[key], r)
	}
	return groups
}

// anonymityOf returns the size of the smallest group, and the number of records in groups that do
// not hold, which count as k when some records may be taken away. It reports whether all others
// hold.
func (n *naive) anonymityOf(s engine.Set) (smallest, outliers uint64, holds bool) {
	smallest, holds = math.MaxUint64, true
	counted := n.counted()
	for _, rows := range n.groupsOf(s, counted) {
		stats := n.stats(rows)
		if len(rows) < len(counted) && !s.Holds(stats) { // all rows hold, with those without weight
			if n.outliers > 0 {
				outliers, stats.Size = outliers+uint64(len(rows)), s.K.Size()
			} else {
				holds = false
			}
		}
		smallest = min(smallest, stats.Size)
	}
	return smallest, outliers, holds
}

// populationHolds reports whether the records and the people of the population in every group meet
// the limits of the sets with a column. Who has a row's value has its label.
func (n *naive) populationHolds(column int) bool {
	labels := make([]map[engine.Label]engine.Label, len(n.data.Columns))
	for c := range labels {
		labels[c] = map[engine.Label]engine.Label{}
		for r, row := range n.data.Rows {
			labels[c][row[c]] = n.released[r][c]
		}
	}
	for _, s := range n.sets {
		if !s.Population.Asked() || !slices.Contains(s.Columns, column) {
			continue
		}
		records, people := map[string]uint64{}, map[string]uint64{}
		for r := range n.data.Rows {
			records[n.group(s, r)]++
		}
		for _, person := range n.data.Population {
			key := ""
			for _, c := range s.Columns {
				label := labels[c][person[c]]
				key += strconv.FormatBool(label.Null) + label.Text + "\x00"
			}
			people[key]++
			records[key] += 0
		}
		for key, of := range records {
			least, most := s.Population.MinPresence, s.Population.MaxPresence
			share := float64(of) / float64(people[key])
			if of > 0 && people[key] < s.Population.KMap || share < least ||
				most > 0 && share > most {
				return false
			}
		}
	}
	return true
}

// tells reports whether a candidate refines a record that is no outlier, in each set with its
// column, and discloses no value that fewer than k records have.
func (n *naive) tells(x *naiveCandidate) bool {
	isSuppressed, of := n.data.Columns[x.column].Mask == engine.Suppress, x.rows
	if isSuppressed {
		of = x.parts[0].rows
	}
	for _, s := range n.sets {
		if !slices.Contains(s.Columns, x.column) {
			continue
		}
		if isSuppressed && n.stats(of).Size < s.K.Size() {
			return false
		}
		left := map[string]bool{}
		counted := n.counted()
		for key, rows := range n.groupsOf(s, counted) {
			left[key] = len(rows) == len(counted) || s.Holds(n.stats(rows))
		}
		if !slices.ContainsFunc(of, func(r int) bool {
			return left[n.group(s, r)] && (n.weights == nil || n.weights[r] > 0)
		}) {
			return false
		}
	}
	return true
}

// gain returns InfoGain, or the records' reduction of penalty without a class.
func (n *naive) gain(rows []int, penalty float64, parts []naivePart) float64 {
	whole := penalty
	if len(n.classes) > 0 {
		whole = n.entropy(rows)
	}
	rest := 0.0
	for _, p := range parts {
		if len(p.rows) == 0 {
			continue
		}
		impurity := p.penalty
		if len(n.classes) > 0 {
			impurity = n.entropy(p.rows)
		}
		product := float64(len(p.rows)) / float64(len(rows)) * impurity
		rest += product
	}
	if len(n.classes) > 0 {
		return whole - rest
	}
	return float64(len(rows)) * (whole - rest)
}

func (n *naive) entropy(rows []int) float64 {
	sum := 0.0
	for _, class := range n.classes {
		count := 0
		for _, r := range rows {
			if n.data.Classes[r] == class {
				count++
			}
		}
		if count > 0 {
			p := float64(count) / float64(len(rows))
			product := p * math.Log2(p)
			sum += product
		}
	}
	return -sum
}
