package evaluate

import (
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline"
	"github.com/kcut/kcut/spill"
)

// part is the training or the test part of the records: distinct ones with their counts.
type part struct {
	masked [][]uint32 // codes of the attributes or numbers of their labels, by column; engine.DroppedLabel of records that are not released
	kept   [][]uint32
	class  []uint32
	counts []uint32
	rows   uint64 // the sum of the counts
}

// deal returns the records of a round's test part, or of the others.
func (e *evaluation) deal(r round, test bool) (*part, error) {
	fields, words := e.Table.Layout.Fields, e.Table.Layout.Words
	first := len(e.Attributes) + len(e.Kept) // the class's
	division := fields[first+1+r.division]
	chosen := make([]int, 0, e.Table.Len())
	for i := range e.Table.Len() {
		if (division.Code(e.Table.Keys[i*words:]) == r.test) == test {
			chosen = append(chosen, i)
		}
	}
	p := &part{}
	if err := e.Budget.Draw("the records of a round", partBytes(len(chosen), first)); err != nil {
		return nil, err
	}
	column := func(f int) []uint32 {
		codes := make([]uint32, len(chosen))
		for i, record := range chosen {
			codes[i] = fields[f].Code(e.Table.Keys[record*words:])
		}
		return codes
	}
	for f := range first {
		if f < len(e.Attributes) {
			p.masked = append(p.masked, column(f))
		} else {
			p.kept = append(p.kept, column(f))
		}
	}
	p.class = column(first)
	for _, record := range chosen {
		p.counts = append(p.counts, e.Table.Counts[record])
		p.rows += uint64(e.Table.Counts[record])
	}
	return p, nil
}

// bytes returns what the part takes.
func (p *part) bytes() int64 { return partBytes(len(p.counts), len(p.masked)+len(p.kept)) }

// partBytes returns what records take that have so many columns beside the class.
func partBytes(records, columns int) int64 { return int64(records) * 4 * int64(columns+2) }

// first returns the part with the first of its masked columns alone.
func (p *part) first(masked int) *part {
	q := *p
	q.masked = p.masked[:masked]
	return &q
}

// pick returns the part's records of the given positions, with the given counts.
func (p *part) pick(at []int, counts []uint32) *part {
	take := func(from []uint32) []uint32 {
		to := make([]uint32, len(at))
		for i, record := range at {
			to[i] = from[record]
		}
		return to
	}
	q := &part{class: take(p.class), counts: counts}
	for _, codes := range p.masked {
		q.masked = append(q.masked, take(codes))
	}
	for _, codes := range p.kept {
		q.kept = append(q.kept, take(codes))
	}
	for _, n := range counts {
		q.rows += uint64(n)
	}
	return q
}

// single returns the part with every record as often as it counts. What that takes is drawn.
func (p *part) single(budget *spill.Budget) (*part, error) {
	if err := budget.Draw("rows of divided cells", partBytes(int(p.rows), len(p.masked)+len(p.kept)+2)); err != nil {
		return nil, err
	}
	at := make([]int, 0, p.rows)
	for i, n := range p.counts {
		for range n {
			at = append(at, i)
		}
	}
	return p.pick(at, slices.Repeat([]uint32{1}, len(at))), nil
}

// table compresses the part as an engine's plan asks. What the table takes is drawn.
func (p *part) table(of *pipeline.Records, plan engine.Plan, budget *spill.Budget) (*engine.Table, error) {
	t := &engine.Table{Attributes: of.Attributes, Classes: len(of.ClassNames), ClassNames: of.ClassNames, Rows: p.rows}
	for _, g := range plan.Groupings {
		var codes [][]uint32
		var domains []int
		for _, a := range g.Columns {
			codes, domains = append(codes, p.masked[a]), append(domains, of.Attributes[a].Len())
		}
		if g.Class {
			codes, domains = append(codes, p.class), append(domains, len(of.ClassNames))
		}
		grouping, err := count(codes, p.counts, domains, budget)
		if err != nil {
			return nil, err
		}
		t.Groupings = append(t.Groupings, grouping)
	}
	for a := range of.Attributes {
		if !plan.Histograms {
			break
		}
		t.Histograms = append(t.Histograms, p.histogram(a, of.Attributes[a].Len(), len(of.ClassNames)))
	}
	return t, nil
}

// histogram counts the classes of every code of an attribute.
func (p *part) histogram(attribute, domain, classes int) *partition.Histogram {
	pairs := make(partition.Pairs, len(p.counts))
	for i, code := range p.masked[attribute] {
		pairs[i] = partition.Pair{Code: code, Class: p.class[i], Count: uint64(p.counts[i])}
	}
	return pairs.Merge().Histogram(domain, classes)
}

// count returns the table of the distinct tuples of some columns, ascending.
func count(codes [][]uint32, counts []uint32, domains []int, budget *spill.Budget) (*partition.Table, error) {
	t := &partition.Table{Layout: partition.NewLayout(domains)}
	bytes := int64(len(counts)) * int64(t.Layout.Words*8+4)
	if err := budget.Draw("counts of distinct tuples", bytes); err != nil {
		return nil, err
	}
	t.Keys, t.Counts = make([]uint64, len(counts)*t.Layout.Words), slices.Clip(slices.Clone(counts))
	for c, column := range codes {
		f := t.Layout.Fields[c]
		for i, code := range column {
			t.Keys[i*t.Layout.Words+f.Word] |= uint64(code) << f.Shift
		}
	}
	maps := make([][]uint32, len(domains))
	for i, domain := range domains {
		maps[i] = engine.Identity(domain).Codes
	}
	t = t.Recode(maps, domains)
	budget.Return(bytes - t.Bytes())
	t.Sort()
	return t, nil
}
