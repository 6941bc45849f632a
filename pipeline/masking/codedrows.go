package masking

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"
	"sync"

	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/spill"
)

// codedSorter puts rows of a coding in order.
//
//	codedRun of every worker ─full─▶ sortedRun, in memory or in a store ─▶ merge
//
// Equal rows of a run become one. It draws at most its share of the budget, but for the values; sorted runs that do not fit are in the
// store, with the numbers of values, which stay the same when more of them become known.
type codedSorter struct {
	form     *rowForm
	values   *keptValues
	budget   *spill.Budget
	share    int64
	open     func() (*spill.Store, error)
	runs     []*codedRun // by worker
	limit    int         // words that one takes
	threads  int
	expected int64 // rows in all

	mu     sync.Mutex
	drawn  int64
	sorted []*sortedRun
	last   *coding // of the last one of them
	stored []spill.Sequence
	store  *spill.Store // nil: nothing is stored
	rows   int64
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
	rows   []uint64
	counts []uint32 // of each; nil: one
	drawn  int64
}

const (
	// A run is so large that few are to be merged, and most of its sorting is done in caches.
	mostCoded  = 16 << 20
	leastCoded = 256 << 10
	// codedChunk is about the size of a chunk of rows in the store.
	codedChunk = 64 << 10
	// valuesOfShare is the part of a share that values may take.
	valuesOfShare = 8
)

