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

// candidates are all that may be chosen of a table with classes or without.
func candidates(classes int) []Candidate {
	all := []Candidate{
		{Name: "tdr", Engine: topdown.Engine{}}, {Name: "tdr, suppressing", Engine: topdown.Engine{}, Suppresses: true},
		{Name: "kactus", Engine: kactus.Engine{}}, {Name: "mondrian", Engine: mondrian.Engine{}}, {Name: "infogain-mondrian", Engine: mondrian.Engine{InfoGain: true}},
	}
	if classes == 0 {
		return []Candidate{all[0], all[1], all[3]}
	}
	return all
}

// problem is a random table, what is asked of it, and who may be chosen.
type problem struct {
	enginetest.Case
	codes       enginetest.Codes
	requirement engine.Requirement
	engine      Engine
}

// newProblem draws one whose attributes are all in a set.
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
		if of, _ := (engine.Requirement{Sets: p.Sets}).Of(a); p.Data.Columns[a].Mask == engine.Suppress {
			p.Data.Columns[a].Rare = int(of.K)
		}
	}
	p.requirement = engine.Requirement{Sets: p.Sets, Drop: r.IntN(2) == 0}
	if len(p.Sets[0].Others) == 0 {
		p.requirement.MaxSuppressed = uint64(r.IntN(2) * r.IntN(20))
	}
	p.codes = p.Data.Codes()
	for class := range p.codes.Classes {
		p.codes.ClassNames = append(p.codes.ClassNames, engine.Label{Text: string(rune('a' + class))})
	}
	p.engine = Engine{Candidates: candidates(p.codes.Classes), Objective: Queries, Limited: r.IntN(2) == 0}
	if p.codes.Classes > 0 {
		p.engine.Objective = Objective(r.IntN(3))
	}
	if r.IntN(3) == 0 {
		p.engine.Most = 10 + r.IntN(len(p.Data.Rows))
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

// dealNaively returns the rows of every fold: of rows that are alike, it does not matter which.
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
	slices.SortFunc(order, func(a, b *tuple) int { return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(a.hash, b.hash)) })
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

// recoded returns the label numbers of every row of a table, one row after the other; nil of one that is dropped.
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

// naive is what the folds tell of a candidate.
type naive struct {
	tested, wrong, plain int
	penalty, trained     float64
	queries, removal     float64
	failed               bool
}

func (n *naive) add(t *testing.T, p *problem, c Candidate, training, test enginetest.Codes) {
	requirement := p.requirement
	requirement.Sets = slices.Clone(requirement.Sets)
	for i := range requirement.Sets {
		k := int(requirement.Sets[i].K)
		requirement.Sets[i].K = engine.KAnonymity(max(min(k, 2), (2*k*training.Rows/p.codes.Rows+1)/2))
	}
	requirement.MaxSuppressed = requirement.MaxSuppressed * uint64(training.Rows) / uint64(p.codes.Rows)
	limit := requirement.MaxSuppressed
	if !c.Suppresses {
		requirement.MaxSuppressed, requirement.Drop = 0, false
	}
	recoding, err := c.Engine.Search(t.Context(), training.Table(c.Engine.Plan(requirement)), requirement, engine.Options{MaxSteps: -1})
	if err != nil {
		n.failed = true
		return
	}
	if suppressed, dropped := recoding.Lost(); p.engine.Limited && !c.Suppresses && suppressed+dropped > limit {
		n.failed = true
		return
	}
	learned, checked := recoded(recoding, training), recoded(recoding.Unsearched(), test)
	n.tree(t, p, recoding, learned, checked, training.Class, test.Class)
	n.costs(p, recoding, learned, training)
}

