package evaluate

import (
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline"
	"github.com/kcut/kcut/spill"
)

// part is some of the records: distinct ones with their counts.
type part struct {
	masked [][]uint32 // codes of the attributes or numbers of their labels, by column; engine.DroppedLabel of records that are not released
	kept   [][]uint32
	class  []uint32
	counts []uint32
	rows   uint64 // the sum of the counts
}

// unpack returns all records. What they take is drawn.
func (e *evaluation) unpack() (*part, error) {
	n, class := e.Table.Len(), len(e.Attributes)+len(e.Kept)
	if err := e.Budget.Draw("the records of a round", partBytes(n, class)); err != nil {
		return nil, err
	}
	column := func(number int) []uint32 {
		codes, code := make([]uint32, n), e.field(number)
		for i := range codes {
			codes[i] = code(i)
		}
		return codes
	}
	p := &part{counts: e.Table.Counts, class: column(class)}
	for number := range class {
		if number < len(e.Attributes) {
			p.masked = append(p.masked, column(number))
		} else {
			p.kept = append(p.kept, column(number))
		}
	}
	for _, n := range p.counts {
		p.rows += uint64(n)
	}
	return p, nil
}

// bytes returns what the part takes.
func (p *part) bytes() int64 { return partBytes(len(p.counts), len(p.masked)+len(p.kept)) }

// partBytes returns what records take that have so many columns beside the class.
func partBytes(records, columns int) int64 { return int64(records) * 4 * int64(columns+2) }

// deal returns the records' rows that are for training, and those for testing, of which so
// many of every record are. What they take is drawn.
func (p *part) deal(tested []uint32, budget *spill.Budget) (training, test *part, err error) {
	rest := make([]uint32, len(p.counts))
	for i, n := range p.counts {
		rest[i] = n - tested[i]
	}
	if training, err = p.choose(rest, budget); err != nil {
		return nil, nil, err
	}
	test, err = p.choose(tested, budget)
	return training, test, err
}

// choose returns so many rows of every record. What they take is drawn.
func (p *part) choose(rows []uint32, budget *spill.Budget) (*part, error) {
	var at []int
	var counts []uint32
	for i, n := range rows {
		if n > 0 {
			at, counts = append(at, i), append(counts, n)
		}
	}
	if err := budget.Draw("the records of a round", partBytes(len(at), len(p.masked)+len(p.kept))); err != nil {
		return nil, err
	}
	return p.pick(at, counts), nil
}

// released returns the records that are released, and how many rows are not. What they take
// is drawn.
func (p *part) released(budget *spill.Budget) (released *part, dropped uint64, err error) {
	rows := slices.Clone(p.counts)
	for i, label := range p.masked[0] {
		if label == engine.DroppedLabel {
			rows[i] = 0
		}
	}
	released, err = p.choose(rows, budget)
	if err != nil {
		return nil, 0, err
	}
	return released, p.rows - released.rows, nil
}

// first returns the part with the first of its masked columns alone.
func (p *part) first(masked int) *part {
	q := *p
	q.masked = p.masked[:masked]
	return &q
}

// pick returns the part's records of some positions, with the given counts.
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
