package choose

import (
	"cmp"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/classify"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/kactus"
	"github.com/kcut/kcut/engine/labels"
	"github.com/kcut/kcut/engine/mondrian"
	"github.com/kcut/kcut/engine/topdown"
	"github.com/kcut/kcut/engine/workload"
	"github.com/kcut/kcut/partition"
)

// candidates returns all candidates for a table with classes or without. Their costs are random:
// they decide how often candidates are judged.
func candidates(r *rand.Rand, classes int) []Candidate {
	guided := mondrian.Engine{InfoGain: true, Guided: true}
	brief := guided
	brief.Brief = true
	all := []Candidate{
		{Name: "tdr", Searcher: Searcher{Engine: topdown.Engine{}}},
		{Name: "tdr, suppressing", Searcher: Searcher{Engine: topdown.Engine{}}, Suppresses: true},
		{Name: "kactus", Searcher: Searcher{Engine: kactus.Engine{}}},
		{Name: "mondrian", Searcher: Searcher{Engine: mondrian.Engine{}}},
		{Name: "infogain-mondrian", Searcher: Searcher{Engine: mondrian.Engine{InfoGain: true}}},
		{
			Name:     "guided",
			Trusted:  true,
			Searcher: Searcher{Engine: guided},
			Sketch:   &Searcher{Engine: brief},
		},
	}
	quick := r.IntN(3) == 0 // judging takes little of the time, so there are several rounds
	for i := range all {
		all[i].Cost = float64(r.IntN(2000))
		if quick && all[i].Sketch == nil {
			all[i].Sketch = &Searcher{Engine: all[i].Engine}
		}
	}
	if classes == 0 {
		return []Candidate{all[0], all[1], all[3]}
	}
	r.Shuffle(len(all), func(i, o int) { all[i], all[o] = all[o], all[i] })
	return all
}

// problem is a random table with its requirement and candidates.
type problem struct {
	enginetest.Case
	codes       enginetest.Codes
	requirement engine.Requirement
	engine      Engine
}

// newProblem draws a problem whose attributes are all in a set.
func newProblem(r *rand.Rand) problem {
	p := problem{Case: enginetest.NewCase(r, 80)}
	all := engine.Set{K: engine.KAnonymity(1 + r.IntN(6))}
	for a := range p.Data.Columns {
		all.Columns = append(all.Columns, a)
	}
	for i := range p.Sets {
		p.Sets[i].K = engine.KAnonymity(1 + r.IntN(6))
	}
	p.Sets = append(p.Sets, all)
	if c := p.Case; r.IntN(3) == 0 {
		c.Sets = slices.Clone(c.Sets)
		if c.Protect(r, r.IntN(2) == 0, r.IntN(2) == 0); c.Reachable() {
			p.Case = c
		}
	}
	for a := range p.Data.Columns {
		if of := (engine.Requirement{Sets: p.Sets}).ByAttribute(
			len(p.Data.Columns))[a]; p.Data.Columns[a].Mask == engine.Suppress {
			p.Data.Columns[a].Rare = int(of.K)
		}
	}
	p.requirement = engine.Requirement{Sets: p.Sets, Drop: r.IntN(2) == 0}
	if len(p.Sets[0].Others) == 0 {
		p.requirement.MaxSuppressed = uint64(r.IntN(2) * r.IntN(20))
	}
	p.codes = p.Data.Codes()
	for class := range p.codes.Classes {
		p.codes.ClassNames = append(p.codes.ClassNames,
			engine.Label{Text: string(rune('a' + class))})
	}
	p.engine = Engine{
		Candidates: candidates(r, p.codes.Classes),
		Objective:  Queries,
		Limited:    r.IntN(2) == 0,
	}
	if p.codes.Classes > 0 {
		p.engine.Objective = Objective(r.IntN(3))
	}
	if r.IntN(3) == 0 {
		p.engine.Most = 10 + r.IntN(4*len(p.Data.Rows))
	}
	return p
}

// kind returns the kind of a row, and its class.
func (p *problem) kind(row int) (kind, class uint32) {
	if p.codes.Classes > 0 {
		class = p.codes.Class[row]
	}
	if p.codes.Kinds == nil {
		return class, class
	}
	return p.codes.Kind[row], p.codes.Kinds.Class[p.codes.Kind[row]]
}

