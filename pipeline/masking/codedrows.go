package masking

import (
	"context"
	"encoding/binary"
	"slices"
	"sync/atomic"

	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/spill"
)

// codedSorter puts rows of a coding in order.
//
//	codedRun of every worker ─full─▶ sortedRun in spill.SortedRuns ─▶ merge
//
// Equal rows of a run become one. It draws at most its share of the budget, but for the values. Rows in the store have the numbers of
// values, which stay the same when more of them become known.
type codedSorter struct {
	sorted   spill.SortedRuns[uint64, *sortedRun]
	form     *rowForm
	values   *keptValues
	runs     []*codedRun // by worker
	limit    int         // words that one takes
	threads  int
	expected int64                  // rows in all
	rows     atomic.Int64           // in runs that are sorted
	last     atomic.Pointer[coding] // of the last one of these
	stored   *recoding              // of rows in the store, when they are read
}

// codedRun is rows in memory that one worker appends.
type codedRun struct {
	*coding
	rows            []uint64
	counts          []uint32 // scratch, as all that follows
	spare           []uint64
	refs, spareRefs []rowRef
}

// sortedRun is different rows in order.
type sortedRun struct {
	*coding
	sorter *codedSorter
	rows   []uint64
	counts []uint32 // of each; nil: one
	held   int64
	room   []uint64 // for rows of the store
}

const (
	// A run is so large that few are to be merged, and most of its sorting is done in caches.
	mostCoded  = 16 << 20
	leastCoded = 256 << 10
	// valuesOfShare is the part of a share that values may take.
	valuesOfShare = 8
)

func newCodedSorter(form *rowForm, budget *spill.Budget, share int64, threads int, rows int64, open func() (*spill.Store, error)) (*codedSorter, error) {
	s := &codedSorter{form: form, threads: threads, expected: rows}
	s.sorted = spill.SortedRuns[uint64, *sortedRun]{
		Budget: budget, Share: share - share/valuesOfShare, Open: open, Compare: compareRows,
		Empty: func() *sortedRun { return &sortedRun{sorter: s, coding: s.stored.to} },
	}
	s.values = newKeptValues(form, budget, share/valuesOfShare)
	s.limit = int(codedRunBytes(s.sorted.Share, threads)) / 8
	for range threads {
		s.runs = append(s.runs, &codedRun{})
	}
	return s, s.sorted.DrawUnsorted(8 * int64(s.limit*threads))
}

// codedRunBytes returns how many bytes of a share one worker's run takes.
func codedRunBytes(share int64, threads int) int64 {
	return min(max(share/int64(4*threads), leastCoded), mostCoded)
}

// room returns room for n rows in a worker's run, all zero, and their coding, which knows all values of another.
func (s *codedSorter) room(worker, n int, c *coding) (rows []uint64, _ *coding, err error) {
	r := s.runs[worker]
	if r.coding == nil {
		r.coding = c
	}
	if r.coding != c && r.older(c) {
		r.rows = newRecoding(s.form, r.coding, c).recode(r.rows, nil)
		r.coding = c
	}
	// Beside itself a row needs its count, as much again to be sorted in, and two references if it is long.
	each := 2*r.words + 1
	if r.words > digitWords {
		each += 4
	}
	most := max(s.limit/each, n) * r.words
	if len(r.rows)+n*r.words > most {
		if err := s.seal(r); err != nil {
			return nil, nil, err
		}
	}
	from := len(r.rows)
	more := int(min(int64(most), s.expected*int64(r.words))) - from
	r.rows = slices.Grow(r.rows, max(more, n*r.words))[:from+n*r.words]
	clear(r.rows[from:])
	return r.rows[from:], r.coding, nil
}

// cut takes back the last rows of a worker's room.
func (s *codedSorter) cut(worker, n int) {
	r := s.runs[worker]
	r.rows = r.rows[:len(r.rows)-n*r.words]
}

// older reports whether a coding knows fewer values than another.
func (c *coding) older(than *coding) bool {
	for i := range c.fields {
		if len(c.fields[i].codes) < len(than.fields[i].codes) {
			return true
		}
	}
	return false
}

// seal sorts a run and puts it with the others. The worker's run is empty then.
func (s *codedSorter) seal(r *codedRun) error {
	if len(r.rows) == 0 {
		return nil
	}
	s.rows.Add(int64(len(r.rows) / r.words))
	of := &sortedRun{coding: r.coding, sorter: s, counts: r.sort()}
	of.rows, r.rows = r.rows, r.rows[:0]
	of.held = 8*int64(len(of.rows)) + 4*int64(len(of.counts))
	if s.last.Swap(r.coding) != r.coding {
		of.held += r.coding.held()
	}
	return s.sorted.Add(of)
}

