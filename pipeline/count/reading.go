package count

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/spill"
)

// reading is one reading of an input: it counts values in order, codes with classes, and tuples of
// codes. What it counts depends on the input and the columns alone, not on who counted what.
type reading struct {
	*Request
	space     partition.Space // with a store tuples go to it when those of a grouping take more than the share
	lists     *spill.Budget   // room for what lists of values are tallied in, and not counted row by row
	threads   int
	columns   []column
	class     int    // position of the class among the columns; −1: it is not counted
	pairs     int    // so many columns, the first ones, are counted by class, or kind, alone, too
	kinds     *kinds // nil: the kind of a record is its class
	groupings []Grouping
	most      int   // tuples of a grouping that are counted while most rows are to come; 0: any number
	fields    []int // of the input that are read: those of the columns come first
	also      []int // positions among them of what is counted beside
	beside    func(worker int, b *formats.Batch, from, to int) error
	workers   []*counting
}

// column is one column that is read.
type column struct {
	coder  domain.Coder // nil: its values are counted in order
	values *Values      // then, or once they are numbered
	room   int64        // bytes of values that every worker holds
	domain int          // the final codes are below
}

// ErrManyTuples ends a reading of tuples that are better counted in another way.
var ErrManyTuples = errors.New("there are many tuples")

// start makes the state of so many workers. What is counted beside is nil if nothing is.
func (r *reading) start(workers int, beside *Beside) {
	r.fields = r.reads(len(r.columns), beside)
	if beside != nil {
		r.beside = beside.Begin(workers)
		for _, field := range beside.Fields {
			r.also = append(r.also, slices.Index(r.fields, field))
		}
	}
	for i := range workers {
		r.workers = append(r.workers, r.newCounting(i, workers))
	}
}

// reads returns the fields of the first columns, and behind them the others that are counted beside.
func (r *Request) reads(columns int, beside *Beside) (fields []int) {
	for i := range columns {
		fields = append(fields, r.Columns[i].Field)
	}
	if beside == nil {
		return fields
	}
	for _, field := range beside.Fields {
		if !slices.Contains(fields, field) {
			fields = append(fields, field)
		}
	}
	return fields
}

// Reads returns what a reading of the input asks for that counts all columns.
func (r *Request) Reads() []formats.Request { return r.requests(r.reads(len(r.Columns), r.Beside)) }

// requests asks for some fields.
func (r *Request) requests(fields []int) (requests []formats.Request) {
	for _, field := range fields {
		coded := r.Dataset.Schema().Fields[field].Type.Kind != formats.Nested
		requests = append(requests, formats.Request{Column: field, Coded: coded})
	}
	return requests
}

// read reads the input.
func (r *reading) read(ctx context.Context, advanced func(rows int64)) error {
	return dataset.Scan(ctx, r.Dataset, r.requests(r.fields), r.workers, advanced)
}

// tables joins what the workers have counted of every grouping. It is called once.
func (r *reading) tables(ctx context.Context) ([]*partition.Table, error) {
	tables := make([]*partition.Table, len(r.groupings))
	for g := range tables {
		var err error
		if tables[g], err = partition.Tabulate(ctx, r.counters(r.pairs+g), r.space, r.threads); err != nil {
			return nil, fmt.Errorf("join the counts of quasi-identifier set %d: %w", g+1, err)
		}
	}
	return tables, nil
}

// counters returns what the workers have counted of column i by class or, behind those, of a
// grouping.
func (r *reading) counters(i int) (counters []*partition.Counter) {
	for _, w := range r.workers {
		counters = append(counters, w.counts[i].counter)
	}
	return counters
}

// joinPairs joins the pairs that the workers have counted of a column. It is called once.
func (r *reading) joinPairs(ctx context.Context, column int) (partition.Pairs, error) {
	pairs, err := partition.JoinPairs(ctx, r.counters(column), r.space.Budget, r.threads)
	if err != nil {
		return nil, fmt.Errorf("join the class counts of column %d: %w", column+1, err)
	}
	return pairs, nil
}

// counting is one worker's share of the counts.
type counting struct {
	*reading
	sampling
	number  int              // of the worker
	maps    []domain.Mapping // of every column that has a coder
	codes   [][]uint32       // of the rows being counted
	domains []int
	tallies []*columnTally  // of every column whose values are counted in order
	kinds   *kindCounting   // nil: there are none
	counts  []groupingCount // of the columns whose pairs are counted, and of the groupings
	weighed []uint64        // scratch: of the rows being counted
	rows    int64           // that were counted
	left    int64           // rows before most of the worker's share is counted; 0: nobody asks
	most    int             // tuples of a grouping until then
	others  formats.Batch   // of what is counted beside
}

// groupingCount counts one grouping; its slices select the grouping's columns.
type groupingCount struct {
	Grouping
	counter *partition.Counter // nil: the column's values are counted in order
	codes   [][]uint32
	domains []int
}