// dealNaively returns the rows of every fold. Equal rows may be exchanged.
func (p *problem) dealNaively() (folded [folds][]int) {
	var domains []int
	for a := range p.codes.Attributes {
		domains = append(domains, p.codes.Attributes[a].Len())
	}
	kinds := max(1, p.codes.Classes)
	if p.codes.Kinds != nil {
		kinds = p.codes.Kinds.Len()
	}
	layout := partition.NewLayout(append(domains, kinds))
	type tuple struct {
		class uint32
		hash  uint64
		rows  []int
	}
	tuples := map[string]*tuple{}
	for row := range p.codes.Rows {
		kind, class := p.kind(row)
		key := make([]uint64, layout.Words)
		text := ""
		for c, f := range layout.Fields {
			code := kind
			if c < len(domains) {
				code = p.codes.Columns[c][row]
			}
			key[f.Word] |= uint64(code) << f.Shift
			text += string(rune(code)) + ","
		}
		if tuples[text] == nil {
			hash := uint64(0)
			for _, word := range key {
				hash = engine.Mix(hash ^ word)
			}
			tuples[text] = &tuple{class: class, hash: hash}
		}
		tuples[text].rows = append(tuples[text].rows, row)
	}
	var order []*tuple
	for _, t := range tuples {
		order = append(order, t)
	}
	slices.SortFunc(order, func(a, b *tuple) int {
		return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(a.hash, b.hash))
	})
	next := 0
	for _, t := range order {
		if all := uint64(p.codes.Rows); p.engine.Most > 0 && all > uint64(p.engine.Most) {
			above, _ := bits.Mul64(engine.Mix(t.hash), all)
			t.rows = t.rows[:(uint64(len(t.rows)*p.engine.Most)+above)/all]
		}
		for _, row := range t.rows {
			folded[next%folds] = append(folded[next%folds], row)
			next++
		}
	}
	return folded
}

// of returns some rows as a table.
func (p *problem) of(rows []int) enginetest.Codes {
	c := p.codes
	c.Rows, c.Columns, c.Class, c.Kind = len(rows), make([][]uint32, len(c.Columns)), nil, nil
	for _, row := range rows {
		for a := range c.Columns {
			c.Columns[a] = append(c.Columns[a], p.codes.Columns[a][row])
		}
		_, class := p.kind(row)
		c.Class = append(c.Class, class)
		if c.Kinds != nil {
			c.Kind = append(c.Kind, p.codes.Kind[row])
		}
	}
	return c
}

// recoded returns the label numbers of every row of a table, row after row; nil for one that is
// dropped.
func recoded(recoding engine.Recoding, c enginetest.Codes) (rows [][]uint32) {
	taken := make([]uint64, recoding.Cells())
	for row := range c.Rows {
		in := engine.Rows{N: 1, Classes: c.Class[row : row+1], Taken: taken}
		labels := make([][]uint32, len(c.Columns))
		for a := range c.Columns {
			in.Codes, labels[a] = append(in.Codes, c.Columns[a][row:row+1]), []uint32{0}
		}
		recoding.Recode(in, labels)
		if labels[0][0] == engine.DroppedLabel {
			rows = append(rows, nil)
			continue
		}
		var of []uint32
		for _, label := range labels {
			of = append(of, label[0])
		}
		rows = append(rows, of)
	}
	return rows
}

// naive is a candidate's results over the rounds.
type naive struct {
	tested           int
	loss, plain      float64   // bits
	losses           []float64 // of the last round
	rounds           int
	penalty, trained float64
	queries, removal float64
	failed           bool
	telling          bool // some column had several labels in some round
}

