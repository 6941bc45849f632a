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

// reading is one reading of an input. It counts values in order, pairs of codes and classes, and
// tuples of codes. The counts depend on the input and the columns alone. They do not depend on the
// division of the work among the workers.
type reading struct {
	*Request

	// space is the room for tuples. If it has a store, the tuples of a grouping that exceed the
	// share go to the store.
	space     partition.Space
	lists     *spill.Budget // the room of all column counters
	threads   int
	columns   []column
	class     int       // position of the class among the columns; −1: the class is not counted
	pairs     int       // how many first columns are also counted alone, by class or profile
	profiles  *profiles // nil: the class is the whole sensitive profile
	groupings []Grouping
	most      int   // the most tuples of a grouping in half of the rows; 0: there is no limit
	fields    []int // the fields of the input that are read, starting with those of the columns

	source uint32 // of the rows: the last code of groupings with People

	sideColumns []int // positions among the fields of the columns of the side count
	sideCount   func(worker int, b *formats.Batch, from, to int) error
	workers     []*counting
}

// column is one column that is read.
type column struct {
	coder  domain.Coder // nil: the values are counted in order
	values *Values      // counts the values in order, or after the coder has numbered them
	room   int64        // bytes of values that every worker holds
	domain int          // final codes are below domain
}

// ErrManyTuples ends a reading with too many tuples. Two readings are faster then.
var ErrManyTuples = errors.New("there are many tuples")

// start makes the state of the given number of workers. sideCount is nil if there is no side count.
func (r *reading) start(workers int, sideCount *SideCount) {
	r.fields = r.reads(len(r.columns), sideCount)
	if sideCount != nil {
		r.sideCount = sideCount.Begin(workers)
		for _, field := range sideCount.Fields {
			r.sideColumns = append(r.sideColumns, slices.Index(r.fields, field))
		}
	}
	for i := range workers {
		r.workers = append(r.workers, r.newCounting(i, workers))
	}
}

// reads returns the fields of the first columns, and then the fields that only the side count
// reads.
func (r *Request) reads(columns int, sideCount *SideCount) (fields []int) {
	for i := range columns {
		fields = append(fields, r.Columns[i].Field)
	}
	if sideCount == nil {
		return fields
	}
	for _, field := range sideCount.Fields {
		if !slices.Contains(fields, field) {
			fields = append(fields, field)
		}
	}
	return fields
}

// Reads returns the requests of a reading of the input that counts all columns.
func (r *Request) Reads() []formats.Request {
	return r.Dataset.Coded(r.reads(len(r.Columns), r.SideCount)...)
}

// read reads the input. Values in order and samples take whole batches.
func (r *reading) read(ctx context.Context, advanced func(rows int64)) error {
	inOrder := func(c column) bool { return c.coder == nil }
	scan := dataset.ScanBlocks[*counting]
	if r.takes() || slices.ContainsFunc(r.columns, inOrder) {
		scan = dataset.Scan
	}
	return scan(ctx, r.Dataset, r.Dataset.Coded(r.fields...), r.workers, advanced)
}

// tables joins the counts of the workers for every grouping, and those of a reading of the
// population, if there is one, for the groupings with People. It may be called only once.
func (r *reading) tables(ctx context.Context, population *reading) ([]*partition.Table, error) {
	tables, peopled := make([]*partition.Table, len(r.groupings)), 0
	for g := range tables {
		var err error
		counters := r.counters(r.pairs + g)
		if r.groupings[g].People {
			counters = append(counters, population.counters(peopled)...)
			peopled++
		}
		tables[g], err = partition.Tabulate(ctx, counters, r.space, r.threads)
		if err != nil {
			return nil, fmt.Errorf("join the counts of quasi-identifier set %d: %w", g+1, err)
		}
	}
	return tables, nil
}

// counters returns the counters of all workers for the pairs of column i. Behind the columns, i
// stands for a grouping.
func (r *reading) counters(i int) (counters []*partition.Counter) {
	for _, w := range r.workers {
		counters = append(counters, w.counts[i].counter)
	}
	return counters
}

// joinPairs joins the pairs of a column that the workers have counted. It may be called only once
// for a column.
func (r *reading) joinPairs(ctx context.Context, column int) (partition.Pairs, error) {
	pairs, err := partition.JoinPairs(ctx, r.counters(column), r.space.Budget, r.threads)
	if err != nil {
		return nil, fmt.Errorf("join the class counts of column %d: %w", column+1, err)
	}
	return pairs, nil
}