// newCounting returns the state of one of so many workers.
func (r *reading) newCounting(number, workers int) *counting {
	n := len(r.columns)
	w := &counting{
		reading: r, number: number, sampling: sampling{take: r.Take}, maps: make([]domain.Mapping, n), codes: make([][]uint32, n+1), domains: make([]int, n+1),
		tallies: make([]*columnTally, n), counts: make([]groupingCount, r.pairs),
	}
	if r.most > 0 {
		w.left, w.most = r.Dataset.Rows()/int64(workers)/2, r.most/workers
	}
	for i, c := range r.columns {
		if c.coder == nil {
			w.tallies[i] = &columnTally{part: c.values.newPart(c.room), lists: r.lists}
			continue
		}
		w.maps[i] = domain.NewMapping(c.coder)
		if i < r.pairs {
			w.counts[i] = r.newGroupingCount(Grouping{Columns: r.pairOf(i)}, partition.Space{Budget: r.space.Budget})
		}
	}
	if r.kinds != nil {
		w.kinds = r.kinds.newCounting()
	}
	share := r.space
	share.Share /= int64(workers)
	for _, grouping := range r.groupings {
		w.counts = append(w.counts, r.newGroupingCount(grouping, share))
	}
	return w
}

func (r *reading) newGroupingCount(g Grouping, space partition.Space) groupingCount {
	domains := r.domainsOf(g.Columns)
	return groupingCount{g, partition.NewCounter(domains, space), make([][]uint32, len(domains)), domains}
}

// pairOf returns the positions of the class, or kind, and of a column.
func (r *reading) pairOf(column int) []int {
	if kind := r.Kind(); kind >= 0 {
		return []int{kind, column}
	}
	return []int{column}
}

// domainsOf returns the numbers of final codes of some columns.
func (r *reading) domainsOf(columns []int) []int {
	domains := make([]int, len(columns))
	for i, column := range columns {
		if column < len(r.columns) {
			domains[i] = r.columns[column].domain
		} else {
			domains[i] = r.kinds.domain
		}
	}
	return domains
}

// EndSplit empties the tallies: the reader's lists of values end with the split.
func (w *counting) EndSplit() error {
	for _, t := range w.tallies {
		if t != nil {
			if err := t.empty(); err != nil {
				return err
			}
		}
	}
	return nil
}

// countRows is how many rows are counted at a time: their codes and keys stay in a
// second-level cache on the way from the reader's codes to the counts.
const countRows = 2048

// noClasses are the classes of rows without any.
var noClasses [countRows]uint32

func (w *counting) Batch(b *formats.Batch) error {
	b = w.taken(b)
	return w.Block(b, 0, b.Rows)
}

// Divides reports whether lists of values are short: every worker that takes a part learns them.
func (w *counting) Divides(b *formats.Batch) bool {
	if w.take != nil {
		return false
	}
	for i, column := range b.Columns {
		if column.Leaves != nil || column.Values.Len() > b.Rows || i < len(w.tallies) && w.tallies[i] != nil {
			return false
		}
	}
	return true
}

func (w *counting) Block(b *formats.Batch, from, to int) error {
	for i := range w.columns {
		if w.tallies[i] != nil {
			continue
		}
		if err := w.maps[i].Learn(b.Columns[i].Values); err != nil {
			return err
		}
		w.domains[i] = w.maps[i].Domain()
	}
	if w.class >= 0 {
		if err := domain.CheckClasses("class column "+w.className(), w.domains[w.class]); err != nil {
			return err
		}
	}
	if w.kinds != nil {
		for _, column := range w.Kinds.Sensitive {
			if err := domain.CheckClasses("sensitive column "+w.field(&w.Columns[column]).Name, w.domains[column]); err != nil {
				return err
			}
		}
	}
	if w.beside != nil {
		w.others = formats.Batch{Row: b.Row, Rows: b.Rows, Counts: b.Counts, Columns: w.others.Columns[:0]}
		for _, i := range w.also {
			w.others.Columns = append(w.others.Columns, b.Columns[i])
		}
	}
	for lo := from; lo < to; lo += countRows {
		hi := min(lo+countRows, to)
		if err := w.count(b, lo, hi); err != nil {
			return err
		}
	}
	if w.beside != nil {
		if err := w.beside(w.number, &w.others, from, to); err != nil {
			return err
		}
	}
	w.rows += b.Records(from, to)
	for i := range w.counts[w.pairs:] { // many in the first half of the rows are many in all
		if w.rows < w.left && w.counts[w.pairs+i].counter.Held() > w.most {
			return ErrManyTuples
		}
	}
	return nil
}