// end ends the runs. No more rows are appended.
func (s *codedSorter) end() error {
	err := s.sorted.End(len(s.runs), func(worker int) error { return s.seal(s.runs[worker]) })
	s.runs = nil
	return err
}

// yield ends the runs and leaves most of the share to others.
func (s *codedSorter) yield() error {
	if err := s.end(); err != nil || s.sorted.Left() >= s.sorted.Share-s.sorted.Share/8 {
		return err
	}
	return s.sorted.StoreAll()
}

// merge returns all rows in order. No more are appended.
func (s *codedSorter) merge(ctx context.Context) (*codedRows, error) {
	if err := s.end(); err != nil {
		return nil, err
	}
	to, more := s.values.coding(), int64(0)
	s.stored = newRecoding(s.form, s.values.stored(), to)
	for _, r := range s.sorted.InMemory() {
		more += 8 * int64((to.words-r.words)*r.Len())
	}
	if err := s.sorted.Reduce(ctx, more); err != nil {
		return nil, err
	}
	sorted := s.sorted.InMemory()
	err := workers.Each(len(sorted), s.threads, func(_ workers.Worker, i int) error {
		r := sorted[i]
		r.rows = newRecoding(s.form, r.coding, to).recode(r.rows, nil)
		r.coding = to
		return nil
	})
	if err != nil {
		return nil, err
	}
	rows := &codedRows{coding: to, rows: s.rows.Load(), head: s.form.head, length: int64(s.form.head)}
	for i := range to.fields {
		rows.length += int64(slices.Max(to.fields[i].lengths))
	}
	rows.SortedRows, err = s.sorted.Merge(ctx)
	return rows, err
}

// close returns what is drawn and frees what is stored.
func (s *codedSorter) close() error {
	s.values.close()
	s.runs = nil
	return s.sorted.Close()
}

func (r *sortedRun) Len() int { return len(r.rows) / r.words }

func (r *sortedRun) At(i int) (key uint64, row []uint64, n uint32) {
	row, n = r.rows[i*r.words:(i+1)*r.words], 1
	if r.counts != nil {
		n = r.counts[i]
	}
	return row[0], row, n
}

func (r *sortedRun) Held() int64 { return r.held }

func (r *sortedRun) Clone() *sortedRun {
	to := *r
	to.rows, to.counts = slices.Clone(r.rows), slices.Clone(r.counts)
	return &to
}

// Encoder returns a function that appends the words of a row and, in 4 bytes, how many there are.
func (r *sortedRun) Encoder() func(chunk []byte, row []uint64, n uint32) []byte {
	recoding := newRecoding(r.sorter.form, r.coding, r.sorter.values.stored())
	var room []uint64
	return func(chunk []byte, row []uint64, n uint32) []byte {
		room = recoding.recode(row, room)
		for _, word := range room {
			chunk = binary.LittleEndian.AppendUint64(chunk, word)
		}
		return binary.LittleEndian.AppendUint32(chunk, n)
	}
}

// Decode makes the run that of a chunk's rows.
func (r *sortedRun) Decode(chunk []byte) error {
	stored := r.sorter.stored
	words := stored.from.words
	if len(chunk)%(8*words+4) > 0 {
		return spill.ErrCorrupt
	}
	r.counts, r.room = r.counts[:0], r.room[:0]
	for ; len(chunk) > 0; chunk = chunk[8*words+4:] {
		for i := range words {
			r.room = append(r.room, binary.LittleEndian.Uint64(chunk[8*i:]))
		}
		r.counts = append(r.counts, binary.LittleEndian.Uint32(chunk[8*words:]))
	}
	r.rows = stored.recode(r.room, r.rows)
	return nil
}

// codedRows are different rows in order, read once.
type codedRows struct {
	*spill.SortedRows[uint64, *sortedRun]
	*coding
	row    []uint64
	rows   int64 // in all
	head   int   // bytes of labels
	length int64 // of the longest row, as bytes, at most
}

func (r *codedRows) most() (int64, int64) { return r.rows, r.rows * r.length }

func (r *codedRows) pull() (n int64, err error) {
	r.row, n, err = r.Next()
	return n, err
}

func (r *codedRows) labels(form *rowForm, _ []uint64) []uint64 { return r.row[:form.words] }

func (r *codedRows) give(g *orderedGroup, n int64) {
	g.different, g.count = append(g.different, r.row...), g.count+n
	g.size += r.head
	for i := range r.fields {
		f := &r.fields[i]
		g.size += int(f.lengths[f.rank(r.row)])
	}
	g.some = append(g.some, equalRows{n: n})
}