// add judges a candidate in one round. K is as much less as nine tenths of the rows are more than
// those of the training part.
func (n *naive) add(t *testing.T, p *problem, c Candidate, training, test enginetest.Codes) {
	requirement := p.requirement
	requirement.Sets = slices.Clone(requirement.Sets)
	for i := range requirement.Sets {
		k := int(requirement.Sets[i].K)
		part := 10 * float64(training.Rows) / float64(9*p.codes.Rows)
		requirement.Sets[i].K = engine.KAnonymity(min(k, max(2, int(float64(k)*part+0.5))))
	}
	requirement.MaxSuppressed = requirement.MaxSuppressed * uint64(training.Rows) / uint64(
		p.codes.Rows)
	limit := requirement.MaxSuppressed
	if !c.Suppresses {
		requirement.MaxSuppressed, requirement.Drop = 0, false
	}
	by := c.Engine
	if c.Sketch != nil {
		by = c.Sketch.Engine
	}
	recoding, err := by.Search(t.Context(), training.Table(by.Plan(requirement)), requirement,
		engine.Options{MaxSteps: -1})
	if err != nil {
		n.failed = true
		return
	}
	if suppressed, dropped := recoding.Lost(); p.engine.Limited && !c.Suppresses &&
		suppressed+dropped > limit {
		n.failed = true
		return
	}
	n.rounds++
	for a := range training.Attributes {
		n.telling = n.telling || len(recoding.Labels(a)) > 1
	}
	learned, checked := recoded(recoding, training), recoded(recoding.Unsearched(), test)
	n.learn(t, p, recoding, learned, checked, training.Class, test.Class)
	n.costs(p, recoding, learned, training)
}