// count counts the rows from lo to hi−1 of a batch whose values were learned.
func (w *counting) count(b *formats.Batch, lo, hi int) error {
	for i := range w.columns {
		if w.tallies[i] == nil {
			w.codes[i] = w.maps[i].Apply(b.Columns[i].Codes[lo:hi], w.codes[i])
		}
	}
	counts, classes, classDomain := b.CountsOf(lo, hi), noClasses[:hi-lo], 1
	if w.class >= 0 {
		classes, classDomain = w.codes[w.class], w.domains[w.class]
	}
	if w.kinds != nil {
		var err error
		if classes, classDomain, err = w.kinds.number(classes, w.codes); err != nil {
			return err
		}
		w.codes[w.Kind()], w.domains[w.Kind()] = classes, classDomain
	}
	for i, t := range w.tallies {
		if t != nil {
			if err := t.count(b.Columns[i].Values, b.Columns[i].Codes[lo:hi], classes, counts, classDomain); err != nil {
				return err
			}
		}
	}
	for i := range w.counts {
		if err := w.countGrouping(&w.counts[i], hi-lo, counts); err != nil {
			return err
		}
	}
	return nil
}

// countGrouping counts the tuples of so many rows.
func (w *counting) countGrouping(g *groupingCount, rows int, counts []uint64) error {
	if g.counter == nil {
		return nil
	}
	for i, column := range g.Columns {
		g.codes[i], g.domains[i] = w.codes[column], w.domains[column]
	}
	if g.Weighted {
		counts = w.weights(counts)
	}
	return g.counter.AddCounted(rows, counts, g.codes, g.domains)
}

// weights returns what the rows weigh that are being counted: the codes of entities say it of a
// record.
func (w *counting) weights(counts []uint64) []uint64 {
	w.weighed = w.weighed[:0]
	for row, weight := range w.codes[len(w.columns)-1] {
		n := uint64(weight)
		if counts != nil {
			n *= counts[row]
		}
		w.weighed = append(w.weighed, n)
	}
	return w.weighed
}

// columnTally counts the local codes of one column by class while the reader's list of values stays
// the same, as long as there is room for that.
type columnTally struct {
	*part
	lists   *spill.Budget // room for all tallies
	of      *formats.Values
	classes int      // that there is a place for
	counts  []uint64 // by code and class
}

// count counts rows, which are as many records as counts say: in the tally, or one by one.
func (t *columnTally) count(values *formats.Values, codes, classes []uint32, counts []uint64, classDomain int) error {
	if t.of != values || classDomain > t.classes || (values.Len()+1)*t.classes > len(t.counts) {
		if err := t.empty(); err != nil {
			return err
		}
		width := 1 << bits.Len(uint(classDomain-1))
		places := 1 << bits.Len(uint((values.Len()+1)*width-1)) // the list and the classes may become more
		if t.lists.Draw("the counts of a list of values", 8*int64(places)) == nil {
			t.of, t.classes, t.counts = values, width, make([]uint64, places)
		}
	}
	if t.counts == nil {
		return t.addRows(values, codes, classes, counts)
	}
	for i, code := range codes {
		n := uint64(1)
		if counts != nil {
			n = counts[i]
		}
		t.counts[int(code)*t.classes+int(classes[i])] += n
	}
	return nil
}

// empty hands the tally over to its part.
func (t *columnTally) empty() error {
	var classes []engine.Frequency
	for at := 0; at < len(t.counts); at += t.classes {
		for class, n := range t.counts[at : at+t.classes] {
			if n > 0 {
				classes = append(classes, engine.Frequency{Class: uint32(class), Count: n})
			}
		}
		if len(classes) > 0 {
			if err := t.add(t.of, uint32(at/t.classes), classes...); err != nil {
				return err
			}
			classes = classes[:0]
		}
	}
	t.lists.Return(8 * int64(len(t.counts)))
	t.of, t.counts = nil, nil
	return nil
}

// sampling takes some of the records of an input.
type sampling struct {
	take   func(record, n uint64) uint64 // Request.Take
	start  uint64                        // position in the input of the split's first record
	sample formats.Batch                 // scratch
}

// BeginSplit notes where a split begins.
func (s *sampling) BeginSplit(split formats.Split) { s.start = uint64(split.Row) }

// taken returns a batch of the records of a coded one that are taken, valid until the next call.
func (s *sampling) taken(b *formats.Batch) *formats.Batch {
	if s.take == nil {
		return b
	}
	if s.sample.Columns == nil {
		for range b.Columns {
			s.sample.Columns = append(s.sample.Columns, &formats.Column{})
		}
	}
	for i, c := range s.sample.Columns {
		c.Values, c.Codes = b.Columns[i].Values, c.Codes[:0]
	}
	s.sample.Rows, s.sample.Counts = 0, s.sample.Counts[:0]
	at := s.start + uint64(b.Row)
	for row := range b.Rows {
		records := uint64(b.Records(row, row+1))
		taken := s.take(at, records)
		if at += records; taken == 0 {
			continue
		}
		for i, c := range s.sample.Columns {
			c.Codes = append(c.Codes, b.Columns[i].Codes[row])
		}
		s.sample.Rows++
		if b.Counts != nil {
			s.sample.Counts = append(s.sample.Counts, taken)
		}
	}
	return &s.sample
}