// tree trains a tree with the released rows, and counts what it gets wrong.
func (n *naive) tree(t *testing.T, p *problem, recoding engine.Recoding, learned, checked [][]uint32, classes, expected []uint32) {
	if p.codes.Classes == 0 {
		return
	}
	data := classify.Data{Classes: p.codes.Classes}
	var features []labels.Feature
	var domains []int
	for a := range p.codes.Attributes {
		of := labels.Of(&p.codes.Attributes[a], recoding, a)
		f := of.Feature(false)
		features, domains, data.Columns = append(features, f), append(domains, f.Domain), append(data.Columns, f.Column)
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
		data.Table.Counts[i] = uint32(counts[text])
	}
	data.Table.Sort()
	tree, err := classify.Tree{}.Learn(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	frequent := make([]int, p.codes.Classes)
	for _, class := range classes {
		frequent[class]++
	}
	most := slices.Index(frequent, slices.Max(frequent))
	for i, row := range checked {
		n.tested++
		if tree.Classify(seen(row)) != expected[i] {
			n.wrong++
		}
		if most != int(expected[i]) {
			n.plain++
		}
	}
}

// costs adds what the release costs those who count.
func (n *naive) costs(p *problem, recoding engine.Recoding, learned [][]uint32, training enginetest.Codes) {
	var penalties [][]float64
	var sizes [][]uint64
	for a := range p.codes.Attributes {
		of := labels.Of(&p.codes.Attributes[a], recoding, a)
		penalties, sizes = append(penalties, of.Penalties()), append(sizes, make([]uint64, p.codes.Attributes[a].Len()))
		for _, code := range training.Columns[a] {
			sizes[a][code]++
		}
	}
	w := workload.New(p.codes.Attributes, sizes)
	counter, estimate, removed := w.Counter(), w.Estimate(recoding), w.Estimate(removal(p.codes.Attributes))
	ones := make([]uint32, training.Rows)
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

// loss is what is judged.
func (n *naive) loss(o Objective) float64 {
	share := func(part, whole float64) float64 {
		if whole == 0 {
			return 0
		}
		return part / whole
	}
	counting := (share(n.queries, n.removal) + n.penalty/n.trained) / 2
	switch o {
	case Classification:
		return float64(n.wrong) / float64(n.tested)
	case Queries:
		return counting
	}
	return (counting + share(float64(n.wrong), float64(n.plain))) / 2
}

// TestNaive holds every estimate, and the choice, against a judge that deals, masks and counts row by row.
func TestNaive(t *testing.T) {
	judged, chosen := 0, map[string]int{}
	enginetest.Cases(t, 100, func(r *rand.Rand) {
		p := newProblem(r)
		var got *Verdict
		p.engine.OnVerdict = func(v *Verdict) { got = v }
		_, err := p.engine.Search(t.Context(), p.codes.Table(p.engine.Plan(p.requirement)), p.requirement, engine.Options{MaxSteps: -1})
		if got == nil {
			t.Fatalf("%v\n%s", err, p)
		}
		folded := p.dealNaively()
		whole, best, losses := 0, math.Inf(1), make([]float64, len(p.engine.Candidates))
		for _, rows := range folded {
			whole += len(rows)
		}
		for i, c := range p.engine.Candidates {
			var n naive
			for f := range folds {
				var training []int
				for other := range folds {
					if other != f {
						training = append(training, folded[other]...)
					}
				}
				if n.add(t, &p, c, p.of(training), p.of(folded[f])); n.failed {
					break
				}
			}
			losses[i] = math.NaN()
			if x := &got.Estimates[i]; n.failed != (x.LeftOut != "") {
				t.Fatalf("%s: left out: %q, it fails naively: %t\n%s", c.Name, x.LeftOut, n.failed, p)
			}
			if n.failed {
				continue
			}
			judged++
			losses[i] = n.loss(p.engine.Objective)
			best = min(best, losses[i])
			if math.Abs(losses[i]-got.Estimates[i].Loss) > 1e-9 {
				t.Fatalf("%s by %d of %d: the loss is %g, naively %g\n%s", c.Name, whole, p.codes.Rows, got.Estimates[i].Loss, losses[i], p)
			}
		}
		want := slices.IndexFunc(losses, func(loss float64) bool { return loss <= best+Tie })
		if max(0, want) != got.Chosen {
			t.Fatalf("%d is chosen of %v, want %d\n%s", got.Chosen, losses, want, p)
		}
		if want >= 0 {
			chosen[p.engine.Candidates[want].Name]++
		}
	})
	if judged < 100 || len(chosen) < 4 {
		t.Errorf("%d candidates were judged, chosen are %v", judged, chosen)
	}
	t.Log(judged, chosen)
}