// learn trains boosted trees with the released rows, and adds up their losses.
func (n *naive) learn(t *testing.T, p *problem, recoding engine.Recoding, learned,
	checked [][]uint32, classes, expected []uint32) {
	if p.codes.Classes == 0 {
		return
	}
	data := classify.Data{Classes: p.codes.Classes}
	var features []labels.Feature
	var domains []int
	for a := range p.codes.Attributes {
		of := labels.Of(&p.codes.Attributes[a], recoding, a)
		f := of.Feature(false)
		features, domains, data.Columns = append(features, f), append(domains, f.Domain),
			append(data.Columns, f.Column)
	}
	data.Table = &partition.Table{Layout: partition.NewLayout(append(domains, p.codes.Classes))}
	seen := func(row []uint32) (tuple []uint32) {
		for a := range features {
			label := uint32(engine.DroppedLabel)
			if row != nil {
				label = row[a]
			}
			tuple = append(tuple, features[a].Code(label))
		}
		return tuple
	}
	counts := map[string]int{}
	for i, row := range learned {
		if row == nil {
			continue
		}
		tuple := append(seen(row), classes[i])
		text := ""
		for _, code := range tuple {
			text += string(rune(code)) + ","
		}
		if counts[text]++; counts[text] > 1 {
			continue
		}
		key := make([]uint64, data.Table.Layout.Words)
		for c, f := range data.Table.Layout.Fields {
			key[f.Word] |= uint64(tuple[c]) << f.Shift
		}
		data.Table.Put(key, 1)
	}
	for i := range data.Table.Counts {
		text := ""
		for _, f := range data.Table.Layout.Fields {
			text += string(rune(f.Code(data.Table.Keys[i*data.Table.Layout.Words:]))) + ","
		}
		data.Table.Counts[i] = uint64(counts[text])
	}
	data.Table.Sort()
	trees, err := classify.Boosted{Brief: true}.Learn(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	shares := make([]float64, p.codes.Classes)
	for _, class := range classes {
		shares[class] += 1 / float64(len(classes))
	}
	n.losses = nil
	for i, row := range checked {
		logs, sum := make([]float64, p.codes.Classes), 0.0
		trees.Logs(seen(row), logs)
		for _, l := range logs {
			sum += math.Exp(l)
		}
		n.tested++
		n.losses = append(n.losses, min(20, -math.Log2(math.Exp(logs[expected[i]])/sum)))
		n.loss += n.losses[i]
		n.plain += min(20, -math.Log2(shares[expected[i]]))
	}
}

// costs adds the errors of queries and the penalty of the release.
func (n *naive) costs(p *problem, recoding engine.Recoding, learned [][]uint32,
	training enginetest.Codes) {
	var penalties [][]float64
	var sizes [][]uint64
	for a := range p.codes.Attributes {
		of := labels.Of(&p.codes.Attributes[a], recoding, a)
		penalties, sizes = append(penalties, of.Penalties()),
			append(sizes, make([]uint64, p.codes.Attributes[a].Len()))
		for _, code := range training.Columns[a] {
			sizes[a][code]++
		}
	}
	w := workload.New(p.codes.Attributes, sizes)
	counter, estimate, removed := w.Counter(), w.Estimate(recoding),
		w.Estimate(removal(p.codes.Attributes))
	ones := make([]uint64, training.Rows)
	for i := range ones {
		ones[i] = 1
	}
	counter.Add(ones, training.Columns)
	for _, row := range learned {
		n.trained++
		removed.Add(make([]uint32, len(sizes)), 1)
		if row == nil {
			n.penalty++
			continue
		}
		estimate.Add(row, 1)
		for a, label := range row {
			n.penalty += penalties[a][label] / float64(len(row))
		}
	}
	n.queries += estimate.Error(&counter.Truth).Mean
	n.removal += removed.Error(&counter.Truth).Mean
}

// judged returns the loss by an objective.
func (n *naive) judged(o Objective) float64 {
	share := func(part, whole float64) float64 {
		if whole == 0 {
			return 0
		}
		return part / whole
	}
	counting := (share(n.queries, n.removal) + n.penalty/n.trained) / 2
	switch o {
	case Classification:
		return n.loss / float64(n.tested)
	case Queries:
		return counting
	}
	return (counting + share(n.loss, n.plain)) / 2
}

// contestants are candidates that are judged naively.
type contestants struct {
	*problem
	folded [folds][]int
	size   int
	found  []naive
	in     []bool
	apart  [][][]float64 // by candidate and candidate: the differences of their losses
}

func (p *problem) contestants() *contestants {
	n := len(p.engine.Candidates)
	c := &contestants{
		problem: p,
		folded:  p.dealNaively(),
		found:   make([]naive, n),
		in:      slices.Repeat([]bool{true}, n),
	}
	for _, rows := range c.folded {
		c.size += len(rows)
	}
	for range n {
		c.apart = append(c.apart, make([][]float64, n))
	}
	return c
}

// round lets the candidates that are left search some folds, and judges them by the others.
func (c *contestants) round(t *testing.T, round int) {
	trained := c.trained()
	var training, test []int
	for f := range folds {
		if rows := c.folded[(round+f)%folds]; f < folds-trained {
			test = append(test, rows...)
		} else {
			training = append(training, rows...)
		}
	}
	for i := range c.found {
		if c.in[i] {
			c.found[i].add(t, c.problem, c.engine.Candidates[i], c.of(training), c.of(test))
			c.in[i] = !c.found[i].failed
		}
	}
	for i := range c.found {
		for o := range c.found {
			for record := range test {
				if c.in[i] && c.in[o] && c.codes.Classes > 0 {
					c.apart[i][o] = append(c.apart[i][o],
						c.found[i].losses[record]-c.found[o].losses[record])
				}
			}
		}
	}
}

// trained returns the number of folds that are searched.
func (c *contestants) trained() int {
	if c.engine.Most > 0 {
		return max(1, min(9, 2*c.engine.Most/c.size))
	}
	return 9
}

// judge holds a contest.
func (p *problem) judge(t *testing.T, tuples int) *contestants {
	var open []*Candidate
	for i := range p.engine.Candidates {
		open = append(open, &p.engine.Candidates[i])
	}
	c := p.contestants()
	for round := range p.engine.rounds(open, Size{
		Records:    uint64(p.codes.Rows),
		Tuples:     tuples,
		Attributes: len(p.codes.Attributes),
		Classes:    p.codes.Classes,
	}) {
		if c.round(t, round); p.engine.Objective == Classification && !c.lose() {
			break
		}
	}
	return c
}

// noise is the standard error of a difference, of as many records as there are at most.
func (c *contestants) noise(i, o int) float64 {
	all, mean, variance := c.apart[i][o], 0.0, 0.0
	for _, d := range all {
		mean += d / float64(len(all))
	}
	for _, d := range all {
		variance += (d - mean) * (d - mean) / float64(len(all))
	}
	return math.Sqrt(variance / float64(min(len(all), c.size)))
}

// behind is by how much a candidate's loss is greater than another one's.
func (c *contestants) behind(i, o int) float64 {
	return c.found[i].loss/float64(c.found[i].tested) - c.found[o].loss/float64(c.found[o].tested)
}

// lose drops the candidates that are far behind, and reports whether more than one is left.
func (c *contestants) lose() bool {
	best, left := -1, 0
	for i := range c.found {
		if c.in[i] && (best < 0 || c.behind(i, best) < 0) {
			best = i
		}
	}
	for i := range c.found {
		if c.in[i] {
			behind := c.behind(i, best)
			if c.in[i] = behind <= Tie || behind <= 3*c.noise(i, best); c.in[i] {
				left++
			}
		}
	}
	return left > 1
}

// chosen returns the candidate to choose, −1 if there is none.
func (c *contestants) chosen() int {
	if !slices.ContainsFunc(c.found, func(n naive) bool { return n.rounds > 0 }) {
		for i, x := range c.engine.Candidates {
			if x.Trusted && c.engine.Objective == Classification {
				return i
			}
		}
		return 0
	}
	rounds, best := 0, -1
	var open []bool
	for _, n := range c.found {
		open = append(open, !n.failed && n.telling)
	}
	telling := slices.Contains(open, true)
	if !telling {
		for i, n := range c.found {
			open[i] = !n.failed
		}
	}
	for i, n := range c.found {
		if open[i] {
			rounds = max(rounds, n.rounds)
		}
	}
	loss := func(i int) float64 { return c.found[i].judged(c.engine.Objective) }
	for i, n := range c.found {
		if open[i] && n.rounds == rounds && (best < 0 || loss(i) < loss(best)) {
			best = i
		}
	}
	judged := c.engine.Objective == Classification
	trusting := -1
	for i, n := range c.found {
		if judged && c.engine.Candidates[i].Trusted && open[i] && n.rounds == rounds &&
			loss(i)-loss(best) <= max(Tie, 3*c.noise(i, best)) {
			trusting = i
		}
	}
	for i, n := range c.found {
		switch {
		case !open[i] || n.rounds < rounds:
		case trusting < 0 && loss(i)-loss(best) <= Tie, i == trusting:
			return i
		case telling && trusting >= 0 && loss(i)+3*c.noise(i, trusting)-loss(trusting) <= Tie:
			return i
		}
	}
	return -1
}

// TestNaive compares every estimate, and the choice, with a judge that deals, masks and counts row
// by row.
func TestNaive(t *testing.T) {
	judged, chosen, rounds := 0, map[string]int{}, map[int]int{}
	n := enginetest.Cases(t, 80, func(r *rand.Rand) {
		p := newProblem(r)
		var got *Verdict
		p.engine.OnVerdict = func(v *Verdict) error { got = v; return nil }
		table := p.codes.Table(p.engine.Plan(p.requirement))
		tuples := table.Groupings[0].Len()
		_, err := p.engine.Search(t.Context(), table, p.requirement, engine.Options{MaxSteps: -1})
		if got == nil {
			t.Fatalf("%v\n%s", err, p)
		}
		c := p.judge(t, tuples)
		for i, n := range c.found {
			x, name := &got.Estimates[i], p.engine.Candidates[i].Name
			if n.failed != (x.LeftOut != "") {
				t.Fatalf("%s: left out: %q, it fails naively: %t\n%s", name, x.LeftOut, n.failed, p)
			}
			if n.failed {
				continue
			}
			judged++
			if rounds[n.rounds]++; n.rounds == 0 && x.Rounds == 0 && x.Error == nil {
				continue
			}
			if loss := n.judged(p.engine.Objective); math.Abs(loss-x.Loss) > 1e-4 ||
				n.rounds != x.Rounds {
				t.Fatalf("%s by %d of %d: the loss is %g in %d rounds, naively %g in %d\n%s", name,
					c.size, p.codes.Rows, x.Loss, x.Rounds, loss, n.rounds, p)
			}
		}
		want := c.chosen()
		if want != got.Chosen {
			t.Fatalf("%d is chosen, want %d\n%s", got.Chosen, want, p)
		}
		chosen[p.engine.Candidates[want].Name]++
	})
	if n >= 80 && (judged < 100 || len(chosen) < 4 || len(rounds) < 3 || rounds[0] == 0) {
		t.Errorf("%d candidates were judged, chosen are %v, their rounds %v", judged, chosen,
			rounds)
	}
	t.Log(judged, chosen, rounds)
}