// counting has the counts and the state of one worker.
type counting struct {
	*reading
	sampling
	number  int              // the number of the worker
	maps    []domain.Mapping // for every column with a coder
	codes   [][]uint32       // by column, of the rows being counted; the last ones are the profiles
	domains []int            // by column, like codes

	columnCounters []*columnCounter  // for every column whose values are counted in order
	profiles       *profileNumbering // nil: there are no profiles
	counts         []groupingCount   // of the columns with pairs, and then of the groupings
	weighed        []uint64          // scratch: the weights of the rows being counted

	rows int64 // the number of counted rows
	left int64 // half of the worker's share of the rows; 0: there is no limit for tuples
	most int   // the most tuples of a grouping in the first left rows

	sideBatch formats.Batch // the columns of the side count
}

// groupingCount counts one grouping.
type groupingCount struct {
	Grouping
	counter *partition.Counter // nil: the column's values are counted in order
	codes   [][]uint32         // the codes of the grouping's columns
	domains []int              // the domains of the grouping's columns
}

// newCounting returns the state of one worker. workers is the number of all workers.
func (r *reading) newCounting(number, workers int) *counting {
	n := len(r.columns)
	w := &counting{
		reading: r, number: number, sampling: r.newSampling(),
		maps:  make([]domain.Mapping, n),
		codes: make([][]uint32, n+1), domains: make([]int, n+1),
		columnCounters: make([]*columnCounter, n), counts: make([]groupingCount, r.pairs),
	}
	if r.most > 0 {
		w.left, w.most = r.Dataset.Rows()/int64(workers)/2, r.most/workers
	}
	for i, c := range r.columns {
		if c.coder == nil {
			part := c.values.part(number, c.room)
			w.columnCounters[i] = &columnCounter{part: part, lists: r.lists}
			continue
		}
		w.maps[i] = domain.NewMapping(c.coder)
		if i < r.pairs {
			inMemory := partition.Space{Budget: r.space.Budget}
			w.counts[i] = r.newGroupingCount(Grouping{Columns: r.pairOf(i)}, inMemory)
		}
	}
	if r.profiles != nil {
		w.profiles = r.profiles.newNumbering()
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
	if g.People {
		domains = append(domains, 2)
	}
	counter := partition.NewCounter(domains, space)
	return groupingCount{g, counter, make([][]uint32, len(domains)), domains}
}

// pairOf returns the positions of the class, or the sensitive profile, and of a column.
func (r *reading) pairOf(column int) []int {
	if profile := r.ProfilePosition(); profile >= 0 {
		return []int{profile, column}
	}
	return []int{column}
}

// domainsOf returns the domains of the final codes of some columns.
func (r *reading) domainsOf(columns []int) []int {
	domains := make([]int, len(columns))
	for i, column := range columns {
		if column < len(r.columns) {
			domains[i] = r.columns[column].domain
		} else {
			domains[i] = r.profiles.domain
		}
	}
	return domains
}

// EndSplit empties the column counters, because the reader's lists of values end with the split.
func (w *counting) EndSplit() error {
	for _, t := range w.columnCounters {
		if t != nil {
			if err := t.empty(); err != nil {
				return err
			}
		}
	}
	return nil
}

// countRows is the number of rows that are counted together. Their codes and keys stay in a
// second-level cache during the work from the reader's codes to the counts.
const countRows = 2048

// noClasses has the classes of rows without a class.
var noClasses [countRows]uint32

// sources has for every source the last codes of its rows.
var sources = [][]uint32{
	engine.OfRecords: noClasses[:],
	engine.OfPeople:  slices.Repeat([]uint32{engine.OfPeople}, countRows),
}

func (w *counting) Batch(b *formats.Batch) error {
	b = w.taken(b)
	return w.Block(b, 0, b.Rows)
}

func (w *counting) Block(b *formats.Batch, from, to int) error {
	for i := range w.columns {
		if w.columnCounters[i] != nil {
			continue
		}
		if err := w.maps[i].Learn(b.Columns[i].Values); err != nil {
			return err
		}
		w.domains[i] = w.maps[i].Domain()
	}
	if w.class >= 0 {
		err := domain.CheckClasses("class column "+w.className(), w.domains[w.class])
		if err != nil {
			return err
		}
	}
	if w.profiles != nil {
		for _, column := range w.Profile.Sensitive {
			name := "sensitive column " + w.field(&w.Columns[column]).Name
			if err := domain.CheckClasses(name, w.domains[column]); err != nil {
				return err
			}
		}
	}
	if w.sideCount != nil {
		w.sideBatch = formats.Batch{
			Row: b.Row, Rows: b.Rows, Counts: b.Counts, Columns: w.sideBatch.Columns[:0],
		}
		for _, i := range w.sideColumns {
			w.sideBatch.Columns = append(w.sideBatch.Columns, b.Columns[i])
		}
	}
	for lo := from; lo < to; lo += countRows {
		hi := min(lo+countRows, to)
		if err := w.count(b, lo, hi); err != nil {
			return err
		}
	}
	if w.sideCount != nil {
		if err := w.sideCount(w.number, &w.sideBatch, from, to); err != nil {
			return err
		}
	}
	w.rows += b.Records(from, to)
	for i := range w.counts[w.pairs:] { // if half of the rows have many tuples, all rows do
		if w.rows < w.left && w.counts[w.pairs+i].counter.Held() > w.most {
			return ErrManyTuples
		}
	}
	return nil
}

// count counts the rows from lo to hi−1 of a batch. The mappings already have the batch's values.
func (w *counting) count(b *formats.Batch, lo, hi int) error {
	for i := range w.columns {
		if w.columnCounters[i] == nil {
			w.codes[i] = w.maps[i].Apply(b.Columns[i].Codes[lo:hi], w.codes[i])
		}
	}
	counts, classes, classDomain := b.CountsOf(lo, hi), noClasses[:hi-lo], 1
	if w.class >= 0 {
		classes, classDomain = w.codes[w.class], w.domains[w.class]
	}
	if w.profiles != nil {
		var err error
		if classes, classDomain, err = w.profiles.number(classes, w.codes); err != nil {
			return err
		}
		w.codes[w.ProfilePosition()], w.domains[w.ProfilePosition()] = classes, classDomain
	}
	for i, t := range w.columnCounters {
		if t != nil {
			values, codes := b.Columns[i].Values, b.Columns[i].Codes[lo:hi]
			if err := t.count(values, codes, classes, counts, classDomain); err != nil {
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

// countGrouping counts the tuples of the rows whose codes are in w.codes.
func (w *counting) countGrouping(g *groupingCount, rows int, counts []uint64) error {
	if g.counter == nil {
		return nil
	}
	for i, column := range g.Columns {
		g.codes[i], g.domains[i] = w.codes[column], w.domains[column]
	}
	if g.People {
		last := len(g.Columns)
		g.codes[last], g.domains[last] = sources[w.source][:rows], 2
	}
	if g.Weighted {
		counts = w.weights(counts)
	}
	return g.counter.AddCounted(rows, counts, g.codes, g.domains)
}

// weights returns the weights of the rows being counted. The code of the entity column is the
// weight of one record.
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

// columnCounter counts the reader's codes of one column by class, as long as the reader has the
// same list of values and there is room for the counts.
type columnCounter struct {
	*part
	lists   *spill.Budget   // the room for all column counters
	of      *formats.Values // the reader's list of values
	classes int             // counts has room for this number of classes
	counts  []uint64        // by code and class
}

// count counts rows. Row i stands for counts[i] records, or for one record if counts is nil. If
// there is no room for the counts of codes, it adds the rows one by one to the part.
func (t *columnCounter) count(
	values *formats.Values, codes, classes []uint32, counts []uint64, classDomain int,
) error {
	if t.of != values || classDomain > t.classes || (values.Len()+1)*t.classes > len(t.counts) {
		if err := t.empty(); err != nil {
			return err
		}
		width := 1 << bits.Len(uint(classDomain-1))
		// The list and the number of classes may still grow.
		places := 1 << bits.Len(uint((values.Len()+1)*width-1))
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

// empty adds the counts to the part and drops them.
func (t *columnCounter) empty() error {
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

// takes reports whether only some of the records are counted.
func (r *Request) takes() bool { return r.Take != nil || r.TakeEntity != nil }

// sampling takes some of the records of an input.
type sampling struct {
	take   func(record, n uint64) uint64 // Request.Take; nil: all are taken
	lister *entityKeyLister              // has Request.TakeEntity; nil: every entity is taken
	entity int                           // position of the entity column
	start  uint64                        // the position in the input of the split's first record
	sample formats.Batch                 // scratch
}

func (r *Request) newSampling() (s sampling) {
	s.take = r.Take
	if r.TakeEntity != nil {
		s.lister, s.entity = &entityKeyLister{take: r.TakeEntity}, len(r.Columns)-1
		if s.take == nil {
			s.take = func(_, n uint64) uint64 { return n }
		}
	}
	return s
}

// BeginSplit sets the position of the split's first record.
func (s *sampling) BeginSplit(split formats.Split) { s.start = uint64(split.Row) }

// taken returns the batch of the records that are taken from a coded batch. It is valid until the
// next call.
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
	if s.lister != nil {
		s.lister.learn(b.Columns[s.entity].Values)
	}
	at := s.start + uint64(b.Row)
	for row := range b.Rows {
		records := uint64(b.Records(row, row+1))
		taken := s.take(at, records)
		at += records
		if taken == 0 || s.lister != nil && s.lister.keys[b.Columns[s.entity].Codes[row]] == 0 {
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