func newCodedSorter(form *rowForm, budget *spill.Budget, share int64, threads int, rows int64, open func() (*spill.Store, error)) (*codedSorter, error) {
	s := &codedSorter{form: form, budget: budget, share: share - share/valuesOfShare, open: open, threads: threads, expected: rows}
	s.values = newKeptValues(form, budget, share/valuesOfShare)
	s.limit = int(min(max(s.share/int64(4*threads), leastCoded), mostCoded)) / 8
	for range threads {
		s.runs = append(s.runs, &codedRun{})
	}
	s.drawn = 8 * int64(s.limit*threads)
	return s, budget.Draw("rows to be sorted", s.drawn)
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

// seal sorts a run and puts it with the others, or in the store. The worker's run is empty then.
func (s *codedSorter) seal(r *codedRun) error {
	if len(r.rows) == 0 {
		return nil
	}
	n := len(r.rows) / r.words
	of := sortedRun{coding: r.coding, counts: r.sort()}
	of.rows, r.rows = r.rows, r.rows[:0]
	if fits, err := s.take(&of, n); err != nil || !fits {
		return err
	}
	of.rows, of.counts = slices.Clone(of.rows), slices.Clone(of.counts)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sorted = append(s.sorted, &of)
	return nil
}

// take draws what a sorted run of n rows takes, or puts it in the store.
func (s *codedSorter) take(r *sortedRun, n int) (fits bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows += int64(n)
	r.drawn = 8*int64(len(r.rows)) + 4*int64(len(r.counts))
	if s.last != r.coding {
		r.drawn += r.held()
	}
	if !s.draw(r.drawn) {
		return false, s.put(mergeOf(r))
	}
	s.last = r.coding
	return true, nil
}

// draw draws more of the share, if it has it.
func (s *codedSorter) draw(bytes int64) bool {
	if s.drawn+bytes > s.share || s.budget.Draw("sorted rows", bytes) != nil {
		return false
	}
	s.drawn += bytes
	return true
}

// put writes sorted rows to the store as one more run: each with its count in 4 bytes.
func (s *codedSorter) put(rows *codedRows) (err error) {
	if s.store == nil {
		if s.store, err = s.open(); err != nil {
			return err
		}
	}
	sequence := s.store.NewSequence()
	s.stored = append(s.stored, sequence)
	to := s.values.stored()
	recoding := newRecoding(s.form, rows.heap[0].coding, to)
	var room []uint64
	var chunk []byte
	for {
		row, n, err := rows.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		room = recoding.recode(row, room)
		for ; n > 0; n -= min(n, math.MaxUint32) {
			for _, word := range room {
				chunk = binary.LittleEndian.AppendUint64(chunk, word)
			}
			chunk = binary.LittleEndian.AppendUint32(chunk, uint32(min(n, math.MaxUint32)))
		}
		if len(chunk) >= codedChunk {
			if err := s.store.Append(sequence, chunk); err != nil {
				return err
			}
			chunk = chunk[:0]
		}
	}
	if len(chunk) == 0 {
		return nil
	}
	return s.store.Append(sequence, chunk)
}

// end ends the runs. No more rows are appended.
func (s *codedSorter) end() error {
	threads := len(s.runs)
	err := workers.Each(threads, threads, func(_ workers.Worker, i int) error { return s.seal(s.runs[i]) })
	s.runs = nil
	s.release(8 * int64(s.limit*threads))
	return err
}

// yield ends the runs and leaves most of the share to others.
func (s *codedSorter) yield() error {
	if err := s.end(); err != nil || s.drawn <= s.share/8 {
		return err
	}
	return s.putAll()
}

// merge returns all rows in order. No more are appended.
func (s *codedSorter) merge(ctx context.Context) (*codedRows, error) {
	if err := s.end(); err != nil {
		return nil, err
	}
	to, more := s.values.coding(), int64(0)
	for _, r := range s.sorted {
		more += 8 * int64((to.words-r.words)*(len(r.rows)/r.words))
	}
	if len(s.stored) > 0 && s.fanIn(s.share-s.drawn) < len(s.stored) || more > 0 && !s.draw(more) {
		if err := s.putAll(); err != nil {
			return nil, err
		}
	}
	for len(s.stored) > s.fanIn(s.share) {
		if err := s.join(ctx, s.stored[:s.fanIn(s.share)]); err != nil {
			return nil, err
		}
	}
	err := workers.Each(len(s.sorted), s.threads, func(_ workers.Worker, i int) error {
		r := s.sorted[i]
		r.rows = newRecoding(s.form, r.coding, to).recode(r.rows, nil)
		r.coding = to
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s.merged(ctx, s.sorted, s.stored)
}

// fanIn returns how many runs of the store can be read at a time in so many bytes.
func (s *codedSorter) fanIn(bytes int64) int { return int(max(2, bytes/spill.ReaderBytes)) }

// putAll writes the runs in memory to the store.
func (s *codedSorter) putAll() error {
	for i, r := range s.sorted {
		if err := s.put(mergeOf(r)); err != nil {
			return err
		}
		s.release(r.drawn)
		s.sorted[i] = nil
	}
	s.sorted = nil
	return nil
}

// join makes one run of the first ones in the store.
func (s *codedSorter) join(ctx context.Context, first []spill.Sequence) error {
	first = slices.Clone(first)
	s.stored = s.stored[len(first):]
	rows, err := s.merged(ctx, nil, first)
	if err != nil {
		return err
	}
	err = s.put(rows)
	return errors.Join(err, rows.close(), s.store.Free(first...))
}

func (s *codedSorter) release(bytes int64) {
	s.budget.Return(bytes)
	s.drawn -= bytes
}

// close returns what is drawn and frees what is stored.
func (s *codedSorter) close() error {
	s.release(s.drawn)
	s.values.close()
	s.runs, s.sorted = nil, nil
	if s.store == nil {
		return nil
	}
	stored := s.stored
	s.stored = nil
	return s.store.Free(stored...)
}

// codedRows are different rows in order, read once.
type codedRows struct {
	*coding
	budget *spill.Budget
	drawn  int64
	heap   []*codedSource // the first row of the first one is next
	row    []uint64
	rows   int64 // in all
	head   int   // bytes of labels
	length int64 // of the longest row, as bytes, at most
}

func (r *codedRows) most() (int64, int64) { return r.rows, r.rows * r.length }

func (r *codedRows) pull() (n int64, err error) {
	_, n, err = r.next()
	return n, err
}

func (r *codedRows) give(g *orderedGroup, n int64) {
	g.different, g.count = append(g.different, r.row...), g.count+n
	g.size += r.head
	for i := range r.fields {
		f := &r.fields[i]
		g.size += int(f.lengths[f.rank(r.row)])
	}
	g.some = append(g.some, equalRows{n: n})
}

// codedSource is what is left of a sorted run.
type codedSource struct {
	sortedRun
	row      []uint64 // the first one
	key      uint64   // its first word
	count    uint32
	next     int           // row
	reader   *spill.Reader // nil: it is in memory
	recoding *recoding
	room     []uint64
}

// mergeOf returns the rows of one sorted run.
func mergeOf(r *sortedRun) *codedRows {
	rows := &codedRows{coding: r.coding, heap: []*codedSource{{sortedRun: *r}}}
	_ = rows.heap[0].advance() // it is not empty
	return rows
}

// merged returns the rows of runs.
func (s *codedSorter) merged(ctx context.Context, inMemory []*sortedRun, stored []spill.Sequence) (*codedRows, error) {
	to := s.values.coding()
	rows := &codedRows{coding: to, budget: s.budget, drawn: spill.ReaderBytes * int64(len(stored)), rows: s.rows, head: s.form.head, length: int64(s.form.head)}
	for i := range to.fields {
		rows.length += int64(slices.Max(to.fields[i].lengths))
	}
	if err := s.budget.Draw("reading sorted rows", rows.drawn); err != nil {
		return nil, err
	}
	for _, r := range inMemory {
		rows.heap = append(rows.heap, &codedSource{sortedRun: *r})
	}
	from := s.values.stored()
	for _, sequence := range stored {
		reader, err := s.store.Read(ctx, sequence)
		if err != nil {
			return nil, errors.Join(err, rows.close())
		}
		rows.heap = append(rows.heap, &codedSource{sortedRun: sortedRun{coding: to}, reader: reader, recoding: newRecoding(s.form, from, to)})
	}
	for _, source := range rows.heap { // no run is empty
		if err := source.advance(); err != nil {
			return nil, errors.Join(err, rows.close())
		}
	}
	for i := len(rows.heap)/2 - 1; i >= 0; i-- {
		rows.down(i)
	}
	return rows, nil
}

// next returns the next row, valid until the next call, and how many there are of it, or io.EOF.
func (r *codedRows) next() (row []uint64, n int64, err error) {
	if len(r.heap) == 0 {
		return nil, 0, io.EOF
	}
	r.row = append(r.row[:0], r.heap[0].row...)
	for len(r.heap) > 0 && r.heap[0].key == r.row[0] && compareRows(r.heap[0].row, r.row) == 0 {
		first := r.heap[0]
		n += int64(first.count)
		switch err := first.advance(); {
		case err == io.EOF:
			if first.reader != nil {
				_ = first.reader.Close() // of which nothing is left
			}
			last := len(r.heap) - 1
			r.heap[0], r.heap = r.heap[last], r.heap[:last]
		case err != nil:
			return nil, 0, err
		}
		r.down(0)
	}
	return r.row, n, nil
}

// down puts a source that may be behind others in its place.
func (r *codedRows) down(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(r.heap); child++ {
			if r.heap[child].before(r.heap[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		r.heap[i], r.heap[least] = r.heap[least], r.heap[i]
		i = least
	}
}

func (s *codedSource) before(t *codedSource) bool {
	return s.key < t.key || s.key == t.key && compareRows(s.row, t.row) < 0
}

// advance goes on to the next row, or returns io.EOF.
func (s *codedSource) advance() error {
	from := s.next * s.words
	if from == len(s.rows) {
		if s.reader == nil {
			return io.EOF
		}
		if err := s.read(); err != nil {
			return err
		}
		from = 0
	}
	s.row, s.count = s.rows[from:from+s.words], 1
	if s.key = s.row[0]; s.counts != nil {
		s.count = s.counts[s.next]
	}
	s.next++
	return nil
}

// read reads the next chunk of a stored run.
func (s *codedSource) read() error {
	chunk, err := s.reader.Next()
	if err != nil {
		return err
	}
	words := s.recoding.from.words
	if len(chunk)%(8*words+4) > 0 {
		return spill.ErrCorrupt
	}
	s.next, s.counts, s.room = 0, s.counts[:0], s.room[:0]
	for ; len(chunk) > 0; chunk = chunk[8*words+4:] {
		for i := range words {
			s.room = append(s.room, binary.LittleEndian.Uint64(chunk[8*i:]))
		}
		s.counts = append(s.counts, binary.LittleEndian.Uint32(chunk[8*words:]))
	}
	s.rows = s.recoding.recode(s.room, s.rows)
	return nil
}

// close ends the reading.
func (r *codedRows) close() (err error) {
	for _, source := range r.heap {
		if source.reader != nil {
			err = errors.Join(err, source.reader.Close())
		}
	}
	r.heap = nil
	if r.budget != nil {
		r.budget.Return(r.drawn)
	}
	return err
}
